import { createMemoryStore } from 'hallpass/store'
import { withFault, withLatency } from 'hallpass/testing'
import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import {
  approve,
  codeForm,
  DESK_CLI,
  DESK_REQUEST,
  encode,
  type Fields,
  generic,
  notAuthenticated,
  isAlive,
  PORTFOLIO,
  PORTFOLIO_FORM,
  reasonsOf,
  redeem,
  refresh,
  refusalOf,
  signIn,
  tokensOf,
  userinfo,
  VERIFIER,
} from '../support/school/flow.js'
import { withResult } from '../support/school/stores.js'
import { createSchool, ISSUER, OWNER, STUDENT, STUDY_BUDDY, T } from '../support/school/school.js'

const OTHER_VERIFIER = 'another-verifier-of-at-least-forty-three-characters'

describe('the exchange of a code', () => {
  it('gives a public client its tokens, in JSON that nobody caches [TOKC-01, TOKC-02, TOKC-26, IDT-12]', async () => {
    const school = await createSchool()
    const response = await redeem(school, await approve(school))
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('pragma')).toBe('no-cache')
    expect(await response.json()).toStrictEqual({
      access_token: expect.stringMatching(/^hpa_[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^hpr_[\w-]{43}$/),
      scope: 'openid account:read',
      id_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]{86}$/),
    })
  })

  it('gives a confidential client its tokens [TOKC-01]', async () => {
    const school = await createSchool()
    const tokens = await signIn(school, PORTFOLIO, { form: PORTFOLIO_FORM })
    expect(await isAlive(school, tokens.access_token)).toBe(true)
  })

  it('stores hashes and the person, client, resource and lifetimes behind them [TOKC-26, LIM-07]', async () => {
    const school = await createSchool()
    const tokens = await signIn(school)
    const found = await school.store.findAccessToken(hashToken(tokens.access_token))
    const grant = {
      grantId: expect.stringMatching(/^grant_[\w-]{43}$/),
      clientId: 'study-buddy',
      subject: STUDENT.subject,
      scopes: ['openid', 'account:read'],
      resource: ISSUER,
      redirectUri: 'http://127.0.0.1:7777/callback',
      createdAt: T,
      expiresAt: T + 180 * 86_400,
      revokedAt: null,
      revokedReason: null,
    }
    expect(found?.grant).toEqual(grant)
    expect(found?.accessToken).toMatchObject({ issuedAt: T, expiresAt: T + 3600 })
    expect(await school.store.findRefreshToken(hashToken(tokens.refresh_token))).toMatchObject({
      refreshToken: { issuedAt: T, expiresAt: T + 30 * 86_400, rotation: null },
    })
    const event = {
      at: T,
      clientId: 'study-buddy',
      subject: STUDENT.subject,
      grantId: found?.grant.grantId,
      scopes: ['openid', 'account:read'],
    }
    expect(school.events.slice(-3)).toEqual([
      { type: 'oauth.authorization.code_redeemed', ...event },
      { type: 'oauth.grant.created', ...event },
      { type: 'oauth.token.issued', ...event },
    ])
    expect((await school.store.findClient('study-buddy'))?.usedAt).toBe(T)
  })

  it('gives no ID token without openid, or where nothing is signed [TOKC-02, DISC-10]', async () => {
    expect(await signIn(await createSchool(), { scope: 'account:read' })).not.toHaveProperty(
      'id_token',
    )
    const silent = await createSchool({ signing: false })
    const tokens = await signIn(silent)
    expect(tokens).not.toHaveProperty('id_token')
    expect(await isAlive(silent, tokens.access_token)).toBe(true)
  })

  it('says which scopes were granted [TOKC-22]', async () => {
    const { scope } = await signIn(await createSchool(), {
      scope: 'account:read offline_access openid openid',
    })
    expect(scope).toBe('account:read openid')
  })

  it('gives tokens that never repeat [TOKC-26]', async () => {
    const school = await createSchool()
    const all: string[] = []
    for (let time = 0; time < 20; time++) {
      const { access_token, refresh_token } = await signIn(school)
      all.push(access_token, refresh_token)
    }
    expect(new Set(all).size).toBe(40)
  })

  it.each<[string, Fields]>([
    ['the same resource twice', { resource: [ISSUER, ISSUER] }],
    ['another spelling of the resource', { resource: `${ISSUER}/account/graphql` }],
    ['a parameter nobody knows', { extra: 'foobar', scope: 'everything' }],
    ['a parameter that is empty', { scope: '', client_secret: '' }],
  ])('takes %s [TOKC-16, TOKC-19]', async (_, changes) => {
    const school = await createSchool()
    expect((await redeem(school, await approve(school), changes)).status).toBe(200)
  })

  it.each(['', '/mcp'])(
    'has an operator client repeat the resource that it sent to the authorization endpoint: %j [TOKC-16]',
    async (path) => {
      const school = await createSchool()
      await school.store.insertClient(DESK_CLI)
      const code = await approve(school, { ...DESK_REQUEST, resource: ISSUER + path }, OWNER)
      const own = { client_id: DESK_CLI.clientId, redirect_uri: DESK_CLI.redirectUris[0]! }
      for (const resource of [null, '']) {
        const refused = await redeem(school, code, { ...own, resource })
        expect([refused.status, await refused.json()]).toMatchObject([
          400,
          { error: 'invalid_target' },
        ])
      }
      expect(reasonsOf(school)).toEqual(['resource_missing', 'resource_missing'])
      expect((await redeem(school, code, own)).status).toBe(200)
    },
  )

  it('needs no resource of an operator client', async () => {
    const school = await createSchool()
    await school.store.insertClient(DESK_CLI)
    const form = { resource: null }
    const tokens = await signIn(
      school,
      { ...DESK_REQUEST, resource: null },
      { person: OWNER, form },
    )
    expect(await isAlive(school, tokens.access_token)).toBe(true)
  })

  it('works until the code is 60 seconds old, and not a second longer [TOKC-05, D-03]', async () => {
    const school = await createSchool()
    const late = await approve(school)
    const inTime = await approve(school)
    school.clock.now = T + 59
    expect((await redeem(school, inTime)).status).toBe(200)
    school.clock.now = T + 60
    expect(await refusalOf(await redeem(school, late))).toEqual(generic('invalid_grant'))
    expect(reasonsOf(school)).toEqual(['code_expired'])
  })
})

describe('a code that is shown wrongly', () => {
  const WRONG: readonly [string, Fields, ReturnType<typeof generic> | string, string][] = [
    ['by another public client [TOKC-06]', { client_id: 'reader' }, generic('invalid_grant'), 'code_of_other_client'],
    ['by a confidential client [TOKC-06]', PORTFOLIO_FORM, generic('invalid_grant'), 'code_of_other_client'],
    ['with another redirect URI [TOKC-07]', { redirect_uri: 'http://127.0.0.1:7777/' }, generic('invalid_grant'), 'redirect_uri_mismatch'],
    ['with another loopback port [TOKC-07]', { redirect_uri: 'http://127.0.0.1:7778/callback' }, generic('invalid_grant'), 'redirect_uri_mismatch'],
    ['with another verifier [TOKC-08]', { code_verifier: OTHER_VERIFIER }, generic('invalid_grant'), 'code_verifier_mismatch'],
    ['with the challenge as verifier [TOKC-08]', { code_verifier: hashToken(VERIFIER) }, generic('invalid_grant'), 'code_verifier_mismatch'],
    ['with a verifier of 42 characters [TOKC-08]', { code_verifier: 'v'.repeat(42) }, 'invalid_request', 'code_verifier_malformed'],
    ['with a verifier of 129 characters [TOKC-08]', { code_verifier: 'v'.repeat(129) }, 'invalid_request', 'code_verifier_malformed'],
    ['with a verifier of other characters [TOKC-08]', { code_verifier: `${'v'.repeat(43)}+` }, 'invalid_request', 'code_verifier_malformed'],
    ['without a verifier [TOKC-08]', { code_verifier: null }, generic('invalid_grant'), 'code_verifier_missing'],
    ['with an empty verifier [TOKC-08]', { code_verifier: '' }, generic('invalid_grant'), 'code_verifier_missing'],
    ['without a redirect URI [TOKC-03]', { redirect_uri: null }, 'invalid_request', 'redirect_uri_missing'],
    ['by a member client without resource [TOKC-16]', { resource: null }, 'invalid_target', 'resource_missing'],
    ['with another resource [TOKC-16]', { resource: 'https://other.example' }, generic('invalid_grant'), 'resource_mismatch'],
    ['with one resource too many [TOKC-16]', { resource: [ISSUER, 'https://other.example'] }, generic('invalid_grant'), 'resource_mismatch'],
    ['by a client that is switched off [TOKC-15]', { client_id: 'off' }, notAuthenticated('no secret'), 'client_disabled'],
  ] // prettier-ignore

  it.each(WRONG)(
    '%s is refused and stays alive for its owner',
    async (_, changes, answer, reason) => {
      const school = await createSchool()
      await school.store.insertClient({ ...STUDY_BUDDY, clientId: 'reader' })
      await school.store.insertClient({ ...STUDY_BUDDY, clientId: 'off', disabled: true })
      const code = await approve(school)
      const expected =
        typeof answer === 'string'
          ? [
              400,
              {
                error: answer,
                error_description: expect.stringMatching(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/),
              },
            ]
          : answer
      expect(await refusalOf(await redeem(school, code, changes))).toEqual(expected)
      expect(reasonsOf(school)).toEqual([reason])
      expect((await redeem(school, code)).status).toBe(200)
    },
  )

  it.each([
    'hpc_'.padEnd(47, 'A'),
    'garbage',
    "' OR 1=1--",
    '{"$gt":""}',
    '\u0000',
    '__proto__',
    'x'.repeat(8000),
  ])('is unknown: %.30j [TOKC-05, ST-04]', async (code) => {
    const school = await createSchool()
    expect(await refusalOf(await redeem(school, code))).toEqual(generic('invalid_grant'))
    expect(reasonsOf(school)).toEqual(['code_unknown'])
  })

  it.each([null, ''])('is missing: %j [TOKC-03]', async (code) => {
    const school = await createSchool()
    expect(await refusalOf(await redeem(school, 'x', { code }))).toEqual([
      400,
      { error: 'invalid_request', error_description: 'code is required' },
    ])
  })

  it('whose challenge the store has lost is refused, whatever the verifier [TOKC-09]', async () => {
    for (const lost of ['', undefined, null]) {
      const codeChallenge = lost as string
      const lossy = withResult(
        createMemoryStore(),
        'findCode',
        (code) => code && { ...code, codeChallenge },
      )
      const school = await createSchool({ store: lossy })
      const code = await approve(school)
      const answer = await redeem(school, code)
      if (lost !== '') {
        expect([answer.status, school.faults]).toMatchObject([
          503,
          [{ fault: { message: expect.stringContaining('findCode returned codeChallenge') } }],
        ])
        continue
      }
      expect(await refusalOf(answer)).toEqual(generic('invalid_grant'))
      expect(reasonsOf(school)).toEqual(['code_challenge_lost'])
    }
  })
})

describe('a code that is shown again', () => {
  it.each([0, 1, 4, 5])(
    '%i seconds later is refused and ends nothing [TOKC-10, F-01]',
    async (seconds) => {
      const school = await createSchool()
      const code = await approve(school)
      const tokens = await tokensOf(await redeem(school, code))
      const events = school.events.length
      school.clock.now += seconds
      expect(await refusalOf(await redeem(school, code))).toEqual(generic('invalid_grant'))
      expect(reasonsOf(school)).toEqual(['code_lost_race'])
      expect(school.events).toHaveLength(events)
      expect(await isAlive(school, tokens.access_token)).toBe(true)
      expect((await refresh(school, tokens.refresh_token)).status).toBe(200)
    },
  )

  it.each([6, 30, 3600])('%i seconds later ends the grant [TOKC-10]', async (seconds) => {
    const school = await createSchool()
    const code = await approve(school)
    const tokens = await tokensOf(await redeem(school, code))
    school.clock.now += seconds
    expect(await refusalOf(await redeem(school, code))).toEqual(generic('invalid_grant'))
    const access = await userinfo(school, tokens.access_token)
    expect(await refusalOf(access)).toEqual(generic('invalid_token'))
    expect(await refusalOf(await refresh(school, tokens.refresh_token))).toEqual(
      generic('invalid_grant'),
    )
    const { grant } = (await school.store.findAccessToken(hashToken(tokens.access_token)))!
    expect(grant).toMatchObject({ revokedAt: T + seconds, revokedReason: 'code_replayed' })
    expect(school.events).toContainEqual({
      type: 'oauth.authorization.code_replayed',
      at: T + seconds,
      clientId: 'study-buddy',
      grantId: grant.grantId,
    })
  })

  it('every second ends the grant once five seconds have passed since the first use [TOKC-10]', async () => {
    const school = await createSchool()
    const code = await approve(school)
    const { access_token } = await tokensOf(await redeem(school, code))
    const alive: boolean[] = []
    for (let seconds = 0; seconds < 8; seconds++) {
      school.clock.now = T + seconds
      await redeem(school, code)
      alive.push(await isAlive(school, access_token))
    }
    expect(alive).toEqual([true, true, true, true, true, true, false, false])
  })

  it('is judged by the time at which the first use was stored, not by its arrival [TOKC-10]', async () => {
    // A slow directory: an exchange takes 20 seconds.
    let isSlow = false
    const school = await createSchool({
      options: {
        findPerson: async () => {
          if (isSlow) school.clock.now += 20
          return STUDENT
        },
      },
    })
    const code = await approve(school)
    isSlow = true
    const { access_token } = await tokensOf(await redeem(school, code))
    isSlow = false
    school.clock.now = T + 25
    expect((await redeem(school, code)).status).toBe(400)
    expect(await isAlive(school, access_token)).toBe(true)
    school.clock.now = T + 26
    expect((await redeem(school, code)).status).toBe(400)
    expect(await isAlive(school, access_token)).toBe(false)
  })

  it('half a minute later ends what was refreshed in between as well [TOKC-10]', async () => {
    const school = await createSchool()
    const code = await approve(school)
    const first = await tokensOf(await redeem(school, code))
    const second = await tokensOf(await refresh(school, first.refresh_token))
    school.clock.now += 30
    await redeem(school, code)
    expect(await isAlive(school, second.access_token)).toBe(false)
    expect((await refresh(school, second.refresh_token)).status).toBe(400)
  })

  it.each<[string, Fields]>([
    ['without the verifier', { code_verifier: OTHER_VERIFIER }],
    ['by another client', { client_id: 'reader' }],
    ['with another redirect URI', { redirect_uri: 'http://127.0.0.1:1/callback' }],
  ])('%s ends nothing [TOKC-11]', async (_, changes) => {
    const school = await createSchool()
    await school.store.insertClient({ ...STUDY_BUDDY, clientId: 'reader' })
    const code = await approve(school)
    const tokens = await tokensOf(await redeem(school, code))
    for (const seconds of [0, 6, 30]) {
      school.clock.now = T + seconds
      expect((await redeem(school, code, changes)).status).toBe(400)
    }
    expect(await isAlive(school, tokens.access_token)).toBe(true)
  })

  it('but guessed in part, ends nothing [TOKC-11]', async () => {
    const school = await createSchool()
    const code = await approve(school)
    const tokens = await tokensOf(await redeem(school, code))
    school.clock.now += 30
    for (const guess of [code.slice(0, -1), `${code}A`, code.toLowerCase(), `${code} `])
      expect((await redeem(school, guess)).status).toBe(400)
    expect(await isAlive(school, tokens.access_token)).toBe(true)
  })

  it('half a minute later answers 503 where the grant cannot be ended, and ends it the next time [TOKC-10]', async () => {
    const store = withFault(createMemoryStore(), { method: 'revokeGrant', times: 1 })
    const school = await createSchool({ store })
    const code = await approve(school)
    const tokens = await tokensOf(await redeem(school, code))
    school.clock.now += 30
    expect((await redeem(school, code)).status).toBe(503)
    expect((await redeem(school, code)).status).toBe(400)
    expect(await isAlive(school, tokens.access_token)).toBe(false)
  })
})

describe('a code that is shown 50 times at once', () => {
  const WAYS = [
    ['a store in memory', () => createMemoryStore()],
    ['a store that takes its time', () => withLatency(createMemoryStore(), { maxMilliseconds: 2 })],
  ] as const

  it.each(WAYS)('is redeemed once, with %s [TOKC-12]', async (_, makeStore) => {
    const school = await createSchool({ store: makeStore() })
    const code = await approve(school)
    const answers = await Promise.all(Array.from({ length: 50 }, () => redeem(school, code)))
    const won = answers.filter(({ status }) => status === 200)
    const lost = answers.filter(({ status }) => status !== 200)
    expect([won.length, lost.length]).toEqual([1, 49])
    for (const answer of lost) expect(await refusalOf(answer)).toEqual(generic('invalid_grant'))
  })
})

describe('a person who changes between code and exchange', () => {
  it.each([
    ['is gone or suspended', null, {}, 'person_gone'],
    ['has no role any more', { ...STUDENT, roles: [] }, {}, 'person_has_no_role'],
    ['is not staff any more', { ...OWNER, roles: ['student'] }, DESK_REQUEST, 'person_not_staff'],
  ] as const)(
    'and %s gives no tokens, until it is undone [TOKC-23]',
    async (_, changed, request, reason) => {
      const school = await createSchool()
      await school.store.insertClient(DESK_CLI)
      const person = 'client_id' in request ? OWNER : STUDENT
      const code = await approve(school, request, person)
      const form = 'client_id' in request ? { ...request, scope: null } : {}
      if (changed === null) school.people.delete(person.subject)
      else school.people.set(person.subject, changed)
      expect(await refusalOf(await redeem(school, code, form))).toEqual(generic('invalid_grant'))
      expect(reasonsOf(school)).toEqual([reason])
      school.people.set(person.subject, person)
      expect((await redeem(school, code, form)).status).toBe(200)
    },
  )
})

describe('an exchange in which something fails', () => {
  it('leaves the code alive where nothing was written [F-05, F-07]', async () => {
    const store = withFault(createMemoryStore(), { method: 'redeemCode', times: 1 })
    const school = await createSchool({ store })
    const code = await approve(school)
    expect((await redeem(school, code)).status).toBe(503)
    expect((await redeem(school, code)).status).toBe(200)
    expect(school.events.filter(({ type }) => type === 'oauth.grant.created')).toHaveLength(1)
  })

  it('ends the grant where only the answer was lost and the code comes again after five seconds [F-04, F-06]', async () => {
    const store = withFault(createMemoryStore(), { method: 'redeemCode', when: 'after', times: 1 })
    const school = await createSchool({ store })
    const code = await approve(school)
    expect((await redeem(school, code)).status).toBe(503)
    school.clock.now += 6
    expect(await refusalOf(await redeem(school, code))).toEqual(generic('invalid_grant'))
    expect(school.events.at(-1)).toMatchObject({ type: 'oauth.authorization.code_replayed' })
  })

  it('leaves the code alive if the client has disconnected meanwhile [F-40]', async () => {
    const store = createMemoryStore()
    const gone = new AbortController()
    const findCode: typeof store.findCode = (hash) => {
      gone.abort()
      return store.findCode(hash)
    }
    const school = await createSchool({ store: { ...store, findCode } })
    const code = await approve(school)
    const init = { method: 'POST', body: encode(codeForm(code)), signal: gone.signal }
    expect((await school.fetch(`${ISSUER}/api/oauth/token`, init)).status).toBe(400)
    expect((await redeem(school, code)).status).toBe(200)
  })

  it('leaves the code alive where the signer fails [F-07]', async () => {
    let broken = true
    const signer = {
      kid: 'k',
      sign: () => {
        if (broken) throw new Error('the KMS is away')
        return 'a.b.c'
      },
    }
    const keys = {
      jwks: async () => ({ keys: [] }),
      signer: async () => signer,
      refreshSecrets: () => [],
    }
    const school = await createSchool({ options: { keys } })
    const code = await approve(school)
    const answer = await redeem(school, code)
    expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining('KMS')])
    broken = false
    expect((await tokensOf(await redeem(school, code))).id_token).toBe('a.b.c')
  })
})
