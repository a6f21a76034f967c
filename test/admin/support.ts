import { defineSite, type FaultNotice, type SiteOptions, type SiteEvent } from 'hallpass'
import {
  createAdminApi,
  defineList,
  defineOperation,
  isProblem,
  type Operation,
  type OperationContext,
  type AdminApi,
  type AdminApiOptions,
  type Problem,
  refuseWith,
} from 'hallpass/admin'
import type { Client, Person } from 'hallpass/policy'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore, type Store } from 'hallpass/store'
import * as z from 'zod'
import { keepToken } from '../support/school/kept-token.js'
import { DESK_CLI } from '../support/school/policy-samples.js'
import { split } from '../support/school/bare-server.js'
import { ISSUER, OWNER, T } from '../support/school/school.js'

type ApiEvent = Extract<SiteEvent, { operation: string }>

export const LECTURER: Person = { ...OWNER, subject: 'mem_amara', roles: ['lecturer'] }

const Id = z
  .string()
  .max(44)
  .regex(/^crs_\w{1,40}$/)
const Title = z.string().min(1).max(200)
const State = z.enum(['draft', 'published', 'archived'])

export const Course = z
  .object({
    id: Id,
    title: Title,
    state: State,
    lecture_ids: z.array(z.string().max(40)).max(100),
    price: z.number().min(0).max(100_000).nullable(),
    created_at: z.iso.datetime().max(30),
  })
  .meta({ id: 'Course', description: 'A course, draft or not.' })
export type CourseRow = z.output<typeof Course> & { readonly internal_note?: string }

/** The courses of a school, and how often each operation ran. */
export interface Table {
  readonly rows: Map<string, CourseRow>
  readonly runs: string[]
}

export const courseOf = (number: number, changes: Partial<CourseRow> = {}): CourseRow => ({
  id: `crs_${number}`,
  title: `Course ${number}`,
  state: 'draft',
  lecture_ids: ['lec_1', 'lec_2'],
  price: null,
  created_at: new Date((T + number) * 1000).toISOString(),
  ...changes,
})

const unknown = (): Problem => refuseWith('not_found', 'there is no such course')

/** What somebody writes in one transaction: nothing else of the table happens meanwhile. */
async function change(
  { rows }: Table,
  { dryRun, precondition }: Pick<OperationContext, 'dryRun' | 'precondition'>,
  { id, to }: { id: string; to: (row: CourseRow) => CourseRow | null },
): Promise<CourseRow | Problem> {
  await Promise.resolve()
  const row = rows.get(id)
  if (row === undefined) return unknown()
  const stale = precondition.check(Course.parse(row))
  if (stale !== null) return stale
  const changed = to(row)
  if (dryRun) return changed ?? row
  if (changed === null) rows.delete(id)
  else rows.set(id, changed)
  return changed ?? row
}

/** Eight operations on a table of courses. */
export function operationsOn(table: Table): readonly Operation[] {
  const ran = (id: string): void => void table.runs.push(id)
  return [
    defineList({
      id: 'courses.list',
      summary: 'List courses',
      scope: 'courses:read',
      path: '/courses',
      item: Course,
      filters: { state: State.optional(), min_price: z.number().min(0).optional() },
      sorts: ['created_at', 'title', 'price'],
      async rows(_context, { filters, q, updatedSince, sort, after, limit }) {
        ran('courses.list')
        const key = (row: CourseRow): string | number =>
          row[sort.field as 'created_at' | 'title' | 'price'] ?? -1
        const order = (one: string | number, other: string | number): number =>
          one === other ? 0 : one < other === sort.descending ? 1 : -1
        const compare = (row: CourseRow, to: { key: string | number; id: string }): number =>
          order(key(row), to.key) || order(row.id, to.id)
        return [...table.rows.values()]
          .filter(({ state }) => filters.state === undefined || state === filters.state)
          .filter(
            ({ price }) => filters.min_price === undefined || (price ?? 0) >= filters.min_price,
          )
          .filter(({ title }) => q === null || title.includes(q))
          .filter(({ created_at }) => updatedSince === null || created_at >= updatedSince)
          .filter((row) => !after || compare(row, { key: after.key ?? -1, id: after.id }) > 0)
          .sort((one, other) => compare(one, { key: key(other), id: other.id }))
          .slice(0, limit)
      },
    }),
    defineOperation({
      id: 'courses.get',
      summary: 'Get a course',
      scope: 'courses:read',
      effect: 'read',
      method: 'GET',
      path: '/courses/{id}',
      input: z.strictObject({ id: Id }),
      output: Course,
      tool: 'get_course',
      async run(_context, { id }) {
        ran('courses.get')
        return table.rows.get(id) ?? unknown()
      },
    }),
    defineOperation({
      id: 'courses.create',
      summary: 'Create a course',
      scope: 'courses:write',
      effect: 'write',
      method: 'POST',
      path: '/courses',
      input: z.strictObject({
        title: Title,
        price: z.number().min(0).max(100_000).nullable().default(null),
        lecture_ids: z.array(z.string().max(40)).max(100).default([]),
      }),
      output: Course,
      status: 201,
      events: ['course.created'],
      async run({ dryRun }, { title, price, lecture_ids }) {
        ran('courses.create')
        await Promise.resolve()
        if (title === 'Taken') return refuseWith('conflict', 'there is a course of this title')
        const row = courseOf(table.rows.size + 1, { title, price, lecture_ids })
        if (!dryRun) table.rows.set(row.id, row)
        return row
      },
    }),
    defineOperation({
      id: 'courses.update',
      summary: 'Change a course',
      scope: 'courses:write',
      effect: 'write',
      method: 'PATCH',
      path: '/courses/{id}',
      input: z.strictObject({ id: Id, title: Title.optional(), state: State.optional() }),
      output: Course,
      precondition: 'optional',
      async run(context, { id, title, state }) {
        ran('courses.update')
        const to = (row: CourseRow): CourseRow => ({
          ...row,
          title: title ?? row.title,
          state: state ?? row.state,
        })
        return change(table, context, { id, to })
      },
    }),
    defineOperation({
      id: 'curriculum.reorder',
      summary: 'Reorder the lectures of a course',
      scope: 'curriculum:write',
      effect: 'write',
      idempotent: true,
      method: 'PUT',
      path: '/courses/{id}/curriculum/order',
      input: z.strictObject({ id: Id, lecture_ids: z.array(z.string().max(40)).max(100) }),
      output: Course,
      precondition: 'required',
      async run(context, { id, lecture_ids }) {
        ran('curriculum.reorder')
        return change(table, context, { id, to: (row) => ({ ...row, lecture_ids }) })
      },
    }),
    defineOperation({
      id: 'courses.remove',
      summary: 'Delete a draft',
      scope: 'courses:write',
      effect: 'write',
      destructive: true,
      method: 'DELETE',
      path: '/courses/{id}',
      input: z.strictObject({ id: Id }),
      output: Course,
      status: 204,
      precondition: 'optional',
      async run(context, { id }) {
        ran('courses.remove')
        return change(table, context, { id, to: () => null })
      },
    }),
    defineOperation({
      id: 'courses.publish',
      summary: 'Publish a course',
      scope: 'courses:write',
      effect: 'write',
      method: 'POST',
      path: '/courses/{id}/publish',
      input: z.strictObject({ id: Id }),
      output: Course,
      async run(context, { id }) {
        ran('courses.publish')
        const changed = await change(table, context, {
          id,
          to: (row) => ({ ...row, state: 'published' }),
        })
        return isProblem(changed) ? changed : { ...changed, internal_note: 'checked by Ines' }
      },
    }),
    defineOperation({
      id: 'courses.archive',
      summary: 'Archive a course',
      scope: 'courses:write',
      effect: 'write',
      roles: ['owner', 'manager'],
      method: 'POST',
      path: '/courses/{id}/archive',
      input: z.strictObject({ id: Id }),
      output: Course,
      async run(context, { id }) {
        ran('courses.archive')
        return change(table, context, { id, to: (row) => ({ ...row, state: 'archived' }) })
      },
    }),
  ]
}

/** An answer as tests compare it. */
export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  readonly text: string
}

export interface TestApi {
  readonly api: AdminApi
  readonly store: Store
  readonly table: Table
  readonly clock: { now: number }
  readonly people: Map<string, Person>
  readonly events: ApiEvent[]
  readonly reasons: string[]
  readonly faults: Pick<FaultNotice, 'fault' | 'requestId'>[]
  /** Issues a token and returns it. */
  readonly tokenOf: (options?: TokenOptions) => Promise<string>
  /** Calls as the owner, with every scope, unless the headers say otherwise. */
  readonly call: (
    request: string,
    options?: { headers?: Record<string, string>; body?: unknown },
  ) => Promise<Answered>
}

interface TokenOptions {
  readonly client?: Client
  readonly subject?: string
  readonly scopes?: readonly string[]
  readonly resource?: string
  readonly expiresAt?: number
}

const ALL_SCOPES = schoolScopes.names.filter(
  (scope) => schoolScopes.get(scope)!.audience === 'operator',
)

/** An API of {@link operationsOn}, with three courses, on a memory store. */
export async function createTestApi(
  changes: Partial<SiteOptions & AdminApiOptions> & { table?: Table } = {},
): Promise<TestApi> {
  const {
    store = createMemoryStore(),
    table = { rows: new Map([1, 2, 3].map((n) => [`crs_${n}`, courseOf(n)])), runs: [] },
    ...options
  } = changes
  const clock = { now: T }
  const people = new Map([OWNER, LECTURER].map((person) => [person.subject, person]))
  const [events, reasons, faults]: [ApiEvent[], string[], TestApi['faults']] = [[], [], []]
  const { ofSite, own } = split<AdminApiOptions>(options)
  const siteOptions: SiteOptions = {
    issuer: ISSUER,
    name: 'Lantern Street Drawing School',
    store,
    findPerson: async (subject) => people.get(subject) ?? null,
    scopes: schoolScopes,
    roles: schoolRoles,
    onEvent: (event) => events.push(event as ApiEvent),
    onRefusal: ({ reason }) => reasons.push(reason),
    onFault: ({ fault, requestId }) => faults.push({ fault, requestId }),
    now: () => clock.now,
    ...ofSite,
  }
  const api = createAdminApi(defineSite(siteOptions), {
    operations: operationsOn(table),
    ...own,
  })
  let issued = 0
  const tokenOf: TestApi['tokenOf'] = async (token = {}) =>
    issueToken(store, { number: ++issued, ...token })
  const owner = await tokenOf()
  return {
    api, store, table, clock, people, events, reasons, faults, tokenOf,
    call: (request, { headers = {}, body } = {}) =>
      send(api, request, { headers: { authorization: `Bearer ${owner}`, ...headers }, body }),
  } // prettier-ignore
}

async function issueToken(
  store: Store,
  {
    number,
    client = DESK_CLI,
    subject = OWNER.subject,
    scopes = ALL_SCOPES,
    resource = ISSUER,
    expiresAt = T + 3600,
  }: TokenOptions & { number: number },
): Promise<string> {
  await store.insertClient(client)
  const { clientId, redirectUris } = client
  const accessToken = `hpa_${`token-${number}-`.padEnd(43, 'A')}`
  const grantId = `grant_${number}`
  const redirectUri = redirectUris[0]!
  const of = { grantId, clientId, subject, scopes, resource, redirectUri, issuedAt: T, expiresAt }
  await keepToken(store, accessToken, of, Math.max(T + 86_400, expiresAt))
  return accessToken
}

/** Sends `GET /courses`; the path stands below the base path, unless it is a whole one. */
export async function send(
  api: AdminApi,
  request: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: unknown } = {},
): Promise<Answered> {
  const [method = '', path = ''] = request.split(/ (.*)/s)
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await api.endpoint(
    new Request(`${ISSUER}${path.startsWith('/api/') ? '' : '/api/v1'}${path}`, {
      method,
      headers: { ...type, ...headers },
      ...(body !== undefined && {
        body: isRaw ? (body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(body),
      }),
    }),
  )
  const text = await response.text()
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: text === '' ? null : (JSON.parse(text) as unknown),
    text,
  }
}

/** The code of a problem, beside its status. */
export const codeOf = ({ status, body }: Answered): string =>
  `${status} ${(body as { code?: string } | null)?.code ?? '-'}`

/** The etag of an object as its GET answers it. */
export const etagAt = async ({ call }: TestApi, path: string): Promise<string> =>
  (await call(`GET ${path}`)).headers['etag']!
