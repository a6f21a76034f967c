// Writes llms.txt (which pages there are) and llms-full.txt (all of them) for coding assistants, from the
// pages themselves. Both are in the package and on the site, next to the pages that they name.
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const { description } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
const PARTS = [
  ['Learn', 'docs/learn'],
  ['Do', 'docs/do'],
  ['Operate', 'docs/operations'],
  ['Look up', 'docs/look-up'],
  ['Understand', 'docs/understand'],
]

/** A page, its title, and the first sentence of it. */
async function read(path) {
  const text = await readFile(join(ROOT, path), 'utf8')
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
await writeFile(join(ROOT, 'llms.txt'), head + lists.join('\n'))
const texts = parts
  .flatMap(({ pages }) => pages)
  .map(({ path, text }) => `<!-- ${path} -->\n\n${text}`)
await writeFile(join(ROOT, 'llms-full.txt'), head + texts.join('\n'))

const site = join(ROOT, 'docs-site')
if (existsSync(site))
  for (const path of [
    'llms.txt',
    'llms-full.txt',
    ...parts.flatMap(({ pages }) => pages.map(({ path }) => path)),
  ]) {
    await mkdir(join(site, path, '..'), { recursive: true })
    await cp(join(ROOT, path), join(site, path))
  }
