import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deadLinksOf, linkToRepository } from '../scripts/tarball-links.mjs'
import { readSource } from './support/source/compile.js'
import { ROOT } from './support/source/root.js'

const home = mkdtempSync(join(tmpdir(), 'hallpass-tarball-links-'))
const tarball = join(home, 'sample-1.0.0.tgz')
const README = `# Sample

[page](docs/page.md#part), [folder](docs), [test](test/a.test.ts#L3), [here](#sample), [web](https://school.example/test).

![picture](docs/picture.webp) <img src="docs/picture.webp"> \`[code](test/b.ts)\`

\`\`\`md
[code](test/c.ts)
\`\`\`
`

beforeAll(() => {
  mkdirSync(join(home, 'docs'))
  const repository = { type: 'git', url: 'git+https://git.example/sample.git' }
  const manifest = { name: 'sample', version: '1.0.0', files: ['docs/*.md'], repository }
  writeFileSync(join(home, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(home, 'README.md'), README)
  writeFileSync(join(home, 'docs/page.md'), '[back](../README.md), [example](../examples/)\n')
  execFileSync('npm', ['pack', '--silent'], { cwd: home })
})
afterAll(() => rmSync(home, { recursive: true }))

it('finds the links of packed pages that lead to no packed file', () => {
  const { pages, dead } = deadLinksOf(tarball)
  expect(pages).toBe(2)
  expect(dead.toSorted()).toEqual([
    'README.md: docs/picture.webp',
    'README.md: docs/picture.webp',
    'README.md: test/a.test.ts#L3',
    'docs/page.md: ../examples/',
  ])
})

it('leads them to the repository, at the tag, and leaves all others and code as they are', () => {
  const files = linkToRepository(tarball, { home: 'packages/sample', tag: 'v1.0.0' })
  expect(new Set(files)).toEqual(
    new Set(
      ['test/a.test.ts', 'docs/picture.webp', 'examples'].map((path) => `packages/sample/${path}`),
    ),
  )
  expect(deadLinksOf(tarball).dead).toEqual([])
  const read = (path: string): string =>
    execFileSync('tar', ['-xzOf', tarball, `package/${path}`], { encoding: 'utf8' })
  const base = 'https://git.example/sample'
  expect(read('README.md')).toBe(
    README.replace(
      'test/a.test.ts#L3',
      `${base}/blob/v1.0.0/packages/sample/test/a.test.ts#L3`,
    ).replaceAll('docs/picture.webp', `${base}/raw/v1.0.0/packages/sample/docs/picture.webp`),
  )
  expect(read('docs/page.md')).toBe(
    `[back](../README.md), [example](${base}/blob/v1.0.0/packages/sample/examples)\n`,
  )
})

it('does so wherever a person packs, and refuses a link to a file that the repository lacks', () => {
  expect(JSON.parse(readSource('package.json'))).toMatchObject({
    scripts: { postpack: 'node scripts/postpack.mjs' },
  })
  const folder = join(home, 'fork')
  mkdirSync(folder)
  const write = (path: string, text: string): void => writeFileSync(join(folder, path), text)
  const repository = { url: 'git+https://git.example/sample.git' }
  const scripts = { postpack: `node "${ROOT}scripts/postpack.mjs"` }
  write('package.json', JSON.stringify({ name: 'fork', version: '1.0.0', files: ['llms.txt'], repository, scripts })) // prettier-ignore
  write('llms.txt', '[page](left-out.md)\n')
  const pack = (): unknown =>
    execFileSync('npm', ['pack', '--silent', '--pack-destination', '..'], { cwd: folder, stdio: 'pipe' }) // prettier-ignore
  expect(pack).toThrow('pages link to left-out.md')
  write('left-out.md', '')
  pack()
  const text = execFileSync('tar', ['-xzOf', join(home, 'fork-1.0.0.tgz'), 'package/llms.txt'], {
    encoding: 'utf8',
  })
  expect(text).toBe('[page](https://git.example/sample/blob/v1.0.0/left-out.md)\n')
})
