import { defineOperation, defineOperations, type Operation } from 'hallpass/admin'
import {
  createOpenapiEndpoint,
  openapiOf,
  type OpenapiPart,
  type OperationExample,
} from 'hallpass/openapi'
import { defineScopes, schoolScopes } from 'hallpass/scope'
import { testSite } from 'hallpass/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { testByRedocly } from '../support/http/openapi-lint.js'
import { ISSUER } from '../support/school/school.js'
import { createTestApi, etagAt, send, type TestApi } from '../admin/support.js'

type OpenapiSource = Parameters<typeof openapiOf>[1]

interface Answer {
  readonly headers: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, { readonly schema: z.core.JSONSchema.JSONSchema }>>
}

interface Described {
  readonly operationId: string
  readonly description: string
  readonly security: readonly { readonly oauth2: readonly string[] }[]
  readonly parameters: readonly {
    readonly name: string
    readonly in: string
    readonly required: boolean
    readonly schema: Readonly<Record<string, unknown>>
  }[]
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, Answer>>
  readonly 'x-events'?: readonly string[]
  readonly 'x-roles': readonly string[]
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>
    readonly securitySchemes: {
      readonly oauth2: {
        readonly flows: {
          readonly authorizationCode: { readonly scopes: Readonly<Record<string, string>> }
        }
      }
    }
  }
}

const BASE = '/api/v1'
const INFO: OpenapiSource['info'] = {
  title: 'Lantern Street admin API',
  version: '1.0.0',
  description: 'What the staff of the school can do, for their applications.',
  contact: { name: 'Ines Duarte', url: `${ISSUER}/help`, email: 'ines.duarte@example.com' },
  license: { name: 'As agreed', url: `${ISSUER}/terms` },
}

const { site } = testSite({ issuer: ISSUER, name: 'Lantern Street' })
const documentOf = (
  operations: readonly Operation[],
  changes: Partial<OpenapiSource> = {},
): Document =>
  openapiOf(site, {
    registry: defineOperations(operations, site),
    info: INFO,
    ...changes,
  }) as unknown as Document

let api: TestApi
let document: Document
beforeAll(async () => {
  api = await createTestApi()
  document = documentOf(api.api.registry.operations)
})

describe('the OpenAPI document', () => {
  it('has every operation at its place, and no other', () => {
    const stated = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId, security }]) => ({
        id: operationId,
        method: method.toUpperCase(),
        path,
        scopes: security.flatMap(({ oauth2 }) => oauth2),
      })),
    )
    const byId = (one: { id: string }, other: { id: string }): number =>
      one.id < other.id ? -1 : 1
    expect(stated.sort(byId)).toEqual(
      api.api.registry.operations
        .map(({ id, method, path, scope }) => ({ id, method, path: BASE + path, scopes: [scope] }))
        .sort(byId),
    )
  })

  it('says where it is and how to get a token', () => {
    const { paths: _paths, components, ...rest } = document
    expect(rest).toEqual({
      openapi: '3.1.1',
      info: INFO,
      servers: [{ url: ISSUER }],
      externalDocs: { description: 'How to get a token', url: `${ISSUER}/auth.md` },
      tags: [
        { name: 'courses', description: 'Operations on courses.' },
        { name: 'curriculum', description: 'Operations on curriculum.' },
      ],
      security: [],
    })
    expect(components.securitySchemes).toEqual({
      oauth2: {
        type: 'oauth2',
        description: 'OAuth 2.1 with PKCE (S256).',
        flows: {
          authorizationCode: {
            authorizationUrl: `${ISSUER}/oauth/authorize`,
            tokenUrl: `${ISSUER}/api/oauth/token`,
            refreshUrl: `${ISSUER}/api/oauth/token`,
            scopes: {
              'courses:read': 'See courses, drafts included',
              'courses:write':
                'Create, edit, publish and archive courses that visitors and students see',
              'curriculum:write': 'Add, change, reorder and delete lectures',
            },
          },
        },
      },
    })
  })

  it('stands at an endpoint that anybody may read [DISC-20]', async () => {
    const source = { registry: api.api.registry, info: INFO }
    const response = await createOpenapiEndpoint(
      site,
      source,
    )(new Request(`${ISSUER}/openapi.json`))
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ])
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(openapiOf(site, source))))
  })

  it('says everything of a list', () => {
    const { parameters, responses, requestBody } = document.paths['/api/v1/courses']!['get']!
    expect(requestBody).toBeUndefined()
    expect(parameters.map(({ name, in: place, required }) => [name, place, required])).toEqual([
      ['state', 'query', false],
      ['min_price', 'query', false],
      ['limit', 'query', false],
      ['cursor', 'query', false],
      ['sort', 'query', false],
      ['q', 'query', false],
      ['updated_since', 'query', false],
      ['fields', 'query', false],
    ])
    expect(parameters[2]).toEqual({
      name: 'limit',
      in: 'query',
      required: false,
      description: 'Number of items on a page.',
      schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 100, default: 20 },
    })
    expect(parameters[4]!.schema).toEqual({
      type: 'string',
      enum: ['created_at', '-created_at', 'title', '-title', 'price', '-price'],
      default: '-created_at',
    })
    expect(parameters[7]).toMatchObject({
      style: 'form',
      explode: false,
      schema: { type: 'array' },
    })
    expect(Object.keys(responses)).toEqual(['200', '400', '401', '403', '429', '500', '503'])
    expect(Object.keys(responses[200]!.headers)).toEqual([
      'X-Request-Id',
      'RateLimit',
      'RateLimit-Policy',
      'Link',
    ])
  })

  it('says everything of a write', () => {
    const order = document.paths['/api/v1/courses/{id}/curriculum/order']!['put']!
    expect(order).toEqual({
      operationId: 'curriculum.reorder',
      summary: 'Reorder the lectures of a course',
      description:
        'Reorder the lectures of a course.\n\nRequires the scope `curriculum:write` and one of the roles: owner, manager, lecturer.',
      tags: ['curriculum'],
      security: [{ oauth2: ['curriculum:write'] }],
      'x-roles': ['owner', 'manager', 'lecturer'],
      parameters: [
        {
          name: 'id',
          in: 'path',
          required: true,
          description: 'The id.',
          schema: { type: 'string', maxLength: 44, pattern: '^crs_\\w{1,40}$' },
        },
        {
          name: 'dry_run',
          in: 'query',
          required: false,
          description: 'Return the result that the request would have, without storing it.',
          schema: { type: 'boolean', default: false },
        },
        {
          name: 'If-Match',
          in: 'header',
          required: true,
          description:
            'The ETag of the version that was read. If the object has changed, the response is 412.',
          schema: { type: 'string', maxLength: 1024 },
        },
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              properties: {
                lecture_ids: {
                  type: 'array',
                  maxItems: 100,
                  items: { type: 'string', maxLength: 40 },
                },
              },
              required: ['lecture_ids'],
              additionalProperties: false,
            },
          },
        },
      },
      responses: {
        200: {
          description: 'Success, or the result of a dry run.',
          headers: expect.objectContaining({ ETag: { $ref: '#/components/headers/ETag' } }),
          content: {
            'application/json': {
              schema: {
                anyOf: [
                  { $ref: '#/components/schemas/Course' },
                  {
                    type: 'object',
                    description: 'The result that the request would have, with `dry_run=true`.',
                    properties: { would_change: { $ref: '#/components/schemas/Course' } },
                    required: ['would_change'],
                    additionalProperties: false,
                  },
                ],
              },
            },
          },
        },
        ...Object.fromEntries(
          [400, 401, 403, 404, 409, 412, 413, 415, 422, 428, 429, 500, 503].map((status) => [
            status,
            { $ref: `#/components/responses/${status}` },
          ]),
        ),
      },
    })
  })

  it('says what a caller cannot read from the schemas', () => {
    const { paths } = document
    expect(paths['/api/v1/courses']!['post']!['x-events']).toEqual(['course.created'])
    expect(paths['/api/v1/courses/{id}/archive']!['post']!.description).toBe(
      'Archive a course.\n\nRequires the scope `courses:write` and one of the roles: owner, manager.',
    )
    expect(paths['/api/v1/courses/{id}/publish']!['post']!.requestBody).toBeUndefined()
    expect(Object.keys(paths['/api/v1/courses/{id}']!['delete']!.responses).slice(0, 2)).toEqual([
      '200',
      '204',
    ])
  })

  it('says which scope and which roles each operation needs [DISC-23]', () => {
    const stated = Object.values(document.paths)
      .flatMap((item) => Object.values(item))
      .map(({ operationId, description, 'x-roles': roles }) => [
        operationId,
        description.slice(description.lastIndexOf('Requires')),
        roles,
      ])
    expect(Object.fromEntries(stated.map(([id, ...rest]) => [id, rest]))).toMatchObject({
      'courses.list': [
        'Requires the scope `courses:read` and one of the roles: owner, manager, lecturer, assistant.',
        ['owner', 'manager', 'lecturer', 'assistant'],
      ],
      'courses.archive': [
        'Requires the scope `courses:write` and one of the roles: owner, manager.',
        ['owner', 'manager'],
      ],
    })
    expect(stated).toHaveLength(api.api.registry.operations.length)
  })

  it('shows examples with parameters, body and response [DISC-24]', () => {
    const rename = defineOperation({
      id: 'courses.rename',
      summary: 'Rename',
      scope: 'courses:write',
      effect: 'write',
      method: 'PATCH',
      path: '/courses/{id}',
      input: z.strictObject({ id: z.string(), title: z.string(), note: z.string().optional() }),
      output: z.object({ id: z.string(), title: z.string() }),
      run: async () => ({ id: 'crs_1', title: 'Ink' }),
    })
    const output = { id: 'crs_1', title: 'Ink' }
    const examples = {
      'courses.rename': { input: { id: 'crs_1', title: 'Ink' }, output },
      'courses.other': { input: {} },
    }
    const shown = documentOf([rename], { examples }).paths['/api/v1/courses/{id}']!['patch']!
    expect(shown).toMatchObject({
      parameters: [{ name: 'id', example: 'crs_1' }, { name: 'dry_run' }],
      requestBody: { content: { 'application/json': { example: { title: 'Ink' } } } },
      responses: { 200: { content: { 'application/json': { example: output } } } },
    })
    expect(JSON.stringify(documentOf([rename]).paths)).not.toContain('"example":')

    const withExample = (example: OperationExample) => () =>
      documentOf([rename], { examples: { 'courses.rename': example } })
    expect(withExample({ input: { id: 'crs_1' } })).toThrow(
      'openapiOf: the example of "courses.rename", input: /title: ',
    )
    expect(withExample({ input: { ...output }, output: { id: 1, title: 'Ink' } })).toThrow(
      'openapiOf: the example of "courses.rename", output: /id: ',
    )
    expect(withExample({ input: { ...output } })).not.toThrow()
  })

  it('counts a scope that another implies, and only the roles of staff [DISC-23]', () => {
    const scopes = defineScopes({
      'courses:read': {
        group: 'Courses',
        access: 'read',
        consent: 'See courses',
        audience: 'operator',
      },
      'courses:write': {
        group: 'Courses',
        access: 'write',
        consent: 'Edit courses',
        audience: 'operator',
        implies: ['courses:read'],
      },
      'forms:read': { group: 'Forms', access: 'read', consent: 'See forms', audience: 'operator' },
    })
    const roles = {
      editor: { staff: true, scopes: ['courses:write'] },
      visitor: { staff: false, scopes: 'all' },
    } as const
    const own = testSite({ scopes, roles }).site
    const list = (id: string, scope: string): Operation =>
      defineOperation({
        id,
        summary: 'Get',
        scope,
        effect: 'read',
        method: 'GET',
        path: `/${id.slice(0, id.indexOf('.'))}`,
        input: z.strictObject({}),
        output: z.object({}),
        run: async () => ({}),
      })
    const { paths } = openapiOf(own, {
      registry: defineOperations(
        [list('courses.get', 'courses:read'), list('forms.get', 'forms:read')],
        own,
      ),
      info: INFO,
    }) as unknown as Document
    const statedAt = (path: string): unknown[] => {
      const { description, 'x-roles': stated } = paths[BASE + path]!['get']!
      return [description, stated]
    }
    expect(statedAt('/courses')).toEqual([
      'Get.\n\nRequires the scope `courses:read` and one of the roles: editor.',
      ['editor'],
    ])
    expect(statedAt('/forms')).toEqual([
      'Get.\n\nRequires the scope `forms:read`, which no role of the site has.',
      [],
    ])
  })

  it('keeps a schema with an id once, and does not take two for one', () => {
    expect(Object.keys(document.components.schemas)).toEqual(['Course', 'Problem', 'FieldFault'])
    const operation = (id: string, path: string, output: z.ZodType): Operation =>
      defineOperation({
        id,
        summary: 'Get',
        scope: 'courses:read',
        effect: 'read',
        method: 'GET',
        path,
        input: z.strictObject({}),
        output: z.object({ one: output }),
        run: async () => ({ one: null }),
      })
    const named = (type: z.ZodType) => type.meta({ id: 'Thing' })
    expect(() =>
      documentOf([
        operation('a.get', '/a', named(z.object({ a: z.string() }))),
        operation('b.get', '/b', named(z.object({ b: z.string() }))),
      ]),
    ).toThrow(new TypeError('openapiOf: schema id "Thing" is used by two different schemas'))
  })

  it('refers to the input of a write where that has an id', () => {
    const { paths, components } = documentOf([
      defineOperation({
        id: 'a.create',
        summary: 'Create',
        scope: 'courses:write',
        effect: 'write',
        method: 'POST',
        path: '/a',
        input: z.strictObject({ title: z.string() }).meta({ id: 'NewThing' }),
        output: z.object({}),
        run: async () => ({}),
      }),
    ])
    const ref = { $ref: '#/components/schemas/NewThing' }
    expect(paths['/api/v1/a']!['post']!.requestBody).toEqual({
      required: true,
      content: { 'application/json': { schema: ref } },
    })
    expect(Object.keys(components.schemas)).toContain('NewThing')
  })

  it('tells the width of integers', () => {
    const shape = {
      small: z.int().min(0).max(100),
      wide: z.int(),
      open: z.int().min(0),
      half: z.number(),
    }
    const { paths } = documentOf([
      defineOperation({
        id: 'a.get',
        summary: 'Get',
        scope: 'courses:read',
        effect: 'read',
        method: 'GET',
        path: '/a',
        input: z.strictObject(shape),
        output: z.object({}),
        run: async () => ({}),
      }),
    ])
    const { parameters } = paths['/api/v1/a']!['get']!
    expect(parameters.map(({ schema }) => schema['format']).slice(0, 4)).toEqual([
      'int32',
      'int64',
      'int64',
      undefined,
    ])
  })

  it('speaks of the site by its name', () => {
    const operations = [
      defineOperation({
        id: 'a.get',
        summary: 'Get',
        scope: 'storage:write',
        effect: 'write',
        method: 'POST',
        path: '/a',
        input: z.strictObject({}),
        output: z.object({}),
        run: async () => ({}),
      }),
    ]
    const row = { ...schoolScopes.get('storage:write')!, consent: 'Write to {school}, {school}!' }
    const { site } = testSite({
      name: 'Lantern Street',
      scopes: defineScopes({ 'storage:write': { ...row, implies: [] } }),
    })
    const registry = defineOperations(operations, site)
    const { components } = openapiOf(site, { registry, info: INFO }) as unknown as Document
    expect(components.securitySchemes.oauth2.flows.authorizationCode.scopes).toEqual({
      'storage:write': 'Write to Lantern Street, Lantern Street!',
    })
  })
})

/** A schema with everything it refers to in its place. */
function dereferenced(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(dereferenced)
  const { $ref, ...rest } = value as { $ref?: string }
  if ($ref === undefined)
    return Object.fromEntries(Object.entries(rest).map(([name, one]) => [name, dereferenced(one)]))
  const found = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document)
  return dereferenced({ ...(found as object), ...rest })
}

describe('what the API answers', () => {
  it.each<[string, string, number, (etag: string) => Parameters<TestApi['call']>[1]]>([
    ['/courses', 'GET /courses?limit=1', 200, () => ({})],
    ['/courses', 'GET /courses?fields=title', 200, () => ({})],
    ['/courses', 'GET /courses?limit=0', 400, () => ({})],
    ['/courses', 'POST /courses', 201, () => ({ body: { title: 'New' } })],
    ['/courses', 'POST /courses?dry_run=true', 200, () => ({ body: { title: 'New' } })],
    ['/courses', 'POST /courses', 409, () => ({ body: { title: 'Taken' } })],
    [
      '/courses',
      'POST /courses',
      415,
      () => ({ body: 'x', headers: { 'content-type': 'text/a' } }),
    ],
    ['/courses', 'POST /courses', 413, () => ({ body: 'x'.repeat(300_000) })],
    ['/courses', 'POST /courses', 401, () => ({ headers: { authorization: 'Bearer x' } })],
    ['/courses/{id}', 'GET /courses/crs_1', 200, () => ({})],
    [
      '/courses/{id}',
      'GET /courses/crs_1',
      304,
      (etag) => ({ headers: { 'if-none-match': etag } }),
    ],
    ['/courses/{id}', 'GET /courses/crs_9', 404, () => ({})],
    ['/courses/{id}', 'PATCH /courses/crs_1', 200, () => ({ body: { title: 'Other' } })],
    ['/courses/{id}', 'PATCH /courses/crs_1', 412, () => ({ headers: { 'if-match': '"a"' } })],
    ['/courses/{id}', 'PATCH /courses/crs_1?dry_run=true', 200, () => ({ body: {} })],
    ['/courses/{id}', 'DELETE /courses/crs_1', 204, () => ({})],
    ['/courses/{id}', 'DELETE /courses/crs_1?dry_run=true', 200, () => ({})],
    [
      '/courses/{id}/curriculum/order',
      'PUT /courses/crs_1/curriculum/order',
      428,
      () => ({ body: { lecture_ids: [] } }),
    ],
  ])('is what the document says: %s, %s, %i', async (path, request, status, options) => {
    const fresh = await createTestApi({
      rateLimit: async () => ({
        ok: true,
        limit: 9,
        remaining: 8,
        resetSeconds: 7,
        windowSeconds: 60,
      }),
    })
    const answered = await fresh.call(request, options(await etagAt(fresh, '/courses/crs_1')))
    expect(answered.status).toBe(status)
    const method = request.split(' ')[0]!.toLowerCase()
    const stated = dereferenced(document.paths[BASE + path]![method]!.responses[status]) as Answer
    const [type, media] = Object.entries(stated.content ?? {})[0] ?? []
    expect(answered.headers['content-type']?.split(';')[0]).toBe(type)
    if (media === undefined) expect(answered.text).toBe('')
    else z.fromJSONSchema(media.schema).parse(answered.body)
    const own = Object.keys(answered.headers).filter(
      (name) => !/^(?:access-control-|cache-control|content-type|vary|x-content-type)/.test(name),
    )
    const names = Object.keys(stated.headers).map((name) => name.toLowerCase())
    expect(names).toEqual(expect.arrayContaining(own))
  })

  it('needs the scope that the document says', async () => {
    for (const [path, item] of Object.entries(document.paths))
      for (const [method, { security }] of Object.entries(item)) {
        const operation = path.slice(BASE.length).replace('{id}', 'crs_1')
        const request = `${method.toUpperCase()} ${operation}`
        const token = await api.tokenOf({ scopes: ['members:read'] })
        const { headers } = await send(api.api, request, {
          headers: { authorization: `Bearer ${token}` },
        })
        expect(headers['www-authenticate']).toContain(`scope="${security[0]!.oauth2[0]}"`)
      }
  })
})

describe('further endpoints of the description', () => {
  const part = (name: string, schema: object): OpenapiPart => ({
    tags: [{ name, description: 'Some endpoints.' }],
    paths: {
      [`/${name}`]: {
        get: {
          security: name === 'zoo' ? [{ zoo: [] }] : [],
          responses: { 200: { $ref: '#/components/responses/Done' } },
        },
      },
    },
    components: {
      responses: {
        Done: {
          description: 'Done.',
          content: { 'text/plain': { schema: { $ref: '#/components/schemas/Thing' } } },
        },
      },
      schemas: { Thing: schema, Unused: { type: 'null' } },
      securitySchemes: { [name]: { type: 'http', scheme: 'bearer' } },
    },
  })

  it('stand beside the operations, sorted by their tags and without components that nothing uses', () => {
    const thing = { type: 'string' }
    const operations = api.api.registry.operations
    const whole = documentOf(operations, {
      alsoDescribes: [part('zoo', thing), part('art', { ...thing })],
    }) as unknown as Record<string, object>
    expect(Object.keys(whole['paths']!)).toEqual([...Object.keys(document.paths), '/zoo', '/art'])
    expect((whole['tags'] as readonly { name: string }[]).map(({ name }) => name)).toEqual([
      'art',
      'courses',
      'curriculum',
      'zoo',
    ])
    const { schemas, securitySchemes, responses } = whole['components'] as Record<string, object>
    expect(Object.keys(schemas!)).toEqual(['Course', 'Problem', 'FieldFault', 'Thing'])
    expect(Object.keys(securitySchemes!)).toEqual(['oauth2', 'zoo'])
    expect(responses).toHaveProperty('Done')
  })

  it('are not described twice in different ways', () => {
    const describing = (...alsoDescribes: readonly OpenapiPart[]) =>
      documentOf([], { alsoDescribes })
    expect(() => describing(part('zoo', {}), part('art', { type: 'string' }))).toThrow(
      new TypeError('openapiOf: schemas "Thing" is described in two ways'),
    )
    const other = { ...part('zoo', {}), paths: { '/zoo': {} } }
    expect(() => describing(part('zoo', {}), other)).toThrow(
      new TypeError('openapiOf: path "/zoo" is described in two ways'),
    )
  })
})

describe('strangers find nothing wrong with the document:', () => {
  testByRedocly(() => document)
})
