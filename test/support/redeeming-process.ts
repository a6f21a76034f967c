import pg from 'pg'
import { createPostgresStore, type Execute } from 'hallpass/postgres'
import { redeem } from './flow.js'
import { createSchool, T } from './school.js'

// A server in a process of its own, over the database and the site that it is started with. It
// redeems each code that it is sent, so many times at once.

const [connectionString, site = ''] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString, max: 4 })
const execute: Execute = (sql, parameters) => pool.query(sql, parameters)
const school = await createSchool({ store: createPostgresStore({ execute, site, now: () => T }) })

process.on('message', ({ code, times }: { code: string; times: number }) => {
  const answers = Array.from({ length: times }, async () => {
    const response = await redeem(school, code)
    return [response.status, await response.json()] as const
  })
  void Promise.all(answers).then((all) => process.send!(all))
})
process.on('disconnect', () => process.exit())
process.send!('ready')
