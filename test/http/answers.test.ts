import { fileURLToPath } from 'node:url'
import { PATHS } from 'hallpass/authorization-server'
import { it } from 'vitest'
import { openMcp } from '../mcp/support.js'
import { expectUnchanged } from '../support/docs/digests.js'
import { createSchool, ISSUER } from '../support/school/school.js'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const JSON_TYPE = { 'content-type': 'application/json' }
const BROWSER = { origin: 'http://localhost:5173' }

/** What each address is asked. */
const REQUESTS: readonly (readonly [what: string, init: RequestInit])[] = [
  ['GET', {}],
  ['HEAD', { method: 'HEAD' }],
  ['PUT', { method: 'PUT' }],
  ['OPTIONS, from a page', { method: 'OPTIONS', headers: BROWSER }],
  ['GET, from a page', { headers: BROWSER }],
  ['GET, with a token that is none', { headers: { authorization: 'Bearer x' } }],
  ['POST, without a body', { method: 'POST' }],
  ['POST, an empty form', { method: 'POST', headers: FORM, body: '' }],
  [
    'POST, a form of a client that is none',
    { method: 'POST', headers: FORM, body: 'client_id=x&token=x&grant_type=refresh_token' },
  ],
  [
    'POST, with a header for a client that is none',
    {
      method: 'POST',
      headers: { ...FORM, authorization: 'Basic eDp4' },
      body: 'client_id=x&token=x&grant_type=refresh_token',
    },
  ],
  ['POST, JSON that is none', { method: 'POST', headers: JSON_TYPE, body: '{' }],
  ['POST, an empty object', { method: 'POST', headers: JSON_TYPE, body: '{}' }],
  ['POST, no UTF-8', { method: 'POST', headers: FORM, body: new Uint8Array([0xff]) }],
  ['POST, too much', { method: 'POST', headers: FORM, body: 'x'.repeat(300_000) }],
  ['POST, too much JSON', { method: 'POST', headers: JSON_TYPE, body: ' '.repeat(300_000) }],
]

it('answers what is wrong with a request at every address as it did', async () => {
  const school = await createSchool({ errorPages: true })
  const { mcp, operator, account } = await openMcp()
  const addresses = [
    ...Object.values(PATHS).map((path) => [path, school.router] as const),
    ['/oauth/interaction/x', school.router] as const,
    ['/nowhere', school.router] as const,
    ['/account/graphql', account.api.graphql] as const,
    ['/account/schema.graphql', account.api.schema] as const,
    ['/api/v1/courses', operator.api.endpoint] as const,
    ['/api/v1/courses/crs_1', operator.api.endpoint] as const,
    ['/api/v1/nowhere', operator.api.endpoint] as const,
    ['/mcp', mcp.endpoint] as const,
  ]
  const all = new Map<string, string>()
  for (const [path, endpoint] of addresses) {
    const answers = new Map<string, string[]>()
    for (const [what, init] of REQUESTS) {
      const answer = await endpoint(new Request(ISSUER + path, init))
      const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).sort()
      const text = masked([answer.status, ...headers, await answer.text()].join('\n    '))
      answers.set(text, [...(answers.get(text) ?? []), what])
    }
    const same = [...answers].map(([text, asked]) => `${asked.join('\n')}\n    ${text}`)
    all.set(path, same.join('\n\n'))
  }
  await expectUnchanged(all, fileURLToPath(new URL('answers.txt', import.meta.url)))
})

/** Without what is another one each time: identifiers, keys, and what is made of them. */
const masked = (text: string): string =>
  text
    .replace(/(req_|hallpass=|"(?:kid|x|y)":")[\w-]{16,}/g, '$1…')
    .replace(/etag: "[\w-]{22}"/, 'etag: …')
    .trimEnd()
