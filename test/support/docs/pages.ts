import { existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path/posix'
import { readSource } from '../source/compile.js'
import { ROOT } from '../source/root.js'

/** A page of documentation. */
export interface DocPage {
  /** Path from the root of the repository. */
  readonly path: string
  readonly text: string
}

/** A fenced block of a page. */
export interface Block {
  readonly page: string
  /** The anchor of the second level heading above. */
  readonly section: string
  /** What stands behind the opening fence, such as `ts run`, without the name of a tab in brackets. */
  readonly info: string
  readonly code: string
  /** The name a first line `// name.ts` gives; else the block's number. */
  readonly file: string
}

/** Every page, those at the root first. */
export const PAGES: readonly DocPage[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'skills/hallpass/SKILL.md',
  ...readdirSync(join(ROOT, 'examples'))
    .map((name) => `examples/${name}/README.md`)
    .filter((path) => existsSync(join(ROOT, path))),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true })
    .map((path) => `docs/${String(path).replaceAll('\\', '/')}`)
    // The reference is made from the source, whose comments have a test of their own.
    .filter((path) => path.endsWith('.md') && !path.startsWith('docs/look-up/reference/'))
    .sort(),
].map((path) => ({ path, text: readSource(path) }))

const FENCED = /^```([^\n]*)\n(.*?)^```$/gms

/** The fenced blocks of every page, in order. */
export const BLOCKS: readonly Block[] = PAGES.flatMap(({ path, text }) =>
  [...text.matchAll(FENCED)].map(({ index: at, 1: info = '', 2: code = '' }, index) => ({
    page: path,
    section: anchorOf(/[^]*^## (.+)$/m.exec(text.slice(0, at))?.[1] ?? ''),
    info: info.replace(/\[.*\]$/, '').trim(),
    code,
    file: /^\/\/ ([\w.-]+\.ts)\n/.exec(code)?.[1] ?? `block-${index + 1}.ts`,
  })),
)

/** A page without its fenced blocks. */
export function prose({ text }: DocPage): string {
  return text.replace(FENCED, '')
}

/** The links of a page that stay in the repository, as paths from its root, each with its anchor. */
export function linksOf(page: DocPage): readonly { path: string; anchor: string | null }[] {
  return [...prose(page).matchAll(/\]\(([^)\s]+)\)|<a [^>]*href="([^"]+)"/g)]
    .map(([, target, written]) => target ?? written ?? '')
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor = null] = target.split('#', 2)
      return { path: path === '' ? page.path : join(page.path, '..', path), anchor }
    })
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

/** The anchors of a page: those of its headings, as GitHub makes them, and those that it names itself. */
export function anchorsOf(page: DocPage): readonly string[] {
  const text = prose(page)
  return [
    ...[...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)),
    ...[...text.matchAll(/<a id="([^"]*)"/g)].map(([, id = '']) => id),
  ]
}

/** The rows of a page's tables, cell by cell, heads and rules left out. */
export function rowsOf(text: string): readonly (readonly string[])[] {
  return [...text.matchAll(/(?:^\|.*\|\n)+/gm)].flatMap(([table]) =>
    table
      .trim()
      .split('\n')
      .slice(2)
      .map((row) =>
        row
          .slice(1, -1)
          .split(/(?<!\\)\|/)
          .map((cell) => cell.trim()),
      ),
  )
}

/**
 * The part of a page below a heading, up to the next heading of the same level.
 *
 * @throws Error if the page has no such heading
 */
export function sectionOf({ path, text }: DocPage, heading: string): string {
  const [marks = ''] = heading.split(' ', 1)
  const [, after] = text.split(`\n${heading}\n`, 2)
  if (after === undefined) throw new Error(`${path} has no heading ${heading}`)
  return after.split(`\n${marks} `, 1)[0]!
}

/** Whether a path from the root of the repository leads somewhere inside it. */
export function leadsSomewhere(path: string): boolean {
  return !relative('.', path).startsWith('..') && existsSync(join(ROOT, path))
}
