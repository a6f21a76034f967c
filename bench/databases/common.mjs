import { createRouter } from 'hallpass/authorization-server'
import { dpop } from 'hallpass/blocks'
import { toNodeHandler } from 'hallpass/node'
import pg from 'pg'
import { createHallpass } from '../subjects/hallpass-core.mjs'
import { PERSON } from '../subjects/common.mjs'
import { withProofs } from './proofs.mjs'

/** hallpass on bare `node:http`, over a store. Every subject looks its people up in its own database. */
export async function hallpassOn(store, { origin, personOf, statements }) {
  const findPerson = async (subject) => {
    const row = await personOf(subject)
    if (!row) return null
    return { ...row, subject, orgId: 'site_bench', roles: ['student'], picture: null }
  }
  const options = { origin, store, findPerson, blocks: [dpop()] }
  const { server, scenarios, ...rest } = await createHallpass(options)
  const proved = withProofs(scenarios, origin, { resource: origin })
  const listener = toNodeHandler(createRouter(server), { origin })
  return { listener, statements, scenarios: { ...scenarios, ...proved }, ...rest }
}

/** Text of a table of people, and of the one person in it. */
export const PEOPLE = [
  'create table if not exists bench_person (id text primary key, name text not null, email text not null)',
  `insert into bench_person select '${PERSON.subject}', '${PERSON.name}', '${PERSON.email}'
     where not exists (select 1 from bench_person)`,
]
export const FIND_PERSON = 'select name, email from bench_person where id = '

/** How many connections to the server each subject keeps. */
export const CONNECTIONS = 10

export const openPool = () =>
  new pg.Pool({
    connectionString: process.env.DATABASE_URL,
    max: CONNECTIONS,
    idleTimeoutMillis: 0,
  })

let sent = 0
const { query } = pg.Client.prototype
/** The statements that have parameters, with their names: a server that others wrote sends them without. */
const prepared = new Map()
pg.Client.prototype.query = function (asked, ...rest) {
  sent++
  const config = typeof asked === 'string' ? { text: asked, values: rest[0] } : asked
  const { text, name } = config
  if (name !== undefined || !Array.isArray(config.values) || config.values.length === 0)
    return query.call(this, asked, ...rest)
  if (!prepared.has(text)) prepared.set(text, `bench ${prepared.size}`)
  config.name = prepared.get(text)
  return query.call(this, config, ...(typeof asked === 'string' ? rest.slice(1) : rest))
}
/** Returns how many statements this process has sent through `pg`: its own, and those of packages. */
export const statements = () => sent
