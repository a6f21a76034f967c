import { OptionsError } from 'hallpass'
import { defineList, defineOperation, defineOperations, type Operation } from 'hallpass/admin'
import { defineScopes, schoolRoles, schoolScopes } from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { Course, operationsOn } from './support.js'

const TABLES = { scopes: schoolScopes, roles: schoolRoles }
const define = (...operations: readonly Operation[]) => defineOperations(operations, TABLES)
const refusal = (...mistakes: readonly string[]) => new OptionsError('operations', mistakes)

const GET: Operation = defineOperation({
  id: 'courses.get',
  summary: 'Get a course',
  scope: 'courses:read',
  effect: 'read',
  method: 'GET',
  path: '/courses/{id}',
  input: z.strictObject({ id: z.string() }),
  output: z.object({}),
  run: async () => ({}),
})
const POST: Operation = {
  ...GET,
  id: 'courses.create',
  scope: 'courses:write',
  effect: 'write',
  method: 'POST',
  path: '/courses',
  input: z.strictObject({ title: z.string() }),
}

describe('a registry', () => {
  it('has every operation, and those of a scope in the order of the scope table', () => {
    const registry = define(...operationsOn({ rows: new Map(), runs: [] }))
    expect(registry.operations.map(({ id }) => id)).toEqual([
      'courses.list', 'courses.get', 'courses.create', 'courses.update', 'curriculum.reorder',
      'courses.remove', 'courses.publish', 'courses.archive',
    ]) // prettier-ignore
    expect([...registry.byScope].map(([scope, own]) => [scope, own.map(({ id }) => id)])).toEqual([
      ['courses:read', ['courses.list', 'courses.get']],
      [
        'courses:write',
        [
          'courses.create',
          'courses.update',
          'courses.remove',
          'courses.publish',
          'courses.archive',
        ],
      ],
      ['curriculum:write', ['curriculum.reorder']],
    ])
  })

  it('knows the parameters of a path, and takes a word before a parameter', () => {
    const own: Operation = {
      ...GET,
      id: 'courses.own',
      path: '/courses/own',
      input: z.strictObject({}),
    }
    const deep: Operation = {
      ...POST,
      id: 'lectures.move',
      path: '/courses/{id}/lectures/{lecture_id}/move',
      input: z.strictObject({ id: z.string(), lecture_id: z.string() }),
    }
    const { route } = define(GET, own, deep)
    const found = (method: string, path: string): unknown => {
      const to = route(method, path)
      return to.found === 'operation' ? [to.operation.id, to.parameters] : to
    }
    expect(found('GET', '/courses/own')).toEqual(['courses.own', {}])
    expect(found('GET', '/courses/crs_1')).toEqual(['courses.get', { id: 'crs_1' }])
    expect(found('POST', '/courses/crs_1/lectures/lec%201/move')).toEqual([
      'lectures.move',
      { id: 'crs_1', lecture_id: 'lec 1' },
    ])
    expect(found('PUT', '/courses/crs_1')).toEqual({ found: 'path', methods: ['GET'] })
    expect(found('GET', '/courses/crs_1/lectures')).toEqual({ found: 'nothing' })
    expect(found('GET', '/courses/constructor')).toEqual(['courses.get', { id: 'constructor' }])
    expect(found('constructor', '/courses/crs_1')).toEqual({ found: 'path', methods: ['GET'] })
  })
})

describe('a registry lets a read stand behind a write', () => {
  const own: Operation = { ...GET, id: 'uploads.get', path: '/uploads/{id}' }

  it('where the scope table has no read of the same name', () => {
    expect(schoolScopes.get('storage:read')).toBeUndefined()
    expect(define({ ...own, scope: 'storage:write' }).operations).toHaveLength(1)
  })

  it('and nowhere else: where there is one, that one is to be asked for', () => {
    expect(() => define({ ...own, scope: 'courses:write' })).toThrow(
      refusal('uploads.get has effect "read" but requires "courses:write"'),
    )
  })

  it('and never the other way round', () => {
    const scopes = defineScopes({
      'notes:read': { audience: 'operator', access: 'read', group: 'Notes', consent: 'See notes' },
    })
    expect(() =>
      defineOperations([{ ...POST, id: 'notes.create', path: '/notes', scope: 'notes:read' }], {
        scopes,
        roles: schoolRoles,
      }),
    ).toThrow(refusal('notes.create has effect "write" but requires "notes:read"'))
  })
})

describe('a registry does not start with', () => {
  it.each<[string, Operation, string]>([
    ['another name', { ...GET, id: 'getCourse' }, 'getCourse must have an id such as courses.list'],
    ['no words', { ...GET, summary: ' ' }, 'courses.get has no summary'],
    [
      'no such scope',
      { ...GET, scope: 'course:read' },
      'courses.get requires the unknown scope "course:read"',
    ],
    [
      'a scope of members',
      { ...GET, scope: 'account:read' },
      'courses.get requires "account:read", which is not an operator scope',
    ],
    [
      'a read behind a write',
      { ...GET, scope: 'courses:write' },
      'courses.get has effect "read" but requires "courses:write"',
    ],
    [
      'a write behind a read',
      { ...POST, scope: 'courses:read' },
      'courses.create has effect "write" but requires "courses:read"',
    ],
    [
      'a read by POST',
      { ...GET, method: 'POST' },
      'courses.get has effect "read", so its method must be GET, not POST',
    ],
    [
      'a write by GET',
      { ...POST, method: 'GET' },
      'courses.create has effect "write", so its method cannot be GET',
    ],
    [
      'a read with If-Match',
      { ...GET, precondition: 'optional' },
      'courses.get has effect "read", so it cannot have a precondition',
    ],
    [
      'no such role',
      { ...GET, roles: ['owner', 'toString'] },
      'courses.get names the unknown role "toString"',
    ],
    [
      'a path that ends in a slash',
      { ...GET, path: '/courses/{id}/' },
      'courses.get must have a path such as /courses/{id}, not "/courses/{id}/"',
    ],
    [
      'half a parameter',
      { ...GET, path: '/courses/a{id}' },
      'courses.get must have a path such as /courses/{id}, not "/courses/a{id}"',
    ],
    [
      'a parameter without an input',
      { ...GET, path: '/courses/{id}/{slug}' },
      'courses.get has no input "slug" for the parameter in its path',
    ],
    ['a parameter twice', { ...GET, path: '/{id}/{id}' }, 'courses.get has "id" in its path twice'],
    [
      'an input that lets anything in',
      { ...POST, input: z.object({ title: z.string() }) },
      'courses.create accepts unknown members: use z.strictObject',
    ],
    [
      'an input that lets anything in below',
      { ...POST, input: z.strictObject({ plans: z.array(z.object({ kind: z.string() })) }) },
      'courses.create accepts unknown members at /properties/plans/items: use z.strictObject',
    ],
    [
      'an object in the query',
      {
        ...GET,
        input: z.strictObject({ id: z.string(), filter: z.strictObject({ a: z.string() }) }),
      },
      'courses.get has an object as input "filter", which a path or query cannot hold',
    ],
    [
      'objects in a path',
      {
        ...POST,
        path: '/courses/{ids}',
        input: z.strictObject({ ids: z.array(z.strictObject({})) }),
      },
      'courses.create has an object as input "ids", which a path or query cannot hold',
    ],
    [
      'a dry run of its own',
      { ...POST, input: z.strictObject({ dry_run: z.boolean() }) },
      'courses.create has an input "dry_run", a parameter that every write already has',
    ],
    [
      'a long tool name',
      { ...GET, tool: 'a'.repeat(41) },
      `courses.get must have a snake_case tool name of 1 to 40 characters, such as list_courses, not "${'a'.repeat(41)}"`,
    ],
    [
      "an input that is named as its tool's argument",
      {
        ...POST,
        input: z.strictObject({ action: z.boolean() }),
        tool: { name: 'save_course', argument: 'action', value: 'create' },
      },
      'courses.create has an input with the same name as the argument of its tool',
    ],
    [
      'a tool that takes the version, and an input of that name',
      {
        ...POST,
        input: z.strictObject({ version: z.boolean() }),
        precondition: 'optional',
        tool: 'save_course',
      },
      'courses.create has an input "version", which its tool already uses for If-Match',
    ],
  ])('%s', (_, operation, fault) => {
    expect(() => define(operation)).toThrow(refusal(fault))
  })

  it('tools that cannot tell their operations apart', () => {
    const shared = (value: string, argument = 'action') => ({ name: 'save', argument, value })
    const post = (id: string, tool: Operation['tool']) =>
      defineOperation({ ...POST, id, path: `/${id.replace('.', '/')}`, tool: tool ?? null })
    const faultOf = (...tools: Operation['tool'][]): unknown => {
      try {
        define(...tools.map((tool, at) => post(`courses.do${at}`, tool)))
        return null
      } catch (fault) {
        return fault
      }
    }
    expect(faultOf(shared('create'), shared('create'))).toEqual(
      refusal('tool "save create" is defined twice'),
    )
    expect(faultOf('save', shared('create'))).toEqual(refusal('tool "save" is defined twice'))
    expect(faultOf(shared('create'), shared('update', 'what'))).toEqual(
      refusal('tool "save" must have the same argument in all its operations'),
    )
    expect(faultOf(shared('create'), shared('update'))).toBeNull()
  })

  it('what is defined twice', () => {
    const other = { ...GET, path: '/courses/{slug}', input: z.strictObject({ slug: z.string() }) }
    expect(() => define({ ...GET, tool: 'get' }, { ...other, tool: 'get' })).toThrow(
      refusal(
        'id "courses.get" is defined twice',
        'route "GET /courses/{}" is defined twice',
        'tool "get" is defined twice',
        'path "/courses/{}" has parameters of different names: /courses/{id}, /courses/{slug}',
      ),
    )
  })

  it('several faults, and names them all', () => {
    expect(() =>
      define(
        { ...GET, id: 'x', summary: '', scope: 'nothing' },
        { ...POST, method: 'GET', tool: 'A' },
      ),
    ).toThrow(
      refusal(
        'x must have an id such as courses.list',
        'x has no summary',
        'x requires the unknown scope "nothing"',
        'courses.create has effect "write", so its method cannot be GET',
        'courses.create must have a snake_case tool name of 1 to 40 characters, such as list_courses, not "A"',
      ),
    )
  })

  it.each<[string, unknown, object, readonly string[]]>([
    [
      'no operations',
      undefined,
      TABLES,
      ['operations is missing: an array in which each item is an operation of defineOperation'],
    ],
    [
      'operations of nothing',
      [{ ...GET, id: 7 }, {}],
      TABLES,
      [
        'operations[0] lacks id: an operation of defineOperation',
        'operations[1] lacks id, summary, scope, path, input, output, run: an operation of defineOperation',
      ],
    ],
    [
      'no tables',
      [GET],
      {},
      [
        'scopes is missing: a registry of scopes such as defineScopes({ … })',
        'roles is missing: a table of roles such as { owner: { staff: true, scopes: "all" } }',
      ],
    ],
    [
      'a table that is no registry',
      [GET],
      { ...TABLES, scopes: {} },
      ['scopes lacks names, get: a registry of scopes such as defineScopes({ … })'],
    ],
  ])('%s', (_, operations, tables, mistakes) => {
    expect(() => defineOperations(operations as Operation[], tables as typeof TABLES)).toThrow(
      refusal(...mistakes),
    )
  })
})

describe('a list does not start with', () => {
  const list = {
    id: 'courses.list',
    summary: 'List courses',
    scope: 'courses:read',
    path: '/courses',
    item: Course,
    filters: {},
    sorts: ['created_at'] as [string, ...string[]],
    rows: async () => [],
  }

  it('items without an id, sorts by nothing, or filters that are a convention', () => {
    expect(() =>
      defineList({
        ...list,
        item: Course.omit({ id: true }),
        sorts: ['created_at', 'popularity'],
        filters: { limit: z.string(), state: z.string(), q: z.string() },
      }),
    ).toThrow(
      new OptionsError('list courses.list', [
        'item must have an id',
        'sorts names "popularity", which item does not have',
        'filters cannot contain "limit", a parameter of every list',
        'filters cannot contain "q", a parameter of every list',
      ]),
    )
  })

  it('nothing else', () => {
    expect(define(defineList(list)).operations).toHaveLength(1)
  })
})
