import { createMemoryStore, type Store } from 'hallpass/store'
import { withFault, withLatency } from 'hallpass/testing'
import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import {
  DESK_CLI,
  DESK_REQUEST,
  encode,
  type Fields,
  generic,
  notAuthenticated,
  isAlive,
  PORTFOLIO_FORM,
  PORTFOLIO_REQUEST,
  post,
  reasonsOf,
  refresh,
  refusalOf,
  signIn,
  type Tokens,
  tokensOf,
  userinfo,
} from '../support/school/flow.js'
import { withClient } from '../support/school/stores.js'
import {
  createSchool,
  ISSUER,
  OWNER,
  type School,
  STUDENT,
  STUDY_BUDDY,
  T,
} from '../support/school/school.js'
import { type Client, type Person, REFRESH_POLICY } from 'hallpass/policy'
import { every } from '../support/school/bare-server.js'

const DAY = 86_400
/** A response is repeated for a minute, and any other second use ends the grant. */
const MINUTE = { refreshPolicies: every(REFRESH_POLICY.lostResponse) }
const STRICT = { refreshPolicies: every(REFRESH_POLICY.strict) }

const grantOf = async (school: School, { refresh_token }: Tokens) =>
  (await school.store.findRefreshToken(hashToken(refresh_token)))!.grant

async function expectDead(school: School, tokens: Tokens, reason: string): Promise<void> {
  expect(await isAlive(school, tokens.access_token)).toBe(false)
  expect((await refresh(school, tokens.refresh_token)).status).toBe(400)
  expect(await grantOf(school, tokens)).toMatchObject({ revokedReason: reason })
}

describe('a refresh', () => {
  it('gives a new pair, no ID token and no new end of the grant [REFR-01, REFR-15]', async () => {
    const school = await createSchool()
    const first = await signIn(school)
    school.clock.now += 1000
    const before = school.events.length
    const response = await refresh(school, first.refresh_token)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const second = await tokensOf(response)
    expect(second).toStrictEqual({
      access_token: expect.stringMatching(/^hpa_[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^hpr_[\w-]{43}$/),
      scope: 'openid account:read',
    })
    expect(second.access_token).not.toBe(first.access_token)
    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect(await isAlive(school, first.access_token)).toBe(true)
    expect(await isAlive(school, second.access_token)).toBe(true)
    const grant = await grantOf(school, second)
    expect(grant.expiresAt).toBe(T + 180 * DAY)
    expect(school.events.slice(before)).toEqual([
      {
        type: 'oauth.token.refreshed',
        at: T + 1000,
        clientId: 'study-buddy',
        subject: STUDENT.subject,
        grantId: grant.grantId,
        scopes: ['openid', 'account:read'],
      },
    ])
  })

  it('leaves its token unused if the client has disconnected meanwhile [F-40]', async () => {
    let gone: AbortController | null = null
    const findPerson = async () => {
      gone?.abort()
      return STUDENT
    }
    const school = await createSchool({ options: { findPerson } })
    const { refresh_token } = await signIn(school)
    const fields = { grant_type: 'refresh_token', refresh_token, client_id: 'study-buddy' }
    gone = new AbortController()
    const init = { method: 'POST', body: encode(fields), signal: gone.signal }
    expect((await school.fetch(`${ISSUER}/api/oauth/token`, init)).status).toBe(400)
    expect((await refresh(school, refresh_token)).status).toBe(200)
    expect(school.events.at(-1)).toMatchObject({ type: 'oauth.token.refreshed' })
  })

  it('needs a refresh token [TOKC-03]', async () => {
    expect(await refusalOf(await refresh(await createSchool(), ''))).toEqual([
      400,
      { error: 'invalid_request', error_description: 'refresh_token is required' },
    ])
  })

  it.each(['hpr_'.padEnd(47, 'A'), "' OR 1=1--", '\u0000', '{"$gt":""}', '__proto__'])(
    'of a token that nobody issued is refused: %j [ST-04]',
    async (token) => {
      const school = await createSchool()
      expect(await refusalOf(await refresh(school, token))).toEqual(generic('invalid_grant'))
      expect(reasonsOf(school)).toEqual(['refresh_token_unknown'])
    },
  )

  it('takes no access token, and no refresh token opens UserInfo [REFR-14, UI-09]', async () => {
    const school = await createSchool()
    const tokens = await signIn(school)
    expect(await refusalOf(await refresh(school, tokens.access_token))).toEqual(
      generic('invalid_grant'),
    )
    const opened = await userinfo(school, tokens.refresh_token)
    expect(await refusalOf(opened)).toEqual(generic('invalid_token'))
  })

  it('narrows the access token alone, and the refresh token keeps the grant [REFR-10]', async () => {
    const school = await createSchool()
    const first = await signIn(school, { scope: 'openid email account:read' })
    const narrow = await tokensOf(await refresh(school, first.refresh_token, { scope: 'openid' }))
    expect(narrow.scope).toBe('openid')
    expect(await (await userinfo(school, narrow.access_token)).json()).toEqual({
      sub: STUDENT.subject,
      org_id: 'site_lantern',
    })
    const whole = await tokensOf(await refresh(school, narrow.refresh_token))
    expect(whole.scope).toBe('openid email account:read')
  })

  it.each([' openid', 'openid ', 'openid  openid', '   openid   '])(
    'narrows to %j as without the further spaces [AUTH-43]',
    async (scope) => {
      const school = await createSchool()
      const first = await signIn(school)
      const narrow = await tokensOf(await refresh(school, first.refresh_token, { scope }))
      expect(narrow.scope).toBe('openid')
    },
  )

  it.each([
    ['one more scope', 'openid account:read email', 'scope_widened'],
    ['another scope', 'email', 'scope_widened'],
    ['a scope of the client that was not granted', 'account:write', 'scope_widened'],
    ['an unknown scope', 'everything', 'scope_widened'],
    ['no scope at all', 'offline_access', 'scope_missing'],
    ['a tab', 'openid\temail', 'scope_malformed'],
    ['spaces', '  ', 'scope_missing'],
  ])('never widens: %s rotates nothing [REFR-09]', async (_, scope, reason) => {
    const school = await createSchool()
    const first = await signIn(school)
    const refused = await refresh(school, first.refresh_token, { scope })
    expect(await refusalOf(refused)).toEqual([
      400,
      { error: 'invalid_scope', error_description: expect.stringContaining('scope') },
    ])
    expect(reasonsOf(school)).toEqual([reason])
    const found = await school.store.findRefreshToken(hashToken(first.refresh_token))
    expect(found?.refreshToken.rotation).toBeNull()
    expect((await refresh(school, first.refresh_token)).status).toBe(200)
  })

  it('with a narrower scope twice is refused, and gives no token with the whole one [TOKC-19]', async () => {
    const school = await createSchool()
    const { refresh_token } = await signIn(school)
    const refused = await refresh(school, refresh_token, { scope: ['openid', 'openid'] })
    expect(await refusalOf(refused)).toEqual([
      400,
      {
        error: 'invalid_request',
        error_description: 'a parameter other than resource was sent more than once',
      },
    ])
    expect(reasonsOf(school)).toEqual(['parameter_repeated'])
  })

  it('does not add openid to a grant without it [REFR-09]', async () => {
    const school = await createSchool()
    const { refresh_token } = await signIn(school, { scope: 'account:read' })
    const scope = 'account:read openid'
    expect((await refresh(school, refresh_token, { scope })).status).toBe(400)
    expect(reasonsOf(school)).toEqual(['scope_widened'])
  })

  it.each([null, ISSUER, `${ISSUER}/`, `${ISSUER}/mcp`, [ISSUER, `${ISSUER}/mcp`]])(
    'inherits or repeats the resource: %j [REFR-11]',
    async (resource) => {
      const school = await createSchool()
      const { refresh_token } = await signIn(school)
      expect((await refresh(school, refresh_token, { resource })).status).toBe(200)
    },
  )

  it('for another resource rotates nothing [REFR-11]', async () => {
    const school = await createSchool()
    const { refresh_token } = await signIn(school)
    for (const resource of ['https://other.example', [ISSUER, 'https://other.example']]) {
      const refused = await refresh(school, refresh_token, { resource })
      expect(await refusalOf(refused)).toEqual(generic('invalid_grant'))
    }
    expect(reasonsOf(school)).toEqual(['resource_mismatch', 'resource_mismatch'])
    expect((await refresh(school, refresh_token)).status).toBe(200)
  })
})

describe('a refresh by the wrong client', () => {
  it.each<[string, Fields, readonly [number, unknown], string]>([
    [
      'another public client [REFR-07]',
      { client_id: 'reader' },
      generic('invalid_grant'),
      'refresh_token_of_other_client',
    ],
    [
      'nobody [REFR-07]',
      { client_id: null },
      [400, { error: 'invalid_request', error_description: 'client_id is required' }],
      'client_id_missing',
    ],
    [
      'a client that is not known',
      { client_id: 'nobody' },
      notAuthenticated('no secret'),
      'client_unknown',
    ],
  ])('%s changes nothing', async (_, changes, answer, reason) => {
    const school = await createSchool()
    await school.store.insertClient({ ...STUDY_BUDDY, clientId: 'reader' })
    const { refresh_token } = await signIn(school)
    expect(await refusalOf(await refresh(school, refresh_token, changes))).toEqual(answer)
    expect(reasonsOf(school)).toEqual([reason])
    expect((await refresh(school, refresh_token)).status).toBe(200)
  })

  it.each<[string, Fields, string]>([
    ['no secret', { client_secret: null }, 'client_secret_missing'],
    ['a wrong secret', { client_secret: 'wrong' }, 'client_secret_mismatch'],
    ['an empty secret', { client_secret: '' }, 'client_secret_missing'],
  ])('that is confidential and sends %s changes nothing [REFR-08]', async (_, changes, reason) => {
    const school = await createSchool()
    const { refresh_token } = await signIn(school, PORTFOLIO_REQUEST, { form: PORTFOLIO_FORM })
    const refused = await refresh(school, refresh_token, { ...PORTFOLIO_FORM, ...changes })
    const sent = changes['client_secret'] === 'wrong' ? 'secret' : 'no secret'
    expect(await refusalOf(refused)).toEqual(notAuthenticated(sent))
    expect(reasonsOf(school)).toEqual([reason])
    expect((await refresh(school, refresh_token, PORTFOLIO_FORM)).status).toBe(200)
  })
})

describe('a refresh token that is shown again', () => {
  it.each([0, 1, 59])(
    '%i seconds later gives the same pair, and mints nothing [REFR-03, D-06]',
    async (seconds) => {
      const school = await createSchool()
      const { refresh_token } = await signIn(school)
      const first = await tokensOf(await refresh(school, refresh_token))
      school.clock.now += seconds
      const again = await tokensOf(await refresh(school, refresh_token))
      expect(again).toEqual({ ...first, expires_in: 3600 - seconds })
      expect(school.events.at(-1)).toMatchObject({ type: 'oauth.grant.reuse_recovered' })
      expect((await refresh(school, again.refresh_token)).status).toBe(200)
    },
  )

  it.each([60, 61, DAY])(
    '%i seconds later ends the grant where the policy is a minute [REFR-02, D-06]',
    async (seconds) => {
      const school = await createSchool({ options: MINUTE })
      const first = await signIn(school)
      const second = await tokensOf(await refresh(school, first.refresh_token))
      school.clock.now += seconds
      const reused = await refresh(school, first.refresh_token)
      expect(await refusalOf(reused)).toEqual(generic('invalid_grant'))
      await expectDead(school, second, 'refresh_token_reused')
      expect(await isAlive(school, first.access_token)).toBe(false)
      expect(school.events).toContainEqual({
        type: 'oauth.grant.reuse_detected',
        at: T + seconds,
        clientId: 'study-buddy',
        grantId: (await grantOf(school, first)).grantId,
      })
    },
  )

  it('after its successor was used ends the grant, also inside that minute [REFR-02]', async () => {
    const school = await createSchool({ options: MINUTE })
    const first = await signIn(school)
    const second = await tokensOf(await refresh(school, first.refresh_token))
    const third = await tokensOf(await refresh(school, second.refresh_token))
    expect((await refresh(school, first.refresh_token)).status).toBe(400)
    await expectDead(school, third, 'refresh_token_reused')
  })

  it('ends the grant at once where the policy is strict [D-06]', async () => {
    const school = await createSchool({ options: STRICT })
    const first = await signIn(school)
    const second = await tokensOf(await refresh(school, first.refresh_token))
    expect((await refresh(school, first.refresh_token)).status).toBe(400)
    await expectDead(school, second, 'refresh_token_reused')
  })

  it('can be shown for as long as the school says [D-06]', async () => {
    const policy = { ...REFRESH_POLICY.strict, repeatSeconds: 5 }
    const school = await createSchool({ options: { refreshPolicies: { native: policy } } })
    const { refresh_token } = await signIn(school)
    await tokensOf(await refresh(school, refresh_token))
    school.clock.now += 4
    expect((await refresh(school, refresh_token)).status).toBe(200)
    school.clock.now += 1
    expect((await refresh(school, refresh_token)).status).toBe(400)
  })

  it.each<[string, Fields, string]>([
    ['by another client', { client_id: 'reader' }, 'refresh_token_of_other_client'],
    ['with another scope', { scope: 'openid' }, 'refresh_retry_differs'],
    ['with another resource', { resource: 'https://other.example' }, 'resource_mismatch'],
    ['with a wider scope', { scope: 'openid account:write' }, 'scope_widened'],
  ])('%s gets nothing, and ends nothing [REFR-04]', async (_, changes, reason) => {
    const school = await createSchool()
    await school.store.insertClient({ ...STUDY_BUDDY, clientId: 'reader' })
    const { refresh_token } = await signIn(school)
    const second = await tokensOf(await refresh(school, refresh_token))
    const refused = await refresh(school, refresh_token, changes)
    expect(refused.status).toBe(400)
    expect(await refused.text()).not.toMatch(/hp[ar]_/)
    expect(reasonsOf(school)).toEqual([reason])
    expect((await refresh(school, second.refresh_token)).status).toBe(200)
  })

  it('without the scope that it named before gets nothing, and ends nothing [REFR-04]', async () => {
    const school = await createSchool()
    const { refresh_token } = await signIn(school)
    const second = await tokensOf(await refresh(school, refresh_token, { scope: 'openid' }))
    expect((await refresh(school, refresh_token)).status).toBe(400)
    expect(reasonsOf(school)).toEqual(['refresh_retry_differs'])
    expect((await refresh(school, second.refresh_token)).status).toBe(200)
  })

  it('outside its window by another client ends nothing', async () => {
    const school = await createSchool()
    await school.store.insertClient({ ...STUDY_BUDDY, clientId: 'reader' })
    const { refresh_token } = await signIn(school)
    const second = await tokensOf(await refresh(school, refresh_token))
    school.clock.now += 3600
    expect((await refresh(school, refresh_token, { client_id: 'reader' })).status).toBe(400)
    expect((await refresh(school, second.refresh_token)).status).toBe(200)
  })

  it('gives the narrowed pair again where the first answer was narrowed [REFR-03]', async () => {
    const school = await createSchool()
    const { refresh_token } = await signIn(school)
    const narrowed = { scope: 'openid' }
    const first = await tokensOf(await refresh(school, refresh_token, narrowed))
    expect(await tokensOf(await refresh(school, refresh_token, narrowed))).toEqual(first)
  })
})

describe('the end of a refresh token', () => {
  it('comes after 30 days without use [REFR-12, REFR-17]', async () => {
    const school = await createSchool()
    const [early, late] = [await signIn(school), await signIn(school)]
    school.clock.now = T + 30 * DAY - 1
    expect((await refresh(school, early.refresh_token)).status).toBe(200)
    school.clock.now = T + 30 * DAY
    expect(await refusalOf(await refresh(school, late.refresh_token))).toEqual(
      generic('invalid_grant'),
    )
    expect(reasonsOf(school)).toEqual(['refresh_token_expired'])
  })

  it('comes after 180 days however often it is used [REFR-12, REFR-15, REFR-17]', async () => {
    const school = await createSchool()
    let tokens = await signIn(school)
    for (let day = 1; day < 180; day++) {
      school.clock.now = T + day * DAY
      tokens = await tokensOf(await refresh(school, tokens.refresh_token))
    }
    school.clock.now = T + 180 * DAY - 1
    tokens = await tokensOf(await refresh(school, tokens.refresh_token))
    expect(tokens.expires_in).toBe(1)
    expect(await isAlive(school, tokens.access_token)).toBe(true)
    school.clock.now = T + 180 * DAY
    expect(await refusalOf(await refresh(school, tokens.refresh_token))).toEqual(
      generic('invalid_grant'),
    )
    expect(await isAlive(school, tokens.access_token)).toBe(false)
    expect(reasonsOf(school)[0]).toBe('grant_expired')
  })

  it('takes the shortest of the lifetimes that were configured [REFR-15]', async () => {
    const options = { grantSeconds: 100, accessTokenSeconds: 3600, refreshIdleSeconds: 3600 }
    const school = await createSchool({ options })
    const tokens = await signIn(school)
    const found = await school.store.findRefreshToken(hashToken(tokens.refresh_token))
    const access = await school.store.findAccessToken(hashToken(tokens.access_token))
    expect(found?.refreshToken.expiresAt).toBe(T + 100)
    expect(access?.accessToken.expiresAt).toBe(T + 100)
  })

  it('is what expires_in of the code exchange says, where the grant ends first', async () => {
    const school = await createSchool({ options: { grantSeconds: 100 } })
    expect((await signIn(school)).expires_in).toBe(100)
  })
})

describe('a refresh after something changed', () => {
  it.each<[string, Person | null, string]>([
    ['is gone or suspended', null, 'person_gone'],
    ['has no role any more', { ...OWNER, roles: [] }, 'person_has_no_role'],
    ['is not staff any more', { ...OWNER, roles: ['student'] }, 'person_not_staff'],
  ])('is refused where the person %s, until it is undone [REFR-13]', async (_, changed, reason) => {
    const school = await createSchool()
    await school.store.insertClient(DESK_CLI)
    const { refresh_token } = await signIn(school, DESK_REQUEST, { person: OWNER })
    if (changed === null) school.people.delete(OWNER.subject)
    else school.people.set(OWNER.subject, changed)
    const form = { client_id: DESK_CLI.clientId }
    expect(await refusalOf(await refresh(school, refresh_token, form))).toEqual(
      generic('invalid_grant'),
    )
    expect(reasonsOf(school)).toEqual([reason])
    school.people.set(OWNER.subject, OWNER)
    expect((await refresh(school, refresh_token, form)).status).toBe(200)
  })

  async function withChangedClient(
    change: (client: Client) => Client | null,
  ): Promise<readonly [School, Response]> {
    let changing = false
    const store = withClient(createMemoryStore(), (client) =>
      changing && client !== null ? change(client) : client,
    )
    const school = await createSchool({ store })
    const { refresh_token } = await signIn(school, PORTFOLIO_REQUEST, { form: PORTFOLIO_FORM })
    changing = true
    return [school, await refresh(school, refresh_token, PORTFOLIO_FORM)]
  }

  it.each<[string, (client: Client) => Client | null, string]>([
    ['switched off', (client) => ({ ...client, disabled: true }), 'client_disabled'],
    ['removed', () => null, 'client_unknown'],
    ['given another secret', (client) => ({ ...client, secrets: [] }), 'client_secret_mismatch'],
  ])('is refused where the client was %s [REFR-13, TOKC-15]', async (_, change, reason) => {
    const [school, refused] = await withChangedClient(change)
    expect(await refusalOf(refused)).toEqual(notAuthenticated('secret'))
    expect(reasonsOf(school)).toEqual([reason])
  })

  it('grants no more than the client may have now [REFR-13]', async () => {
    const [, response] = await withChangedClient((client) => ({
      ...client,
      scopes: ['account:read'],
    }))
    expect((await tokensOf(response)).scope).toBe('openid account:read')
  })

  it('gives no token without a scope where the client may have nothing of the grant now [REFR-13]', async () => {
    let capped = false
    const store = withClient(createMemoryStore(), (client) =>
      capped && client !== null ? { ...client, scopes: [] } : client,
    )
    const school = await createSchool({ store })
    const { refresh_token } = await signIn(school, { scope: 'account:read' })
    capped = true
    const refused = await refresh(school, refresh_token)
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.not.stringContaining('hpa_'),
    ])
    capped = false
    expect((await refresh(school, refresh_token)).status).toBe(200)
  })
})

describe('many refreshes at once', () => {
  const WAYS = [
    ['a store in memory', () => createMemoryStore()],
    ['a store that takes its time', () => withLatency(createMemoryStore(), { maxMilliseconds: 2 })],
  ] as const

  it.each(WAYS)(
    'of one token give one successor, and the chain goes on, with %s [REFR-05, F-02]',
    async (_, makeStore) => {
      const school = await createSchool({ store: makeStore() })
      let tokens = await signIn(school)
      for (let generation = 0; generation < 5; generation++) {
        const { refresh_token } = tokens
        const answers = await Promise.all(
          Array.from({ length: 50 }, () => refresh(school, refresh_token)),
        )
        const given = await Promise.all(answers.map(tokensOf))
        expect(new Set(given.map((one) => JSON.stringify(one))).size).toBe(1)
        tokens = given[0]!
      }
      expect(await isAlive(school, tokens.access_token)).toBe(true)
      const refreshed = school.events.filter(({ type }) => type === 'oauth.token.refreshed')
      expect(refreshed).toHaveLength(5)
    },
  )

  it('of one token with a strict policy give one answer at most, and end the grant [REFR-05]', async () => {
    const school = await createSchool({ options: STRICT })
    const { refresh_token } = await signIn(school)
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => refresh(school, refresh_token)),
    )
    const won = answers.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    await expectDead(school, await tokensOf(won[0]!), 'refresh_token_reused')
  })

  it('with different scopes still give one successor [REFR-05]', async () => {
    const school = await createSchool()
    const { refresh_token } = await signIn(school)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        refresh(school, refresh_token, { scope: index % 2 === 0 ? 'openid' : 'account:read' }),
      ),
    )
    const given = await Promise.all(answers.filter(({ status }) => status === 200).map(tokensOf))
    expect(given.length).toBe(10)
    expect(new Set(given.map((one) => one.refresh_token)).size).toBe(1)
    expect(new Set(given.map((one) => one.scope)).size).toBe(1)
  })

  async function race(store: Store): Promise<number> {
    const school = await createSchool({ store })
    const first = await signIn(school)
    const revocation = { token: first.refresh_token, client_id: 'study-buddy' }
    const [refreshed, revoked] = await Promise.all([
      refresh(school, first.refresh_token),
      post(school, '/api/oauth/revoke', revocation),
    ])
    expect(revoked.status).toBe(200)
    const last = refreshed.status === 200 ? await tokensOf(refreshed) : first
    await expectDead(school, last, 'client_revoked')
    expect(await isAlive(school, first.access_token)).toBe(false)
    return refreshed.status
  }

  it('racing a revocation leave nothing alive [REFR-06, F-03]', async () => {
    for (let seed = 1; seed <= 20; seed++)
      expect([200, 400]).toContain(
        await race(withLatency(createMemoryStore(), { maxMilliseconds: 5, seed })),
      )
  })

  it.each([
    ['rotateRefreshToken', 'revokeGrant', 200],
    ['revokeGrant', 'rotateRefreshToken', 400],
  ] as const)(
    'racing a revocation leave nothing alive, with %s before %s [REFR-06, F-03]',
    async (before, after, status) => {
      const store = createMemoryStore()
      let isDone = (): void => {}
      const done = new Promise<void>((resolve) => (isDone = resolve))
      const call = (verb: typeof before) => store[verb] as (...given: unknown[]) => Promise<string>
      const ordered = {
        ...store,
        [before]: (...given: unknown[]) => call(before)(...given).finally(isDone),
        [after]: (...given: unknown[]) => done.then(() => call(after)(...given)),
      }
      expect(await race(ordered)).toBe(status)
    },
  )
})

describe('a refresh in which the store fails', () => {
  it('before it wrote leaves the old token usable [REFR-16]', async () => {
    const store = withFault(createMemoryStore(), { method: 'rotateRefreshToken', times: 1 })
    const school = await createSchool({ store })
    const { refresh_token } = await signIn(school)
    const failed = await refresh(school, refresh_token)
    expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '5'])
    expect((await refresh(school, refresh_token)).status).toBe(200)
    expect(school.events.filter(({ type }) => type === 'oauth.token.refreshed')).toHaveLength(1)
  })

  it('after it wrote gives the pair at the next try, and nothing is lost [REFR-16, F-04, F-07]', async () => {
    const fault = { method: 'rotateRefreshToken', when: 'after', times: 1 } as const
    const school = await createSchool({ store: withFault(createMemoryStore(), fault) })
    const { refresh_token } = await signIn(school)
    expect((await refresh(school, refresh_token)).status).toBe(503)
    const tokens = await tokensOf(await refresh(school, refresh_token))
    expect(await isAlive(school, tokens.access_token)).toBe(true)
    expect((await refresh(school, tokens.refresh_token)).status).toBe(200)
  })

  it('while ending a grant answers 503, and ends it the next time [REFR-02]', async () => {
    const store = withFault(createMemoryStore(), { method: 'revokeGrant', times: 1 })
    const school = await createSchool({ store, options: MINUTE })
    const first = await signIn(school)
    const second = await tokensOf(await refresh(school, first.refresh_token))
    school.clock.now += 60
    expect((await refresh(school, first.refresh_token)).status).toBe(503)
    expect((await refresh(school, first.refresh_token)).status).toBe(400)
    await expectDead(school, second, 'refresh_token_reused')
  })
})

describe('the store', () => {
  it('is asked once for a token that is the newest', async () => {
    let reads = 0
    const store = createMemoryStore()
    const findRefreshToken: Store['findRefreshToken'] = (hash) => {
      reads++
      return store.findRefreshToken(hash)
    }
    const school = await createSchool({ store: { ...store, findRefreshToken } })
    const { refresh_token } = await signIn(school)
    expect((await refresh(school, refresh_token)).status).toBe(200)
    expect(reads).toBe(1)
  })
})
