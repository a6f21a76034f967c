import { describe, expect, it } from 'vitest'
import { openAccount } from '../support/school/account-api.js'
import { ISSUER } from '../support/school/school.js'

const opened = openAccount()
const token = opened.then(({ tokenFor }) => tokenFor('account:read'))

const GRAPHQL = 'application/graphql-response+json'
const JSON_TYPE = 'application/json'

async function ask(accept: string | null, body: object): Promise<Response> {
  return (await opened).api.graphql(
    new Request(`${ISSUER}/account/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await token}`,
        'content-type': JSON_TYPE,
        ...(accept !== null && { accept }),
      },
      body: JSON.stringify(body),
    }),
  )
}

const DEEP = `{ viewer { ${'site { '.repeat(12)} id ${'} '.repeat(12)} } }`
const DEAR = '{ viewer { enrolledCourses(first: 100) { nodes { sections { title } } } } }'
const LONG = `{ viewer { ${'id '.repeat(2000)} } }`
const VARIABLE = 'query ($n: Int!) { viewer { orders(first: $n) { totalCount } } }'

describe('the status of an answer [GQL-13, GQL-14]', () => {
  it.each<[string, object, string | null, number]>([
    ['a viewer', { query: '{ viewer { id } }' }, null, 200],
    ['a document that cannot be read', { query: '{' }, 'GRAPHQL_PARSE_FAILED', 400],
    ['a field that is not there', { query: '{ no }' }, 'GRAPHQL_VALIDATION_FAILED', 400],
    [
      'an operation that is not there',
      { query: '{ viewer { id } }', operationName: 'A' },
      'GRAPHQL_VALIDATION_FAILED',
      400,
    ],
    [
      'no operation among several',
      { query: 'query A { viewer { id } } query B { viewer { id } }' },
      'GRAPHQL_VALIDATION_FAILED',
      400,
    ],
    ['a variable that is missing', { query: VARIABLE }, 'BAD_USER_INPUT', 400],
    [
      'a variable that does not fit',
      { query: VARIABLE, variables: { n: 'x' } },
      'BAD_USER_INPUT',
      400,
    ],
    [
      'an argument that is out of range',
      { query: VARIABLE, variables: { n: -1 } },
      'BAD_USER_INPUT',
      200,
    ],
  ])('follows what the client accepts: %s', async (_, body, code, strict) => {
    for (const [accept, status, type] of [
      [null, 200, JSON_TYPE],
      ['*/*', 200, JSON_TYPE],
      [JSON_TYPE, 200, JSON_TYPE],
      [`${JSON_TYPE}, ${GRAPHQL}`, 200, JSON_TYPE],
      [GRAPHQL, strict, GRAPHQL],
      [`${GRAPHQL}, ${JSON_TYPE};q=0.9`, strict, GRAPHQL],
      [`text/html, ${GRAPHQL}`, strict, GRAPHQL],
    ] as const) {
      const answer = await ask(accept, body)
      const { errors } = (await answer.json()) as { errors?: { extensions: { code: string } }[] }
      expect([accept, answer.status, answer.headers.get('content-type')]).toEqual([
        accept,
        status,
        `${type}; charset=utf-8`,
      ])
      expect(errors?.[0]?.extensions.code ?? null).toBe(code)
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
  })

  it.each<[string, string, object]>([
    ['deep', DEEP, { code: 'QUERY_TOO_DEEP', limit: 12, actual: 14 }],
    ['dear', DEAR, { code: 'QUERY_TOO_COSTLY', limit: 1000, actual: 3102 }],
    ['long', LONG, { code: 'QUERY_TOO_COSTLY', limit: 2000 }],
  ])('is 400 for a document that is too %s, whatever the client accepts', async (...row) => {
    const [, query, extensions] = row
    for (const [accept, type] of [
      [null, JSON_TYPE],
      [JSON_TYPE, JSON_TYPE],
      [`${JSON_TYPE}, ${GRAPHQL}`, JSON_TYPE],
      [GRAPHQL, GRAPHQL],
      [`text/html, ${GRAPHQL}`, GRAPHQL],
    ] as const) {
      const answer = await ask(accept, { query })
      expect([accept, answer.status, answer.headers.get('content-type')]).toEqual([
        accept,
        400,
        `${type}; charset=utf-8`,
      ])
      expect(await answer.json()).toEqual({
        errors: [{ message: expect.stringContaining('too many'), extensions }],
      })
    }
  })

  it('is 406 for a client that takes neither', async () => {
    expect((await ask('text/html', { query: '{ viewer { id } }' })).status).toBe(406)
  })
})
