import { execFileSync } from 'node:child_process'
import { defineOperations } from 'hallpass/admin'
import { openapiOf, type OperationExample } from 'hallpass/openapi'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { testSite } from 'hallpass/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { schoolOperations } from '../../../examples/school/src/admin/operations.js'
import type { SchoolOperation } from '../../../examples/school/src/admin/define.js'
import { operationExamples } from '../../../examples/school/src/admin/examples.js'
import { callOf, curlOf, typescriptOf } from '../../../examples/school/src/admin/reference/calls.js'
import {
  type Description,
  operationsOf,
  type PlacedOperation,
} from '../../../examples/school/src/admin/reference/description.js'
import { addExampleRows, EXAMPLE_INPUTS, requestOf } from '../support/operator-inputs.js'
import { demoAtT } from '../../support/databases/templates.js'
import { openOperatorSchool, type OperatorSchool } from '../support/operator-school.js'

const FILE = '../../../examples/school/src/admin/examples.json'

let school: OperatorSchool
let operations: readonly SchoolOperation[]
beforeAll(async () => {
  const define: Parameters<typeof openOperatorSchool>[0] = (kit) =>
    (operations = schoolOperations(kit, { signingKey: 'a key for tests' }))
  school = await openOperatorSchool(define, addExampleRows, demoAtT)
})
afterAll(() => school.close())

/** Calls an operation without storing what it changes, and returns what a client would receive. */
async function answered(
  { id, method, path, effect, precondition }: SchoolOperation,
  input: OperationExample['input'],
): Promise<unknown> {
  const { target, query, body } = requestOf({ path, effect }, input)
  if (effect === 'write') query.set('dry_run', 'true')
  const response = await school.call(method, `${target}?${query}`, {
    ...(body !== undefined && { body }),
    ...(precondition === 'required' && { headers: { 'if-match': '*' } }),
  })
  expect({ id, status: response.status, body: response.body }).toMatchObject({ id, status: 200 })
  return effect === 'write'
    ? (response.body as { would_change: unknown }).would_change
    : response.body
}

/** Replaces what is random, or of the test alone. An identifier of a new object gets the same text each time. */
function steady(text: string): string {
  const known = new Map<string, string>()
  return text
    .replaceAll(/\b([a-z]{3,4}_)[\w-]{16}(?=["/?])/g, (found, prefix: string) => {
      const number = known.get(found) ?? String(known.size + 1)
      known.set(found, number)
      return `${prefix}new${number.padStart(3, '0')}`
    })
    .replaceAll('https://site-lantern.example', 'https://school.example')
    .replaceAll('mem_owner', 'mem_l01')
    .replaceAll(/(signature=)[^"&]+/g, '$1an-example')
}

describe('the examples of the admin API', () => {
  it('are what the demo school answers, one for each operation [DISC-24]', async () => {
    const examples: Record<string, OperationExample> = {}
    for (const operation of operations) {
      const input = EXAMPLE_INPUTS[operation.id]
      if (input === undefined)
        throw new Error(
          `${operation.id} has no example: add its input to test/example/support/operator-inputs.ts, and run this file with -u`,
        )
      const output = await answered(operation, input)
      examples[operation.id] = { input, ...(output !== null && { output }) }
    }
    await expect(`${steady(JSON.stringify(examples, null, 1))}\n`).toMatchFileSnapshot(FILE)
  })
  it('run as curl commands and as TypeScript, as the reference shows them [DISC-25]', async () => {
    const { site } = testSite({ issuer: ORIGIN })
    const described = openapiOf(site, {
      registry: defineOperations(operations, { scopes: schoolScopes, roles: schoolRoles }),
      examples: operationExamples(),
      info: { title: 'API', version: '1', description: 'For a test.' },
    }) as unknown as Description
    const all = operationsOf(described)
    expect(all).toHaveLength(operations.length)
    const calls = all.map((one) => callOf(one, ORIGIN))
    const [hostile] = sentByCurl([curlOf({ ...calls[0]!, body: `"it's $HOME \\" \`id\`"` })])
    expect(hostile!.body).toBe(`it's $HOME " \`id\``)
    const commands = sentByCurl(calls.map(curlOf))
    for (const [index, operation] of all.entries()) {
      const script = await sentByScript(typescriptOf(calls[index]!))
      expect(script).toEqual(commands[index])
      await expectAccepted(operation, script)
    }
  })
})

const ORIGIN = 'https://site-lantern.example'

interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** What a shell would have given to curl. */
function sentByCurl(commands: readonly string[]): readonly Sent[] {
  const script = [
    `curl() { printf '%s\\0' "$@"; printf -- '---\\0'; }`,
    `uuidgen() { printf a-key; }`,
    ...commands,
  ]
  const output = execFileSync('bash', ['-c', script.join('\n')], {
    env: { ...process.env, ACCESS_TOKEN: 'a-token', ETAG: '*' },
    encoding: 'utf8',
    maxBuffer: 2 ** 24,
  })
  return output.split('---\0').slice(0, -1).map(readArguments)
}

function readArguments(text: string): Sent {
  const [url, ...rest] = text.split('\0').slice(0, -1)
  const values = (name: string): readonly string[] =>
    rest.flatMap((one, index) => (one === name ? [rest[index + 1]!] : []))
  const json = values('--json')
  const headers = values('--header').map((line) => line.split(': ') as [string, string])
  if (json.length > 0) headers.push(['Content-Type', 'application/json'])
  return {
    url: url!,
    method: values('--request')[0] ?? 'GET',
    headers: Object.fromEntries(headers),
    body: json.length === 0 ? null : JSON.parse(json[0]!),
  }
}

/** What TypeScript gives to `fetch`. It has no types of its own, so JavaScript can run it. */
async function sentByScript(text: string): Promise<Sent> {
  const found: Sent[] = []
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    found.push({
      url,
      method: init.method ?? 'GET',
      headers: init.headers as Record<string, string>,
      body: init.body === undefined ? null : JSON.parse(init.body as string),
    })
    return Response.json({})
  }
  const source = `export default async (fetch, crypto, accessToken, etag) => {${text}}`
  const { default: run } = await import(`data:text/javascript,${encodeURIComponent(source)}`)
  await run(fetch, { randomUUID: () => 'a-key' }, 'a-token', '*')
  expect(found).toHaveLength(1)
  return found[0]!
}

/** Sends it to the school, without effect. */
async function expectAccepted(
  { operationId, method }: PlacedOperation,
  { url, body, headers }: Sent,
): Promise<void> {
  expect(headers['Authorization']).toBe('Bearer a-token')
  const { pathname, searchParams } = new URL(url)
  if (method !== 'GET') searchParams.set('dry_run', 'true')
  const { Authorization: _, 'Content-Type': __, ...own } = headers
  const response = await school.call(
    method,
    `${pathname}?${searchParams}`.slice('/api/v1'.length),
    {
      headers: own,
      ...(body !== null && { body }),
    },
  )
  expect([operationId, response.status, response.body]).toMatchObject([operationId, 200, {}])
}
