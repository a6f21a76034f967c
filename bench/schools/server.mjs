import { createServer, defineSite } from 'hallpass'
import { serve } from 'hallpass/node'
import { createMemoryBudget } from 'hallpass/operations'
import { createPlatform } from 'hallpass/platform'
import { createPostgresStorage } from 'hallpass/postgres'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import pg from 'pg'
import { accessTokenOf, hostOf, SECRET } from './data.mjs'

/** One process of a platform, which says how it is when it is asked. */
const [, , resident] = process.argv
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })
let statements = 0
const execute = (text, values, name) => {
  statements += 1
  return pool.query({ name, text, values })
}
const page = () => new Response('page')
const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
const roles = ['student']
const faults = []
const platform = createPlatform({
  async find(host) {
    const { rows } = await execute(
      'select issuer, revision from school where host = $1',
      [host],
      'find',
    )
    return rows[0] ?? null
  },
  async changes(since) {
    if (since !== null) return { until: since, hosts: [] }
    const { rows } = await execute('select host from school', [])
    return { until: '1', hosts: rows.map(({ host }) => host) }
  },
  open: ({ issuer }, given) =>
    createServer(
      defineSite({
        ...given.site, name: 'School', scopes: schoolScopes, roles: schoolRoles,
        findPerson: async (subject) => ({ subject, orgId: issuer, roles, name: null, email: null, picture: null }),
      }), // prettier-ignore
      { ...given.server, interact },
    ),
  storages: [createPostgresStorage({ execute })],
  budget: createMemoryBudget(),
  secret: SECRET,
  resident: Number(resident),
  inFlight: 4,
  onFault: (fault) => void faults.push(`${fault.at} ${fault.fault?.message}`),
})
const { port } = await serve(platform, { port: 0 })

const incoming = (host, target, authorization) => ({
  method: 'GET',
  target,
  header: (name) => ({ host, authorization })[name] ?? null,
  body: async () => new Uint8Array(),
  signal: new AbortController().signal,
  request: () => new Request(`https://${host}${target}`),
})
const ask = async (school) => {
  const { status } = await platform.handle(
    incoming(hostOf(school), '/api/oauth/userinfo', `Bearer ${accessTokenOf(school, 0)}`),
  )
  if (status !== 200) throw new Error(`school ${school}: ${status} ${faults.at(-1)}`)
}
/** CPU and statements of one request of each of some schools. */
async function measure(schools) {
  const [cpu, before] = [process.cpuUsage(), statements]
  for (const school of schools) await ask(school)
  const { user, system } = process.cpuUsage(cpu)
  return {
    milliseconds: (user + system) / 1000 / schools.length,
    statements: (statements - before) / schools.length,
  }
}
const heap = () => {
  for (let times = 0; times < 3; times++) gc()
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage()
  return { heap: heapUsed + arrayBuffers, rss }
}

process.on('message', async ({ type, schools }) => {
  if (type === 'state') {
    const { user, system } = process.cpuUsage()
    const { busiest: _, ...status } = platform.status()
    process.send({
      ...status,
      statements,
      cpu: (user + system) / 1000,
      faults: faults.length,
      lastFault: faults.at(-1),
      ...heap(),
    })
  } else if (type === 'cold') {
    const cold = await measure(schools)
    // Behind the first use of each, with the same statements.
    process.send({ cold, warm: await measure(schools) })
  } else if (type === 'maintain') {
    const [at, before] = [performance.now(), statements]
    const done = await platform.maintain()
    process.send({ ...done, statements: statements - before, milliseconds: performance.now() - at })
  }
})
process.once('disconnect', () => process.exit())
process.send({ port })
