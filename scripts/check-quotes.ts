// Compares the sentence of every clause of hallpass-audit with the text of its document: `npm run audit:quotes -- FOLDER`.
// The folder has one text for each document, such as RFC_7636.txt, with each paragraph on one line. The texts belong to
// others, so that they are not in this repository.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHECKS } from '../packages/hallpass-audit/src/checks/index.js'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('name the folder of the texts')

/** Quotation marks and spaces differ between the forms of a text, and mean nothing. */
const plain = (text: string): string =>
  text.replace(/[“”]/g, '"').replace(/[‘’]/g, "'").replace(/[\s\u00a0`*_]+/g, ' ').replace(/ ?- ?/g, '-') // prettier-ignore

const isHeading = (line: string): boolean =>
  /^\s*\d+(?:\.\d+)*\.?\s+\S/.test(line) && line.length < 120

const missing = new Set<string>()
let wrong = 0
let read = 0
for (const { id, clause } of CHECKS) {
  const { document, section, level, quote } = clause
  if (level === 'advice' || (quote as string | undefined) === undefined) continue
  const file = join(folder, `${document.replaceAll(' ', '_')}.txt`)
  if (!existsSync(file)) {
    missing.add(document)
    continue
  }
  read += 1
  const text = readFileSync(file, 'utf8')
  const whole = plain(text)
  const absent = quote.split(' … ').filter((part) => !whole.includes(plain(part)))
  if (absent.length > 0) {
    wrong += 1
    console.log(`${id}: ${document} does not say: ${absent.join(' … ')}`)
    continue
  }
  if (!/^[\d.]+$/.test(section)) continue
  // The last heading above the sentence.
  const lines = text.split('\n')
  const [first = ''] = quote.split(' … ')
  const found = lines.flatMap((line, at) => {
    if (!plain(line).includes(plain(first))) return []
    const headings = lines.slice(0, at + 1).filter(isHeading)
    // A step of a list looks like the heading of a chapter, and so does not hide that of its section.
    const near = [headings.at(-1), headings.findLast((line) => /^\s*\d+\.\d/.test(line))]
    return near.map((heading = '') => /^\s*(\d+(?:\.\d+)*)/.exec(heading)?.[1] ?? '')
  })
  if (found.length > 0 && !found.includes(section)) {
    wrong += 1
    console.log(`${id}: is in section ${found.join(' or ')} of ${document}, not ${section}`)
  }
}
console.log(`${read} sentences compared, ${wrong} differ; no text of ${[...missing].join(', ') || 'none'}`) // prettier-ignore
process.exitCode = wrong > 0 ? 1 : 0
