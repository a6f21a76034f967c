/** The tables of courses, their curriculum and their lecturers. */
export const COURSE_TABLES: string = `
create table if not exists school_course (
  site text not null,
  id text not null,
  slug text not null,
  title text not null,
  description text not null,
  status text not null check (status in ('published', 'unlisted', 'draft', 'archived')),
  cover text,
  published_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (site, id),
  unique (site, slug)
);

alter table school_course add column if not exists subtitle text;
alter table school_course add column if not exists visibility text
  check (visibility in ('public', 'unlisted', 'members'));
alter table school_course add column if not exists category text;
alter table school_course add column if not exists tags jsonb;
alter table school_course add column if not exists lecturer_ids jsonb;
alter table school_course add column if not exists plans jsonb;
alter table school_course add column if not exists curriculum_updated_at bigint;

create table if not exists school_section (
  site text not null,
  id text not null,
  course_id text not null,
  position integer not null,
  title text not null,
  primary key (site, id),
  foreign key (site, course_id) references school_course on delete cascade
);
create index if not exists school_section_course on school_section (site, course_id);

alter table school_section add column if not exists created_at bigint;
alter table school_section add column if not exists updated_at bigint;

create table if not exists school_lecture (
  site text not null,
  id text not null,
  course_id text not null,
  section_id text not null,
  position integer not null,
  title text not null,
  kind text not null
    check (kind in ('VIDEO', 'AUDIO', 'DOCUMENT', 'TEXT', 'QUIZ', 'LIVE', 'OTHER')),
  duration_seconds integer,
  primary key (site, id),
  foreign key (site, course_id) references school_course on delete cascade,
  foreign key (site, section_id) references school_section on delete cascade
);
create index if not exists school_lecture_course on school_lecture (site, course_id);

alter table school_lecture add column if not exists previewable boolean;
alter table school_lecture add column if not exists state text
  check (state in ('draft', 'published'));
alter table school_lecture add column if not exists attachments jsonb;
alter table school_lecture add column if not exists created_at bigint;
alter table school_lecture add column if not exists updated_at bigint;

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
`
