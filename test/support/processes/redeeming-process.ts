import pg from 'pg'
import { createPostgresStore, type Execute } from 'hallpass/postgres'
import { redeem, refresh } from '../school/flow.js'
import { createSchool, T } from '../school/school.js'

// A server in a process of its own, over the database and the site that it is started with. It
// redeems each code that it is sent, or refreshes each token, so many times at once.

const [connectionString, site = '', options = ''] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString, options, max: 4, application_name: 'redeeming' })
const execute: Execute = (sql, parameters) => pool.query(sql, parameters)
const school = await createSchool({ store: createPostgresStore({ execute, site, now: () => T }) })

type Order = { readonly times: number } & ({ readonly code: string } | { readonly token: string })

process.on('message', (order: Order) => {
  const answers = Array.from({ length: order.times }, async () => {
    const response =
      'code' in order ? await redeem(school, order.code) : await refresh(school, order.token)
    return [response.status, await response.json()] as const
  })
  void Promise.all(answers).then((all) => process.send!(all))
})
process.on('disconnect', () => process.exit())
process.send!('ready')
