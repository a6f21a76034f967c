/** The tables of custom pages and their deployments. */
export const PAGE_TABLES: string = `
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
`
