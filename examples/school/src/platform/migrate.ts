import type { Execute } from 'hallpass/postgres'
import { SITE_TABLES } from '../applications/schema.js'
import { CONTENT_TABLES } from '../content/schema.js'
import { COURSE_TABLES } from '../courses/schema.js'
import { PAGE_TABLES } from '../custom-pages/schema.js'
import { EVENT_TABLES } from '../events/schema.js'
import { LEARNING_TABLES } from '../learning/schema.js'
import { MEMBER_TABLES } from '../members/schema.js'
import { SALES_TABLES } from '../sales/schema.js'
import { SCHOOL_TABLES } from '../school/schema.js'
import { SESSION_TABLES } from '../sign-in/schema.js'
import { SUBSCRIPTION_TABLES } from '../subscriptions/schema.js'
import { AUDIT_TABLES } from './schema.js'

const LOCK = '8313746553742520940' // "school" and two more bytes: any constant that no other program uses

/**
 * The school's own tables, in addition to those of hallpass, in an order that their references allow.
 * Times are epoch seconds. A column that was added later may be null, because older rows lack it.
 */
const TABLES: string = [
  MEMBER_TABLES,
  SESSION_TABLES,
  SITE_TABLES,
  AUDIT_TABLES,
  COURSE_TABLES,
  SUBSCRIPTION_TABLES,
  LEARNING_TABLES,
  EVENT_TABLES,
  SALES_TABLES,
  SCHOOL_TABLES,
  CONTENT_TABLES,
  PAGE_TABLES,
].join('')

/** Creates the school's missing tables. Several processes may call it at the same time. */
export async function migrateSchool({ execute }: { execute: Execute }): Promise<void> {
  await execute(
    `do $school$ begin perform pg_advisory_xact_lock(${LOCK}); ${TABLES} end $school$`,
    [],
  )
}
