import { buildSchema } from 'graphql'
import { serverAudits } from 'graphql-http'
import type { SiteOptions } from 'hallpass'
import { describe, expect, it } from 'vitest'
import { openAccount } from '../support/school/account-api.js'
import { ISSUER, T } from '../support/school/school.js'

/** Audits that are not met on purpose, by identifier. */
const GET_IS_OFF = 'a query in a URL ends up in logs and histories; GET is answered 405'
const WAIVED: Readonly<Record<string, string>> = {
  '5A70': GET_IS_OFF,
  D6D5: GET_IS_OFF,
  '6A70': GET_IS_OFF,
}

const opened = openAccount()
const token = opened.then(({ tokenFor }) => tokenFor('account:read account:write'))

const audits = serverAudits({
  url: `${ISSUER}/account/graphql`,
  fetchFn: async (url: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${await token}`)
    return (await opened).api.graphql(new Request(url, { ...init, headers }))
  },
})

/** Tells the time when a site is defined, and never again. */
function failingClock(): () => number {
  let asked = 0
  return () => {
    if (asked++ === 0) return T
    throw new Error('secret')
  }
}

describe('GraphQL over HTTP', () => {
  it.each(audits.map((audit) => [audit.id, audit.name, audit] as const))(
    '%s: %s [GQL-12]',
    async (id, name, audit) => {
      const { status, ...result } = await audit.fn()
      const reason = 'reason' in result ? result.reason : ''
      if (WAIVED[id] === undefined) expect([id, name, status, reason]).toEqual([id, name, 'ok', ''])
      else expect(status).not.toBe('ok')
    },
  )
})

describe('a request to the Account API', () => {
  const send = async (init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${await token}`)
    return (await opened).api.graphql(
      new Request(`${ISSUER}/account/graphql`, { ...init, headers }),
    )
  }
  const json = { 'content-type': 'application/json' }
  const QUERY = '{ viewer { id } }'

  it.each(['GET', 'PUT', 'DELETE'])(
    'is answered 405 to %s, with what is allowed [GQL-10]',
    async (method) => {
      const answer = await send({ method })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
    },
  )

  it.each([
    ['text', 'text/plain', JSON.stringify({ query: QUERY })],
    ['a form', 'application/x-www-form-urlencoded', `query=${encodeURIComponent(QUERY)}`],
    ['several parts', 'multipart/form-data; boundary=x', '--x--'],
  ])(
    'is answered 415 for %s, which a page elsewhere could send [GQL-11]',
    async (_, type, body) => {
      expect((await send({ method: 'POST', headers: { 'content-type': type }, body })).status).toBe(
        415,
      )
    },
  )

  it.each([
    ['a batch', JSON.stringify([{ query: QUERY }, { query: QUERY }])],
    ['a thousand at once', JSON.stringify(Array.from({ length: 1000 }, () => ({ query: QUERY })))],
    ['no JSON', '{'],
    ['null', 'null'],
    ['a query that is none', '{"query":1}'],
  ])('is answered 400 for %s [GQL-13, GQL-17]', async (_, body) => {
    expect((await send({ method: 'POST', headers: json, body })).status).toBe(400)
  })

  it('is answered 413 above 256 KiB', async () => {
    const body = JSON.stringify({ query: `${QUERY} #${'x'.repeat(256 * 1024)}` })
    expect((await send({ method: 'POST', headers: json, body })).status).toBe(413)
  })

  it('is answered to any origin, without credentials, and is never cached', async () => {
    const answer = await send({
      method: 'POST',
      headers: { ...json, origin: 'https://app.example' },
      body: JSON.stringify({ query: QUERY }),
    })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-credentials')).toBe(null)
    expect(answer.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('vary')).toContain('Authorization')
    const preflight = await send({ method: 'OPTIONS' })
    expect(preflight.status).toBe(204)
    // Named clients send headers of their own, such as apollographql-client-name and traceparent.
    expect(preflight.headers.get('access-control-allow-headers')).toBe('Authorization, *')
  })

  it.each<[string, number, string, RequestInit]>([
    ['another method', 405, 'use POST', { method: 'GET' }],
    [
      'another media type',
      415,
      'send Content-Type: application/json',
      { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' },
    ],
    [
      'another character set',
      415,
      'send Content-Type: application/json, in UTF-8',
      {
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=latin1' },
        body: '{}',
      },
    ],
    [
      'too large a body',
      413,
      'the body is larger than 262144 bytes',
      { method: 'POST', headers: json, body: 'x'.repeat(262_145) },
    ],
    [
      'a body that is no UTF-8',
      400,
      'the body is not valid UTF-8',
      { method: 'POST', headers: json, body: new Uint8Array([0x22, 0xff, 0x22]) },
    ],
    [
      'an Accept of neither',
      406,
      'send Accept: application/graphql-response+json or application/json, in UTF-8',
      {
        method: 'POST',
        headers: { ...json, accept: 'text/html' },
        body: JSON.stringify({ query: QUERY }),
      },
    ],
  ])('is told for both kinds of clients what is wrong: %s', async (_, status, message, init) => {
    const answer = await send(init)
    expect([answer.status, await answer.json()]).toEqual([
      status,
      {
        error: 'invalid_request',
        error_description: message,
        errors: [{ message, extensions: { code: 'BAD_REQUEST' } }],
      },
    ])
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  })

  it.each<[string, number, RequestInit]>([
    ['another method', 405, { method: 'GET' }],
    ['another media type', 415, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' }],
    ['too large a body', 413, { method: 'POST', headers: json, body: 'x'.repeat(262_145) }],
  ])('is refused in the media type that it prefers, for %s [GQL-26]', async (_, status, init) => {
    for (const [accept, type] of [
      ['application/graphql-response+json, application/json;q=0.9', 'application/graphql-response+json'],
      ['text/html, application/graphql-response+json', 'application/graphql-response+json'],
      ['application/json, application/graphql-response+json', 'application/json'],
      ['*/*, application/graphql-response+json', 'application/json'],
      ['text/html', 'application/json'],
    ] as const) {
      const answer = await send({ ...init, headers: { ...init.headers, accept } })
      expect([answer.status, answer.headers.get('content-type')]).toEqual([status, `${type}; charset=utf-8`])
      expect(await answer.json()).toMatchObject({ errors: [{ message: expect.any(String) }] })
    }
  }) // prettier-ignore

  it('is refused without a token and beyond its scope in the media type that it prefers [GQL-26]', async () => {
    const { api, tokenFor } = await opened
    const accept = 'application/graphql-response+json'
    const statusOf = async (authorization: string | null): Promise<unknown> => {
      const headers = new Headers({ ...json, accept })
      if (authorization !== null) headers.set('authorization', authorization)
      const body = JSON.stringify({ query: 'mutation { updateProfile(input: {}) { userErrors { message } } }' })
      const request = new Request(`${ISSUER}/account/graphql`, { method: 'POST', headers, body })
      const answer = await api.graphql(request)
      expect(await answer.json()).toEqual({ errors: [{ message: expect.any(String), extensions: expect.any(Object) }] })
      return [answer.status, answer.headers.get('content-type')]
    }
    expect(await statusOf(null)).toEqual([401, `${accept}; charset=utf-8`])
    expect(await statusOf(`Bearer ${await tokenFor('account:read')}`)).toEqual([403, `${accept}; charset=utf-8`])
  }) // prettier-ignore

  it.each([
    ['application/graphql-response+json', 400],
    ['application/json', 200],
  ])('is told that a hash is no query, for who accepts %s [GQL-27]', async (accept, status) => {
    const extensions = { persistedQuery: { version: 1, sha256Hash: 'ecf4' } }
    const ask = (body: object): Promise<Response> =>
      send({ method: 'POST', headers: { ...json, accept }, body: JSON.stringify(body) })
    for (const body of [{ extensions }, { query: '', extensions }]) {
      const answer = await ask(body)
      expect([answer.status, answer.headers.get('content-type'), await answer.json()]).toEqual([
        status,
        `${accept}; charset=utf-8`,
        {
          errors: [
            {
              message: 'PersistedQueryNotSupported',
              extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' },
            },
          ],
        },
      ])
    }
    expect((await ask({ query: QUERY, extensions })).status).toBe(200)
    expect(await (await ask({ extensions: { persistedQuery: 1 } })).json()).not.toMatchObject({
      errors: [{ message: 'PersistedQueryNotSupported' }],
    })
  })

  it.each(['', null])('runs the only operation for operationName %j', async (operationName) => {
    const body = JSON.stringify({ query: QUERY, operationName })
    const answer = await send({ method: 'POST', headers: json, body })
    expect(await answer.json()).not.toHaveProperty('errors')
  })

  it.each([
    ['no JSON', '{', 'Unparsable JSON body'],
    ['a byte order mark', `\ufeff{"query":"{a}"}`, 'Unparsable JSON body'],
    ['a number', '1', 'JSON body must be an object'],
    ['no query', '{}', 'Missing query'],
  ])('that is no GraphQL request is told so with a code: %s', async (_, body, message) => {
    const answer = await send({ method: 'POST', headers: json, body })
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] },
    ])
  })

  it.each<[string, number, object, Partial<SiteOptions>]>([
    [
      'a store that is away',
      503,
      {
        error: 'temporarily_unavailable',
        error_description: 'the service is temporarily unavailable: try again shortly',
      },
      { findPerson: () => Promise.reject(new Error('secret')) },
    ],
    [
      'a bug',
      500,
      { error: 'server_error', error_description: 'an unexpected error occurred' },
      {
        now: failingClock(),
      },
    ],
  ])('is told for both kinds of clients that we failed: %s', async (_, status, told, changes) => {
    const { faults, requestIds, api } = await openAccount(changes, (await opened).school)
    const answer = await api.graphql(
      new Request(`${ISSUER}/account/graphql`, {
        method: 'POST',
        headers: { ...json, authorization: `Bearer ${await token}` },
        body: JSON.stringify({ query: QUERY }),
      }),
    )
    expect(requestIds).toEqual([expect.stringMatching(/^req_[\w-]{16}$/)])
    const extensions = { code: 'INTERNAL', requestId: requestIds[0] }
    const message = Object.values(told)[1]
    expect([answer.status, await answer.json()]).toEqual([
      status,
      { ...told, errors: [{ message, extensions }] },
    ])
    expect(faults).toHaveLength(1)
  })

  it('finds the schema in the open', async () => {
    const { api } = await opened
    const answer = await api.schema(new Request(`${ISSUER}/account/schema.graphql`))
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(buildSchema(await answer.text()).getQueryType()?.name).toBe('Query')
  })
})
