// tables.ts
import { PGlite } from '@electric-sql/pglite'

export const db = new PGlite()
await db.exec(`
  create table purchases (
    id          text primary key,
    member      text not null,
    course      text not null,
    price       numeric(10, 2) not null,
    bought_at   timestamptz(0) not null,
    refunded_at timestamptz(0)
  );
  create index on purchases (member, bought_at desc, id);
`)
