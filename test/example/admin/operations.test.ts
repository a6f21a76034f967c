import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { defineOperations, type RegisteredOperation } from 'hallpass/admin'
import { openapiOf } from 'hallpass/openapi'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { testSite } from 'hallpass/testing'
import * as z from 'zod'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import type { Kit } from '../../../examples/school/src/admin/kit.js'
import { schoolOperations } from '../../../examples/school/src/admin/operations.js'
import { almost, type JsonSchema, valuesOf } from '../../support/http/json-schema.js'
import { openOperatorDemo } from '../support/operator-demo.js'
import { rounds } from '../../support/run/rounds.js'
import { LANTERN_SITE, type OperatorSchool } from '../support/operator-school.js'
import { seedFeatures } from '../../../examples/school/src/demo/demo.js'

const KEYS = { signingKey: 'a key for tests' }
// What an operation is like does not depend on the kit that it runs with.
const kit = { site: LANTERN_SITE, origin: 'https://site-lantern.example' } as Kit
const registry = defineOperations(schoolOperations(kit, KEYS), {
  scopes: schoolScopes,
  roles: schoolRoles,
})
const { operations } = registry
const { site } = testSite({ issuer: 'https://site-lantern.example', name: 'Lantern' })
const document = openapiOf(site, {
  registry,
  info: { title: 'Lantern', version: '1.0.0' },
})
let school: OperatorSchool
beforeAll(async () => {
  school = await openOperatorDemo((one) => schoolOperations(one, KEYS), seedFeatures)
})
afterAll(() => school.close())

describe('a list of the admin API', () => {
  it('says where words are looked for', () => {
    type Search = Parameters<Kit['list']>[0]['search']
    expectTypeOf<Search>().toEqualTypeOf<readonly [string, ...string[]]>()
  })
})

describe('requests made from the description', () => {
  const schemas = (document['components'] as { schemas: Record<string, JsonSchema> }).schemas
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'https://api.example/', components: { schemas } })

  /** What the document says of an answer; `null` = nothing of this status and type. */
  function schemaOf(
    paths: Readonly<Record<string, unknown>>,
    { path, method }: RegisteredOperation,
    status: number,
    type: string,
  ): JsonSchema | null {
    const item = (
      paths['paths'] as Record<string, Record<string, { responses: Record<string, JsonSchema> }>>
    )[`/api/v1${path}`]!
    const found = item[method.toLowerCase()]!.responses[String(status)]
    const response =
      typeof found?.['$ref'] === 'string'
        ? (document['components'] as { responses: Record<string, JsonSchema> }).responses[
            found['$ref'].split('/').at(-1)!
          ]
        : found
    const content = response?.['content'] as Record<string, { schema: JsonSchema }> | undefined
    return content?.[type]?.schema ?? null
  }

  const isTrial = ajv.compile({ type: 'object', required: ['would_change'] })
  const validators = new Map<string, ValidateFunction>()
  function validatorOf(
    operation: RegisteredOperation,
    status: number,
    type: string,
  ): ValidateFunction {
    const name = `${operation.id} ${status} ${type}`
    const known = validators.get(name)
    if (known !== undefined) return known
    const schema = schemaOf(document, operation, status, type)
    expect(schema, name).not.toBeNull()
    const text = JSON.stringify(schema).replaceAll(
      '"#/components',
      '"https://api.example/#/components',
    )
    const validate = ajv.compile(JSON.parse(text) as JsonSchema)
    validators.set(name, validate)
    return validate
  }

  it.each(operations.map((operation) => [operation.id, operation] as const))(
    'of %s are answered as it says, valid or nearly so, and never with a fault',
    async (_, operation) => {
      const known = await school.ids()
      const { $defs = {}, ...input } = z.toJSONSchema(operation.input, { io: 'input' }) as {
        $defs?: Record<string, JsonSchema>
      }
      const valid = valuesOf(input, { known, definitions: $defs }) as fc.Arbitrary<
        Record<string, unknown>
      >
      const request = fc.oneof(
        { weight: 2, arbitrary: valid },
        { weight: 1, arbitrary: valid.chain(almost) as typeof valid },
      )
      await fc.assert(
        fc.asyncProperty(request, fc.boolean(), async (values, dryRun) => {
          const inPath = new Set(operation.pathParameters)
          const path = operation.path.replaceAll(/\{([a-z_]+)\}/g, (__, name: string) =>
            encodeURIComponent(textOf(values[name] ?? 'x') || 'x'),
          )
          const rest = Object.entries(values).filter(([name]) => !inPath.has(name))
          const isInQuery = operation.method === 'GET' || operation.method === 'DELETE'
          const query = new URLSearchParams(
            isInQuery ? rest.map(([name, value]) => [name, textOf(value)]) : [],
          )
          if (operation.effect === 'write') query.set('dry_run', String(dryRun))
          const answer = await school.call(operation.method, `${path}?${query.toString()}`, {
            ...(!isInQuery && { body: Object.fromEntries(rest) }),
            headers: operation.precondition === undefined ? {} : { 'if-match': '*' },
          })
          if (answer.status === 204) return
          const type = answer.headers.get('content-type')!.split(';', 1)[0]!
          const isDry = operation.effect === 'write' && dryRun && answer.status === 200
          const validate = isDry ? isTrial : validatorOf(operation, answer.status, type)
          expect(validate(answer.body) ? [] : validate.errors, JSON.stringify(answer.body)).toEqual(
            [],
          )
        }),
        { numRuns: rounds(6, { soak: 50 }), seed: 20_261_120 },
      )
      expect(school.faults).toEqual([])
    },
  )
})

// A list stands in one parameter, with commas between.
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(',')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
