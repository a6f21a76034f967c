import { isProblem, type OperationContext, type Problem, refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import { accessStateSql } from './account.js'
import { defineList, defineOperation, type SchoolOperation } from '../admin/define.js'
import { decideExtension, decideOrder, type EnrollmentOrder, refuseGrant, type Standing } from './rules.js' // prettier-ignore
import { accessSource, accessState, courseId, Enrollment, enrollmentId, enrollmentResource, memberId } from './shape.js' // prettier-ignore
import { readsOf } from '../admin/frame.js'
import { epochOf, newId, rowIdOf, time } from '../admin/fields.js'
import type { Columns, Db, Kit, Listed } from '../admin/kit.js'
import { memberStateSql } from '../members/rules.js'

const filters = {
  access_state: accessState.optional(),
  access_source: accessSource.optional(),
  lifetime: z.boolean().optional(),
}
const sorts = ['created_at', 'updated_at', 'starts_at', 'expires_at'] as const

/** The operations on enrollments. */
export function studentOperations(kit: Kit): readonly SchoolOperation[] {
  const enrollments = (): Listed => enrollmentResource(kit.now())
  const frame = readsOf(kit, {
    scope: 'students',
    many: 'enrollments',
    item: Enrollment,
    rows: enrollmentResource,
  })
  const save = { scope: 'students:write', effect: 'write', method: 'POST', output: Enrollment } as const // prettier-ignore

  /** Locks an enrollment and changes it. Without columns it stays unchanged. */
  const change = (
    context: OperationContext,
    id: string,
    columnsFor: (standing: Standing) => Columns | null | Problem,
  ): Promise<Enrollment | Problem> =>
    kit.write<Enrollment>(context, async (db) => {
      const standing = await lockStanding(db, rowIdOf(id), kit.now())
      const columns = standing === null ? refuseWith('not_found') : columnsFor(standing)
      if (isProblem(columns)) return columns
      if (columns !== null)
        await db.update('enrollment', rowIdOf(id), { ...columns, updated_at: kit.now() })
      return (await db.find(enrollments(), id)) as Enrollment
    })

  const order = (
    verb: EnrollmentOrder,
    columns: (now: number) => Columns,
    words: Pick<SchoolOperation, 'summary' | 'description' | 'events' | 'destructive' | 'tool'>,
  ): SchoolOperation =>
    defineOperation({
      ...save,
      ...words,
      id: `enrollments.${verb}`,
      path: `/enrollments/{id}/${verb}`,
      input: frame.byId,
      idempotent: true,
      run: (context, { id }) =>
        change(context, id, ({ state }) => {
          const decided = decideOrder(state, verb)
          if (isProblem(decided)) return decided
          return decided === 'done' ? null : columns(kit.now())
        }),
    })

  return [
    frame.list({
      filters: { course_id: courseId.optional(), member_id: memberId.optional(), ...filters },
      sorts,
    }),
    frame.get({
      summary: 'Get an enrollment with its progress',
      tool: 'get_student_progress',
    }),
    defineList({
      id: 'enrollments.list_of_course',
      summary: 'List the students of a course',
      description: 'A member who enrolled several times is listed once for each enrollment.',
      scope: 'students:read',
      path: '/courses/{id}/students',
      tool: 'list_course_students',
      item: Enrollment,
      filters: { id: courseId, ...filters },
      sorts,
      async rows(_context, { filters: { id, ...rest }, ...request }) {
        const found = await kit.read((db) =>
          db.query('select from school_course where site = $1 and id = $2', id),
        )
        if (found.length === 0) return refuseWith('not_found')
        return kit.list<Enrollment>(enrollments(), {
          ...request,
          filters: { ...rest, course_id: id },
        })
      },
    }),
    defineOperation({
      ...save,
      id: 'enrollments.create',
      summary: 'Give a member access to a course',
      description: 'Nothing is charged. Send either `lifetime` or `expires_at`.',
      path: '/enrollments',
      tool: 'enroll_student',
      input: z.strictObject({
        course_id: courseId,
        member_id: memberId,
        access_source: z.enum(['granted', 'gift', 'free']).default('granted'),
        starts_at: time.nullable().default(null),
        expires_at: time.nullable().default(null),
        lifetime: z.boolean().default(false),
      }),
      status: 201,
      events: ['enrollment.created'],
      run: (context, { access_source: source, ...input }) =>
        kit.create<Enrollment>(context, enrollments(), async (db) => {
          const [startsAt, expiresAt] = [epochOf(input.starts_at), epochOf(input.expires_at)]
          const facts = await factsOf(db, input, kit.now())
          if (isProblem(facts)) return facts
          const end = { expiresAt, isLifetime: input.lifetime }
          const refused = refuseGrant({ ...facts, startsAt, end, now: kit.now() })
          if (refused !== null) return refused
          const id = newId('enr')
          await db.insert('enrollment', {
            id: rowIdOf(id),
            member_id: input.member_id,
            course_id: input.course_id,
            enrolled_at: kit.now(),
            start_date: startsAt,
            expire_date: expiresAt,
            lifetime: input.lifetime,
            suspended: false,
            source: source.toUpperCase(),
            updated_at: kit.now(),
          })
          return id
        }),
    }),
    defineOperation({
      ...save,
      id: 'enrollments.extend',
      summary: 'Extend access',
      description:
        'Send one of `days`, `until` and `lifetime`. `days` are added to the current end, or to now if access has ended. Access never becomes shorter.',
      path: '/enrollments/{id}/extend',
      tool: { name: 'set_enrollment_access', argument: 'action', value: 'extend' },
      input: z.strictObject({
        id: enrollmentId,
        days: z.int().min(1).max(3650).optional(),
        until: time.optional(),
        lifetime: z.literal(true).optional(),
      }),
      events: ['enrollment.extended'],
      run: (context, { id, days, until, lifetime }) =>
        change(context, id, (standing) => {
          const term = { days, until: epochOf(until ?? null) ?? undefined, isLifetime: lifetime }
          const end = decideExtension(standing, term, kit.now())
          if (isProblem(end)) return end
          const isSame =
            end.expiresAt === standing.expiresAt && end.isLifetime === standing.isLifetime
          return isSame ? null : { expire_date: end.expiresAt, lifetime: end.isLifetime }
        }),
    }),
    order('expire', (now) => ({ expire_date: now, lifetime: false }), {
      summary: 'End access now',
      description: 'Progress in the course is kept. Extending restores access.',
      tool: { name: 'set_enrollment_access', argument: 'action', value: 'expire' },
      events: ['enrollment.expired'],
    }),
    order('suspend', () => ({ suspended: true }), {
      summary: 'Suspend access',
      description: 'Access stays suspended until it is resumed.',
      tool: { name: 'set_enrollment_access', argument: 'action', value: 'suspend' },
      events: ['enrollment.suspended'],
    }),
    order('resume', () => ({ suspended: false }), {
      summary: 'Resume access',
      tool: { name: 'set_enrollment_access', argument: 'action', value: 'resume' },
      events: ['enrollment.resumed'],
    }),
    order('revoke', (now) => ({ revoked_at: now }), {
      summary: 'Revoke access',
      description: 'Cannot be undone. Members no longer see the course in their list.',
      destructive: true,
      tool: 'revoke_enrollment',
      events: ['enrollment.revoked'],
    }),
  ]
}

async function lockStanding(db: Db, rowId: string, now: number): Promise<Standing | null> {
  const [row] = await db.query(
    `select jsonb_build_object('state', lower(${accessStateSql(String(now))}),
       'startsAt', e.start_date, 'expiresAt', e.expire_date, 'isLifetime', e.lifetime) as facts
     from school_enrollment e where e.site = $1 and e.id = $2 for update`,
    rowId,
  )
  return (row?.['facts'] as Standing | undefined) ?? null
}

/** Loads the facts for a grant. The member is locked, so that of two concurrent grants only one is the first. */
async function factsOf(
  db: Db,
  { course_id, member_id }: { course_id: string; member_id: string },
  now: number,
): Promise<
  Pick<Parameters<typeof refuseGrant>[0], 'courseState' | 'memberState' | 'standing'> | Problem
> {
  const [member] = await db.query(
    `select ${memberStateSql} as state from school_person p
     where p.site = $1 and p.member_id = $2 for no key update`,
    member_id,
  )
  const [course] = await db.query(
    `select case status when 'unlisted' then 'published' else status end as state
     from school_course where site = $1 and id = $2 for share`,
    course_id,
  )
  if (course === undefined) return refuseWith('unprocessable', 'there is no such course')
  const [standing] = await db.query(
    `select 'enr_' || e.id as id from school_enrollment e
     where e.site = $1 and e.member_id = $2 and e.course_id = $3 and e.source <> 'MEMBERSHIP'
       and ${accessStateSql(String(now))} in ('SCHEDULED', 'ACTIVE', 'SUSPENDED')
     order by e.enrolled_at desc, e.id limit 1`,
    member_id,
    course_id,
  )
  return {
    courseState: String(course['state']),
    memberState: (member?.['state'] as string | undefined) ?? null,
    standing: (standing?.['id'] as string | undefined) ?? null,
  }
}
