// Writes llms.txt (which pages there are) and llms-full.txt (all of them) for coding assistants, from the
// pages themselves. Both are in the package and on the site, next to the pages that they name.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tsImport } from 'tsx/esm/api'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const { description } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
const PARTS = [
  ['Learn', 'docs/learn'],
  ['Do', 'docs/do'],
  ['Operate', 'docs/operations'],
  ['Look up', 'docs/look-up'],
  ['Understand', 'docs/understand'],
]

const { packedText } = await tsImport('./packed.ts', import.meta.url)

/** A page, its title, and the first sentence of it. */
async function read(path) {
  const text = packedText({ path, text: await readFile(join(ROOT, path), 'utf8') })
  const [, title = path] = /^# (.+)$/m.exec(text) ?? []
  const [, first = ''] = /^# .+\n+((?:[^\n#|`<!-][^\n]*\n)+)/m.exec(text) ?? []
  const [sentence] = first.replace(/\s+/g, ' ').match(/^.+?[.!?](?=\s|$)/) ?? ['']
  return { path, title, text, summary: sentence.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1') }
}

const parts = []
for (const [title, folder] of PARTS) {
  const names = existsSync(join(ROOT, folder)) ? await readdir(join(ROOT, folder)) : []
  const paths = names.filter((name) => name.endsWith('.md')).sort()
  parts.push({ title, pages: await Promise.all(paths.map((name) => read(`${folder}/${name}`))) })
}
parts.push({
  title: 'Also',
  pages: await Promise.all(
    [
      'README.md',
      'docs/why.md',
      'docs/comparison.md',
      'docs/faq.md',
      'SECURITY.md',
      'CHANGELOG.md',
    ].map(read),
  ),
})

const lists = parts.map(
  ({ title, pages }) =>
    `## ${title}\n\n${pages.map(({ path, title: name, summary }) => `- [${name}](${path})${summary === '' ? '' : `: ${summary}`}\n`).join('')}`,
)
const head = `# hallpass\n\n> ${description}.\n\n`
const list = head + lists.join('\n')
await writeFile(join(ROOT, 'llms.txt'), list)
const texts = parts
  .flatMap(({ pages }) => pages)
  .map(({ path, text }) => `<!-- ${path} -->\n\n${text}`)
const whole = head + texts.join('\n')
await writeFile(join(ROOT, 'llms-full.txt'), whole)

const site = join(ROOT, 'docs-site')
if (existsSync(site))
  for (const { path, text } of [
    { path: 'llms.txt', text: list },
    { path: 'llms-full.txt', text: whole },
    ...parts.flatMap(({ pages }) => pages),
  ]) {
    await mkdir(join(site, path, '..'), { recursive: true })
    await writeFile(join(site, path), text)
  }
