/** The tables of posts, comments and forms. */
export const CONTENT_TABLES: string = `
create table if not exists school_post (
  site text not null,
  id text not null,
  slug text not null,
  title text not null,
  excerpt text not null,
  body_html text not null,
  author_id text not null,
  category text,
  tags jsonb not null,
  access text not null check (access in ('public', 'members', 'paid')),
  state text not null check (state in ('draft', 'published')),
  published_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (site, id),
  unique (site, slug),
  check ((state = 'published') = (published_at is not null))
);

create table if not exists school_comment (
  site text not null,
  id text not null,
  subject_type text not null check (subject_type in ('post', 'course', 'lecture')),
  subject_id text not null,
  author_id text,
  body text not null,
  parent_id text,
  state text not null check (state in ('pending', 'visible', 'hidden')),
  created_at bigint not null,
  updated_at bigint not null,
  primary key (site, id),
  foreign key (site, parent_id) references school_comment on delete cascade
);
create index if not exists school_comment_subject
  on school_comment (site, subject_type, subject_id);

create table if not exists school_form (
  site text not null,
  id text not null,
  title text not null,
  fields jsonb not null,
  state text not null check (state in ('draft', 'open', 'closed')),
  created_at bigint not null,
  updated_at bigint not null,
  primary key (site, id)
);

create table if not exists school_form_submission (
  site text not null,
  id text not null,
  form_id text not null,
  member_id text,
  answers jsonb not null,
  submitted_at bigint not null,
  primary key (site, id),
  foreign key (site, form_id) references school_form on delete cascade
);
create index if not exists school_form_submission_form on school_form_submission (site, form_id);
`
