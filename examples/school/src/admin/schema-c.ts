/**
 * What the admin API keeps of posts, comments, lecturers, downloads, uploads, forms, pages and the
 * school itself. Columns of tables that were there before may be null: the demo's rows come without them.
 */
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

create table if not exists school_lecturer (
  site text not null,
  id text not null,
  slug text not null,
  name text not null,
  bio_html text not null,
  avatar_url text,
  links jsonb not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (site, id),
  unique (site, slug)
);

create table if not exists school_upload (
  site text not null,
  id text not null,
  filename text not null,
  content_type text not null,
  size bigint not null,
  sha256 text,
  purpose text not null check (purpose in ('image', 'lecture', 'digital_product', 'page_bundle')),
  uploader_id text not null,
  expires_at bigint not null,
  completed_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (site, id),
  check (completed_at is null or sha256 is not null)
);

alter table school_digital_product add column if not exists description_html text;
alter table school_digital_product add column if not exists price numeric;
alter table school_digital_product add column if not exists currency text;
alter table school_digital_product add column if not exists state text
  check (state in ('draft', 'published', 'archived'));
alter table school_digital_product add column if not exists created_at bigint
  default floor(extract(epoch from now()));
alter table school_digital_product add column if not exists updated_at bigint
  default floor(extract(epoch from now()));
alter table school_digital_file add column if not exists upload_id text;

create table if not exists school_page (
  site text not null,
  id text not null,
  slug text not null,
  title text not null,
  kind text not null check (kind in ('static', 'app')),
  path_prefix text not null,
  current_number integer,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (site, id),
  unique (site, slug),
  unique (site, path_prefix)
);

create table if not exists school_page_deployment (
  site text not null,
  id text not null,
  page_id text not null,
  number integer not null,
  upload_id text not null,
  note text not null,
  deployed_by text not null,
  promoted_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (site, id),
  unique (site, page_id, number),
  foreign key (site, page_id) references school_page on delete cascade,
  foreign key (site, upload_id) references school_upload
);

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

create table if not exists school_setting (
  site text not null,
  id text not null check (id in ('school', 'appearance')),
  data jsonb not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (site, id)
);
`
