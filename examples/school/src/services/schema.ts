/** Table of the services of a school: programs that act for themselves, each as one client. */
export const SERVICE_TABLES: string = `
create table if not exists school_service (
  site text not null,
  client_id text not null,
  service_id text not null,
  role text not null,
  ended_at bigint,
  primary key (site, client_id)
);
create unique index if not exists school_service_subject on school_service (site, service_id);
`
