import { authorizeBearer, defineSite } from 'hallpass'
import { defineScopes, rolesFor, schoolRoles, schoolScopeTable } from 'hallpass/scope'
import { createMemoryStore, type Store } from 'hallpass/store'
import { withFault } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import { keepToken } from '../support/school/kept-token.js'
import { createSource } from '../support/school/account.js'
import { openAccount, SCRIBE } from '../support/school/account-api.js'
import { withClient } from '../support/school/stores.js'
import { DESK_CLI, DESK_REQUEST, signIn } from '../support/school/flow.js'
import { createSchool, ISSUER, OWNER, STUDENT, T } from '../support/school/school.js'

const QUERY = '{ viewer { id } }'
const MUTATION = 'mutation M { updateProfile(input: { name: "Mei" }) { userErrors { code } } }'
const METADATA = `resource_metadata="${ISSUER}/.well-known/oauth-protected-resource/account/graphql"`

const broken = (): never => {
  throw new Error('the log is full')
}

async function refusal(answer: Response): Promise<unknown> {
  return [answer.status, answer.headers.get('www-authenticate'), await answer.json()]
}

const UNAUTHENTICATED = [
  401,
  expect.stringMatching(/^Bearer error="invalid_token", /),
  {
    error: 'invalid_token',
    error_description: expect.any(String),
    errors: [{ message: expect.any(String), extensions: { code: 'UNAUTHENTICATED' } }],
  },
]
const insufficient = (...scopes: string[]): unknown => [
  403,
  expect.stringContaining(`scope="${scopes.join(' ')}"`),
  {
    error: 'insufficient_scope',
    error_description: expect.any(String),
    errors: [
      {
        message: expect.any(String),
        extensions: { code: 'INSUFFICIENT_SCOPE', requiredScopes: scopes },
      },
    ],
  },
]

// Names no scope, because an authorization server would refuse it to this client.
const beyondClient = (sentence: string): readonly unknown[] => [
  403,
  `Bearer error="insufficient_scope", error_description="${sentence}", ${METADATA}`,
  {
    error: 'insufficient_scope',
    error_description: sentence,
    errors: [{ message: sentence, extensions: { code: 'INSUFFICIENT_SCOPE' } }],
  },
]

describe('the gate of the Account API', () => {
  it.each([
    ['no token', null],
    ['a token that nobody issued', 'hpa_guess'],
    ['a token that is none', 'a b'],
    ['a refresh token', 'refresh'],
  ])('challenges %s and names the metadata [GQL-01, GQL-02]', async (_, sent) => {
    const { ask, calls, school } = await openAccount()
    const { refresh_token } = await signIn(school, { scope: 'account:read' })
    const answer = await ask(sent === 'refresh' ? refresh_token : sent, QUERY)
    expect(answer.headers.get('www-authenticate')).toContain(METADATA)
    expect(await refusal(answer)).toEqual(UNAUTHENTICATED)
    expect(calls).toEqual([])
  })

  it.each<[string, (opened: Awaited<ReturnType<typeof openAccount>>, token: string) => unknown]>([
    ['expired', ({ school }) => (school.clock.now = T + 3600)],
    [
      'was revoked',
      ({ school }, token) =>
        school.fetch(`${ISSUER}/api/oauth/revoke`, {
          method: 'POST',
          body: new URLSearchParams({ token, client_id: SCRIBE.clientId }),
        }),
    ],
    ['is of a person who is gone', ({ school }) => school.people.delete(STUDENT.subject)],
    [
      'is of a person without a role',
      ({ school }) => school.people.set(STUDENT.subject, { ...STUDENT, roles: [] }),
    ],
  ])('challenges a token that %s, at the next request [GQL-02]', async (_, change) => {
    const opened = await openAccount()
    const token = await opened.tokenFor('account:read')
    expect((await opened.ask(token, QUERY)).status).toBe(200)
    opened.calls.length = 0
    await change(opened, token)
    expect(await refusal(await opened.ask(token, QUERY))).toEqual(UNAUTHENTICATED)
    expect(opened.calls).toEqual([])
  })

  it.each([
    ['is disabled', { ...SCRIBE, disabled: true }],
    ['is gone', null],
  ])('challenges the token of a client that %s [GQL-02]', async (_, client) => {
    const { tokenFor, school } = await openAccount()
    const token = await tokenFor('account:read')
    const { store } = school
    const changed = await openAccount(
      {
        store: withClient(store, () => client),
      },
      school,
    )
    expect(await refusal(await changed.ask(token, QUERY))).toEqual(UNAUTHENTICATED)
    expect(changed.calls).toEqual([])
  })

  it('tells the host alone that it is the client, not the person, who may no longer write', async () => {
    const { tokenFor, school } = await openAccount()
    const token = await tokenFor('account:read account:write')
    const heard: unknown[] = []
    const changed = await openAccount(
      {
        store: withClient(school.store, () => ({ ...SCRIBE, scopes: ['account:read'] })),
        onRefusal: ({ error, reason, clientId }) => heard.push([error, reason, clientId]),
      },
      school,
    )
    expect((await changed.ask(token, QUERY)).status).toBe(200)
    expect(await refusal(await changed.ask(token, MUTATION))).toEqual(
      beyondClient(
        'This needs the permission account:write, which this app may not use. Someone who manages the apps of this site can change that.',
      ),
    )
    expect(heard).toEqual([['insufficient_scope', 'scope_beyond_client', 'scribe']])
    expect(changed.data.profile.changes).toEqual([])
  })

  it('tells the host whose token it was, where another gate let it in', async () => {
    const heard: unknown[] = []
    const { api, tokenFor, school } = await openAccount({
      onRefusal: ({ reason, clientId }) => heard.push([reason, clientId]),
    })
    const authorization = `Bearer ${await tokenFor('account:read')}`
    const site = defineSite(school.siteOptions)
    const admitted = await authorizeBearer(site, { authorization, required: [] })
    if (!admitted.ok) throw new Error(admitted.reason)
    await api.execute(admitted.access, { query: MUTATION })
    expect(heard).toEqual([['scope_not_granted', 'scribe']])
  })

  it('answers with these headers and no others', async () => {
    const { ask, tokenFor } = await openAccount()
    const common = {
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'WWW-Authenticate, Retry-After, X-Request-Id',
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      vary: 'Authorization',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^req_[\w-]{16}$/) as unknown,
    }
    const token = await tokenFor('account:read')
    expect(Object.fromEntries((await ask(token, QUERY)).headers)).toEqual(common)
    const description =
      'the access token is missing, malformed, expired, revoked or was issued for another resource'
    expect(Object.fromEntries((await ask(null, QUERY)).headers)).toEqual({
      ...common,
      pragma: 'no-cache',
      'www-authenticate': `Bearer error="invalid_token", error_description="${description}", ${METADATA}`,
    })
    expect(Object.fromEntries((await ask(token, MUTATION)).headers)).toEqual({
      ...common,
      pragma: 'no-cache',
      'www-authenticate': `Bearer error="insufficient_scope", error_description="This needs the permission account:write. Connect the app again to allow it.", scope="account:read account:write", ${METADATA}`,
    })
  })

  it('challenges a token of another site, though it is in the same store [GQL-03]', async () => {
    const store = createMemoryStore()
    const elsewhere = await createSchool({ store, issuer: 'https://kiln.example' })
    // In the store of both, so that the token alone is what is wrong.
    const here = await openAccount({}, await createSchool({ store }))
    await keepToken(store, 'theirs', {
      grantId: 'grant',
      clientId: SCRIBE.clientId,
      subject: STUDENT.subject,
      scopes: ['account:read'],
      resource: 'https://kiln.example',
      redirectUri: 'x',
      issuedAt: elsewhere.clock.now,
      expiresAt: elsewhere.clock.now + 3600,
    })
    const answer = await here.ask('theirs', QUERY)
    expect(answer.headers.get('www-authenticate')).toContain(METADATA)
    expect(await refusal(answer)).toEqual(UNAUTHENTICATED)
  })

  it('refuses an operator token, and offers it no scope [GQL-04, RS-04]', async () => {
    const { ask, school, calls } = await openAccount()
    await school.store.insertClient(DESK_CLI)
    const { access_token } = await signIn(school, DESK_REQUEST, { person: OWNER })
    expect(await refusal(await ask(access_token, QUERY))).toEqual(
      beyondClient(
        'This needs the permission account:read, which apps of this kind cannot get. Use another app.',
      ),
    )
    expect(calls).toEqual([])
  })

  const BOTH = `${MUTATION}\n query Q ${QUERY}`

  it.each([
    ['alone', MUTATION, null],
    ['by its name', MUTATION, 'M'],
    ['by its name, with a query beside it', BOTH, 'M'],
  ])(
    'refuses a mutation %s to a token that may only read [GQL-09]',
    async (_, document, operationName) => {
      const { ask, tokenFor, calls, data } = await openAccount()
      const token = await tokenFor('account:read')
      expect(await refusal(await ask(token, document, { operationName }))).toEqual(
        insufficient('account:read', 'account:write'),
      )
      expect(calls).toEqual([])
      expect(data.profile.changes).toEqual([])
    },
  )

  it('requires the scopes of the operation that runs, and lets no other run [GQL-09]', async () => {
    const { ask, tokenFor, data } = await openAccount()
    const reading = await tokenFor('account:read')
    const read = await ask(reading, BOTH, { operationName: 'Q' })
    expect([read.status, await read.json()]).toEqual([
      200,
      { data: { viewer: { id: expect.any(String) } } },
    ])
    expect(data.profile.changes).toEqual([])
    for (const operationName of [undefined, null, '', 'R', 'q']) {
      const nothing = await ask(reading, BOTH, { operationName })
      expect([operationName, await nothing.json()]).toEqual([
        operationName,
        { errors: [expect.objectContaining({ message: expect.stringMatching(/operation/) })] },
      ])
    }
    const writing = await tokenFor('account:write')
    expect((await ask(writing, BOTH, { operationName: 'M' })).status).toBe(200)
    expect(data.profile.changes).toEqual([{ name: 'Mei' }])
    expect(await refusal(await ask(writing, BOTH, { operationName: 'Q' }))).toEqual(
      insufficient('account:read'),
    )
  })

  it('lets a token read whose scope implies reading', async () => {
    const scopes = defineScopes({
      ...schoolScopeTable,
      'account:write': { ...schoolScopeTable['account:write'], implies: ['account:read'] },
    })
    const school = await createSchool({ options: { scopes } })
    const { ask, tokenFor } = await openAccount({ scopes }, school)
    const token = await tokenFor('account:write')
    expect((await ask(token, QUERY)).status).toBe(200)
    expect((await ask(token, MUTATION)).status).toBe(200)
  })

  it('lets a token that may only write do so, and read nothing [GQL-22]', async () => {
    const { ask, tokenFor, calls, data } = await openAccount()
    const token = await tokenFor('account:write')
    const answer = await ask(token, MUTATION)
    expect(await answer.json()).toEqual({ data: { updateProfile: { userErrors: [] } } })
    expect(data.profile.changes).toEqual([{ name: 'Mei' }])
    expect((await ask(token, '{ __typename }')).status).toBe(200)
    calls.length = 0
    expect(await refusal(await ask(token, QUERY))).toEqual(insufficient('account:read'))
    expect(calls).toEqual([])
  })

  it.each([
    ['updateProfile(input: { name: "No" })', 'viewer { id }'],
    [
      'savePlaybackPosition(input: { courseId: "c", lectureId: "l", positionSeconds: 1 })',
      'enrolledCourse { id }',
    ],
    [
      'markLecture(input: { courseId: "c", lectureId: "l", completed: true })',
      'enrolledCourse { id }',
    ],
    ['cancelEventRegistration(input: { registrationId: "reg_1" })', 'eventRegistration { id }'],
  ])('refuses it %s where that returns what was there [GQL-22]', async (mutation, selection) => {
    const { ask, tokenFor, calls } = await openAccount()
    const token = await tokenFor('account:write')
    expect((await ask(token, `mutation { ${mutation} { userErrors { code } } }`)).status).toBe(200)
    calls.length = 0
    expect(await refusal(await ask(token, `mutation { ${mutation} { ${selection} } }`))).toEqual(
      insufficient('account:write', 'account:read'),
    )
    expect(calls).toEqual([])
  })

  it('lets no token in that has neither scope', async () => {
    const { ask, tokenFor } = await openAccount()
    const token = await tokenFor('openid')
    expect(await refusal(await ask(token, '{ __typename }'))).toEqual(insufficient('account:read'))
  })

  it('lets a token that may write do both', async () => {
    const { ask, tokenFor, data } = await openAccount()
    const token = await tokenFor('account:read account:write')
    expect((await ask(token, QUERY)).status).toBe(200)
    const answer = await ask(token, MUTATION)
    expect(await answer.json()).toEqual({ data: { updateProfile: { userErrors: [] } } })
    expect(data.profile.changes).toEqual([{ name: 'Mei' }])
  })

  it('is never open while the storage is away [RS-13]', async () => {
    const { tokenFor, school } = await openAccount()
    const token = await tokenFor('account:read')
    const store: Store = withFault(school.store, { method: 'findAccessToken' })
    const closed = await openAccount({ store }, school)
    const answer = await closed.ask(token, QUERY)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    expect(closed.calls).toEqual([])
    expect(closed.faults).toHaveLength(1)
  })

  it.each<[string, () => never]>([
    ['throws', broken],
    ['rejects', (async () => broken()) as never],
  ])('answers as ever where a hook of the host %s', async (_, hook) => {
    const refusing = await openAccount({ onRefusal: hook })
    expect((await refusing.ask(null, QUERY)).status).toBe(401)
    expect(refusing.faults.map(String)).toEqual(['Error: the log is full'])
    const store: Store = withFault(refusing.school.store, { method: 'findAccessToken' })
    const closed = await openAccount({ store, onFault: hook })
    expect((await closed.ask('hpa_x', QUERY)).status).toBe(503)
    const profile = (): Promise<never> => Promise.reject(new Error('secret'))
    const failing = await openAccount({
      source: { ...createSource(new Map()).source, profile },
      onFault: hook,
    })
    const answer = await failing.ask(await failing.tokenFor('account:read'), QUERY)
    expect([answer.status, await answer.json()]).toMatchObject([200, { data: null }])
  })

  it('does not open with a registry that lacks its scopes', async () => {
    const scopes = defineScopes({
      openid: { audience: 'any', access: 'identity', group: 'You', consent: 'Who you are' },
    })
    const roles = rolesFor(scopes, schoolRoles)
    await expect(openAccount({ scopes, roles, vendors: [] })).rejects.toThrow(
      'account API: scopes must define "account:read" for members, because the account schema requires it',
    )
  })
})
