import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SIBLINGS } from '../../scripts/siblings.mjs'

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
  { title: 'Learn', folder: 'learn', first: ['tutorial'] },
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
      'copy-areas',
      'account-api',
      'account-api-lists',
      'account-api-mutations',
      'account-api-limits',
      'budgets',
      'add-a-scope',
      'mcp',
      'test-policy',
      'store',
      'query-builders',
      'audit-log',
      'deploy',
      'erase-person',
      'connect-a-library',
      'client-cannot-connect',
      'record-a-client',
      'move-in',
      'second-service',
      'upgrade',
    ],
  },
  {
    title: 'Operate',
    folder: 'operations',
    first: ['telemetry', 'clocks', 'faults', 'high-availability', 'rotation', 'restore'],
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
}

/** The lists at the side of the pages: the five parts in order, and shorter ones for what is looked up. */
export function sidebars(): Record<string, Item[]> {
  const parts = PARTS.map(({ title, folder, first }) => ({
    text: title,
    items: [...pagesIn(folder, first), ...moved(folder), ...(MORE[folder] ?? [])],
  }))
  const start = { text: 'All pages', link: '/' }
  return {
    '/': parts,
    '/contribute/': [start, { text: 'Contribute', items: moved('contribute') }],
    '/decisions/': [start, { text: 'Decisions', items: pagesIn('decisions', ['README']) }],
    '/look-up/reference/': [start, { text: 'Reference', items: entries() }],
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

function pagesIn(folder: string, first: readonly string[]): Item[] {
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

const moved = (folder: string): Item[] =>
  Object.entries(REWRITES)
    .filter(([, to]) => to.startsWith(`${folder}/`))
    .map(([from, to]) => ({ text: titleOf(from), link: `/${to.replace(/\.md$/, '')}` }))

/** The entries of the package, each a page of its own, and the packages beside it. */
function entries(): Item[] {
  const manifest = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { exports: object }
  return [
    ...Object.keys(manifest.exports)
      .filter((key) => key !== './package.json')
      .map((key) => ({
        text: `hallpass${key.slice(1)}`,
        link: `/look-up/reference/${key === '.' ? 'index' : key.slice(2)}/`,
      })),
    ...SIBLINGS.map((name) => ({
      text: name,
      link: `/look-up/reference/${name}/`,
    })),
  ]
}

function titleOf(path: string): string {
  const [, title = basename(path)] = /^# (.+)$/m.exec(readFileSync(ROOT + path, 'utf8')) ?? []
  return title.replaceAll('`', '')
}
