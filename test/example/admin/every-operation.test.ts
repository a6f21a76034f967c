import type { Execute } from 'hallpass/postgres'
import { defineOperations, type RegisteredOperation } from 'hallpass/admin'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { Kit } from '../../../examples/school/src/admin/kit.js'
import { schoolOperations } from '../../../examples/school/src/admin/operations.js'
import { EXAMPLE_INPUTS, requestOf } from '../support/operator-inputs.js'
import {
  type Answer,
  idsIn,
  KILN_SITE,
  LANTERN_SITE,
  type OperatorSchool,
  withoutRequestId,
} from '../support/operator-school.js'
import { T } from '../../support/school/school.js'
import { openRolledBackSchool, rowsOf } from '../support/rolled-back-school.js'

const KEYS = { signingKey: 'a key for tests' }
// Which operations there are does not depend on the kit that they run with.
const { operations, byScope } = defineOperations(
  schoolOperations({ site: LANTERN_SITE, origin: 'https://site-lantern.example' } as Kit, KEYS),
  { scopes: schoolScopes, roles: schoolRoles },
)
const operatorScopes = schoolScopes.names.filter(
  (scope) => schoolScopes.get(scope)?.audience === 'operator',
)
const named = (
  isOne: (operation: RegisteredOperation) => boolean = () => true,
): readonly (readonly [string, RegisteredOperation])[] =>
  operations.filter(isOne).map((operation) => [operation.id, operation] as const)
const writes = ({ effect }: RegisteredOperation): boolean => effect === 'write'
const hasId = ({ pathParameters }: RegisteredOperation): boolean => pathParameters.includes('id')

let school: OperatorSchool
let execute: Execute
beforeAll(async () => {
  ;({ school, execute } = await openRolledBackSchool((kit) => schoolOperations(kit, KEYS)))
})
afterAll(() => school.close())
beforeEach(async () => void (await execute('begin', [])))
afterEach(async () => {
  await execute('rollback', [])
  school.clock.now = T
  expect(school.faults).toEqual([])
})

const elsewhere = (rows: Readonly<Record<string, string>>) =>
  Object.entries(rows).filter(([what]) => !what.endsWith(LANTERN_SITE))

type Options = Parameters<OperatorSchool['call']>[2] & { query?: Readonly<Record<string, string>> }

/** Calls an operation as its example does. */
function call(
  operation: RegisteredOperation,
  { query: more = {}, ...options }: Options = {},
  input = EXAMPLE_INPUTS[operation.id]!,
): Promise<Answer> {
  const { target, query, body } = requestOf(operation, input)
  for (const [name, value] of Object.entries(more)) query.set(name, value)
  return school.call(operation.method, `${target}?${query}`, {
    ...(body !== undefined && { body }),
    ...options,
    headers: {
      ...(operation.precondition === 'required' && { 'if-match': '*' }),
      ...options.headers,
    },
  })
}

/** The operation that reads the object that another one changes. */
const readerOf = ({ path }: RegisteredOperation): RegisteredOperation | undefined =>
  operations
    .filter(
      ({ method, isList, path: one }) =>
        method === 'GET' && isList !== true && path.startsWith(one),
    )
    .toSorted((one, other) => other.path.length - one.path.length)[0]

/** The scopes of kinds that have none of their name. */
const SCOPE_OF: Readonly<Record<string, string>> = {
  enrollments: 'students',
  event_registrations: 'events',
  lectures: 'curriculum',
  sections: 'curriculum',
  uploads: 'storage',
}

/** To be let in does not depend on what is sent. */
const NO_INPUT = {}

describe('the operations of the school', () => {
  it('open every scope of the table but those of identity and of members', () => {
    expect([...byScope.keys()]).toEqual(operatorScopes)
  })
  it('need the scope of their kind, to read or to write', () => {
    for (const { id, effect, scope } of operations) {
      const kind = id.split('.', 1)[0]!
      const access = kind === 'uploads' ? 'write' : effect
      expect({ id, scope }).toEqual({ id, scope: `${SCOPE_OF[kind] ?? kind}:${access}` })
    }
  })
  it('are all that there is: no other method of their paths', async () => {
    for (const path of new Set(operations.map((one) => one.path)))
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const isThere = operations.some((one) => one.path === path && one.method === method)
        if (isThere) continue
        const { status } = await school.call(method, path.replaceAll(/\{\w+\}/g, 'nothing'))
        expect({ method, path, status }).toEqual({ method, path, status: 405 })
      }
  })
})

describe.each(named())('%s', (_, operation) => {
  it('is open to its own scope alone, and names it to whoever has another [ADM-01]', async () => {
    for (const held of operatorScopes) {
      const { status, headers } = await call(operation, { scopes: [held] }, NO_INPUT)
      const isOpen = status !== 401 && status !== 403
      expect({ held, isOpen }).toEqual({ held, isOpen: held === operation.scope })
      if (!isOpen) expect(headers.get('www-authenticate')).toContain(`scope="${operation.scope}"`)
    }
  })

  it('is open to the roles that hold its scope alone', async () => {
    const { scope, roles } = operation
    for (const [role, { scopes }] of Object.entries(schoolRoles)) {
      const mayByTable = scopes === 'all' || scopes.some((one) => one === scope)
      const may = mayByTable && (roles?.includes(role) ?? true)
      const { status, headers } = await call(operation, { role, scopes: [scope] }, NO_INPUT)
      expect({ role, isOpen: status !== 403 }).toEqual({ role, isOpen: may })
      // Asking for the scope again would not help.
      if (!may) expect(headers.get('www-authenticate')).not.toContain('scope=')
    }
  })

  it('is closed to members, to a token of another school and to none [ADM-02]', async () => {
    expect((await call(operation, { scopes: ['account:read'] })).status).toBe(403)
    const headers = { authorization: await school.bearer(KILN_SITE) }
    expect(await call(operation, { headers })).toMatchObject({
      status: 401,
      body: { code: 'invalid_token' },
    })
    expect((await call(operation, { headers: { authorization: 'Bearer x' } })).status).toBe(401)
  })

  it('takes no member that it does not define', async () => {
    const input = { ...EXAMPLE_INPUTS[operation.id], no_such_member: 'x' }
    const { target, query, body } = requestOf(
      { ...operation, effect: operation.takesQuery ? 'read' : 'write' },
      input,
    )
    const answer = await school.call(operation.method, `${target}?${query}`, {
      ...(body !== undefined && { body }),
      ...(operation.precondition === 'required' && { headers: { 'if-match': '*' } }),
    })
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(JSON.stringify(answer.body)).toContain('no_such_member')
  })
})

describe.each(named(hasId))('%s', (_, operation) => {
  it('knows nothing of another school: no more than of what never was [ADM-03]', async () => {
    const { id, ...input } = EXAMPLE_INPUTS[operation.id]! as { id: string }
    const before = await rowsOf(execute)
    const at = (one: string) => call(operation, { site: KILN_SITE }, { ...input, id: one })
    const [theirs, nobodys] = [await at(id), await at(`${id.slice(0, id.indexOf('_'))}_nobody`)]
    expect(theirs).toMatchObject({
      status: 404,
      body: { code: 'not_found', type: '/problems/not-found' },
    })
    expect(withoutRequestId(theirs)).toEqual(withoutRequestId(nobodys))
    expect(await rowsOf(execute)).toEqual(before)
  })
})

describe.each(named(writes))('%s', (_, operation) => {
  it('leaves no trace of a dry run', async () => {
    const before = await rowsOf(execute)
    const dry = await call(operation, { query: { dry_run: 'true' } })
    expect(dry).toMatchObject({
      status: 200,
      body: { would_change: operation.status === 204 ? null : expect.any(Object) },
    })
    expect(await rowsOf(execute)).toEqual(before)
  })

  it('changes rows of its own school alone', async () => {
    const before = await rowsOf(execute)
    school.clock.now += 60
    const done = await call(operation)
    expect({ status: done.status, body: done.body }).toEqual({
      status: operation.status ?? 200,
      body: operation.status === 204 ? null : expect.any(Object),
    })
    const after = await rowsOf(execute)
    expect(after).not.toEqual(before)
    expect(elsewhere(after)).toEqual(elsewhere(before))
  })
})

describe.each(named(({ method }) => method === 'POST'))('%s', (_, operation) => {
  it('is done once, however often the same request comes', async () => {
    const headers = { 'idempotency-key': `once ${operation.id}`.replaceAll(' ', '-') }
    const first = await call(operation, { headers })
    const rows = await rowsOf(execute)
    school.clock.now += 60
    const again = await call(operation, { headers })
    expect([again.status, again.body]).toEqual([first.status, first.body])
    expect(await rowsOf(execute)).toEqual(rows)
  })
})

describe.each(named(({ idempotent, method }) => idempotent === true && method === 'POST'))(
  '%s',
  (_, operation) => {
    it('changes nothing when it is repeated', async () => {
      const first = await call(operation)
      const rows = await rowsOf(execute)
      school.clock.now += 60
      expect((await call(operation)).body).toEqual(first.body)
      expect(await rowsOf(execute)).toEqual(rows)
    })
  },
)

describe.each(named(({ precondition }) => precondition !== undefined))('%s', (_, operation) => {
  it('is for whoever knows the latest version', async () => {
    const before = await rowsOf(execute)
    const at = (etag: string) => call(operation, { headers: { 'if-match': etag } })
    const stale = { status: 412, body: { code: 'precondition_failed' } }
    expect(await at('"other"')).toMatchObject(stale)
    if (operation.precondition === 'required') {
      const { target, body } = requestOf(operation, EXAMPLE_INPUTS[operation.id]!)
      expect(await school.call(operation.method, target, { body })).toMatchObject({
        status: 428,
        body: { code: 'precondition_required' },
      })
    }
    expect(await rowsOf(execute)).toEqual(before)
    const reader = readerOf(operation)
    if (reader === undefined) return
    const read = () => call(reader, {}, pick(EXAMPLE_INPUTS[operation.id]!, reader.pathParameters))
    const etag = (await read()).headers.get('etag')!
    school.clock.now += 60
    const done = await at(etag)
    expect(done.status).toBe(operation.status ?? 200)
    if (done.status === 204) expect((await read()).status).toBe(404)
    else {
      expect(await read()).toMatchObject({ status: 200, body: done.body as object })
      expect(await at(etag)).toMatchObject(stale)
    }
  })
})
const pick = (input: Readonly<Record<string, unknown>>, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, input[name]]))

describe.each(named(({ isList }) => isList === true))('%s', (_, operation) => {
  const parent = pick(EXAMPLE_INPUTS[operation.id]!, operation.pathParameters)
  const page = (query: Readonly<Record<string, string>>, site = LANTERN_SITE) =>
    call(operation, { query, site }, parent)
  const sorts = (operation.input.shape['sort'] as z.ZodDefault<z.ZodEnum>).unwrap()
    .options as readonly string[]

  /** All ids, page by page. */
  async function walked(sort: string, limit: number): Promise<readonly string[]> {
    const ids: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const answer = await page({
        sort,
        limit: String(limit),
        fields: 'id',
        ...(cursor !== '' && { cursor }),
      })
      ids.push(...idsIn(answer))
      cursor = (answer.body as { page: { next_cursor: string | null } }).page.next_cursor
    }
    return ids
  }

  it('comes page by page, each row once, in both directions of each order', async () => {
    const all = idsIn(await page({ limit: '100' }))
    expect(all.length).toBeGreaterThan(0)
    expect(all).toEqual([...new Set(all)])
    for (const sort of sorts.filter((one) => !one.startsWith('-'))) {
      const ids = await walked(sort, Math.ceil(all.length / 3))
      expect(ids.toSorted(), sort).toEqual(all.toSorted())
      expect(await walked(`-${sort}`, Math.ceil(all.length / 2)), sort).toEqual(ids.toReversed())
    }
  })

  it('has rows of its own school alone, and of those only what was asked for', async () => {
    const ours = idsIn(await page({ limit: '100' }))
    if (operation.pathParameters.length === 0) {
      const theirs = idsIn(await page({ limit: '100' }, KILN_SITE))
      expect(theirs.length).toBeGreaterThan(0)
      expect(theirs.filter((id) => ours.includes(id))).toEqual([])
    }
    const [first] = ((await page({ limit: '1', fields: 'id' })).body as { data: object[] }).data
    expect(Object.keys(first!)).toEqual(['id'])
    for (const query of [
      { q: '%' },
      { q: 'no such words' },
      { updated_since: '2027-01-01T00:00:00Z' },
    ])
      expect(idsIn(await page(query as Record<string, string>))).toEqual([])
    for (const query of [{ limit: '0' }, { limit: '101' }, { sort: 'no_such' }, { cursor: 'x' }])
      expect((await page(query as Record<string, string>)).status).toBe(400)
  })
})
