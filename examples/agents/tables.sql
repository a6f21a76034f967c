-- Tables that a school already has. Times are timestamptz(0), since records hold whole seconds.
create table if not exists courses (
  id text primary key, slug text not null unique, title text not null
);
create table if not exists orders (
  id text primary key, user_id text not null references users, course_id text not null references courses,
  price numeric(10, 2) not null, placed_at timestamptz(0) not null default now()
);
create table if not exists enrollments (
  id text primary key, user_id text not null references users, course_id text not null references courses,
  order_id text references orders, enrolled_at timestamptz(0) not null default now(), ends_at timestamptz(0)
);
create index if not exists orders_by_user on orders (user_id);
create index if not exists enrollments_by_user on enrollments (user_id);
alter table users
  add column if not exists locale text,
  add column if not exists time_zone text,
  add column if not exists joined_at timestamptz(0) not null default now();

-- Demo rows. Delete these statements together with createDemoUsers.
insert into courses values ('c1', 'glazing', 'Glazing'), ('c2', 'throwing', 'Throwing') on conflict do nothing;
insert into orders select 'o' || right(id, 1), id, 'c1', 80 from users where id in ('usr_1', 'usr_2')
  on conflict do nothing;
insert into enrollments select 'e' || right(id, 1), user_id, course_id, id from orders on conflict do nothing;
