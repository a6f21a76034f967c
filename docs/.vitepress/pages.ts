import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import { SIBLINGS } from '../../scripts/siblings.mjs'

/** The root of the repository, with a slash at its end. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A part of the site. */
interface Part {
  readonly title: string
  /** Below `docs`. */
  readonly folder: string
  /** Pages at the top of `docs`, which come before those of the folder. */
  readonly top?: readonly string[]
  /** Pages of the folder in the order of reading. Those that are not named here follow by name. */
  readonly first?: readonly string[]
  /** The same for a part with groups. What no group names is in the first one. */
  readonly groups?: Readonly<Record<string, readonly string[]>>
}

const PARTS: readonly Part[] = [
  { title: 'Learn', folder: 'learn', top: ['why', 'comparison', 'faq'], first: ['tutorial'] },
  {
    title: 'Do',
    folder: 'do',
    groups: {
      Start: ['existing-backend', 'recipes', 'add-a-scope', 'auth-md', 'second-service', 'move-in'],
      Frameworks: ['frameworks', 'workers'],
      Clients: [
        'clients',
        'app-links',
        'copy-areas',
        'connect-a-library',
        'client-cannot-connect',
        'record-a-client',
      ],
      'Account API': [
        'account-api',
        'account-api-lists',
        'account-api-mutations',
        'account-api-limits',
      ],
      Agents: ['mcp'],
      Store: ['store', 'sqlite', 'mysql', 'query-builders'],
      Test: ['test-policy', 'audit-a-server'],
      'Go live': ['deploy', 'many-schools', 'audit-log', 'budgets', 'erase-person', 'upgrade'],
    },
  },
  { title: 'Recipes', folder: 'recipes' },
  {
    title: 'Operate',
    folder: 'operations',
    first: [
      'runbook',
      'telemetry',
      'clocks',
      'faults',
      'high-availability',
      'rotation',
      'restore',
      'stores',
    ],
  },
  { title: 'Look up', folder: 'look-up', first: ['errors', 'limits', 'standards', 'glossary'] },
  {
    title: 'Understand',
    folder: 'understand',
    first: [
      'architecture',
      'audience',
      'resource-binding',
      'unreviewed-clients',
      'threat-model',
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
  readonly items?: Item[]
  readonly collapsed?: boolean
}

/** The lists at the side of the pages: the parts in order, and lists of their own for what is looked up by name. */
export function sidebars(): Record<string, Item[]> {
  const parts = PARTS.map(({ title, folder, top = [], first = [], groups }) => ({
    text: title,
    items: [
      ...top.filter((name) => existsSync(`${ROOT}docs/${name}.md`)).map((name) => itemOf('', name)),
      ...(groups === undefined ? pagesIn(folder, first) : groupsIn(folder, groups)),
      ...moved(folder),
      ...(MORE[folder] ?? []),
    ],
  }))
  const start = { text: 'Start page', link: '/' }
  return {
    '/': parts.filter(({ items }) => items.length > 0),
    '/contribute/': [start, { text: 'Contribute', items: moved('contribute') }],
    '/decisions/': [start, { text: 'Decisions', items: pagesIn('decisions', ['README']) }],
    '/look-up/reference/': referenceSidebar(null),
    ...Object.fromEntries(
      ENTRIES.map(({ folder }) => [`/look-up/reference/${folder}/`, referenceSidebar(folder)]),
    ),
  }
}

/** Pages of a part that have a list of their own. */
const MORE: Readonly<Record<string, readonly Item[]>> = {
  'look-up': [{ text: 'Reference', link: '/look-up/reference/' }],
  understand: [
    { text: 'Decisions', link: '/decisions/' },
    { text: 'Contribute', link: '/contribute/contributing' },
  ],
}

const itemOf = (folder: string, name: string): Item => ({
  text: titleOf(join('docs', folder, `${name}.md`)),
  link: `/${folder === '' ? '' : `${folder}/`}${name === 'README' ? '' : name}`,
})

function namesIn(folder: string): readonly string[] {
  const path = `${ROOT}docs/${folder}`
  if (!existsSync(path)) return []
  return readdirSync(path)
    .filter((name) => name.endsWith('.md'))
    .map((name) => basename(name, '.md'))
    .sort()
}

function pagesIn(folder: string, first: readonly string[]): Item[] {
  const names = namesIn(folder)
  const known = first.filter((name) => names.includes(name))
  const others = names.filter((name) => !first.includes(name))
  return [...known, ...others].map((name) => itemOf(folder, name))
}

function groupsIn(folder: string, groups: Readonly<Record<string, readonly string[]>>): Item[] {
  const names = namesIn(folder)
  const grouped = new Set(Object.values(groups).flat())
  const others = names.filter((name) => !grouped.has(name))
  return Object.entries(groups).map(([text, first], index) => ({
    text,
    items: [...first.filter((name) => names.includes(name)), ...(index === 0 ? others : [])].map(
      (name) => itemOf(folder, name),
    ),
  }))
}

const moved = (folder: string): Item[] =>
  Object.entries(REWRITES)
    .filter(([, to]) => to.startsWith(`${folder}/`))
    .map(([from, to]) => ({ text: titleOf(from), link: `/${to.replace(/\.md$/, '')}` }))

/** The entries of the package and the packages beside it: the name to import, and the folder in the reference. */
export const ENTRIES: readonly { readonly name: string; readonly folder: string }[] = [
  ...Object.keys(
    (JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { exports: object }).exports,
  )
    .filter((key) => key !== './package.json')
    .map((key) => ({
      name: `hallpass${key.slice(1)}`,
      folder: key === '.' ? 'index' : key.slice(2),
    })),
  ...SIBLINGS.map((name) => ({ name, folder: name })),
]

/** Every entry, and below the one that is open its exports by group. */
function referenceSidebar(open: string | null): Item[] {
  const link = (folder: string): string => `/look-up/reference/${folder}/`
  return [
    { text: 'Start page', link: '/' },
    {
      text: 'Reference',
      link: '/look-up/reference/',
      items: ENTRIES.map(({ name, folder }) => ({
        text: name,
        link: link(folder),
        ...(folder === open && { items: exportsOf(folder), collapsed: false }),
      })),
    },
  ]
}

/** The exports of an entry by group, as its own page has them. */
function exportsOf(folder: string): Item[] {
  const base = `look-up/reference/${folder}`
  const path = `${ROOT}docs/${base}/index.md`
  // The reference is made before the site is. Without it, an entry has no list.
  if (!existsSync(path)) return []
  const [, ...groups] = readFileSync(path, 'utf8').split(/^## /m)
  return groups
    .map((group) => ({
      text: group.split('\n', 1)[0] ?? '',
      items: [...group.matchAll(/^\| \[(.+?)\]\((.+?)\.md\) /gm)].map(([, text = '', target]) => ({
        text: text.replaceAll('\\', ''),
        link: `/${base}/${target}`,
      })),
    }))
    .filter(({ items }) => items.length > 0)
}

function titleOf(path: string): string {
  const [, title = basename(path)] = /^# (.+)$/m.exec(readFileSync(ROOT + path, 'utf8')) ?? []
  return title.replaceAll('`', '')
}
