import { type OperationContext, type Problem, refuseWith } from 'hallpass/admin'
import type * as z from 'zod'
import type { Db, Kit, Resource } from '../admin/kit.js'

/** Changes a part of a curriculum: the course, a section or a lecture. */
export type CurriculumWrite = <Item, Result>(
  context: OperationContext,
  what: { resource: Resource; schema: z.ZodType<Item>; id: string },
  work: (db: Db, current: Item) => Promise<Result | Problem>,
) => Promise<Result | Problem>

/**
 * Writes that lock the course from beginning to end, so that two of them never assign the same position
 * and never deadlock.
 */
export const curriculumWrites =
  (kit: Kit): CurriculumWrite =>
  <Item, Result>(
    context: OperationContext,
    { resource, schema, id }: { resource: Resource; schema: z.ZodType<Item>; id: string },
    work: (db: Db, current: Item) => Promise<Result | Problem>,
  ) =>
    kit.write<Result>(context, async (db) => {
      const course = await lockCourse(db, resource, id)
      const current = course === null ? null : await db.find(resource, id)
      if (course === null || current === null) return refuseWith('not_found')
      const stale = context.precondition.check(current)
      if (stale !== null) return stale
      await db.update('course', course, { curriculum_updated_at: kit.now() })
      return work(db, schema.parse(current))
    })

async function lockCourse(db: Db, { table }: Resource, id: string): Promise<string | null> {
  const [course] = await db.query(
    `select id from school_course where site = $1 and id = (
       select ${table === 'course' ? 'id' : 'course_id'} from school_${table}
       where site = $1 and id = $2
     ) for no key update`,
    id,
  )
  return course === undefined ? null : String(course['id'])
}

/** The object that was just written, as the API shows it. */
export const found = async <Item>(db: Db, resource: Resource, id: string): Promise<Item> =>
  (await db.find(resource, id)) as Item
