import { describe, expect, it } from 'vitest'
import { openAccount } from '../support/account-api.js'
import { ISSUER } from '../support/school.js'

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
const VARIABLE = 'query ($n: Int!) { viewer { orders(first: $n) { totalCount } } }'

describe('the status of an answer [GQL-13, GQL-14]', () => {
  it.each<[string, object, string | null, number]>([
    ['a viewer', { query: '{ viewer { id } }' }, null, 200],
    ['a document that cannot be read', { query: '{' }, 'GRAPHQL_PARSE_FAILED', 400],
    ['a field that is not there', { query: '{ no }' }, 'GRAPHQL_VALIDATION_FAILED', 400],
    ['a document that is too deep', { query: DEEP }, 'QUERY_TOO_DEEP', 400],
    ['a document that is too dear', { query: DEAR }, 'QUERY_TOO_COSTLY', 400],
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

  it('is 406 for a client that takes neither', async () => {
    expect((await ask('text/html', { query: '{ viewer { id } }' })).status).toBe(406)
  })
})
