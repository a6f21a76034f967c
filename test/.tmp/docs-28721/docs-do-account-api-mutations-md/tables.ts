// tables.ts
import { PGlite } from '@electric-sql/pglite'

export const db = new PGlite()
await db.exec(`
  create table purchases (
    id           text primary key,
    member       text not null,
    course       text not null,
    bought_at    timestamptz(0) not null,
    access_until timestamptz(0),
    refunded_at  timestamptz(0)
  );
  create index on purchases (member);
  create table watch_log (
    member      text,
    course      text,
    lecture     text,
    seconds     integer not null default 0,
    seen_at     timestamptz(0),
    finished_at timestamptz(0),
    primary key (member, course, lecture)
  );
  create table bookings (
    id            text primary key,
    member        text not null,
    event         text not null,
    price         numeric(10, 2) not null,
    booked_at     timestamptz(0) not null,
    cancelled_at  timestamptz(0),
    cancel_reason text
  );
`)
