// The examples take SQLite if this Node has it, and PostgreSQL if DATABASE_URL names a server or there is no SQLite.
// `npm create hallpass` writes the one that was chosen into a project, as its store.ts.
const hasSqlite = await import('node:sqlite').then(
  () => true,
  () => false,
)
export const { close, execute, isMigrated, migrate, secrets, storage, store } =
  hasSqlite && !process.env['DATABASE_URL']
    ? await import('./sqlite.js')
    : await import('./postgres.js')
