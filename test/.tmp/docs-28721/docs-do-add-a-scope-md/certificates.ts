// certificates.ts
import { type ListRequest, type Operation, operationsFor, refuseWith } from 'hallpass/admin'
import * as z from 'zod'
import { type Scope, scopes } from './scopes.js'

const { defineList, defineOperation } = operationsFor(scopes)

const id = z.string().regex(/^crt_[A-Za-z0-9_-]{1,64}$/)

const Certificate = z
  .object({
    id,
    member_id: z.string().max(70),
    course_id: z.string().max(70),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Certificate', description: 'What a member has completed.' })
export type Certificate = z.output<typeof Certificate>

/** Your table, for one site. */
export interface Certificates {
  /** The rows that follow `after` in the order of `sort`, at most `limit`, and only those of the filters. */
  list(request: ListRequest<{ course_id?: string | undefined }>): Promise<readonly Certificate[]>
  hasCompleted(memberId: string, courseId: string): Promise<boolean>
  issue(memberId: string, courseId: string, now: number): Promise<Certificate>
}

export const certificateOperations = (table: Certificates): readonly Operation<Scope>[] => [
  defineList({
    id: 'certificates.list',
    summary: 'List certificates',
    scope: 'certificates:read',
    path: '/certificates',
    item: Certificate,
    filters: { course_id: z.string().max(70).optional() },
    sorts: ['created_at'],
    rows: (_context, request) => table.list(request),
  }),
  defineOperation({
    id: 'certificates.create',
    summary: 'Issue a certificate',
    scope: 'certificates:write',
    effect: 'write',
    method: 'POST',
    path: '/certificates',
    input: z.strictObject({ member_id: z.string().max(70), course_id: z.string().max(70) }),
    output: Certificate,
    status: 201,
    tool: 'issue_certificate',
    async run({ dryRun, now }, { member_id, course_id }) {
      if (!(await table.hasCompleted(member_id, course_id)))
        return refuseWith('conflict', 'the member has not completed this course')
      const created_at = new Date(now * 1000).toISOString()
      if (dryRun) return { id: 'crt_new', member_id, course_id, created_at }
      return table.issue(member_id, course_id, now)
    },
  }),
]
