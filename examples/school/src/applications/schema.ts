/** Table of the features that a site has turned on. */
export const SITE_TABLES: string = `
create table if not exists school_site (
  site text not null primary key,
  mcp_connections boolean not null
);
`
