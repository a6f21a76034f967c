import { AjvJsonSchemaValidator as NewValidator } from '@modelcontextprotocol/server/validators/ajv'
import { AjvJsonSchemaValidator as OldValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { accountTools, operationTools, type Tool } from 'hallpass/mcp'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { freeTextOf } from '../../src/mcp/free-text.js'
import { outlineOf } from '../../src/mcp/outline.js'
import { inputSchemaOf, outputSchemaOf } from '../../src/mcp/tool-schema.js'
import { createTestApi, operationsOn } from '../admin/support.js'
import { openAccount } from '../support/school/account-api.js'
import { actionWith, choiceWith } from './values.js'
import type { JsonSchema } from '../../src/mcp/tool-schema.js'

const strict = z.strictObject
const look = actionWith(['courses:read'], {
  value: 'look',
  input: strict({ id: z.string().describe('Of the course.'), fields: z.string().optional() }),
  output: z.object({ data: z.string() }),
})
const mend = actionWith(['courses:write'], {
  value: 'mend',
  effect: 'write',
  dryRun: true,
  input: strict({ id: z.string().describe('Of the course.'), title: z.string() }),
  output: z.object({ data: z.int(), changed: z.array(z.string()) }),
})
const remove = actionWith(['courses:write'], {
  value: 'remove',
  effect: 'write',
  dryRun: true,
  input: strict({ id: z.int(), force: z.boolean().default(false) }),
  output: z.object({ data: z.string() }),
})
const COURSE = choiceWith('course', [look, mend, remove])

const DRY_RUN = {
  type: 'boolean',
  default: false,
  description: 'true: only report what would change.',
}

describe('inputSchemaOf', () => {
  it('is the schema of the input where there is one action', () => {
    expect(inputSchemaOf({ selector: null }, [look])).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string', description: 'Of the course.' },
        fields: { type: 'string' },
      },
      required: ['id'],
      additionalProperties: false,
    })
  })

  it('lets whoever can write try it', () => {
    expect(inputSchemaOf({ selector: null }, [mend])).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string', description: 'Of the course.' },
        title: { type: 'string' },
        dry_run: DRY_RUN,
      },
      required: ['id', 'title'],
      additionalProperties: false,
    })
  })

  it('is one object for several actions: it says who takes and needs what, and requires what all do', () => {
    expect(inputSchemaOf(COURSE, COURSE.actions)).toEqual({
      type: 'object',
      properties: {
        action: { type: 'string', enum: ['look', 'mend', 'remove'] },
        id: {
          anyOf: [
            { type: 'string', description: 'Of the course.' },
            { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 },
          ],
        },
        fields: { type: 'string', description: 'For look.' },
        title: { type: 'string', description: 'For mend: required.' },
        dry_run: { ...DRY_RUN, description: `${DRY_RUN.description} For mend, remove.` },
        force: { type: 'boolean', default: false, description: 'For remove.' },
      },
      required: ['action', 'id'],
      additionalProperties: false,
    })
  })

  it('says of what all take which of them need it, and of what some take the same', () => {
    const input = (shape: z.ZodRawShape, value: string) =>
      actionWith([], { value, input: strict(shape) })
    const [note, text] = [z.string().describe('A note.'), z.string()]
    const actions = [
      input({ note, text, more: note }, 'create'),
      input({ note: note.optional(), text: text.optional() }, 'update'),
      input({ note }, 'close'),
    ] as const
    expect(inputSchemaOf({ selector: 'action' }, actions)).toMatchObject({
      properties: {
        note: { type: 'string', description: 'A note. Required for create, close.' },
        text: { type: 'string', description: 'For create, update. Required for create.' },
        more: { type: 'string', description: 'A note. For create: required.' },
      },
      required: ['action'],
    })
  })

  it('has no default that is only of some of the actions that take it', () => {
    const actions = [
      actionWith([], { value: 'create', input: strict({ tags: z.array(z.string()).default([]) }) }),
      actionWith([], { value: 'update', input: strict({ tags: z.array(z.string()).optional() }) }),
    ] as const
    expect(inputSchemaOf({ selector: 'action' }, actions)).toMatchObject({
      properties: { tags: { type: 'array', items: { type: 'string' } } },
    })
    expect(JSON.stringify(inputSchemaOf({ selector: 'action' }, actions))).not.toContain('default')
  })

  it('has a moment by its format alone, and keeps the pattern of anything else', () => {
    const input = strict({
      at: z.iso.datetime(),
      day: z.iso.date(),
      url: z
        .string()
        .regex(/^https:/)
        .meta({ format: 'uri' }),
      id: z.string().regex(/^crs_/),
    })
    expect(inputSchemaOf({ selector: null }, [actionWith([], { input })])['properties']).toEqual({
      at: { type: 'string', format: 'date-time' },
      day: { type: 'string', format: 'date' },
      url: { type: 'string', format: 'uri', pattern: '^https:' },
      id: { type: 'string', pattern: '^crs_' },
    })
  })

  it('speaks of the actions of this caller alone', () => {
    const schema = inputSchemaOf(COURSE, [look])
    expect(schema).toEqual({
      type: 'object',
      properties: {
        action: { type: 'string', enum: ['look'] },
        id: { type: 'string', description: 'Of the course.' },
        fields: { type: 'string' },
      },
      required: ['action', 'id'],
      additionalProperties: false,
    })
  })

  it('has definitions where they are used, and a default as it was given', () => {
    const Slug = z.string().max(9).meta({ id: 'Slug', description: 'A slug.' })
    const Course = strict({ slug: Slug }).meta({ id: 'Course' })
    const input = strict({
      course: Course,
      others: z.array(Course).describe('More.'),
      like: z.object({ id: z.string() }).default({ id: 'crs_1' }),
    }).meta({ id: 'Input' })
    const slug = { type: 'string', maxLength: 9, description: 'A slug.' }
    const course = {
      type: 'object',
      properties: { slug },
      required: ['slug'],
      additionalProperties: false,
    }
    expect(inputSchemaOf({ selector: null }, [actionWith([], { input })])).toEqual({
      type: 'object',
      properties: {
        course,
        others: { type: 'array', items: course, description: 'More.' },
        like: {
          type: 'object',
          properties: { id: { type: 'string' } },
          required: ['id'],
          default: { id: 'crs_1' },
        },
      },
      required: ['course', 'others'],
      additionalProperties: false,
    })
  })
})

describe('outputSchemaOf', () => {
  it('takes what any of several actions answers', () => {
    const answers = outputSchemaOf(COURSE.actions)
    expect(answers).toEqual({
      type: 'object',
      properties: {
        data: {
          anyOf: [
            { type: 'string' },
            { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 },
          ],
        },
        changed: { type: 'array', items: { type: 'string' } },
      },
      required: ['data'],
    })
  })
})

describe('outlineOf', () => {
  it('leaves out what bounds values and names, and keeps members of such names', () => {
    const output = z.object({
      pattern: z.string().regex(/^x/).min(1).max(9),
      items: z.array(z.object({ maximum: z.int().min(1).max(9) })).max(9),
      kind: z.enum(['x', 'y']),
      by: z.record(z.string(), z.int()),
      at: z.iso.datetime().nullable().describe('When.'),
      way: z.enum(['x', 'y']).nullable(),
      either: z.union([z.string(), z.null(), z.int()]),
    })
    expect(outlineOf(outputSchemaOf([actionWith([], { output })]))).toEqual({
      type: 'object',
      properties: {
        pattern: { type: 'string' },
        items: {
          type: 'array',
          items: {
            type: 'object',
            properties: { maximum: { type: 'integer' } },
            required: ['maximum'],
          },
        },
        kind: { type: 'string', enum: ['x', 'y'] },
        by: {
          type: 'object',
          propertyNames: { type: 'string' },
          additionalProperties: { type: 'integer' },
        },
        at: { type: ['string', 'null'], format: 'date-time', description: 'When.' },
        way: { anyOf: [{ type: 'string', enum: ['x', 'y'] }, { type: 'null' }] },
        either: { anyOf: [{ type: 'string' }, { type: 'null' }, { type: 'integer' }] },
      },
      required: ['pattern', 'items', 'kind', 'by', 'at', 'way', 'either'],
    })
  })
})

describe('freeTextOf', () => {
  const free = (shape: z.ZodRawShape): readonly string[] =>
    freeTextOf(outputSchemaOf([actionWith([], { output: z.object(shape) })]))

  it.each([
    ['a text', { a: z.string() }, ['/a']],
    ['a text of some length', { a: z.string().min(1).max(9) }, ['/a']],
    ['a text that may be absent', { a: z.string().optional() }, ['/a']],
    ['a text or null', { a: z.string().nullable() }, ['/a']],
    ['a text or a number', { a: z.union([z.string(), z.int()]) }, ['/a']],
    ['texts', { a: z.array(z.string()) }, ['/a/*']],
    ['texts by name', { a: z.record(z.string(), z.string()) }, ['/a/*']],
    ['a pair', { a: z.tuple([z.string(), z.int()]) }, ['/a/*']],
    ['a text within', { a: z.object({ b: z.array(z.object({ c: z.string() })) }) }, ['/a/b/*/c']],
    [
      'one of several kinds',
      {
        a: z.discriminatedUnion('k', [
          z.object({ k: z.literal('x'), t: z.string() }),
          z.object({ k: z.literal('y'), u: z.string() }),
        ]),
      },
      ['/a/t', '/a/u'],
    ],
    [
      'the same text twice',
      { a: z.union([z.string().max(3), z.array(z.string())]) },
      ['/a', '/a/*'],
    ],
    ['a text bound by a pattern', { a: z.string().regex(/^crs_/) }, []],
    ['a text that may hold a sentence', { a: z.string().regex(/^[^\p{Cc}]+$/u) }, ['/a']],
    [
      'a text of a pattern that nothing is compared with',
      { a: z.string().meta({ pattern: '(' }) },
      ['/a'],
    ],
    [
      'what would be as it is',
      { data: z.object({ a: z.string() }), would_change: z.looseObject({}) },
      ['/data/a', '/would_change/a'],
    ],
    ['a text bound by a format', { a: z.url(), b: z.iso.datetime() }, []],
    ['one of a few texts', { a: z.enum(['x', 'y']), b: z.literal('z') }, []],
    ['no text', { a: z.int(), b: z.boolean().nullable(), c: z.null() }, []],
    [
      'what the library says itself',
      {
        page: z.object({ next_cursor: z.string() }),
        next_steps: z.array(z.string()),
        version: z.string(),
        changed: z.array(z.string()),
      },
      [],
    ],
    [
      'a member of such a name further in',
      { a: z.object({ version: z.string() }) },
      ['/a/version'],
    ],
  ])('points to %s', (_, shape: z.ZodRawShape, pointers) => {
    expect(free(shape)).toEqual(pointers)
  })

  it('names each place once, whichever action it comes from', () => {
    expect(freeTextOf(outputSchemaOf([look, remove]))).toEqual(['/data'])
  })
})

describe('every schema of a tool', async () => {
  const { api } = await openAccount()
  const operations = operationsOn({ rows: new Map(), runs: [] }).map((operation) => ({
    ...operation,
    tool: operation.tool ?? operation.id.replace('.', '_'),
  }))
  const operator = await createTestApi({ operations })
  const tools: readonly Tool[] = [COURSE, ...accountTools(api), ...operationTools(operator.api)]
  const schemas = tools.flatMap((tool) => [
    [`input of ${tool.name}`, inputSchemaOf(tool, tool.actions)] as const,
    [`output of ${tool.name}`, outputSchemaOf(tool.actions)] as const,
    [`outline of ${tool.name}`, outlineOf(outputSchemaOf(tool.actions))] as const,
  ])
  const compilers: readonly (readonly [string, (schema: JsonSchema) => unknown])[] = [
    [
      'Ajv 2020, strict but for several types at once',
      (schema) => addFormats.default(new Ajv2020({ allowUnionTypes: true })).compile(schema),
    ],
    ['the SDK of version 1', (schema) => new OldValidator().getValidator(schema)],
    ['the SDK of version 2', (schema) => new NewValidator().getValidator(schema)],
  ]

  it('is there', () => {
    expect(schemas.length).toBeGreaterThan(40)
  })

  it.each(compilers)('compiles with %s', (_, compile) => {
    for (const [name, schema] of schemas) expect(() => compile(schema), name).not.toThrow()
  })

  it.each(schemas)('%s is one object, without references and names of dialects', (_, schema) => {
    expect(schema['type']).toBe('object')
    expect(JSON.stringify(schema)).not.toMatch(/"\$/)
    for (const name of ['anyOf', 'oneOf', 'allOf', 'not', 'if'])
      expect(schema).not.toHaveProperty(name)
  })
})
