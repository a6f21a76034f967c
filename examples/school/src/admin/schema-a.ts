/**
 * What the admin API keeps of courses, their curriculum, students and members beside what the Account
 * API reads. Each column may be empty: rows from before have none of it.
 */
export const LEARNING_COLUMNS: string = `
alter table school_course add column if not exists subtitle text;
alter table school_course add column if not exists visibility text
  check (visibility in ('public', 'unlisted', 'members'));
alter table school_course add column if not exists category text;
alter table school_course add column if not exists tags jsonb;
alter table school_course add column if not exists lecturer_ids jsonb;
alter table school_course add column if not exists plans jsonb;
alter table school_course add column if not exists curriculum_updated_at bigint;

alter table school_section add column if not exists created_at bigint;
alter table school_section add column if not exists updated_at bigint;

alter table school_lecture add column if not exists previewable boolean;
alter table school_lecture add column if not exists state text
  check (state in ('draft', 'published'));
alter table school_lecture add column if not exists attachments jsonb;
alter table school_lecture add column if not exists created_at bigint;
alter table school_lecture add column if not exists updated_at bigint;

alter table school_enrollment add column if not exists updated_at bigint;

alter table school_person add column if not exists id text generated always as (member_id) stored;
alter table school_person add column if not exists phone text;
alter table school_person add column if not exists tags jsonb;
alter table school_person add column if not exists marketing_opt_in boolean;
alter table school_person add column if not exists invited_at bigint;
alter table school_person add column if not exists deleted_at bigint;
alter table school_person add column if not exists updated_at bigint;
`
