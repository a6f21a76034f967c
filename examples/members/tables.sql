-- Tables that a school already has, for SQLite and PostgreSQL. Times are epoch seconds.
create table if not exists courses (
  id text primary key, slug text not null unique, title text not null
);
create table if not exists orders (
  id text primary key, user_id text not null references users, course_id text not null references courses,
  cents integer not null, placed_at bigint not null
);
create table if not exists enrollments (
  id text primary key, user_id text not null references users, course_id text not null references courses,
  order_id text references orders, enrolled_at bigint not null, ends_at bigint
);
create index if not exists orders_by_user on orders (user_id);
create index if not exists enrollments_by_user on enrollments (user_id);

-- Demo rows. Delete these statements together with createDemoUsers.
insert into courses values ('c1', 'glazing', 'Glazing'), ('c2', 'throwing', 'Throwing') on conflict do nothing;
insert into orders select 'o' || substr(id, 5), id, 'c1', 8000, joined_at from users where id in ('usr_1', 'usr_2')
  on conflict do nothing;
insert into enrollments select 'e' || substr(id, 2), user_id, course_id, id, placed_at, null from orders where true
  on conflict do nothing;
