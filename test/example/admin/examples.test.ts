import type { OperationExample } from 'hallpass/admin'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { schoolOperations } from '../../../examples/school/src/admin/operations.js'
import type { SchoolOperation } from '../../../examples/school/src/admin/define.js'
import { EXAMPLE_INPUTS } from '../../support/api-examples.js'
import { demoAtT } from '../../support/databases.js'
import {
  LANTERN_SITE,
  openOperatorSchool,
  type OperatorSchool,
} from '../../support/operator-school.js'
import { T } from '../../support/school.js'

const FILE = '../../../examples/school/src/admin/examples.json'

let school: OperatorSchool
let operations: readonly SchoolOperation[]
beforeAll(async () => {
  const define: Parameters<typeof openOperatorSchool>[0] = (kit) =>
    (operations = schoolOperations(kit, { signingKey: 'a key for tests' }))
  school = await openOperatorSchool(define, async () => {}, demoAtT)
  for (const [statement, ...parameters] of ADDED)
    await school.execute(statement, [LANTERN_SITE, ...parameters])
})
afterAll(() => school.close())

/** What the demo does not have, and an example needs. */
const ADDED: readonly (readonly [statement: string, ...parameters: unknown[]])[] = [
  [upload("'upl_lecture', 'jug.mp4', 'video/mp4', 48123310, null, 'lecture', null"), T],
  [
    upload(
      `'upl_page', 'workshops.zip', 'application/zip', 940002, '${'9f'.repeat(32)}', 'page_bundle', $2`,
    ),
    T,
  ],
  [`update school_event set venue = 'Lantern Street 7, Lisbon' where site = $1 and id = 'evt_l07'`],
  [`update school_event_registration set state = 'REGISTERED' where site = $1 and id = 'l8'`],
  [
    `insert into school_section
     select (jsonb_populate_record(s, '{"id": "sec_l07_2", "title": "Empty", "position": 2}')).*
     from school_section s where site = $1 and id = 'sec_l07_1'`,
  ],
]

function upload(values: string): string {
  return `insert into school_upload (
      site, uploader_id, expires_at, created_at, updated_at,
      id, filename, content_type, size, sha256, purpose, completed_at
    ) values ($1, 'mem_owner', $2::bigint + 900, $2::bigint, $2::bigint, ${values})`
}

/** Calls an operation without storing what it changes, and returns what a client would receive. */
async function answered(
  { id, method, path, effect, precondition }: SchoolOperation,
  input: OperationExample['input'],
): Promise<unknown> {
  const rest = new Map(Object.entries(input))
  const take = (name: string): string => {
    const value = rest.get(name)
    rest.delete(name)
    return encodeURIComponent(String(value))
  }
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => take(name))
  const query = new URLSearchParams(
    effect === 'write'
      ? { dry_run: 'true' }
      : [...rest].map(([name, value]) => [name, String(value)] as [string, string]),
  )
  const response = await school.call(method, `${target}?${query}`, {
    ...(effect === 'write' && rest.size > 0 && { body: Object.fromEntries(rest) }),
    ...(precondition === 'required' && { headers: { 'if-match': '*' } }),
  })
  expect({ id, status: response.status, body: response.body }).toMatchObject({ id, status: 200 })
  const { body } = response
  return effect === 'write' ? (body as { would_change: unknown }).would_change : body
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
      if (input === undefined) throw new Error(`${operation.id} has no example`)
      const output = await answered(operation, input)
      examples[operation.id] = { input, ...(output !== null && { output }) }
    }
    await expect(`${steady(JSON.stringify(examples, null, 1))}\n`).toMatchFileSnapshot(FILE)
  })
})
