import { deepEqual } from 'node:assert/strict'
import { PGlite } from '@electric-sql/pglite'
import { type Execute, migratePostgres } from 'hallpass/postgres'
import { pendingSteps } from './pending.js'

const database = new PGlite()
const execute: Execute = (sql, parameters) => database.query(sql, parameters)
await migratePostgres({ execute })
deepEqual(await pendingSteps(execute), [])
await database.close()
