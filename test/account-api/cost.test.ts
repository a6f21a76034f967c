import fc from 'fast-check'
import type { AccountSource } from 'hallpass/account'
import { describe, expect, it } from 'vitest'
import { createSource, enrollment } from '../support/school/account.js'
import { item, order } from '../support/school/account-rows.js'
import { openAccount, SCRIBE } from '../support/school/account-api.js'
import { refresh, signIn, tokensOf } from '../support/school/flow.js'
import { STUDENT, T } from '../support/school/school.js'

interface Answer {
  readonly data?: Record<string, unknown> | null
  readonly errors?: unknown
  readonly extensions?: { readonly cost: Cost }
}
interface Cost {
  readonly requested: number
  readonly available: number
  readonly restoreRate: number | null
}

const opened = openAccount({ bucket: null })
const token = opened.then(({ tokenFor }) => tokenFor('account:read'))

const WITH_COST = { extensions: { cost: true } }

describe('the cost', () => {
  const costOf = async (query: string, variables: object = {}): Promise<unknown> => {
    const answer = await (await opened).ask(await token, query, { variables, ...WITH_COST })
    const { extensions, errors } = (await answer.json()) as Answer
    return extensions?.cost.requested ?? errors
  }
  const list = (args: string, selection = 'nodes { slug }'): string =>
    `{ viewer { enrolledCourses${args} { ${selection} } } }`

  it.each([
    ['an object is one', '{ viewer { id name } }', 1],
    ['a page has 20 rows', list(''), 22],
    ['or as many as are asked for', list('(first: 100)'), 102],
    ['from the end as well', list('(first: null, last: 7)'), 9],
    ['or none', list('(first: 0)'), 2],
    ['edges hold nodes', list('(first: 10)', 'edges { cursor node { slug } }'), 22],
    ['counting is five', list('(first: 0)', 'totalCount'), 7],
    ['rows count though nobody sees them', list('(first: 100)', 'pageInfo { hasNextPage }'), 102],
    ['outlines are dear', list('(first: 1)', 'nodes { sections { lectures { id } } }'), 143],
    ['the next lecture is looked for', list('(first: 1)', 'nodes { nextLecture { id } }'), 8],
    ['what is skipped costs all the same', '{ viewer { site @skip(if: true) { id } } }', 2],
    ['introspection is a hundred', '{ __schema { queryType { name } } }', 100],
    [
      'fragments cost where they are spread',
      '{ viewer { ...F ...F } } fragment F on Viewer { site { id } }',
      3,
    ],
  ])('%s', async (_, query, points) => {
    expect(await costOf(query)).toBe(points)
  })

  it('counts a list without a page size as ten rows, however many it turns out to hold', async () => {
    const { ask: send, tokenFor, data } = await openAccount()
    data.orders = [
      order('o', { items: Array.from({ length: 30 }, (_, index) => item(`${index}`)) }),
    ]
    const query = '{ viewer { orders(first: 1) { nodes { items { id } } } } }'
    const answer = await send(await tokenFor('account:read'), query, WITH_COST)
    const { data: found, extensions } = (await answer.json()) as Answer
    expect(found).toMatchObject({ viewer: { orders: { nodes: [{ items: { length: 30 } }] } } })
    // viewer 1, connection 1, order 1, items 1 + 10
    expect(extensions?.cost.requested).toBe(14)
  })

  it('counts the page size of a variable, of its default, and of neither', async () => {
    const query = (type: string): string => `query ($n: ${type}) ${list('(first: $n)')}`
    expect(await costOf(query('Int'), { n: 50 })).toBe(52)
    expect(await costOf(query('Int = 100'))).toBe(102)
    expect(await costOf(query('Int = 100'), { n: 3 })).toBe(5)
    expect(await costOf(query('Int = 100'), { n: null })).toBe(22)
    expect(await costOf(query('Int'))).toBe(22)
    expect(await costOf(query('Int'), { n: 2_000_000_000 })).toBe(102)
  })
})

/** Objects in an answer, whatever they are in. */
const objectsIn = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 0
    : Object.values(value).reduce<number>(
        (count, inner) => count + objectsIn(inner),
        Array.isArray(value) ? 0 : 1,
      )

const size = fc.constantFrom(
  '',
  '(first: 0)',
  '(first: 1)',
  '(last: 3)',
  '(first: $n)',
  '(last: $m)',
)
const some = (...parts: readonly (string | fc.Arbitrary<string>)[]): fc.Arbitrary<string> =>
  fc
    .tuple(...parts.map((part) => fc.option(typeof part === 'string' ? fc.constant(part) : part)))
    .map((chosen) => `{ __typename ${chosen.filter((part) => part !== null).join(' ')} }`)
const named = (name: string, selection: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  selection.map((set) => `${name} ${set}`)
const course = some(
  named('sections', some('id', named('lectures', some('id', 'kind')))),
  named('nextLecture', some('id')),
  named('progress', some('ratio')),
  named('lastWatchedLecture', some('watchedAt')),
)
const page = (node: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(
      size,
      some(
        'totalCount',
        named('nodes', node),
        named('edges', some('cursor', named('node', node))),
        'pageInfo { hasNextPage endCursor }',
      ),
    )
    .map((parts) => parts.join(' '))
const viewer = some(
  named('site', some('name')),
  named('enrolledCourses', page(course)),
  named(
    'orders',
    page(
      some(
        'number',
        'total { amount }',
        named(
          'items',
          some('id', named('enrolledCourse', some('slug', named('progress', some('ratio'))))),
        ),
      ),
    ),
  ),
  'enrolledCourse(slug: "c1") { nextLecture { id } }',
  'subscriptions { totalCount nodes { courses { id } } }',
)

/** A member with more rows than a page, whose source counts what it gives out. */
async function openFull() {
  const rows = { count: 0 }
  const price = { amount: '1.00', currencyCode: 'EUR' }
  const within = { tokens: 10_000, depth: 100, aliases: 100, cost: 1_000_000 }
  const { data } = await openAccount()
  const { source } = createSource(new Map([[STUDENT.subject, data]]))
  const counting = new Proxy(source, {
    get:
      (target, name: keyof AccountSource) =>
      async (...parameters: unknown[]): Promise<unknown> => {
        const answer: unknown = await (target[name] as (...all: unknown[]) => unknown)(
          ...parameters,
        )
        if (answer instanceof Map) rows.count += answer.size
        else rows.count += (answer as { rows?: unknown[] }).rows?.length ?? 1
        return answer
      },
  })
  const ids = Array.from({ length: 40 }, (_, index) => `${index}`)
  const ten = ids.slice(0, 10)
  data.enrollments = ids.map((id) => enrollment({ id, courseId: id, slug: `c${id}` }))
  for (const courseId of ids)
    data.outlines.set(
      courseId,
      ten.map((id) => ({
        id,
        title: id,
        lectures: ten.map((lecture) => ({
          id: lecture,
          title: lecture,
          kind: 'VIDEO',
          durationSeconds: null,
          completed: false,
          positionSeconds: null,
          url: null,
        })),
      })),
    )
  data.orders = ids.map((id) => ({
    id, number: id, state: 'PAID', placedAt: T, paidAt: T, subtotal: price, discount: price,
    tax: price, total: price, refunded: price, couponCode: null, paymentMethod: null, receiptUrl: null,
    items: ten.map((item) => ({
      id: item, kind: 'COURSE', title: item, quantity: 1, unitPrice: price, discount: price,
      total: price, enrollmentId: `${(Number(id) * 10 + Number(item)) % 40}`,
      eventRegistrationId: null, subscriptionId: null, digitalProductId: null,
    })),
  })) // prettier-ignore
  return { ...(await openAccount({ source: counting, bucket: null, limits: within })), rows }
}

describe('the cost of any query', () => {
  it('is never below the objects of the answer and the rows that were loaded for it, where lists without a page size hold ten', async () => {
    const { ask: send, tokenFor, rows } = await openFull()
    const accessToken = await tokenFor('account:read')
    let largest = 0
    await fc.assert(
      fc.asyncProperty(viewer, fc.nat(12), fc.nat(12), async (selection, n, m) => {
        rows.count = 0
        const used = ['$n: Int', '$m: Int = 12'].filter((one) =>
          selection.includes(one.slice(0, 2)),
        )
        const variables = used.length > 0 ? `(${used.join(', ')})` : ''
        const answer = await send(accessToken, `query ${variables} { viewer ${selection} }`, {
          variables: { n, ...(m > 6 && { m }) },
          ...WITH_COST,
        })
        const found = (await answer.json()) as Answer
        expect(found.errors).toBe(undefined)
        const { requested } = found.extensions!.cost
        expect(objectsIn(found.data) - 1).toBeLessThanOrEqual(requested)
        expect(rows.count).toBeLessThanOrEqual(requested)
        largest = Math.max(largest, rows.count)
      }),
      { numRuns: 100, seed: 1 },
    )
    expect(largest).toBeGreaterThan(50)
  })
})

describe('the points of a grant', () => {
  const QUERY = '{ viewer { enrolledCourses(first: 98) { nodes { slug } } } }'

  it('are told when a request asks for them', async () => {
    const { ask, tokenFor } = await openAccount()
    const accessToken = await tokenFor('account:read')
    const answer = async (more: object): Promise<unknown> =>
      ((await (await ask(accessToken, QUERY, { ...more })).json()) as Answer).extensions
    expect(await answer(WITH_COST)).toEqual({
      cost: { requested: 100, available: 1900, restoreRate: 50 },
    })
    for (const more of [{}, { extensions: {} }, { extensions: { cost: 'yes' } }])
      expect(await answer(more)).toBe(undefined)
    expect(await answer(WITH_COST)).toMatchObject({ cost: { available: 1500 } })
  })

  it('run out, and come back with time', async () => {
    const { ask, tokenFor, school, calls } = await openAccount({
      bucket: { capacity: 250, restoreRate: 3 },
      limits: { cost: 250 },
    })
    const accessToken = await tokenFor('account:read')
    const status = async (): Promise<number> => (await ask(accessToken, QUERY)).status
    expect([await status(), await status()]).toEqual([200, 200])
    calls.length = 0
    const answer = await ask(accessToken, QUERY)
    // 50 are left, 100 are needed, 3 come each second.
    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
      429,
      '17',
      {
        error: 'temporarily_unavailable',
        error_description: 'rate limit exceeded: wait retryAfterSeconds before the next request',
        errors: [
          {
            message: 'rate limit exceeded: wait retryAfterSeconds before the next request',
            extensions: { code: 'RATE_LIMITED', retryAfterSeconds: 17 },
          },
        ],
      },
    ])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('access-control-expose-headers')).toContain('Retry-After')
    expect(calls).toEqual([])
    school.clock.now += 16
    expect(await status()).toBe(429)
    school.clock.now += 1
    expect(await status()).toBe(200)
  })

  it('are not more than the bucket holds, however long nobody came', async () => {
    const { ask, tokenFor, school } = await openAccount({
      bucket: { capacity: 150, restoreRate: 1 },
      limits: { cost: 150 },
    })
    const accessToken = await tokenFor('account:read')
    await ask(accessToken, '{ viewer { id } }')
    school.clock.now += 3000
    const answer = await ask(accessToken, QUERY, WITH_COST)
    expect(((await answer.json()) as Answer).extensions?.cost.available).toBe(50)
  })

  it("are one grant's, not one token's and not everybody's", async () => {
    const { ask, tokenFor, school } = await openAccount({
      bucket: { capacity: 100, restoreRate: 1 },
      limits: { cost: 100 },
    })
    const first = await signIn(school, { client_id: SCRIBE.clientId, scope: 'account:read' })
    const renewed = await tokensOf(
      await refresh(school, first.refresh_token, { client_id: SCRIBE.clientId }),
    )
    expect((await ask(first.access_token, QUERY)).status).toBe(200)
    expect((await ask(renewed.access_token, QUERY)).status).toBe(429)
    expect((await ask(await tokenFor('account:read'), QUERY)).status).toBe(200)
  })

  it('are not spent by what never runs', async () => {
    const { ask, tokenFor } = await openAccount({
      bucket: { capacity: 100, restoreRate: 1 },
      limits: { cost: 100 },
    })
    const accessToken = await tokenFor('account:read')
    const refusals = [
      '{',
      '{ nothing }',
      '{ viewer { a: site { id } '.repeat(2) + '} }',
      'mutation { updateProfile(input: {}) { userErrors { code } } }',
    ]
    for (const query of refusals) await ask(accessToken, query)
    expect((await ask(accessToken, QUERY)).status).toBe(200)
  })
})
