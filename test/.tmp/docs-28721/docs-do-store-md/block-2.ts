import { postgresMigrations } from 'hallpass/postgres'

for (const { version, name, sql } of postgresMigrations)
  console.log(`-- ${version} ${name}\n${sql}`)
