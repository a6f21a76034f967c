import knex from 'knex'
import adapters from 'oidc-provider-knex-adapter/index.js'
import { createSubject as createProvider } from '../subjects/oidc-provider.mjs'
import { CONNECTIONS, PEOPLE, statements } from './common.mjs'
import { withProofs } from './proofs.mjs'

/**
 * oidc-provider on PostgreSQL. Its documentation has no adapter for a relational database, but links to an archive of
 * those that its users contributed. Of them, this one is on npm.
 */
export async function createSubject({ origin }) {
  const client = knex({
    client: 'pg',
    connection: process.env.DATABASE_URL,
    pool: { min: CONNECTIONS, max: CONNECTIONS },
  })
  // The table of its migration.
  if (!(await client.schema.hasTable('oidc_payloads')))
    await client.schema.createTable('oidc_payloads', (table) => {
      for (const name of ['id', 'grantId', 'userCode', 'uid']) table.string(name)
      table.integer('type')
      table.text('payload')
      table.dateTime('expiresAt')
      table.dateTime('consumedAt')
      table.primary(['id', 'type'])
    })
  for (const text of PEOPLE) await client.raw(text)
  const subject = await createProvider({
    origin,
    adapter: adapters.knexAdapter(client),
    findPerson: (id) => client('bench_person').where({ id }).first('name', 'email'),
  })
  const scenarios = { ...subject.scenarios, ...withProofs(subject.scenarios, origin) }
  return { ...subject, scenarios, statements }
}
