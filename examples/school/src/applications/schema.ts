/** Tables of the features that a site has turned on, and of the logos of its apps. */
export const SITE_TABLES: string = `
create table if not exists school_site (
  site text not null primary key,
  mcp_connections boolean not null
);
create table if not exists school_app_logo (
  site text not null,
  client_id text not null,
  logo_uri text not null,
  digest text not null,
  media_type text not null,
  bytes text not null,
  primary key (site, client_id)
);
create index if not exists school_app_logo_digest on school_app_logo (site, digest);
`
