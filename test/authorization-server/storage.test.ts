import { REFRESH_POLICY } from 'hallpass/policy'
import { createMemoryStore, type Store } from 'hallpass/store'
import { withLatency } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import { sha256Base64url } from '../../src/encoding/hash.js'
import { createDocumentSchool, NOTES_REQUEST } from '../support/school/metadata-documents.js'
import {
  approve,
  authorizationUrl,
  DESK_CLI,
  DESK_REQUEST,
  isAlive,
  post,
  redeem,
  refresh,
  signIn,
  type Tokens,
  tokensOf,
  userinfo,
} from '../support/school/flow.js'
import { breakableStore, recordingStore } from '../support/school/stores.js'
import { rounds } from '../support/run/rounds.js'
import {
  createBrowser,
  createSchool,
  ISSUER,
  OWNER,
  PORTFOLIO_SECRET,
  type School,
  STUDENT,
  T,
} from '../support/school/school.js'

/** One flow with everything secret in it, from the first redirect to the last revocation. */
async function flow(school: School, number: number): Promise<readonly string[]> {
  const secrets: string[] = []
  const keep = (secret: string): string => {
    secrets.push(secret)
    return secret
  }
  const verifier = keep(`verifier-number-${number}-of-more-than-43-characters`)
  const confidential = number % 2 === 1
  const clientId = confidential ? 'portfolio-hub' : 'study-buddy'
  const client = { client_id: clientId, client_secret: confidential ? PORTFOLIO_SECRET : null }

  school.signedIn = { subject: STUDENT.subject, authTime: T }
  const url = authorizationUrl({
    client_id: clientId,
    code_challenge: sha256Base64url(verifier),
    prompt: 'consent',
  })
  const started = await school.fetch(url)
  const cookie = started.headers.getSetCookie()[0]!.split(';', 1)[0]!
  keep(cookie.split('=', 2)[1]!)
  const action = started.headers.get('location')!
  keep(action.slice(action.lastIndexOf('/') + 1))
  await school.fetch(ISSUER + action, { headers: { cookie } })
  if (school.view?.page !== 'consent') throw new Error('no consent page')
  const csrf_token = keep(school.view.view.csrfToken)
  const answer = await post(school, action, { csrf_token, decision: 'allow' }, { cookie })
  const code = keep(new URL(answer.headers.get('location')!).searchParams.get('code')!)

  await redeem(school, code, {
    ...client,
    code_verifier: 'a-wrong-verifier-of-more-than-43-characters-is-kept',
  })
  keep('a-wrong-verifier-of-more-than-43-characters-is-kept')
  const keepTokens = ({ access_token, refresh_token, id_token }: Tokens): Tokens => {
    for (const token of [access_token, refresh_token, id_token]) if (token) keep(token)
    return { access_token, refresh_token } as Tokens
  }
  const first = keepTokens(
    await tokensOf(await redeem(school, code, { ...client, code_verifier: verifier })),
  )
  const second = keepTokens(await tokensOf(await refresh(school, first.refresh_token, client)))
  keepTokens(await tokensOf(await refresh(school, first.refresh_token, client)))
  await userinfo(school, second.access_token)
  await userinfo(school, keep(`hpa_${'wrong'.repeat(9)}`))
  await post(school, '/api/oauth/introspect', {
    token: second.access_token,
    client_id: 'portfolio-hub',
    client_secret: PORTFOLIO_SECRET,
  })
  await post(school, '/api/oauth/token', {
    grant_type: 'x',
    client_id: clientId,
    client_secret: keep('a wrong secret that nobody may log'),
  })
  await redeem(school, 'x', {
    client_id: 'portfolio-hub',
    client_secret: 'a wrong secret that nobody may log',
  })
  if (number % 3 === 0) await redeem(school, code, { ...client, code_verifier: verifier })
  if (number % 3 === 1)
    await post(school, '/api/oauth/revoke', { token: second.refresh_token, ...client })
  return secrets
}

// What a flow does repeats every six.
const FLOWS = rounds(60, { soak: 1000 })

describe(`after ${FLOWS} flows`, () => {
  it('neither the store nor anything the operator hears holds a secret in clear [ST-01, LOG-01]', async () => {
    const { store: recorded, calls } = recordingStore()
    const { store, fail } = breakableStore(recorded)
    const school = await createSchool({ store })
    let seen = 0
    let before: readonly string[] = []
    for (let number = 0; number < FLOWS; number++) {
      const secrets = [...(await flow(school, number)), PORTFOLIO_SECRET]
      fail('redeemCode')
      const code = await approve(school)
      expect((await redeem(school, code)).status).toBe(503)
      fail(null)
      const faults = school.faults.flatMap(({ fault }) => {
        const { stack, cause } = fault as Error
        return [String(fault), stack, String(cause), (cause as Error).stack]
      })
      const heard = JSON.stringify([calls, school.events, school.refusals, faults])
      expect([...before, ...secrets, code].filter((secret) => heard.includes(secret))).toEqual([])
      // Prefixes of every kind of token, private members of a key, headers and cookies.
      expect(heard).not.toMatch(/(?<![\w-])hp[cars]_|"d\\?":|Bearer |Basic |__Host-/)
      expect(heard).toContain(sha256Base64url(code))
      seen += secrets.length
      before = secrets
      for (const list of [calls, school.events, school.refusals, school.faults]) list.length = 0
    }
    expect(seen).toBeGreaterThan(10 * FLOWS)
  })
})

describe('the secret of a registered client', () => {
  it('is in the answer alone [ST-01, REG-02]', async () => {
    const { store, calls } = recordingStore()
    const school = await createSchool({ store })
    const response = await school.fetch(`${ISSUER}/api/oauth/register`, {
      method: 'POST',
      body: '{"redirect_uris":["http://127.0.0.1/"],"token_endpoint_auth_method":"client_secret_post"}',
      headers: { 'content-type': 'application/json' },
    })
    const { client_secret } = (await response.json()) as { client_secret: string }
    const heard = JSON.stringify([calls, school.events])
    expect(heard).not.toContain(client_secret)
    expect(heard).toContain(sha256Base64url(client_secret))
  })
})

describe('what the operator hears', () => {
  const typesOf = (events: readonly { readonly type: string }[]): readonly string[] =>
    events.map(({ type }) => type.replace('oauth.', ''))

  it('is each thing that happened, with time, client and person [LOG-02]', async () => {
    const options = { refreshPolicies: { native: REFRESH_POLICY.lostResponse } }
    const school = await createSchool({ options })
    await school.fetch(`${ISSUER}/api/oauth/register`, {
      method: 'POST',
      body: '{"redirect_uris":["http://127.0.0.1/"]}',
      headers: { 'content-type': 'application/json' },
    })
    const code = await approve(school)
    const first = await tokensOf(await redeem(school, code))
    const second = await tokensOf(await refresh(school, first.refresh_token))
    await refresh(school, first.refresh_token)
    await post(school, '/api/oauth/revoke', {
      token: second.access_token,
      client_id: 'study-buddy',
    })
    school.clock.now += 60
    await refresh(school, first.refresh_token)
    await redeem(school, code)
    const other = await signIn(school)
    await post(school, '/api/oauth/revoke', {
      token: other.refresh_token,
      client_id: 'study-buddy',
    })
    await createBrowser(school).authorize(authorizationUrl(), 'deny')
    expect(typesOf(school.events)).toEqual([
      'client.registered',
      'authorization.requested',
      'authorization.approved',
      'authorization.code_redeemed',
      'grant.created',
      'token.issued',
      'token.refreshed',
      'grant.reuse_recovered',
      'token.revoked',
      'grant.reuse_detected',
      'authorization.code_replayed',
      'authorization.requested',
      'authorization.approved',
      'authorization.code_redeemed',
      'grant.created',
      'token.issued',
      'grant.revoked',
      'authorization.requested',
      'authorization.denied',
    ])
    for (const event of school.events) {
      expect(event.at).toBe(school.events.indexOf(event) < 9 ? T : T + 60)
      expect(event).toMatchObject({
        clientId: expect.stringMatching(/^(study-buddy|app_[\w-]{43})$/),
      })
      if ('subject' in event) expect(event.subject).toBe(STUDENT.subject)
    }
    const grants = new Set(
      school.events.map((event) => ('grantId' in event ? event.grantId : null)),
    )
    expect(grants.size).toBe(3)
  })

  it('is why each request was refused, where, and which client it named [LOG-02]', async () => {
    const school = await createSchool()
    const { access_token } = await signIn(school, { scope: 'account:read' })
    await school.fetch(authorizationUrl({ client_id: 'nobody' }))
    await school.fetch(authorizationUrl({ scope: 'courses:read' }))
    await school.fetch(`${ISSUER}/oauth/interaction/x`)
    await redeem(school, 'x', { client_id: 'portfolio-hub', client_secret: 'wrong' })
    await redeem(school, 'x')
    await userinfo(school, access_token)
    await post(school, '/api/oauth/revoke', { client_id: 'study-buddy' })
    await post(school, '/api/oauth/introspect', { token: 'x', client_id: 'study-buddy' })
    const refused = (endpoint: string, error: string, reason: string, clientId: string | null) =>
      ({ at: T, endpoint, error, reason, clientId }) // prettier-ignore
    expect(school.refusals).toEqual([
      refused('authorize', 'invalid_client', 'client_unknown', 'nobody'),
      refused('authorize', 'invalid_scope', 'scope_of_other_audience', 'study-buddy'),
      refused('interaction', 'invalid_request', 'interaction_expired', null),
      refused('token', 'invalid_client', 'client_secret_mismatch', 'portfolio-hub'),
      refused('token', 'invalid_grant', 'code_unknown', 'study-buddy'),
      refused('userinfo', 'insufficient_scope', 'scope_not_granted', 'study-buddy'),
      refused('revoke', 'invalid_request', 'token_missing', 'study-buddy'),
      refused('introspect', 'invalid_client', 'client_not_confidential', 'study-buddy'),
    ])
  })

  it('names the request of each thing that happened, as its response does [LOG-09]', async () => {
    let request = ''
    const heard: string[] = []
    const { school } = await createDocumentSchool({
      options: {
        requestIdOf: () => request,
        refreshPolicies: { native: REFRESH_POLICY.lostResponse },
        onEvent: (event) =>
          heard.push(`${'requestId' in event ? event.requestId : null} ${event.type}`),
      },
    })
    const during = async <Result>(name: string, run: () => Promise<Result>): Promise<Result> => {
      request = name
      return run()
    }
    const revoke = (token: string): Promise<Response> =>
      post(school, '/api/oauth/revoke', { token, client_id: 'study-buddy' })
    await during('register', () =>
      school.fetch(`${ISSUER}/api/oauth/register`, {
        method: 'POST',
        body: '{"redirect_uris":["http://127.0.0.1/"]}',
        headers: { 'content-type': 'application/json' },
      }),
    )
    await during('document', () => school.fetch(authorizationUrl(NOTES_REQUEST)))
    const code = await during('approve', () => approve(school))
    const first = await during('redeem', async () => tokensOf(await redeem(school, code)))
    const second = await during('refresh', async () =>
      tokensOf(await refresh(school, first.refresh_token)),
    )
    await during('repeat', () => refresh(school, first.refresh_token))
    await during('revoke', () => revoke(second.access_token))
    school.clock.now += 60
    await during('reuse', () => refresh(school, first.refresh_token))
    await during('replay', () => redeem(school, code))
    const other = await during('again', () => signIn(school))
    await during('revoke-all', () => revoke(other.refresh_token))
    await during('deny', () => createBrowser(school).authorize(authorizationUrl(), 'deny'))
    expect(heard).toEqual([
      'register oauth.client.registered',
      'document oauth.client.cimd.fetched',
      'document oauth.authorization.requested',
      'approve oauth.authorization.requested',
      'approve oauth.authorization.approved',
      'redeem oauth.authorization.code_redeemed',
      'redeem oauth.grant.created',
      'redeem oauth.token.issued',
      'refresh oauth.token.refreshed',
      'repeat oauth.grant.reuse_recovered',
      'revoke oauth.token.revoked',
      'reuse oauth.grant.reuse_detected',
      'replay oauth.authorization.code_replayed',
      'again oauth.authorization.requested',
      'again oauth.authorization.approved',
      'again oauth.authorization.code_redeemed',
      'again oauth.grant.created',
      'again oauth.token.issued',
      'revoke-all oauth.grant.revoked',
      'deny oauth.authorization.requested',
      'deny oauth.authorization.denied',
    ])
  })

  it('is free of control characters in the names that clients give themselves [LOG-03]', async () => {
    const school = await createSchool()
    for (const name of ['a\r\nb', '\u001b[31mred', 'x\u0000', '\u2028', '{"a":1}'])
      await school.fetch(`${ISSUER}/api/oauth/register`, {
        method: 'POST',
        body: JSON.stringify({ redirect_uris: ['http://127.0.0.1/'], client_name: name }),
        headers: { 'content-type': 'application/json' },
      })
    expect(school.events).toMatchObject([{ clientName: '{"a":1}' }])
    expect(school.refusals.map(({ reason }) => reason)).toEqual(
      Array<string>(4).fill('client_name_malformed'),
    )
  })
})

describe('rows that have expired', () => {
  it('are refused by the clock, whether or not anybody purged them [ST-03]', async () => {
    for (const purges of [false, true]) {
      const school = await createSchool()
      const code = await approve(school)
      const { access_token, refresh_token } = await signIn(school)
      const browser = createBrowser(school)
      await browser.open(authorizationUrl())
      if (school.view?.page !== 'consent') throw new Error('no consent page')
      const { action, csrfToken } = school.view.view
      school.clock.now = T + 180 * 86_400
      if (purges)
        expect((await school.store.purge({ now: school.clock.now, limit: 100 })).rows).toBe(6)
      expect((await redeem(school, code)).status).toBe(400)
      expect((await refresh(school, refresh_token)).status).toBe(400)
      expect(await isAlive(school, access_token)).toBe(false)
      const answer = await browser.post(action, { csrf_token: csrfToken, decision: 'allow' })
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
    }
  })
})

describe('two processes with one store', () => {
  const pair = async (store: Store = createMemoryStore()): Promise<readonly [School, School]> => [
    await createSchool({ store }),
    await createSchool({ store }),
  ]

  it('are one server: what one began, the other ends [ST-05]', async () => {
    const [here, there] = await pair()
    await here.store.insertClient(DESK_CLI)
    const code = await approve(here, DESK_REQUEST, OWNER)
    const form = { client_id: DESK_CLI.clientId, redirect_uri: DESK_CLI.redirectUris[0]! }
    const first = await tokensOf(await redeem(there, code, form))
    expect(await isAlive(here, first.access_token)).toBe(true)
    const second = await tokensOf(await refresh(here, first.refresh_token, form))
    await post(there, '/api/oauth/revoke', { token: second.refresh_token, ...form })
    expect(await isAlive(here, second.access_token)).toBe(false)
    const jwks = await Promise.all(
      [here, there].map(async (school) =>
        (await school.fetch(`${ISSUER}/.well-known/jwks.json`)).text(),
      ),
    )
    expect(jwks[0]).toBe(jwks[1])
  })

  it('redeem a code once and rotate a token once between them [ST-05, F-02]', async () => {
    for (let round = 0; round < 10; round++) {
      const store = withLatency(createMemoryStore(), { maxMilliseconds: 1, seed: round + 1 })
      const schools = await pair(store)
      const each = <Value>(call: (school: School) => Promise<Value>): Promise<Value[]> =>
        Promise.all(Array.from({ length: 16 }, (_, index) => call(schools[index % 2]!)))
      const code = await approve(schools[0])
      const redeemed = await each((school) => redeem(school, code))
      expect(redeemed.filter(({ status }) => status === 200)).toHaveLength(1)
      const { refresh_token } = await signIn(schools[1])
      const refreshed = await Promise.all(
        (await each((school) => refresh(school, refresh_token))).map(tokensOf),
      )
      expect(new Set(refreshed.map((tokens) => tokens.refresh_token)).size).toBe(1)
    }
  })
})
