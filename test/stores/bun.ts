import { Database } from 'bun:sqlite'
import { fromSync, migrateSqlite } from 'hallpass/sqlite'
import { checksOver, sqliteOn } from './checks.js'
import { failuresOf } from './failures.js'

// A program for Bun: it runs every check on a file, and prints the failures.

const batch = fromSync(new Database(Bun.argv[2]!))
await migrateSqlite({ batch })
process.stdout.write(JSON.stringify(await failuresOf(checksOver(sqliteOn(() => batch)))))
