// The platform: one endpoint for all schools. Each is opened when it is first asked for.
import * as sdk from '@modelcontextprotocol/server'
import { serverAdapter } from 'hallpass/mcp'
import { createMemoryBudget } from 'hallpass/operations'
import { createPlatform } from 'hallpass/platform'
import { origin, port } from '../common/address.js'
import { escape, page } from '../common/pages.js'
import { execute, isMigrated, migrate, secrets, storage } from '../common/store.js'
import { openerOf } from './open.js'
import { PEOPLE_TABLES } from './people.js'
import { SCHOOL_TABLE, schoolsIn } from './schools.js'

await migrate(SCHOOL_TABLE + PEOPLE_TABLES)
export const schools = schoolsIn(execute)

const isLocal = origin.startsWith('http:')
/** Schools are one label below this domain. */
export const domain = isLocal ? `localhost:${port}` : new URL(origin).host

const MOST_LISTED = 10

/** The host of the platform itself has its health and a list of schools. Any other that comes here is of no school. */
async function fallback(request: Request): Promise<Response> {
  const { host, pathname } = new URL(request.url)
  const isOwn = [new URL(origin).host, domain].includes(host)
  if (!isOwn)
    return page('No such school', '<h1>No school has this address</h1>', { status: 421, ...MARK })
  if (pathname === '/livez') return new Response('ok')
  if (pathname === '/readyz') return (await isMigrated()) ? new Response('ok') : NOT_READY()
  if (pathname !== '/') return page('Not found', '<h1>Not found</h1>', { status: 404, ...MARK })
  const rows = (await schools.list(MOST_LISTED)).map(
    ({ issuer, name }) =>
      `<li><a href="${issuer}">${escape(name)}</a> <span class="quiet">${issuer}</span></li>`,
  )
  const add = 'npm run school -- art "School of Art"'
  return page(
    'Schools',
    `<div class="card"><h1>Schools</h1><ul>${isLocal ? rows.join('') : ''}</ul>
    <p class="quiet">Each one has its own address, people, apps and keys. <code>${add}</code> adds another.</p></div>`,
    MARK,
  )
}
const MARK = { school: 'Schools' }
const NOT_READY = () => new Response('the tables are missing', { status: 503 })

export const platform = createPlatform({
  find: schools.find,
  changes: schools.changes,
  open: openerOf({
    execute,
    adapter: serverAdapter(sdk),
    password: 'The terminal showed the password when the school was added.',
    logOf: ({ host }) => ({
      onEvent: (event) => console.log(JSON.stringify({ school: host, ...event })),
      onFault: ({ endpoint, fault }) => console.error(host, endpoint, fault),
    }),
  }),
  storages: [storage],
  budget: createMemoryBudget(), // with more than one process, one that all of them share
  secret: secrets.sealingSecret,
  previousSecrets: secrets.previousSealingSecrets,
  fallback,
  onFault: ({ at, host, fault }) => console.error(at, host, fault),
})
