import { deliverEvents } from 'hallpass/operations'
import { createPostgresStore, type Execute } from 'hallpass/postgres'
import pg from 'pg'
import { append } from '../databases/audit-table.js'
import { redeem, refresh, type Tokens } from '../school/flow.js'
import { createSchool, T } from '../school/school.js'

// A server in a process of its own. It redeems each code that it is sent, refreshes the token twice, and all the
// while delivers the events to a table. It is meant to be killed.

const [connectionString, site = ''] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString, max: 4, application_name: 'auditing' })
const execute: Execute = (sql, parameters) => pool.query(sql, parameters)
const school = await createSchool({
  store: createPostgresStore({ execute, site, now: () => T }),
  options: { outbox: true },
})

process.on('message', ({ code }: { readonly code: string }) => {
  void (async () => {
    let response = await redeem(school, code)
    for (let again = 0; again < 2 && response.status === 200; again++) {
      const { refresh_token } = (await response.json()) as Tokens
      process.send!('issued')
      response = await refresh(school, refresh_token)
    }
  })()
})
process.on('disconnect', () => process.exit())
process.send!('ready')
for (let round = 0; round < 1e5; round++)
  await deliverEvents(school.site, { deliver: append({ execute, site }), limit: 7 })
