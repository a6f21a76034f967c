import fc from 'fast-check'
import {
  type Attempt,
  createAttempts,
  createMemoryAttempts,
  explanationOf,
  recordAttempts,
} from 'hallpass/clients'
import { maintain } from 'hallpass/operations'
import { createKeyRing } from 'hallpass/token'
import { authorizeBearer, createProtectedResource } from 'hallpass'
import { createMemoryStore } from 'hallpass/store'
import { describe, expect, it } from 'vitest'
import {
  approve,
  authorizationUrl,
  codeForm,
  DESK_CLI,
  DESK_REQUEST,
  PORTFOLIO,
  PORTFOLIO_FORM,
  post,
  redeem,
  refresh,
  STATE,
  tokensOf,
  userinfo,
  VERIFIER,
} from '../support/school/flow.js'
import { NOTES_REQUEST } from '../support/school/metadata-documents.js'
import { createBrowser, createSchool, ISSUER, OWNER, STUDENT, T } from '../support/school/school.js'
import { storeWithoutNul } from '../support/school/stores.js'
import { waitFor } from '../support/processes/wait.js'
import { rounds } from '../support/run/rounds.js'
import { recorderOf, register, stagesOf, watchedSchool } from './support.js'

const ID = /^att_[\w-]{16}$/

describe('the record of an attempt', () => {
  it('is found by no text that a database does not take', async () => {
    const attempts = storeWithoutNul(createMemoryAttempts())
    const { manager, ...school } = await watchedSchool({
      options: { watchers: [recordAttempts(attempts)] },
    })
    expect(await school.attempts.explainAttempt(manager, 'att_a\0')).toBeNull()
    for (const asked of [{ search: 'a\0b' }, { clientId: 'a\0' }, { before: '1.att_\0' }])
      expect((await school.attempts.list(manager, asked)).attempts).toEqual([])
  })

  it('has every stage from registration to the first call [ATT-01]', async () => {
    const school = await watchedSchool()
    await school.fetch(`${ISSUER}/.well-known/oauth-authorization-server`)
    const registered = await register(school, {
      client_name: 'Desk',
      redirect_uris: ['http://127.0.0.1/cb'],
    })
    const { client_id } = (await registered.json()) as { client_id: string }
    const request = {
      client_id,
      redirect_uri: 'http://127.0.0.1:5000/cb',
      scope: 'openid courses:read',
    }
    const browser = createBrowser(school)
    await browser.open(authorizationUrl(request))
    school.signedIn = { subject: OWNER.subject, authTime: T }
    const callback = await browser.authorize(authorizationUrl(request))
    expect(callback.searchParams.get('error')).toBeNull()
    const code = callback.searchParams.get('code')!
    const tokens = await tokensOf(
      await redeem(school, code, { client_id, redirect_uri: request.redirect_uri }),
    )
    expect((await userinfo(school, tokens.access_token)).status).toBe(200)
    await userinfo(school, tokens.access_token)

    const [second, first, ...others] = (await school.all()).toSorted(
      (one, other) => one.steps.length - other.steps.length,
    )
    expect(others).toEqual([])
    expect([second, first].map((attempt) => stagesOf(attempt!))).toEqual([
      ['discovery', 'registration', 'authorize', 'sign_in'],
      ['authorize', 'consent', 'code', 'token', 'first_call'],
    ])
  })

  it('is the one that the error page shows, and that each hook names [ATT-02]', async () => {
    const school = await watchedSchool()
    await school.fetch(authorizationUrl({ redirect_uri: 'https://evil.example/cb?token=hidden' }))
    const { view } = school.view as { view: { attemptId: string } }
    expect(view.attemptId).toMatch(ID)
    expect(school.refusals).toMatchObject([{ attemptId: view.attemptId }])
    const found = await school.attempts.explainAttempt(school.manager, ` ${view.attemptId} `)
    expect(found!.explanation).toEqual({
      id: view.attemptId,
      outcome: 'stopped',
      stage: 'authorize',
      reason: 'redirect_uri_not_registered',
      sentence:
        'At its authorization request, “Study Buddy” was refused. `redirect_uri` is not equal to a registered one, character by character. Only the port of a loopback address may differ. Shown on a page. (“sent an address at https://evil.example, registered: http://127.0.0.1:7777”)',
      turn: 'client',
      change: 'Send a registered redirect URI, or register this one.',
    })
    school.clock.now += 1
    await approve(school)
    const events = school.events.filter(({ type }) => type.startsWith('oauth.authorization'))
    const ids = events.map((event) => ('attemptId' in event ? event.attemptId : null))
    expect(new Set(ids)).toEqual(new Set([(await school.all())[0]!.id]))
    expect(ids).not.toContain(view.attemptId)
  })

  it('joins the steps of one request, and no others [ATT-01]', async () => {
    const school = await watchedSchool()
    const code = await approve(school)
    await post(school, '/api/oauth/token', codeForm(code, { client_id: 'portfolio-hub' }))
    await post(school, '/api/oauth/token', codeForm(code, { code_verifier: `${VERIFIER}x` }))
    await redeem(school, code)
    expect(stagesOf(await school.only())).toEqual([
      'authorize',
      'consent',
      'code',
      'token client_secret_missing',
      'token code_verifier_mismatch',
      'token',
    ])
    expect((await school.only()).explanation).toMatchObject({
      outcome: 'connected',
      stage: 'token',
    })
  })

  it('has no step for a refresh, and none for a call long after the consent [ATT-01]', async () => {
    const school = await watchedSchool()
    const tokens = await tokensOf(await redeem(school, await approve(school)))
    await refresh(school, tokens.refresh_token, { client_id: 'nobody' })
    await refresh(school, 'hpr_unknown')
    school.clock.now += 3600
    await userinfo(school, tokens.access_token)
    expect(stagesOf(await school.only())).toEqual(['authorize', 'consent', 'code', 'token'])
  })

  it('holds no secret, nothing of the person and no address [ATT-03]', async () => {
    const school = await watchedSchool()
    const code = await approve(school, { login_hint: 'mei@private.example', nonce: 'nonce-7' })
    const tokens = await tokensOf(await redeem(school, code))
    await userinfo(school, tokens.access_token)
    await school.fetch(
      authorizationUrl({ redirect_uri: 'https://evil.example/path-7?token=hidden-7#f' }),
    )
    await post(school, '/api/oauth/token', {
      ...codeForm('hpc_a-code'),
      client_id: 'portfolio-hub',
      client_secret: 'wrong-7',
    })
    const text = JSON.stringify(await school.all())
    const secrets = [code, tokens.access_token, tokens.refresh_token, STATE, VERIFIER]
    const people = [STUDENT.subject, STUDENT.name, STUDENT.email, 'private.example']
    const others = ['nonce-7', 'hpc_', 'hpa_', 'path-7', 'hidden-7', 'wrong-7', '203.0.113.7']
    for (const value of [...secrets, ...people, ...others]) expect(text).not.toContain(value)
    expect(text).toContain('evil.example')
  })

  it('has a hash of the network, whose key changes every day [ATT-04]', async () => {
    const school = await watchedSchool()
    const visit = async (): Promise<string | null> => {
      await school.fetch(authorizationUrl())
      return (await school.all())[0]!.network
    }
    const first = await visit()
    expect(first).toMatch(/^[\w-]{16}$/)
    school.clock.now += 1
    expect(await visit()).toBe(first)
    school.clock.now += 86_400
    expect(await visit()).not.toBe(first)
    school.network = null
    school.clock.now += 1
    expect(await visit()).toBeNull()
  })

  it('goes 30 days after its last step [ATT-04]', async () => {
    const school = await watchedSchool()
    const keys = createKeyRing(school.site, {
      sealingSecret: 'a sealing secret of thirty-two characters',
    })
    await maintain(school.site, { keys })
    await school.fetch(authorizationUrl())
    for (let hour = 0; hour < 30 * 24; hour++) {
      school.clock.now += 3600
      await maintain(school.site, { keys })
    }
    expect(await school.all()).toHaveLength(1)
    for (let hour = 0; hour < 3; hour++) {
      school.clock.now += 3600
      await maintain(school.site, { keys })
    }
    expect(await school.all()).toEqual([])
  })

  it('is kept by no site that does not ask for it', async () => {
    const school = await createSchool()
    await school.fetch(authorizationUrl({ redirect_uri: 'https://evil.example/cb' }))
    expect(school.view).not.toHaveProperty('view.attemptId')
    expect(school.refusals[0]).not.toHaveProperty('attemptId')
    expect(() => createAttempts(school.site)).toThrow(
      'attempts: the site must be defined with watchers: [recordAttempts(createMemoryAttempts())]',
    )
  })
})

describe('what stopped an attempt', () => {
  it('is named for a request that is refused, with what it was about [ATT-05]', async () => {
    const school = await watchedSchool()
    await school.store.insertClient(DESK_CLI)
    const refusals = {
      'account:read openid': ['scope_of_other_audience', '(“account:read”)'],
      'courses:read no:scope x:y': ['scope_unknown', '(“no:scope x:y”)'],
    }
    for (const [scope, [reason, about]] of Object.entries(refusals)) {
      school.clock.now += 1
      await school.fetch(authorizationUrl({ ...DESK_REQUEST, scope }))
      expect((await school.all())[0]!.explanation).toMatchObject({
        reason,
        sentence: expect.stringContaining(about!),
      })
    }
  })

  it('is the address that an exchange sends, and is not repeated [ATT-05]', async () => {
    const school = await watchedSchool()
    const code = await approve(school)
    await redeem(school, code, { redirect_uri: 'https://x.example/cb?code=hidden-7' })
    await redeem(school, code)
    expect((await school.only()).steps.slice(-2)).toMatchObject([
      { reason: 'redirect_uri_mismatch', detail: 'sent an address at https://x.example' },
      { reason: null, detail: null },
    ])
  })

  it('is the page that no one answered, after ten minutes [ATT-05]', async () => {
    const school = await watchedSchool()
    const browser = createBrowser(school)
    await browser.open(authorizationUrl())
    const waiting = await school.only()
    expect(waiting.explanation).toMatchObject({
      outcome: 'waiting',
      stage: 'sign_in',
      reason: null,
      turn: 'person',
    })
    school.clock.now += 600
    expect((await school.only()).explanation).toMatchObject({
      outcome: 'stopped',
      reason: 'sign_in_abandoned',
      turn: 'person',
    })
  })

  it('is the role of a person who sees the consent page [ATT-05]', async () => {
    const school = await watchedSchool()
    await school.store.insertClient(DESK_CLI)
    school.signedIn = { subject: STUDENT.subject, authTime: T }
    await createBrowser(school).open(authorizationUrl(DESK_REQUEST))
    expect((await school.only()).explanation).toMatchObject({
      outcome: 'stopped',
      stage: 'consent',
      reason: 'person_not_staff',
      turn: 'person',
    })
  })

  it('is said without what only programmers can do, unless it is their turn [ATT-16]', async () => {
    const school = await watchedSchool()
    await school.fetch(authorizationUrl())
    const record = await school.only()
    const changeOf = (error: string, reason: string): string | null => {
      const steps = [{ ...record.steps[0]!, ok: false, error, reason }]
      return explanationOf({ ...record, steps }, T).change
    }
    expect(changeOf('invalid_request', 'interaction_expired')).toBe('Start again from the app.')
    expect(changeOf('invalid_token', 'member_clients_off')).toBe(
      'Switch apps of members on. All of them then work again.',
    )
    expect(changeOf('invalid_request', 'state_missing')).toBe('Send a random value.')
    expect(changeOf('invalid_grant', 'code_challenge_lost')).toBe(
      'Host application: run the store contract.',
    )
    expect(changeOf('invalid_request', 'sign_in_repeated')).toMatch(
      /^Allow cookies\. Host application: check /,
    )
  })

  it('is the replay of a code, whatever was reached before [ATT-05]', async () => {
    const school = await watchedSchool()
    const code = await approve(school)
    const tokens = await tokensOf(await redeem(school, code))
    await userinfo(school, tokens.access_token)
    school.clock.now += 6
    await redeem(school, code)
    expect((await school.only()).explanation).toMatchObject({
      outcome: 'stopped',
      reason: 'code_replayed',
    })
  })

  it('is the clock that is wrong [ATT-05]', async () => {
    const database = { now: T }
    const store = createMemoryStore()
    const findClock = async () => ({ ...(await store.findClock()), now: database.now })
    const school = await watchedSchool({ store: { ...store, findClock } })
    const code = await approve(school)
    school.clock.now += 90
    expect((await redeem(school, code)).status).toBe(503)
    const attempt = await school.only()
    expect(attempt.explanation).toMatchObject({ reason: 'clock_skewed', turn: 'developer' })
    expect((await school.fetch(authorizationUrl())).status).toBe(503)
    expect(await school.all()).toMatchObject([{ clientId: 'study-buddy' }, { id: attempt.id }])
  })

  it('is the host of a metadata document, with its status [ATT-05]', async () => {
    const school = await watchedSchool({
      options: {
        documents: {
          allowedHosts: ['notes.example'],
          fetchDocument: async () => new Response('Are you human?', { status: 403 }),
        },
      },
    })
    await school.fetch(authorizationUrl(NOTES_REQUEST))
    expect((await school.only()).explanation).toMatchObject({
      stage: 'document',
      reason: 'document_unavailable',
      sentence: expect.stringContaining('(“document_status_not_200: 403”)'),
    })
    await school.fetch(authorizationUrl({ ...NOTES_REQUEST, client_id: 'https://x.example/c' }))
    const reasons = (await school.all()).map(({ explanation }) => explanation.reason)
    expect(reasons).toContain('document_host_not_allowed')
  })

  it('is the storage that failed [ATT-05]', async () => {
    const school = await watchedSchool()
    const code = await approve(school)
    school.store.redeemCode = async () => {
      throw new Error('connection refused')
    }
    expect((await redeem(school, code)).status).toBe(503)
    expect((await school.only()).explanation).toMatchObject({
      reason: 'service_unavailable',
      turn: 'developer',
    })
  })

  it('is a request in another form than the endpoint reads [ATT-05]', async () => {
    const school = await watchedSchool()
    const body = JSON.stringify({ grant_type: 'authorization_code' })
    const headers = { 'content-type': 'application/json' }
    await school.fetch(`${ISSUER}/api/oauth/token`, { method: 'POST', headers, body })
    const attempt = await school.only()
    expect(attempt.network).not.toBeNull()
    expect(attempt.explanation).toMatchObject({
      stage: 'token',
      reason: 'request_not_readable',
      sentence: expect.stringContaining('(“415: '),
      turn: 'client',
    })
  })

  it('is the call that a gate refused [ATT-05]', async () => {
    const school = await watchedSchool()
    const code = await approve(school, { ...PORTFOLIO, scope: 'account:read' })
    const tokens = await tokensOf(await redeem(school, code, PORTFOLIO_FORM))
    const gate = createProtectedResource(school.site).gate('account:write')
    const headers = new Headers({ authorization: `Bearer ${tokens.access_token}` })
    await gate({ headers })
    await gate({ headers })
    const attempt = await school.only()
    expect(attempt.explanation).toMatchObject({ outcome: 'stopped', stage: 'first_call' })
    expect(stagesOf(attempt).slice(-2)).toEqual(['token', 'first_call scope_not_granted'])
    expect(school.refusals.at(-1)).toMatchObject({ endpoint: 'gate', attemptId: attempt.id })
    await authorizeBearer(school.site, {
      authorization: headers.get('authorization'),
      required: [],
    })
    expect((await school.only()).explanation).toMatchObject({ outcome: 'connected' })
  })

  it('is a registration that was refused [ATT-05]', async () => {
    const school = await watchedSchool()
    await register(school, { client_name: 'X', redirect_uris: ['https://x.example/cb'] })
    expect((await school.only()).explanation).toMatchObject({
      stage: 'registration',
      reason: 'redirect_uri_not_loopback',
      sentence: expect.stringContaining('(“https://x.example”)'),
    })
  })
})

describe('what others wrote', () => {
  const at = T
  const attempt = (clientName: string | null, detail: string | null = null): Attempt => ({
    id: 'att_qTo0UaDHr9Zv7dRk',
    startedAt: at,
    lastAt: at,
    clientId: clientName,
    clientName: null,
    resource: null,
    scopes: [],
    network: null,
    grantId: null,
    steps: [
      {
        at,
        stage: 'authorize',
        ok: false,
        error: 'invalid_scope',
        reason: 'scope_unknown',
        requestId: null,
        detail,
        network: null,
      },
    ],
  })
  const text = fc
    .array(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('“', '”', '\u202e', '\u2066', '\u2069', '\u0301', 'א', '\n', '. Call 555'),
      ),
      { maxLength: 300 },
    )
    .map((parts) => parts.join(''))
  const MEANING = 'The scope is not in the scope table.'
  const sentence = (...written: Parameters<typeof attempt>): string =>
    explanationOf(attempt(...written), at).sentence

  const WRITTEN: readonly (readonly [text: string, quoted: string])[] = [
    ['Notes', '“Notes”'],
    ['Study “Buddy”', '“Study \\u{201c}Buddy\\u{201d}”'],
    ['x” was refused. Call 555-0100 “', '“x\\u{201d} was refused. Call 555-0100 \\u{201c}”'],
    ['\u202egnp.exe', '“\\u{202e}gnp.exe”'],
    ['a\nb\u2028c\u00a0d', '“a\\u{a}b\\u{2028}c\\u{a0}d”'],
    ['a\u200b\u3164\u{e0041}', '“a\\u{200b}\\u{3164}\\u{e0041}”'],
    ['\ud800', '“\\u{d800}”'],
    [`a${'\u030d'.repeat(90)}`, `“a${'\u030d'.repeat(4)}”`],
    ['שלום', '“\u2068שלום\u2069”'],
    ['می\u200cخواهم', '“\u2068می\u200cخواهم\u2069”'],
    ['❤️', '“❤️”'],
  ]

  it.each(WRITTEN)('is quoted where it is a name: %j [ATT-14]', (name, quoted) => {
    expect(sentence(name)).toBe(`At its authorization request, ${quoted} was refused. ${MEANING}`)
  })

  it.each(WRITTEN)('is quoted where it is a detail: %j [ATT-14]', (detail, quoted) => {
    expect(sentence('Notes', detail)).toBe(
      `At its authorization request, “Notes” was refused. ${MEANING} (${quoted})`,
    )
  })

  it('is cut: a name after 100 characters, a detail after 200 [ATT-14]', () => {
    const said = sentence('🎈'.repeat(101), '🎈'.repeat(201))
    expect(said).toContain(`“${'🎈'.repeat(100)}…”`)
    expect(said).toContain(`“${'🎈'.repeat(200)}…”`)
  })

  it('is bounded, and cannot leave its quotation, whatever it is [ATT-14]', () => {
    fc.assert(
      fc.property(text, text, (name, detail) => {
        const said = sentence(name, detail)
        expect(said).toMatch(
          /^At its authorization request, “[^“”]*” was refused\. [^“”]+ \(“[^“”]*”\)$/,
        )
        // Two isolates at most, and each of them ends.
        expect(said.replace(/“\u2068([^\u2066-\u2069]*)\u2069”/g, '$1')).not.toMatch(
          /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u,
        )
        expect(said.length).toBeLessThan(4000)
      }),
      { numRuns: rounds(500, { soak: 100_000 }) },
    )
  })
  it('is one name of many scopes, however they read [ATT-14]', async () => {
    const school = await watchedSchool()
    const scope = 'Your account is locked. Call 555-0100 now'
    await school.fetch(authorizationUrl({ scope }))
    expect((await school.only()).explanation.sentence).toContain(` (“${scope}”)`)
    school.clock.now += 1
    await school.fetch(authorizationUrl({ client_id: '\u202eYour account is locked' }))
    expect((await school.all())[0]!.explanation.sentence).toContain(
      '“\\u{202e}Your account is locked” was refused',
    )
  })
})

describe('who sent a step', () => {
  it('is the network of each, at the token endpoint as well [ATT-13]', async () => {
    const school = await watchedSchool()
    const code = await approve(school)
    school.network = '198.51.100.9'
    await redeem(school, code)
    const { hashOf } = recorderOf(school.site)
    const [home, server] = [hashOf('203.0.113.7'), hashOf('198.51.100.9')]
    const { network, steps } = await school.only()
    expect(network).toBe(home)
    expect(steps.map((step) => [step.stage, step.network])).toEqual([
      ['authorize', home],
      ['consent', home],
      ['code', home],
      ['token', server],
    ])
  })

  it('has an attempt of its own in another browser [ATT-01]', async () => {
    const school = await watchedSchool()
    const browser = createBrowser(school)
    await browser.open(authorizationUrl())
    const { id } = await school.only()
    const { view } = school.view as { view: { returnTo: string } }
    school.clock.now += 1
    await createBrowser(school).open(view.returnTo)
    const [other, own] = await school.all()
    expect(stagesOf(own!)).toEqual(['authorize', 'sign_in'])
    expect(own!.id).toBe(id)
    expect(other).toMatchObject({
      clientId: 'study-buddy',
      explanation: { reason: 'interaction_of_other_browser' },
    })
    expect(school.refusals.at(-1)).toMatchObject({ attemptId: other!.id, clientId: 'study-buddy' })
  })

  it('is not known once the request is over, so that a page that is loaded again is no step [ATT-01]', async () => {
    const school = await watchedSchool()
    school.signedIn = { subject: STUDENT.subject, authTime: T }
    const browser = createBrowser(school)
    await browser.open(authorizationUrl())
    const { view } = school.view as { view: { action: string; csrfToken: string } }
    await browser.post(view.action, { csrf_token: view.csrfToken, decision: 'allow' })
    const attempt = await school.only()
    await browser.open(view.action)
    await createBrowser(school).open(view.action)
    expect(await school.only()).toEqual(attempt)
    expect(school.view).toMatchObject({ view: { attemptId: attempt.id } })
  })
})

describe('a search', () => {
  it('for characters that no database takes finds nothing', async () => {
    const asked: unknown[] = []
    const memory = createMemoryAttempts()
    const school = await watchedSchool({
      options: {
        watchers: [
          recordAttempts({
            ...memory,
            find: (id) => {
              asked.push(id)
              return memory.find(id)
            },
            list: (query) => {
              asked.push(query.search, query.clientId, query.before)
              return memory.list(query)
            },
          }),
        ],
      },
    })
    const odd = 'att\u0000\ud800'
    expect(await school.attempts.explainAttempt(school.manager, odd)).toBeNull()
    await school.attempts.list(school.manager, { search: odd, clientId: odd, before: odd })
    expect(asked).toEqual(Array(4).fill('att  '))
  })
})

describe('a flood', () => {
  it('of one network replaces its own records at each endpoint, and no others [ATT-08]', async () => {
    const school = await watchedSchool({
      options: {
        watchers: [recordAttempts(createMemoryAttempts({ limit: 20, limitOfNetwork: 5 }))],
      },
    })
    const code = await approve(school)
    school.network = '203.0.113.9'
    for (let n = 0; n < 10; n++) {
      await school.fetch(authorizationUrl({ client_id: `nobody ${n}` }))
      await school.fetch(`${ISSUER}/oauth/interaction/made-up-${n}`)
      await register(school, { redirect_uris: [`https://x${n}.example/`] })
      await redeem(school, `hpc_made-up-${n}`)
      await post(school, '/api/oauth/token', { client_id: `nobody ${n}` })
      await userinfo(school, `hpa_made-up-${n}`)
    }
    expect(await school.all()).toHaveLength(6)
    await redeem(school, code)
    const { attempts, counts } = await school.attempts.list(school.manager, { limit: 100 })
    expect(counts.connected).toBe(1)
    expect(stagesOf(attempts.find(({ grantId }) => grantId !== null)!)).toContain('authorize')
  })
})

describe('discovery', () => {
  const metadata = (school: { fetch: (url: string) => Promise<unknown> }): Promise<unknown> =>
    school.fetch(`${ISSUER}/.well-known/oauth-authorization-server`)
  const challenged = (school: { fetch: (url: string) => Promise<unknown> }): Promise<unknown> =>
    school.fetch(`${ISSUER}/api/oauth/userinfo`)

  it('alone is not recorded, but a challenge with it is an attempt [ATT-06]', async () => {
    const school = await watchedSchool()
    await metadata(school)
    expect(await school.all()).toEqual([])
    await challenged(school)
    await challenged(school)
    const attempt = await school.only()
    expect(stagesOf(attempt)).toEqual(['discovery', 'discovery'])
    school.clock.now += 600
    expect((await school.only()).explanation.reason).toBe('nothing_after_discovery')
  })

  it('continues with the registration or the request of the same network [ATT-06]', async () => {
    const school = await watchedSchool()
    await challenged(school)
    await metadata(school)
    await school.fetch(authorizationUrl())
    expect(stagesOf(await school.only())).toEqual(['discovery', 'discovery', 'authorize'])
    school.network = '203.0.113.8'
    await school.fetch(authorizationUrl())
    const sizes = (await school.all()).map(({ steps }) => steps.length)
    expect(new Set(sizes)).toEqual(new Set([1, 3]))
  })

  it('is looked at twenty times a second at most [ATT-06]', async () => {
    let asked = 0
    const school = await watchedSchool({
      options: {
        networkOf: () => {
          asked++
          return null
        },
      },
    })
    for (let request = 0; request < 100; request++) await metadata(school)
    expect(asked).toBe(20)
  })

  it('tells of a token that no one knows [ATT-05]', async () => {
    const school = await watchedSchool()
    await userinfo(school, 'hpa_unknown')
    await userinfo(school, 'hpa_unknown')
    const attempt = await school.only()
    expect(stagesOf(attempt)).toEqual(['first_call access_token_unknown'])
  })
})

describe('a storage of attempts that is away', () => {
  it('changes no response, delays none, and is tried again [ATT-07]', async () => {
    const attempts = createMemoryAttempts()
    let isAway = true
    const school = await watchedSchool({
      options: {
        watchers: [
          recordAttempts({
            ...attempts,
            append: (note) => {
              if (isAway) throw new Error('away')
              return attempts.append(note)
            },
          }),
        ],
      },
    })
    const tokens = await tokensOf(await redeem(school, await approve(school)))
    expect((await userinfo(school, tokens.access_token)).status).toBe(200)
    // It is written after the responses, which a fast machine may have sent within one millisecond.
    await waitFor(() => school.faults.length > 0)
    expect(school.faults.map(({ endpoint }) => endpoint)).toEqual(['attempts'])
    isAway = false
    expect(stagesOf(await school.only())).toEqual([
      'authorize',
      'consent',
      'code',
      'token',
      'first_call',
    ])
  })

  it('that hangs keeps no request waiting [ATT-07]', async () => {
    const school = await watchedSchool({
      options: {
        watchers: [
          recordAttempts({ ...createMemoryAttempts(), append: () => new Promise(() => {}) }),
        ],
        callDeadlineMilliseconds: 60_000,
      },
    })
    await tokensOf(await redeem(school, await approve(school)))
    for (let request = 0; request < 1100; request++) await school.fetch(authorizationUrl())
    expect(school.faults).toEqual([])
  })
})
