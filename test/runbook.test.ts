import { describe, expect, it } from 'vitest'
import { REFUSALS } from '../src/policy/refusals.js'
import { readSource } from './support/source/compile.js'
import { SHIPPED } from './support/source/connections.js'
import { PAGES } from './support/docs/pages.js'

const { text } = PAGES.find(({ path }) => path === 'docs/operations/runbook.md')!
const named = new Set(
  [...text.replaceAll(/```[^]*?```/g, '').matchAll(/`([^`\n]+)`/g)].map(([, name]) => name!),
)
const source = SHIPPED.filter((path) => path.startsWith('src/'))
  .map((path) => readSource(path))
  .join('\n')
const events = readSource('src/site/events.ts')
const reasons = new Set(Object.values(REFUSALS).flatMap((of) => Object.keys(of)))

/** What the runbook names that is not of hallpass. */
const OF_OTHERS = ['id_token', 'pg_dump', 'schema', 'audit', 'retry-after', 'retry-after: 5']

/** Whether a name is one of the code: an event, a reason, or a word that a declaration or a string has. */
function exists(name: string): boolean {
  if (/^[a-z]+(\.[a-z_]+)+$/.test(name)) return events.includes(`'${name}'`)
  if (/^[a-z]+(_[a-z]+)+$/.test(name))
    return reasons.has(name) || source.includes(`'${name}'`) || source.includes(`${name}:`)
  return new RegExp(`\\b${name}\\b[(:<]|class ${name}\\b|'${name}'|\\b${name}: `).test(source)
}

describe('the runbook', () => {
  const names = [...named].filter(
    (name) => !OF_OTHERS.includes(name) && !name.startsWith('/') && !name.startsWith('select '),
  )

  it('names enough to be compared', () => {
    expect(names.length).toBeGreaterThan(25)
  })

  it.each(names)('names only what there is: %s', (name) => {
    expect(exists(name)).toBe(true)
  })

  it.each(['oauth.key.lost', 'token_of_nobody', 'revokeEverything', 'StorageOutage'])(
    'would not name %s',
    (name) => {
      expect(exists(name)).toBe(false)
    },
  )

  it.each(['oauth.clock.skewed', 'oauth.clock.leapt', 'oauth.key.none_active'])(
    'has what to do after %s',
    (event) => {
      expect(named).toContain(event)
    },
  )

  it.each([
    ['canceling statement due to lock timeout', '#the-database-hangs'],
    ['Lock wait timeout exceeded; try restarting transaction', '#the-database-hangs'],
    ['Too many connections', 'stores.md#mariadb-and-mysql'],
    ["User 'app' has exceeded the 'max_user_connections' resource", 'stores.md#mariadb-and-mysql'],
    ['running with the --read-only option so it cannot execute this statement', 'lift read_only'],
    ['cannot execute SELECT FOR NO KEY UPDATE in a read-only transaction', 'lift read_only'],
    ['WSREP has not yet prepared node for application use', 'stores.md#mariadb-and-mysql'],
    ['school.db was replaced while this process has the database open', 'stores.md#sqlite'],
    ['database is locked', 'stores.md#sqlite'],
    ['database disk image is malformed', 'stores.md#sqlite'],
  ])('leads from a cause in a log to what to do, by one row: %s', (cause, remedy) => {
    const found = text.split('\n').filter((line) => {
      const [, seen = ''] = /^\| (.+?) \|/.exec(line) ?? []
      return [...seen.matchAll(/"([^"]+)"/g)].some(([, words]) => cause.includes(words!))
    })
    expect(found).toEqual([expect.stringContaining(remedy)])
  })

  it('leads to what clients see in every fault that was made for the table of faults', () => {
    const faults = PAGES.find(({ path }) => path === 'docs/operations/faults.md')!
    const sections = [...faults.text.matchAll(/^## (.+)$/gm)].map(([, title]) =>
      title!.toLowerCase().replaceAll(' ', '-'),
    )
    const linked = [...text.matchAll(/faults\.md#([\w-]+)/g)].map(([, anchor]) => anchor!)
    expect(sections.length).toBeGreaterThan(5)
    expect(linked.toSorted()).toEqual(sections.toSorted())
  })
})
