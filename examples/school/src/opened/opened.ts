import type { McpAdapter } from 'hallpass/mcp'
import { createPlatform, type Platform } from 'hallpass/platform'
import { createPostgresStorage } from 'hallpass/postgres'
import { page } from '../../../common/pages.js'
import { memberApp } from '../../../schools/account.js'
import { openerOf } from '../../../schools/open.js'
import { hashPassword, PEOPLE_TABLES, peopleOf } from '../../../schools/people.js'
import { SCHOOL_TABLE, type SchoolRow, schoolsIn } from '../../../schools/schools.js'
import { DEMO_PASSWORD } from '../demo/demo.js'
import { type Counters, networkOf } from '../platform/counters.js'
import { describeFault, type Log } from '../platform/hooks.js'
import type { Database } from '../platform/transaction.js'
import { labelsOf, nameFrom } from './names.js'

const LOCK = '8313746553742520941' // any constant that no other program uses
/** How many schools visitors may open, all together and those of one network in an hour. */
const MOST = 100
const MOST_OF_NETWORK = 20
const NEWEST = 10

/** The schools that visitors of the demo open, each at a name in `localhost`. */
export interface OpenedSchools {
  readonly platform: Platform
  /** Whether a host, as a request has it, is of these schools. */
  readonly hasHost: (host: string) => boolean
  /** Opens a school. `address`: of the visitor */
  readonly add: (
    name: string,
    visitor: { readonly address: string | null },
  ) => Promise<SchoolRow | 'no_name' | 'too_many'>
  readonly find: (label: string) => Promise<SchoolRow | null>
  readonly newest: () => Promise<readonly SchoolRow[]>
}

/**
 * Creates the platform of these schools.
 *
 * @param options - `origin`: of the demo, whose port they have. `taken`: origins of other schools. `numbered`: how many
 *   more schools there are from the start, without anyone who opened them
 */
export async function createOpened(options: {
  readonly origin: string
  readonly taken: readonly string[]
  readonly numbered: number
  readonly database: Pick<Database, 'execute' | 'pool'>
  readonly counters: Counters
  readonly mcpAdapter: McpAdapter
  readonly secret: string
  readonly previousSecrets: readonly string[]
  readonly log: Log
}): Promise<OpenedSchools> {
  const { origin, taken, numbered, database, counters, mcpAdapter, secret, previousSecrets, log } =
    options
  const { execute } = database
  const { port } = new URL(origin)
  const domain = port === '' ? 'localhost' : `localhost:${port}`
  await execute(
    `do $$ begin perform pg_advisory_xact_lock(${LOCK}); ${SCHOOL_TABLE} ${PEOPLE_TABLES} end $$`,
    [],
  )
  const schools = schoolsIn(execute)
  const tries = counters.of({ name: 'open-school', times: MOST_OF_NETWORK, windowSeconds: 3600 })
  const open = openerOf({
    execute,
    adapter: mcpAdapter,
    password: `Everyone’s password is <code>${DEMO_PASSWORD}</code>.`,
    logOf: ({ host: site }) => ({
      onEvent: (event) => log({ site, ...event }),
      onRefusal: (notice) => log({ site, type: 'refused', ...notice }),
      onFault: ({ endpoint, fault }) =>
        log({ site, type: 'fault', endpoint, fault: describeFault(fault) }),
    }),
  })
  let password: Promise<string> | null = null
  const platform = createPlatform<SchoolRow>({
    find: schools.find,
    changes: schools.changes,
    async open(row, given) {
      const people = peopleOf(execute, row.issuer)
      if (await people.addFirst(await (password ??= hashPassword(DEMO_PASSWORD))))
        await given.site.store.insertClient(memberApp())
      return open(row, given)
    },
    storages: [
      createPostgresStorage({
        execute,
        // The embedded database is in this process.
        ...(database.pool === undefined && { guarantees: { clock: 'process', processes: 'one' } }),
      }),
    ],
    budget: counters.budget,
    secret,
    previousSecrets,
    fallback: () =>
      page(
        'No such school',
        `<div class="card"><h1>No school has this address</h1><p><a href="${origin}/schools">Open one</a></p></div>`,
        { status: 421, school: 'hallpass' },
      ),
    onFault: ({ at, host, fault }) =>
      log({ type: 'fault', endpoint: at, site: host, fault: describeFault(fault) }),
  })
  if (numbered > 0)
    await execute(
      `insert into schools (host, name, revision)
       select 's' || n || $2::text, 'School ' || n, (select coalesce(max(revision), 0) from schools) + n
       from generate_series(1, $1::int) n on conflict do nothing`,
      [numbered, `.${domain}`],
    )
  const isFull = async (): Promise<boolean> => {
    const { rows } = await execute('select count(*) as many from schools', [])
    return Number((rows as { many: unknown }[])[0]!.many) >= numbered + MOST
  }
  return {
    platform,
    hasHost: (host) => host.endsWith(`.${domain}`) && !taken.includes(`http://${host}`),
    find: (label) => schools.find(`${label}.${domain}`),
    newest: () => schools.list(NEWEST),
    async add(given, { address }) {
      const name = nameFrom(given)
      if (name === null) return 'no_name'
      if (!(await tries.take(networkOf(address))).ok || (await isFull())) return 'too_many'
      for (const label of labelsOf(name)) {
        const host = `${label}.${domain}`
        if (taken.includes(`http://${host}`) || !(await schools.add(host, name))) continue
        platform.changed(host)
        return schools.find(host) as Promise<SchoolRow>
      }
      return 'too_many'
    },
  }
}
