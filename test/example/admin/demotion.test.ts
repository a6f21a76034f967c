import { defineClient } from 'hallpass/clients'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../examples/school/src/platform/transaction.js'
import { type AreaSite, openAreaDatabase, openAreaSite, ORIGIN } from '../support/area.js'
import { T } from '../../support/school/school.js'

let database: Database
let school: AreaSite
beforeAll(async () => {
  database = await openAreaDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  school = await openAreaSite(database)
  await school.store.insertClient(DESK)
})

const REDIRECT = 'http://127.0.0.1:7777/callback'
const DESK = defineClient({
  clientId: 'desk',
  kind: 'loopback',
  name: 'Desk',
  redirectUris: [REDIRECT],
  createdAt: T,
})

const METADATA = `resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource"`
const NO_STEP_UP = `Bearer ${METADATA}`

/** `403 forbidden_role`, or the status alone where the call was let in; and the challenge. */
type Called = readonly [outcome: string, challenge: string | null]
const OPEN: Called = ['200', null]
const BEYOND_ROLE: Called = ['403 forbidden_role', NO_STEP_UP]
const BEYOND_CLIENT: Called = [
  '403 insufficient_scope',
  `Bearer error="insufficient_scope", error_description="This needs the permission orders:read, which this app may not use. Someone who manages the apps of this site can change that.", ${METADATA}`,
]
const GONE: Called = ['401 invalid_token', expect.stringMatching(/^Bearer error="invalid_token"/)]

/** Signs somebody in at the desk, by the real pages. */
async function signIn(memberId: string, scope: string): Promise<string> {
  const { access_token } = await school.connect({ memberId, clientId: 'desk', scope })
  return access_token
}

async function call(accessToken: string, request: string, body?: object): Promise<Called> {
  const [method = '', path = ''] = request.split(' ')
  const answer = await school.fetch(
    new Request(`${ORIGIN}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${accessToken}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  )
  const { code } = (await answer.json()) as { code?: string }
  const outcome = answer.ok ? String(answer.status) : `${answer.status} ${code}`
  return [outcome, answer.headers.get('www-authenticate')]
}

describe('a token of somebody on the staff', () => {
  const SCOPES = 'openid courses:read orders:read'

  it.each<[change: string, orders: Called, courses: Called]>([
    ["role = 'assistant'", BEYOND_ROLE, OPEN],
    ["role = 'student'", BEYOND_ROLE, BEYOND_ROLE],
    ["role = 'somebody'", GONE, GONE],
    ['suspended = true', GONE, GONE],
  ])('counts as they are at the very next call: %s [ADM-04]', async (change, orders, courses) => {
    const token = await signIn('tomasz', SCOPES)
    expect([await call(token, 'GET /orders'), await call(token, 'GET /courses')]).toEqual([
      OPEN,
      OPEN,
    ])
    await school.changePerson('tomasz', change)
    expect([await call(token, 'GET /orders'), await call(token, 'GET /courses')]).toEqual([
      orders,
      courses,
    ])
    await school.changePerson('tomasz', "role = 'manager', suspended = false")
    expect([await call(token, 'GET /orders'), await call(token, 'GET /courses')]).toEqual([
      OPEN,
      OPEN,
    ])
  })

  it('stays without what it was never granted when they are promoted', async () => {
    const token = await signIn('yuki', 'openid courses:read')
    await school.changePerson('yuki', "role = 'owner'")
    expect(await call(token, 'GET /courses')).toEqual(OPEN)
    expect(await call(token, 'GET /orders')).toEqual([
      '403 insufficient_scope',
      expect.stringContaining('scope="orders:read"'),
    ])
  })

  it('is judged anew by a change that another one made over the same API', async () => {
    const otto = { memberId: 'mem_otto', name: 'Otto', email: 'otto@example.com', picture: null }
    await school.people.add([{ ...otto, role: 'manager', suspended: false, passwordHash: null }])
    const owner = await signIn('ines', 'members:write')
    const token = await signIn('mem_otto', SCOPES)
    const steps: readonly (readonly [request: string, body: object | undefined, then: Called])[] = [
      ['PATCH /members/mem_otto', { roles: ['assistant'] }, BEYOND_ROLE],
      ['PATCH /members/mem_otto', { roles: ['manager'] }, OPEN],
      ['POST /members/mem_otto/suspend', undefined, GONE],
      ['POST /members/mem_otto/reactivate', undefined, OPEN],
    ]
    for (const [request, body, then] of steps) {
      expect(await call(owner, request, body)).toEqual(OPEN)
      expect(await call(token, 'GET /orders')).toEqual(then)
    }
  })
})

describe('a client whose cap shrinks', () => {
  const shrink = async (scopes: readonly string[] | null): Promise<void> => {
    const client = (await school.store.findClient('desk'))!
    expect(
      await school.store.replaceClient({ ...client, scopes, revision: client.revision + 1 }),
    ).toBe('replaced')
  }

  it('is held to it at the very next call, with the tokens that it has [ADM-06]', async () => {
    const token = await signIn('ines', 'openid courses:read orders:read')
    expect(await call(token, 'GET /orders')).toEqual(OPEN)
    await shrink(['courses:read'])
    expect(await call(token, 'GET /orders')).toEqual(BEYOND_CLIENT)
    expect(await call(token, 'GET /courses')).toEqual(OPEN)
    await shrink(null)
    expect(await call(token, 'GET /orders')).toEqual(OPEN)
  })

  it('is shut out while it is switched off, and let in again', async () => {
    const token = await signIn('ines', 'openid courses:read')
    const turn = async (disabled: boolean): Promise<void> => {
      const client = (await school.store.findClient('desk'))!
      await school.store.replaceClient({ ...client, disabled, revision: client.revision + 1 })
    }
    await turn(true)
    expect(await call(token, 'GET /courses')).toEqual(GONE)
    await turn(false)
    expect(await call(token, 'GET /courses')).toEqual(OPEN)
  })
})
