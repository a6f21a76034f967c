import { type OperationContext, type Problem, refuseWith } from 'hallpass/admin'
import type { Db, Kit, Resource } from '../admin/kit.js'

/** A kit whose writes lock the course from beginning to end, so that two of them never assign the same position and never deadlock. */
export interface CurriculumKit extends Kit {
  /** Changes what belongs to a part of a curriculum: to the course, a section or a lecture. */
  readonly within: <Result>(
    context: OperationContext,
    part: { resource: Resource; id: string },
    work: (db: Db, current: never) => Promise<Result | Problem>,
  ) => Promise<Result | Problem>
}

export function curriculumKit(kit: Kit): CurriculumKit {
  const within: CurriculumKit['within'] = (context, { resource, id }, work) =>
    kit.write(context, async (db) => {
      const course = await lockCourse(db, resource, id)
      const current = course === null ? null : await db.find(resource, id)
      if (course === null || current === null) return refuseWith('not_found')
      const stale = context.precondition.check(current)
      if (stale !== null) return stale
      await db.update('course', course, { curriculum_updated_at: kit.now() })
      return work(db, current as never)
    })
  return {
    ...kit,
    within,
    change: (context, resource, id, apply) =>
      within(
        context,
        { resource, id },
        async (db, current) => (await apply(db, current)) ?? found(db, resource, id),
      ),
    remove: (context, resource, id, apply) =>
      within(context, { resource, id }, async (db, current) => (await apply(db, current)) ?? null),
  }
}

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
