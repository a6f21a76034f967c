/** Tables of the uploads and of a school's settings. */
export const SCHOOL_TABLES: string = `
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

create table if not exists school_setting (
  site text not null,
  id text not null check (id in ('school', 'appearance')),
  data jsonb not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (site, id)
);
`
