export type { Execute } from './postgres/execute.js'
export { migratePostgres } from './postgres/migrate.js'
export { type PostgresMigration, postgresMigrations } from './postgres/schema.js'
export { createPostgresStore } from './postgres/store.js'
