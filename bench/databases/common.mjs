import { createRouter } from 'hallpass/authorization-server'
import { toNodeHandler } from 'hallpass/node'
import pg from 'pg'
import { createHallpass } from '../subjects/hallpass-core.mjs'
import { PERSON } from '../subjects/common.mjs'

/** hallpass on bare `node:http`, over a store. Every subject looks its people up in its own database. */
export async function hallpassOn(store, { origin, personOf, statements }) {
  const findPerson = async (subject) => {
    const row = await personOf(subject)
    if (!row) return null
    return { ...row, subject, orgId: 'site_bench', roles: ['student'], picture: null }
  }
  const { server, ...rest } = await createHallpass({ origin, store, findPerson })
  const listener = toNodeHandler(createRouter(server), { origin })
  return { listener, statements, ...rest }
}

/** Text of a table of people, and of the one person in it. */
export const PEOPLE = [
  'create table bench_person (id text primary key, name text not null, email text not null)',
  `insert into bench_person values ('${PERSON.subject}', '${PERSON.name}', '${PERSON.email}')`,
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
pg.Client.prototype.query = function (...args) {
  sent++
  return query.apply(this, args)
}
/** Returns how many statements this process has sent through `pg`: its own, and those of packages. */
export const statements = () => sent
