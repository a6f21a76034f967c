import { PGlite } from '@electric-sql/pglite'
import { PrismaPg } from '@prisma/adapter-pg'
import { drizzle as drizzleOf } from 'drizzle-orm/node-postgres'
import { drizzle as drizzlePgliteOf } from 'drizzle-orm/pglite'
import type { Execute } from 'hallpass/postgres'
import knexOf from 'knex'
import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import postgres from 'postgres'
import { Sequelize } from 'sequelize'
import { DataSource } from 'typeorm'
import { PrismaClient } from './.generated/prisma/client.js'
import * as drizzlePglite from './recipes/drizzle-pglite.js'
import * as drizzle from './recipes/drizzle.js'
import * as knex from './recipes/knex.js'
import * as kysely from './recipes/kysely.js'
import * as node from './recipes/pg.js'
import * as postgresJs from './recipes/postgres-js.js'
import * as prisma from './recipes/prisma.js'
import * as sequelize from './recipes/sequelize.js'
import * as typeorm from './recipes/typeorm.js'

type AnyExecute = Execute<{ readonly rows: readonly unknown[] } | readonly unknown[]>

/** A connection of a query builder, as the recipe of the guide uses it. */
export interface Connection {
  readonly execute: AnyExecute
  /** The host writes a row of its own in a transaction, then `work` runs in it. */
  readonly together: (id: string, work: (execute: AnyExecute) => Promise<void>) => Promise<void>
  readonly close: () => Promise<unknown>
}

const CONNECTIONS = 8

function connectionOf<Database>(
  database: Database,
  recipe: {
    readonly executeOf: (database: Database) => AnyExecute
    readonly together: (
      database: Database,
      both: { id: string; work: (execute: AnyExecute) => Promise<void> },
    ) => Promise<void>
  },
  close: () => Promise<unknown>,
): Connection {
  return {
    execute: recipe.executeOf(database),
    together: (id, work) => recipe.together(database, { id, work }),
    close,
  }
}

/** How each connection of the guide is opened, by the name that it has there. */
export const CONNECTIONS_OF: Readonly<Record<string, (url: string) => Promise<Connection>>> = {
  async pg(connectionString) {
    const pool = new pg.Pool({ connectionString, max: CONNECTIONS })
    return connectionOf(pool, node, () => pool.end())
  },
  async 'Drizzle, node-postgres'(connectionString) {
    const pool = new pg.Pool({ connectionString, max: CONNECTIONS })
    return connectionOf(drizzleOf(pool), drizzle, () => pool.end())
  },
  async 'Drizzle, PGlite'() {
    const client = await PGlite.create()
    return connectionOf(drizzlePgliteOf(client), drizzlePglite, () => client.close())
  },
  async Kysely(connectionString) {
    const pool = new pg.Pool({ connectionString, max: CONNECTIONS })
    const db = new Kysely<{ host_row: { id: string } }>({ dialect: new PostgresDialect({ pool }) })
    return connectionOf(db, kysely, () => db.destroy())
  },
  async 'Kysely, camel case'(connectionString) {
    const pool = new pg.Pool({ connectionString, max: CONNECTIONS })
    const plugins = [new CamelCasePlugin()]
    const dialect = new PostgresDialect({ pool })
    const db = new Kysely<{ host_row: { id: string } }>({ dialect, plugins })
    return connectionOf(db, kysely, () => db.destroy())
  },
  async Knex(connection) {
    const db = knexOf({ client: 'pg', connection, pool: { min: 0, max: CONNECTIONS } })
    return connectionOf(db, knex, () => db.destroy())
  },
  async 'Postgres.js'(url) {
    const sql = postgres(url, { max: CONNECTIONS, onnotice() {} })
    return connectionOf(sql, postgresJs, () => sql.end())
  },
  async TypeORM(url) {
    const db = new DataSource({ type: 'postgres', url, poolSize: CONNECTIONS })
    await db.initialize()
    return connectionOf(db, typeorm, () => db.destroy())
  },
  async Prisma(connectionString) {
    const db = new PrismaClient({ adapter: new PrismaPg({ connectionString, max: CONNECTIONS }) })
    return connectionOf(db, prisma, () => db.$disconnect())
  },
  async Sequelize(url) {
    const db = new Sequelize(url, { logging: false, pool: { max: CONNECTIONS } })
    return connectionOf(db, sequelize, () => db.close())
  },
}
