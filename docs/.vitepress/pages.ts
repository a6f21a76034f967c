import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the repository, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A part of the site: its pages in the order of reading, and those that follow by name. */
interface Part {
  readonly title: string
  /** Below `docs`. */
  readonly folder: string
  readonly first: readonly string[]
}

const PARTS: readonly Part[] = [
  { title: 'Learn', folder: 'learn', first: ['tutorial', 'your-users', 'agents'] },
  {
    title: 'Do',
    folder: 'do',
    first: [
      'existing-backend',
      'express',
      'nextjs',
      'fastify',
      'koa',
      'hono',
      'nestjs',
      'sveltekit',
      'react-router',
      'bun',
      'deno',
      'workers',
      'clients',
      'account-api',
      'add-a-scope',
      'mcp',
      'test-policy',
      'store',
      'deploy',
      'client-cannot-connect',
    ],
  },
  { title: 'Look up', folder: 'look-up', first: ['errors', 'standards', 'glossary'] },
  {
    title: 'Understand',
    folder: 'understand',
    first: [
      'architecture',
      'audience',
      'resource-binding',
      'unreviewed-clients',
      'staged-keys',
      'refresh-retry',
    ],
  },
]

/** Pages that are outside of `docs`, or not in the folder of their part, and where the site has them. */
export const REWRITES: Readonly<Record<string, string>> = {
  'SECURITY.md': 'understand/security.md',
  'CHANGELOG.md': 'look-up/changelog.md',
  'CONTRIBUTING.md': 'contribute/contributing.md',
  'docs/requirements.md': 'contribute/requirements.md',
  'docs/testing.md': 'contribute/testing.md',
  'docs/release.md': 'contribute/release.md',
  'docs/voice.md': 'contribute/voice.md',
}

interface Item {
  readonly text: string
  readonly link?: string
  readonly collapsed?: boolean
  readonly items?: readonly Item[]
}

/** What the side of every page lists: the four parts in order, then what contributors read. */
export function sidebar(): Item[] {
  const parts = PARTS.map(({ title, folder, first }) => ({
    text: title,
    items: [...pagesIn(folder, first), ...moved(folder), ...MORE[folder]!()],
  }))
  return [...parts, { text: 'Contribute', collapsed: true, items: moved('contribute') }]
}

/** What a part has besides the pages of its folder. */
const MORE: Readonly<Record<string, () => readonly Item[]>> = {
  learn: () => [],
  do: () => [],
  'look-up': () => [reference()],
  understand: () => [
    { text: 'Decisions', collapsed: true, items: pagesIn('decisions', ['README']) },
  ],
}

function pagesIn(folder: string, first: readonly string[]): readonly Item[] {
  const path = `${ROOT}docs/${folder}`
  if (!existsSync(path)) return []
  const names = readdirSync(path)
    .filter((name) => name.endsWith('.md'))
    .map((name) => basename(name, '.md'))
  const rank = (name: string): number => (first.includes(name) ? first.indexOf(name) : first.length)
  return names
    .sort((one, other) => rank(one) - rank(other) || one.localeCompare(other))
    .map((name) => ({
      text: titleOf(`docs/${folder}/${name}.md`),
      link: `/${folder}/${name === 'README' ? '' : name}`,
    }))
}

const moved = (folder: string): readonly Item[] =>
  Object.entries(REWRITES)
    .filter(([, to]) => to.startsWith(`${folder}/`))
    .map(([from, to]) => ({ text: titleOf(from), link: `/${to.replace(/\.md$/, '')}` }))

/** The entries of the package, each a page of its own. */
function reference(): Item {
  const home = `${ROOT}docs/look-up/reference`
  const { exports } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { exports: object }
  const entries = Object.keys(exports)
    .filter((key) => key !== './package.json')
    .map((key) => key.slice(2))
    .filter((entry) => existsSync(`${home}/${entry === '' ? 'index' : entry}`))
  const items = entries.map((entry) => ({
    text: `hallpass${entry === '' ? '' : '/'}${entry}`,
    link: `/look-up/reference/${entry === '' ? 'index' : entry}/`,
  }))
  return { text: 'Reference', collapsed: true, link: '/look-up/reference/', items }
}

function titleOf(path: string): string {
  const [, title = basename(path)] = /^# (.+)$/m.exec(readFileSync(ROOT + path, 'utf8')) ?? []
  return title.replaceAll('`', '')
}
