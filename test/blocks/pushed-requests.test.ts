import { createServer as createHttpServer } from 'node:http'
import { createAuthorizationServer, createServer, defineSite, OptionsError } from 'hallpass'
import { routesOf } from 'hallpass/authorization-server'
import { describeAuthorizationServer } from 'hallpass/openapi'
import { dpop, clientSecretBasic, decidePushedRequest, privateKeyJwt, pushedRequests } from 'hallpass/blocks' // prettier-ignore
import { defineClient, explainRefusal } from 'hallpass/clients'
import { toNodeHandler } from 'hallpass/node'
import type { Client } from 'hallpass/policy'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import type { Budget, Expense } from 'hallpass/operations'
import { createMemoryStore, type Store } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import * as jose from 'jose'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { describe, expect, it, vi } from 'vitest'
import { PUSHED_REFUSALS } from '../../src/policy/pushed-request.js'
import { stagesOf, watchedSchool } from '../attempts/support.js'
import {
  authorizationUrl,
  codeForm,
  type Fields,
  PORTFOLIO_FORM,
  PORTFOLIO_REQUEST,
  post,
  reasonsOf,
  redeem,
  REDIRECT,
  STATE,
} from '../support/school/flow.js'
import {
  createDocumentSchool,
  documentAnswer,
  NOTES_DOCUMENT,
  NOTES_REQUEST,
  NOTES_URL,
} from '../support/school/metadata-documents.js'
import { networkOf } from '../support/school/networks.js'
import {
  createBrowser,
  createSchool,
  ISSUER,
  OWNER,
  PORTFOLIO_HUB,
  PORTFOLIO_SECRET,
  type School,
  STUDENT,
  T,
} from '../support/school/school.js'
import { createKeys, type Keys } from '../support/school/dpop-school.js'
import { INTERACT, SEALING } from '../support/school/signing-client.js'
import { openServer } from '../support/http/open-server.js'

const PUSH = '/api/oauth/par'
const TOKEN = '/api/oauth/token'
const PREFIX = 'urn:ietf:params:oauth:request_uri:'

type SchoolOptions = NonNullable<NonNullable<Parameters<typeof createSchool>[0]>['options']>

const optionsOf = (
  own: Parameters<typeof pushedRequests>[0] = {},
  options: SchoolOptions = {},
): SchoolOptions => ({
  blocks: [pushedRequests(own)],
  ...options,
})

const createPushSchool = (
  own: Parameters<typeof pushedRequests>[0] = {},
  { store, ...options }: SchoolOptions & { store?: Store } = {},
): Promise<School> => createSchool({ ...(store && { store }), options: optionsOf(own, options) })

/** The parameters of a valid request, with changes. */
const formOf = (changes: Fields = {}): Fields => {
  const { searchParams } = authorizationUrl(changes)
  return Object.fromEntries([...searchParams.keys()].map((name) => [name, searchParams.getAll(name)])) // prettier-ignore
}
const CONFIDENTIAL = { ...PORTFOLIO_REQUEST, ...PORTFOLIO_FORM }

const push = (
  school: School,
  changes: Fields = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> => post(school, PUSH, formOf(changes), headers)

/** Pushes a valid request, and returns its `request_uri`. */
async function pushed(school: School, changes: Fields = {}): Promise<string> {
  const response = await push(school, changes)
  const { request_uri } = (await response.json()) as { request_uri: string }
  expect([response.status, request_uri]).toEqual([201, expect.stringContaining(PREFIX)])
  return request_uri
}

const presented = (uri: string, changes: Readonly<Record<string, string>> = {}): URL => {
  const url = new URL(`${ISSUER}/oauth/authorize`)
  url.search = new URLSearchParams({ client_id: 'study-buddy', request_uri: uri, ...changes }).toString() // prettier-ignore
  return url
}

const signIn = (school: School): void => {
  school.signedIn = { subject: STUDENT.subject, authTime: school.clock.now }
}

describe('a pushed request', () => {
  it('leads to a code, with only client_id and request_uri in the query [PAR-04, PAR-13]', async () => {
    const school = await createPushSchool()
    const response = await push(school, { nonce: 'n', ui_locales: 'zh-hant-TW' })
    expect([response.status, response.headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    const body = (await response.json()) as { request_uri: string }
    expect(body).toEqual({ request_uri: expect.any(String), expires_in: 60 })
    // 256 random bits.
    expect(body.request_uri.slice(PREFIX.length)).toMatch(/^[\w-]{43}$/)
    signIn(school)
    const callback = await createBrowser(school).authorize(presented(body.request_uri))
    expect(Object.fromEntries(callback.searchParams)).toEqual({
      code: expect.any(String),
      state: STATE,
      iss: ISSUER,
    })
    expect(callback.href).toContain(REDIRECT)
    expect((await redeem(school, callback.searchParams.get('code')!)).status).toBe(200)
    expect(school.refusals).toEqual([])
  })

  it('stores neither its reference nor an identifier of the interaction [PAR-13]', async () => {
    const saved: string[] = []
    const memory = createMemoryStore()
    const store: Store = {
      ...memory,
      savePending: (pending) => {
        saved.push(JSON.stringify(pending))
        return memory.savePending(pending)
      },
      endPending: (idHash, events, next) => {
        if (next !== undefined) saved.push(JSON.stringify(next))
        return memory.endPending(idHash, events, next)
      },
    }
    const school = await createPushSchool({}, { store })
    const uri = await pushed(school)
    signIn(school)
    await createBrowser(school).open(presented(uri))
    const location = (school.view as { view: { action: string } }).view.action
    const id = location.slice(location.lastIndexOf('/') + 1)
    expect(saved).toHaveLength(2)
    for (const row of saved)
      for (const secret of [uri, uri.slice(PREFIX.length), id]) expect(row).not.toContain(secret)
    // What is stored before a browser presents it is reached by no path.
    const again = await pushed(school)
    for (const path of [again.slice(PREFIX.length), `pushed%20${again.slice(PREFIX.length)}`])
      expect((await school.fetch(`${ISSUER}/oauth/interaction/${path}`)).status).toBe(400)
  })

  it.each<[string, Fields, number, string]>([
    ['without a client', { client_id: null }, 400, 'client_id_missing'],
    ['of no client', { client_id: 'nobody' }, 401, 'client_unknown'],
    ['of a confidential client without its secret', PORTFOLIO_REQUEST, 401, 'client_secret_missing'],
    ['with a wrong secret', { ...CONFIDENTIAL, client_secret: 'x' }, 401, 'client_secret_mismatch'],
  ])('%s stores nothing [PAR-01]', async (_, changes, status, reason) => {
    const school = await createPushSchool({}, { store: noPending() })
    expect((await push(school, changes)).status).toBe(status)
    expect(reasonsOf(school)).toEqual([reason])
  }) // prettier-ignore

  it('authenticates as at the token endpoint, also by HTTP Basic [PAR-01]', async () => {
    const school = await createPushSchool({}, { blocks: [pushedRequests(), clientSecretBasic()] })
    const authorization = `Basic ${btoa(`portfolio-hub:${PORTFOLIO_SECRET}`)}`
    expect((await push(school, PORTFOLIO_REQUEST, { authorization })).status).toBe(201)
    expect((await push(school, CONFIDENTIAL)).status).toBe(201)
    const wrong = await push(school, PORTFOLIO_REQUEST, { authorization: `Basic ${btoa('portfolio-hub:x')}` }) // prettier-ignore
    expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([401, `Basic realm="${ISSUER}"`]) // prettier-ignore
  })

  it.each<[Fields, string, string]>([
    [{ request_uri: 'https://client.example/r' }, 'invalid_request', 'pushed_request_nested'],
    [{ request_uri: [`${PREFIX}x`, 'y'] }, 'invalid_request', 'parameter_repeated'],
    [{ request: 'e30.e30.' }, 'request_not_supported', 'request_object_not_supported'],
    [{ redirect_uri: null }, 'invalid_request', 'redirect_uri_missing'],
    [{ redirect_uri: 'https://evil.example/cb' }, 'invalid_request', 'redirect_uri_not_registered'],
    [{ response_type: null }, 'invalid_request', 'response_type_missing'],
    [{ response_type: 'token' }, 'unsupported_response_type', 'response_type_not_supported'],
    [{ response_mode: 'fragment' }, 'invalid_request', 'response_mode_not_supported'],
    [{ state: null }, 'invalid_request', 'state_missing'],
    [{ state: 'x'.repeat(2049) }, 'invalid_request', 'state_malformed'],
    [{ nonce: 'x'.repeat(513) }, 'invalid_request', 'nonce_malformed'],
    [{ code_challenge: null }, 'invalid_request', 'code_challenge_missing'],
    [{ code_challenge_method: 'plain' }, 'invalid_request', 'code_challenge_method_not_supported'],
    [{ scope: 'openid nothing:read' }, 'invalid_scope', 'scope_unknown'],
    [{ resource: 'https://other.example' }, 'invalid_target', 'resource_unknown'],
    [{ prompt: 'none login' }, 'invalid_request', 'prompt_malformed'],
    [{ max_age: 'x' }, 'invalid_request', 'max_age_malformed'],
    [{ state: ['a', 'b'] }, 'invalid_request', 'parameter_repeated'],
  ])(
    'with %j is refused as a query is, and not stored [PAR-02, PAR-03]',
    async (changes, error, reason) => {
      const school = await createPushSchool({}, { store: noPending() })
      const response = await push(school, changes)
      expect([response.status, await response.json()]).toEqual([
        400,
        { error, error_description: expect.stringMatching(/^[\x20-\x7e]+$/) },
      ])
      expect(reasonsOf(school)).toEqual([reason])
    },
  )

  it('is posted as a form of bounded length, and responds in JSON otherwise too [PAR-06]', async () => {
    const school = await createPushSchool({}, { store: noPending() })
    const send = async (init: RequestInit): Promise<readonly unknown[]> => {
      const response = await school.fetch(ISSUER + PUSH, init)
      return [response.status, ((await response.json()) as { error: string }).error]
    }
    const form = new URLSearchParams(formOf() as Record<string, string>).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await send({})).toEqual([405, 'invalid_request'])
    expect(await send({ method: 'PUT', body: form, headers })).toEqual([405, 'invalid_request'])
    expect(await send({ method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })).toEqual([415, 'invalid_request']) // prettier-ignore
    expect(await send({ method: 'POST', body: `${form}&x=${'y'.repeat(16_384)}`, headers })).toEqual([413, 'invalid_request']) // prettier-ignore
    expect(await send({ method: 'POST', body: `${form}${'&x=y'.repeat(100)}`, headers })).toEqual([400, 'invalid_request']) // prettier-ignore
    // In the query a request is not read.
    expect(await send({ method: 'POST', body: '', headers })).toEqual([400, 'invalid_request'])
  })

  it('may come from a client metadata document that is not known yet [PAR-01]', async () => {
    const { school } = await createDocumentSchool({
      documents: { openRegistration: true },
      options: optionsOf(),
    })
    const request = { ...NOTES_REQUEST, resource: ISSUER }
    const uri = await pushed(school, request)
    school.signedIn = { subject: OWNER.subject, authTime: T }
    const callback = await createBrowser(school).authorize(presented(uri, { client_id: NOTES_URL }))
    expect(callback.searchParams.get('code')).toMatch(/./)
  })
})

/** A store that holds that nothing was stored. */
const noPending = (): Store => ({
  ...createMemoryStore(),
  savePending: () => Promise.reject(new Error('a request was stored')),
})

describe('a browser with a request_uri', () => {
  it('is the only one of fifty that gets a code [PAR-08]', async () => {
    const school = await createPushSchool()
    const uri = await pushed(school, { ...CONFIDENTIAL, prompt: 'none' })
    signIn(school)
    // A confidential client's consent is remembered, so that prompt=none succeeds at once.
    await createBrowser(school).authorize(authorizationUrl(PORTFOLIO_REQUEST))
    const url = presented(uri, { client_id: 'portfolio-hub' })
    const all = await Promise.all(Array.from({ length: 50 }, () => school.fetch(url)))
    const targets = all.map((response) => response.headers.get('location'))
    expect(targets.filter((one) => one?.includes('code=') === true)).toHaveLength(1)
    expect(reasonsOf(school)).toEqual(Array.from({ length: 49 }, () => 'pushed_request_unknown'))
  })

  it('begins one interaction of fifty, whoever comes first [PAR-08]', async () => {
    const school = await createPushSchool()
    const uri = await pushed(school)
    const all = await Promise.all(Array.from({ length: 50 }, () => school.fetch(presented(uri))))
    expect(all.filter(({ status }) => status === 303)).toHaveLength(1)
    const reasons = new Set(reasonsOf(school))
    expect([...reasons].filter((one) => !/^pushed_request_(?:unknown|of_other_browser)$/.test(one))).toEqual([]) // prettier-ignore
  })

  it('may load the address again until the person has decided, and not afterwards [PAR-10]', async () => {
    const school = await createPushSchool()
    const uri = await pushed(school)
    const browser = createBrowser(school)
    await browser.open(presented(uri))
    expect(school.view?.page).toBe('signIn')
    school.clock.now += 90
    await browser.open(presented(uri))
    expect(school.view?.page).toBe('signIn')
    signIn(school)
    const callback = await browser.authorize(presented(uri))
    expect(callback.searchParams.get('code')).toMatch(/./)
    const after = await browser.open(presented(uri))
    expect([after.status, after.headers.get('location')]).toEqual([400, null])
    expect(reasonsOf(school)).toEqual(['pushed_request_unknown'])
  })

  it('comes second where another one has begun [PAR-10]', async () => {
    const school = await createPushSchool()
    const uri = await pushed(school)
    await createBrowser(school).open(presented(uri))
    // With a cookie of its own, and without any.
    const other = createBrowser(school)
    await other.open(authorizationUrl())
    signIn(school)
    for (const browser of [other, createBrowser(school)])
      expect((await browser.open(presented(uri))).status).toBe(400)
    const reason = 'pushed_request_of_other_browser'
    expect(reasonsOf(school)).toEqual([reason, reason])
  })

  it.each<[string, (uri: string, school: School) => URL, string]>([
    ['after its end', (uri, { clock }) => ((clock.now += 60), presented(uri)), 'pushed_request_expired'],
    ['with another client', (uri) => presented(uri, { client_id: 'portfolio-hub' }), 'pushed_request_of_other_client'],
    ['that was never issued', () => presented(`${PREFIX}${'x'.repeat(43)}`), 'pushed_request_unknown'],
    ['that is empty', () => presented(PREFIX), 'pushed_request_unknown'],
  ])('%s sees a page, and is not redirected [PAR-05, PAR-07]', async (_, url, reason) => {
    const school = await createPushSchool()
    signIn(school)
    const response = await school.fetch(url(await pushed(school), school))
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
    expect(reasonsOf(school)).toEqual([reason])
  }) // prettier-ignore

  it('does not use it up with another client, within a frame, or ahead of the person [PAR-08]', async () => {
    const school = await createPushSchool()
    const uri = await pushed(school)
    await school.fetch(presented(uri, { client_id: 'portfolio-hub' }))
    const frame = { 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' }
    expect((await school.fetch(presented(uri), { headers: frame })).status).toBe(400)
    expect((await school.fetch(presented(uri), { headers: { 'sec-purpose': 'prefetch' } })).status).toBe(204) // prettier-ignore
    signIn(school)
    const callback = await createBrowser(school).authorize(presented(uri))
    expect(callback.searchParams.get('code')).toMatch(/./)
  })

  it('changes nothing by other parameters [PAR-09]', async () => {
    const school = await createPushSchool()
    const uri = await pushed(school)
    signIn(school)
    const url = presented(uri, {
      redirect_uri: 'https://evil.example/cb',
      scope: 'openid account:write',
      state: 'other',
      nonce: 'other',
      prompt: 'none',
    })
    const callback = await createBrowser(school).authorize(url)
    expect([callback.origin, callback.searchParams.get('state')]).toEqual(['http://127.0.0.1:7777', STATE]) // prettier-ignore
    const tokens = await (await redeem(school, callback.searchParams.get('code')!)).json()
    expect(tokens).toMatchObject({ scope: 'openid account:read' })
  })

  it('repeats every parameter that was pushed [PAR-09]', async () => {
    const school = await createPushSchool()
    const uri = await pushed(school, { nonce: 'a&b=c', max_age: '9', login_hint: 'mei@example.com', ui_locales: 'ar en', prompt: 'login' }) // prettier-ignore
    await createBrowser(school).open(presented(uri))
    expect(school.view).toMatchObject({
      page: 'signIn',
      view: { loginHint: 'mei@example.com', uiLocales: ['ar', 'en'] },
    })
    const kept = await school.store.findPending(hashToken(idOf(school)))
    expect(kept).toMatchObject({ nonce: 'a&b=c', maxAge: 9, prompt: ['login'], resourceSent: true, createdAt: T, expiresAt: T + 600 }) // prettier-ignore
  })

  it('keeps whom id_token_hint names, and shows it to no one [PAR-09]', async () => {
    const school = await createPushSchool()
    signIn(school)
    const browser = createBrowser(school)
    const first = await browser.authorize(presented(await pushed(school)))
    const { id_token } = (await (await redeem(school, first.searchParams.get('code')!)).json()) as { id_token: string } // prettier-ignore
    const uri = await pushed(school, { id_token_hint: id_token })
    school.signedIn = { subject: OWNER.subject, authTime: T }
    await browser.open(presented(uri))
    expect(school.view).toMatchObject({ page: 'signIn', view: { cause: 'other_account' } })
    signIn(school)
    expect((await browser.authorize(presented(uri))).searchParams.get('code')).toMatch(/./)
    const silent = await pushed(school, { id_token_hint: id_token, prompt: 'none' })
    school.signedIn = { subject: OWNER.subject, authTime: T }
    const refused = await browser.authorize(presented(silent))
    expect(refused.searchParams.get('error')).toBe('login_required')
  })

  it('is refused as its client is now, however it was when it pushed [PAR-14]', async () => {
    const school = await createPushSchool()
    const uri = await pushed(school, CONFIDENTIAL)
    signIn(school)
    const url = presented(uri, { client_id: 'portfolio-hub' })
    const client = PORTFOLIO_HUB
    await school.store.replaceClient({ ...client, redirectUris: ['https://new.example/cb'], revision: client.revision + 1 }) // prettier-ignore
    const response = await school.fetch(url)
    expect([response.status, reasonsOf(school)]).toEqual([400, ['redirect_uri_not_registered']])
  })

  it('still gets request_uri_not_supported for one of another form [PAR-09]', async () => {
    const school = await createPushSchool()
    const url = authorizationUrl({ request_uri: 'https://client.example/request.jwt' })
    const response = await school.fetch(url)
    expect(response.headers.get('location')).toContain('error=request_uri_not_supported')
  })
})

/** The identifier of the interaction that a page belongs to. */
const idOf = ({ view }: School): string => {
  const { returnTo } = (view as { view: { returnTo: string } }).view
  return returnTo.slice(returnTo.lastIndexOf('/') + 1)
}

const createBoundSchool = ({
  store = createMemoryStore(),
  ...options
}: SchoolOptions & { store?: ReturnType<typeof createMemoryStore> } = {}): Promise<School> =>
  createPushSchool(
    {},
    {
      store,
      blocks: [pushedRequests(), dpop()],
      ...options,
    },
  )
const proofAt = async ({ privateKey, jwk }: Keys, path: string): Promise<{ dpop: string }> => ({
  dpop: await new jose.SignJWT({
    jti: crypto.randomUUID(),
    iat: T,
    htm: 'POST',
    htu: ISSUER + path,
  })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk })
    .sign(privateKey),
})

describe('a pushed request that proves a key', () => {
  it('leads to a code that needs a proof of this key, or of the one that it names [PAR-15]', async () => {
    const school = await createBoundSchool()
    const [own, other] = await Promise.all([createKeys(), createKeys()])
    for (const [changes, headers] of [
      [{}, await proofAt(own, PUSH)],
      [{ dpop_jkt: own.jkt }, {}],
      [{ dpop_jkt: own.jkt }, await proofAt(own, PUSH)],
    ] as const) {
      const response = await push(school, changes, headers)
      expect(response.status).toBe(201)
      const { request_uri } = (await response.json()) as { request_uri: string }
      signIn(school)
      const callback = await createBrowser(school).authorize(presented(request_uri))
      const form = codeForm(callback.searchParams.get('code')!)
      expect((await post(school, TOKEN, form)).status).toBe(400)
      expect((await post(school, TOKEN, form, await proofAt(other, TOKEN))).status).toBe(400)
      const redeemed = await post(school, TOKEN, form, await proofAt(own, TOKEN))
      expect([redeemed.status, await redeemed.json()]).toEqual([200, expect.objectContaining({ token_type: 'DPoP' })]) // prettier-ignore
    }
  })

  it('is refused with the thumbprint of another key, and without a signature [PAR-15]', async () => {
    const school = await createBoundSchool()
    const [own, other] = await Promise.all([createKeys(), createKeys()])
    const proof = await proofAt(own, PUSH)
    expect((await push(school, { dpop_jkt: other.jkt }, proof)).status).toBe(400)
    const unsigned = { dpop: `${proof.dpop.slice(0, -8)}AAAAAAAA` }
    expect((await push(school, {}, unsigned)).status).toBe(400)
    expect((await push(school, {}, await proofAt(own, TOKEN))).status).toBe(400)
    expect((await push(school, {}, proof)).status).toBe(201)
    expect(reasonsOf(school)).toEqual([
      'pushed_request_of_other_key',
      'dpop_proof_signature_wrong',
      'dpop_proof_for_other_uri',
    ])
  })

  it('is used up by a client of the school, and stored for no other, whom anyone may be [PAR-15, DPOP-47]', async () => {
    const used = vi.fn<Store['useOnce']>(async () => 'first')
    const school = await createBoundSchool({ store: { ...createMemoryStore(), useOnce: used } })
    const keys = await createKeys()
    const proof = await proofAt(keys, PUSH)
    expect((await push(school, {}, proof)).status).toBe(201)
    expect((await push(school, {}, proof)).status).toBe(201)
    expect(used).not.toHaveBeenCalled()
    expect((await push(school, CONFIDENTIAL, proof)).status).toBe(201)
    used.mockResolvedValue('again')
    expect((await push(school, CONFIDENTIAL, proof)).status).toBe(400)
    expect(reasonsOf(school)).toEqual(['dpop_proof_used_before'])
    expect(used).toHaveBeenCalledTimes(2)
  })
})

describe('a proof of an unknown caller', () => {
  it('is stored neither with a push nor by the token endpoint [PAR-15, PAR-16]', async () => {
    const memory = createMemoryStore()
    const stored: string[] = []
    const store: typeof memory = {
      ...memory,
      useOnce: async (used) => {
        stored.push(used.key)
        return memory.useOnce(used)
      },
    }
    const allowances = { requestsOfNetwork: { amount: 3, seconds: 600 } }
    const school = await createBoundSchool({ store, networkOf, allowances })
    const own = await createKeys()
    const from = async (path: string) => ({ 'x-network': 'a', ...(await proofAt(own, path)) })
    for (let one = 0; one < 20; one++) {
      const form = codeForm(`unknown ${one}`)
      expect((await post(school, TOKEN, form, await from(TOKEN))).status).toBe(400)
      await push(school, {}, await from(PUSH))
    }
    expect(stored).toEqual([])
  })
})

describe('a site that requires pushed requests', () => {
  it('refuses every other one by a redirect, and takes a pushed one [PAR-12]', async () => {
    const school = await createPushSchool({ required: true })
    const response = await school.fetch(authorizationUrl())
    const target = new URL(response.headers.get('location')!)
    expect(Object.fromEntries(target.searchParams)).toEqual({
      error: 'invalid_request',
      error_description: expect.stringContaining('pushed_authorization_request_endpoint'),
      state: STATE,
      iss: ISSUER,
    })
    expect(reasonsOf(school)).toEqual(['pushed_request_required'])
    signIn(school)
    const callback = await createBrowser(school).authorize(presented(await pushed(school)))
    expect(callback.searchParams.get('code')).toMatch(/./)
  })

  it('says so in its metadata, and only then that it is required [PAR-11]', async () => {
    for (const required of [true, false]) {
      const school = await createPushSchool({ required })
      for (const name of ['oauth-authorization-server', 'openid-configuration']) {
        const metadata = await (await school.fetch(`${ISSUER}/.well-known/${name}`)).json()
        expect(metadata).toMatchObject({
          pushed_authorization_request_endpoint: ISSUER + PUSH,
          require_pushed_authorization_requests: required,
        })
      }
    }
  })
})

describe('a client that pushes every request', () => {
  const register = async (school: School, value: unknown) => {
    const response = await school.fetch(`${ISSUER}/api/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Tool', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none', require_pushed_authorization_requests: value }), // prettier-ignore
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const sent = (response: Response): Readonly<Record<string, string>> =>
    Object.fromEntries(new URL(response.headers.get('location')!).searchParams)
  const REFUSED = {
    error: 'invalid_request',
    error_description: expect.stringContaining('pushed_authorization_request_endpoint'),
    state: STATE,
    iss: ISSUER,
  }

  it('is refused in the query by a redirect, and no other client is [PAR-17]', async () => {
    const school = await createPushSchool()
    const own = defineClient({ ...PORTFOLIO_HUB, clientId: 'pushing-hub', requirePushedRequests: true }) // prettier-ignore
    await school.store.insertClient(own)
    const request = { ...CONFIDENTIAL, client_id: 'pushing-hub' }
    signIn(school)
    const url = authorizationUrl({ ...PORTFOLIO_REQUEST, client_id: 'pushing-hub' })
    expect(sent(await school.fetch(url))).toEqual(REFUSED)
    expect(reasonsOf(school)).toEqual(['pushed_request_required'])
    // Where the address of the client is wrong, nothing is redirected.
    url.searchParams.set('redirect_uri', 'https://evil.example/cb')
    const page = await school.fetch(url)
    expect([page.status, page.headers.get('location')]).toEqual([400, null])
    const there = presented(await pushed(school, request), { client_id: 'pushing-hub' })
    expect((await createBrowser(school).authorize(there)).searchParams.get('code')).toMatch(/./)
    const other = await createBrowser(school).authorize(authorizationUrl(PORTFOLIO_REQUEST))
    expect(other.searchParams.get('code')).toMatch(/./)
  })

  it('registers as one, and is stored and answered as one [PAR-18]', async () => {
    const school = await createPushSchool()
    const { status, body } = await register(school, true)
    expect([status, body['require_pushed_authorization_requests']]).toEqual([201, true])
    const clientId = body['client_id'] as string
    expect((await school.store.findClient(clientId))?.requirePushedRequests).toBe(true)
    const own = { client_id: clientId, scope: 'openid courses:read' }
    expect(sent(await school.fetch(authorizationUrl(own)))).toEqual(REFUSED)
    expect((await push(school, own)).status).toBe(201)
    for (const value of [undefined, null, false]) {
      const plain = await register(school, value)
      expect(plain.status).toBe(201)
      expect(plain.body).not.toHaveProperty('require_pushed_authorization_requests')
      const stored = await school.store.findClient(plain.body['client_id'] as string)
      expect(stored).not.toHaveProperty('requirePushedRequests')
    }
    for (const value of ['true', 1, [true]])
      expect(await register(school, value)).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } }) // prettier-ignore
  })

  it('says so in its document, for as long as it does [PAR-19]', async () => {
    const { school, hosts } = await createDocumentSchool({
      documents: { openRegistration: true },
      options: optionsOf(),
    })
    const publish = (value: unknown): void => {
      hosts.answer = () => documentAnswer({ ...NOTES_DOCUMENT, require_pushed_authorization_requests: value }) // prettier-ignore
    }
    const url = authorizationUrl({ ...NOTES_REQUEST, resource: ISSUER })
    publish(true)
    school.signedIn = { subject: OWNER.subject, authTime: T }
    // The error of an unreviewed document is a page.
    const refuses = async (): Promise<void> => {
      expect((await school.fetch(url)).headers.get('location')).toBeNull()
      expect(reasonsOf(school).at(-1)).toBe('pushed_request_required')
    }
    await refuses()
    const there = presented(await pushed(school, { ...NOTES_REQUEST, resource: ISSUER }), { client_id: NOTES_URL }) // prettier-ignore
    expect((await createBrowser(school).authorize(there)).searchParams.get('code')).toMatch(/./)
    for (const value of ['true', false, undefined]) {
      publish(value)
      school.clock.now += 86_400
      school.signedIn = { subject: OWNER.subject, authTime: school.clock.now }
      const callback = await createBrowser(school).authorize(url)
      expect(callback.searchParams.get('code')).toMatch(/./)
      expect(await school.store.findClient(NOTES_URL)).not.toHaveProperty('requirePushedRequests')
      publish(true)
      school.clock.now += 86_400
      school.signedIn = { subject: OWNER.subject, authTime: school.clock.now }
      await refuses()
    }
  })

  it('cannot register where there is no block, and its document is as any other [PSH-04]', async () => {
    const school = await createSchool()
    expect(await register(school, true)).toEqual({
      status: 400,
      body: {
        error: 'invalid_client_metadata',
        error_description: 'require_pushed_authorization_requests must be false, or left out',
      },
    })
    const { school: other, hosts } = await createDocumentSchool({ documents: { openRegistration: true } }) // prettier-ignore
    hosts.answer = () => documentAnswer({ ...NOTES_DOCUMENT, require_pushed_authorization_requests: true }) // prettier-ignore
    other.signedIn = { subject: OWNER.subject, authTime: T }
    const callback = await createBrowser(other).authorize(authorizationUrl({ ...NOTES_REQUEST, resource: ISSUER })) // prettier-ignore
    expect(callback.searchParams.get('code')).toMatch(/./)
  })
})

describe('the audience of an assertion', () => {
  async function createAudienceSchool() {
    const store = createMemoryStore()
    const { privateKey, publicKey } = await jose.generateKeyPair('ES256')
    const jwks = { keys: [await jose.exportJWK(publicKey)] }
    const school = await createPushSchool({}, {
      store,
      blocks: [pushedRequests(), privateKeyJwt({ keysOf: () => jwks })],
    }) // prettier-ignore
    const fields = { ...PORTFOLIO_HUB, clientId: 'signing-hub', secrets: [] }
    await store.insertClient(defineClient({ ...fields, tokenEndpointAuthMethod: 'private_key_jwt' })) // prettier-ignore
    const signed = async (aud: string): Promise<Fields> => ({
      client_id: 'signing-hub',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await new jose.SignJWT({ iss: 'signing-hub', sub: 'signing-hub', aud, exp: T + 60, jti: crypto.randomUUID() })
        .setProtectedHeader({ alg: 'ES256' })
        .sign(privateKey),
    }) // prettier-ignore
    return { school, signed }
  }

  it('is the issuer, the token endpoint or this endpoint, and no other one [PAR-20]', async () => {
    const { school, signed } = await createAudienceSchool()
    const at = async (aud: string): Promise<number> =>
      (await push(school, { ...PORTFOLIO_REQUEST, ...(await signed(aud)) })).status
    for (const aud of [ISSUER, ISSUER + TOKEN, ISSUER + PUSH]) expect(await at(aud)).toBe(201)
    for (const aud of [PUSH, `${ISSUER}${PUSH}/`, `${ISSUER}/api/oauth/revoke`])
      expect(await at(aud)).toBe(401)
    expect(reasonsOf(school)).toEqual(Array.from({ length: 3 }, () => 'assertion_for_other_audience')) // prettier-ignore
  })

  it('is not this endpoint anywhere else [PAR-20]', async () => {
    const { school, signed } = await createAudienceSchool()
    const revoke = async (aud: string): Promise<number> =>
      (await post(school, '/api/oauth/revoke', { token: 'none', ...(await signed(aud)) })).status
    expect(await revoke(ISSUER)).toBe(200)
    expect(await revoke(ISSUER + PUSH)).toBe(401)
  })
})

describe('a server without the block', () => {
  it('has neither the path nor a member of the metadata, and refuses the reference [PSH-04]', async () => {
    const school = await createSchool()
    expect(routesOf(school.server).map(([path]) => path)).not.toContain(PUSH)
    expect((await push(school)).status).toBe(404)
    const metadata = await (await school.fetch(`${ISSUER}/.well-known/openid-configuration`)).text()
    expect(metadata).not.toContain('pushed')
    const response = await school.fetch(
      authorizationUrl({ request_uri: `${PREFIX}${'x'.repeat(43)}` }),
    )
    expect(response.headers.get('location')).toContain('error=request_uri_not_supported')
  })
})

describe('who pays for a push', () => {
  const few = { amount: 3, seconds: 600 }
  const statuses = async (school: School, changes: Fields, network: string): Promise<number[]> => {
    const all: number[] = []
    for (let index = 0; index < 4; index++)
      all.push((await push(school, changes, { 'x-network': network })).status)
    return all
  }

  it('is the network of a public client, and no other one [PAR-16]', async () => {
    const school = await createPushSchool({}, { networkOf, allowances: { requestsOfNetwork: few } })
    expect(await statuses(school, {}, 'a')).toEqual([201, 201, 201, 429])
    const refused = await push(school, {}, { 'x-network': 'a' })
    expect([refused.headers.get('retry-after'), await refused.json()]).toEqual([
      '200',
      { error: 'temporarily_unavailable', error_description: expect.any(String) },
    ])
    expect(await statuses(school, {}, 'b')).toEqual([201, 201, 201, 429])
    expect(reasonsOf(school)[0]).toBe('pushed_request_paced')
  })

  it('is a confidential client of the school itself, whatever its network has spent [PAR-16]', async () => {
    const expenses: Expense[] = []
    const budget: Budget = {
      spend: async (expense) => {
        expenses.push(expense)
        const ok = expense.spender !== 'other-hub'
        return { ok, remaining: 0, retryAfterSeconds: ok ? 0 : 7 }
      },
    }
    const school = await createPushSchool({}, { networkOf, budget })
    await school.store.insertClient({ ...PORTFOLIO_HUB, clientId: 'other-hub' })
    const network = { 'x-network': 'a' }
    expect((await push(school, CONFIDENTIAL, network)).status).toBe(201)
    const refused = await push(school, { ...CONFIDENTIAL, client_id: 'other-hub' }, network)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7'])
    expect((await push(school, {}, network)).status).toBe(201)
    expect(expenses.map(({ spender, cost, allowance, budget: of }) => [of, spender, cost, allowance])).toEqual([
      ['requestsOfClient', 'portfolio-hub', 1, { amount: 6000, seconds: 600 }],
      ['requestsOfClient', 'other-hub', 1, { amount: 6000, seconds: 600 }],
      ['requestsOfNetwork', 'a', 1, { amount: 6000, seconds: 600 }],
    ]) // prettier-ignore
  })

  it('is the network of a client that registered itself, although it has a secret [PAR-16]', async () => {
    const allowances = { requestsOfNetwork: few }
    const school = await createPushSchool({}, { networkOf, allowances })
    const own: Client = { ...PORTFOLIO_HUB, clientId: 'own-hub', kind: 'loopback', scopes: null }
    await school.store.insertClient(own)
    const request = { ...CONFIDENTIAL, client_id: 'own-hub', scope: 'openid courses:read' }
    expect(await statuses(school, request, 'a')).toEqual([201, 201, 201, 429])
    expect(await statuses(school, {}, 'a')).toEqual([429, 429, 429, 429])
  })

  it('pays nothing for a request that is refused [PAR-16]', async () => {
    const school = await createPushSchool({}, { networkOf, allowances: { requestsOfNetwork: few } })
    await statuses(school, { scope: 'nothing:read' }, 'a')
    expect(await statuses(school, {}, 'a')).toEqual([201, 201, 201, 429])
  })
})

describe('what is known of a push', () => {
  it('is a step of the attempt that its browser continues [PSH-01]', async () => {
    const school = await watchedSchool({ options: optionsOf() })
    const uri = await pushed(school)
    signIn(school)
    school.network = '198.51.100.9'
    const callback = await createBrowser(school).authorize(presented(uri))
    await redeem(school, callback.searchParams.get('code')!)
    const attempt = await school.only()
    expect(stagesOf(attempt)).toEqual(['authorize', 'authorize', 'consent', 'code', 'token'])
    expect(attempt.steps.map(({ detail }) => detail).slice(0, 2)).toEqual(['pushed', null])
    expect(JSON.stringify(attempt)).not.toContain(uri.slice(PREFIX.length))
    expect(school.events.filter(({ type }) => type === 'oauth.authorization.requested')).toHaveLength(1) // prettier-ignore
  })

  it('is why it was refused, with what the refusal is about [PSH-01]', async () => {
    const school = await watchedSchool({ options: optionsOf() })
    await push(school, { redirect_uri: 'https://evil.example/cb' })
    const attempt = await school.only()
    expect(stagesOf(attempt)).toEqual(['authorize redirect_uri_not_registered'])
    expect(attempt.steps[0]!.detail).toContain('https://evil.example')
  })

  it('has texts for each of its reasons [PSH-01]', () => {
    const refusal = { error: 'invalid_request', reason: 'pushed_request_expired' } as const
    expect(explainRefusal(refusal, [PUSHED_REFUSALS])).toEqual({
      ...PUSHED_REFUSALS.invalid_request.pushed_request_expired,
      url: 'https://hallpass.example/look-up/errors.html#pushed_request_expired',
    })
  })
})

describe('a store that fails', () => {
  const never = new Promise<never>(() => {})
  it.each<[string, Partial<Store>]>([
    ['savePending throws', { savePending: () => Promise.reject(new Error('down')) }],
    ['savePending never answers', { savePending: () => never }],
  ])('%s: 503 in bounded time, and the fault is reported [PSH-02]', async (_, broken) => {
    const store = { ...createMemoryStore(), ...broken }
    const school = await createPushSchool({}, { store, callDeadlineMilliseconds: 200 })
    expect((await push(school)).status).toBe(503)
    expect(school.faults.map(({ endpoint }) => endpoint)).toEqual(['pushed_request'])
  })

  it.each<[string, Partial<Store>]>([
    ['findPending returns a row of milliseconds', { findPending: async (idHash) => ({ idHash, expiresAt: T * 1000 }) as never }],
    ['findPending throws', { findPending: () => Promise.reject(new Error('down')) }],
    ['endPending returns true', { endPending: async () => true as never }],
    ['endPending never answers', { endPending: () => never }],
  ])('%s: no code [PSH-02]', async (_, broken) => {
    const store: Store = createMemoryStore()
    const whole = { ...store }
    const school = await createPushSchool({}, { store, callDeadlineMilliseconds: 200 })
    const uri = await pushed(school)
    Object.assign(store, broken)
    const site = defineSite({ ...school.siteOptions, store: { ...whole, ...broken } })
    const { authorize } = createAuthorizationServer(site as never, {
      keys: { jwks: async () => ({ keys: [] }), signer: async () => null, refreshSecrets: () => [SEALING.sealingSecret] },
      interact: INTERACT,
    })
    const response = await authorize(new Request(presented(uri)))
    expect([response.status, response.headers.get('location')]).toEqual([503, null])
  }) // prettier-ignore
})

describe('decidePushedRequest', () => {
  const stored = {
    clientId: 'a', redirectUri: REDIRECT, scopes: ['openid'], resource: ISSUER, resourceSent: true, state: null,
    codeChallenge: 'c', nonce: null, prompt: [], maxAge: null, loginHint: null, uiLocales: [], expiresAt: T + 60,
  } // prettier-ignore
  it.each<[string, Partial<Parameters<typeof decidePushedRequest>[0]>, string]>([
    ['nothing', { pushed: null }, 'pushed_request_unknown'],
    ['another client', { clientId: 'b' }, 'pushed_request_of_other_client'],
    ['no client', { clientId: null }, 'pushed_request_of_other_client'],
    ['its end', { now: T + 60 }, 'pushed_request_expired'],
    ['a clock that is none', { now: NaN }, 'pushed_request_expired'],
    ['an end that is none', { pushed: { ...stored, expiresAt: NaN } }, 'pushed_request_expired'],
  ])('refuses %s [PAR-05, PAR-07]', (_, change, reason) => {
    const decided = decidePushedRequest({ pushed: stored, clientId: 'a', now: T, ...change })
    expect(decided).toMatchObject({ ok: false, error: 'invalid_request', reason, description: expect.stringMatching(/ /) as string }) // prettier-ignore
  })

  it('returns what was pushed, and nothing that was not', () => {
    const decided = decidePushedRequest({ pushed: stored, clientId: 'a', now: T + 59 })
    if (!decided.ok) throw new Error(decided.reason)
    const { parameters } = decided
    expect(parameters.single('resource')).toBe(ISSUER)
    for (const name of ['state', 'nonce', 'prompt', 'max_age', 'login_hint', 'ui_locales', 'request_uri'])
      expect(parameters.single(name)).toBeNull() // prettier-ignore
  })
})

describe('the composition', () => {
  const site = { issuer: ISSUER, name: 'S', store: createMemoryStore(), scopes: schoolScopes, roles: schoolRoles, findPerson: async () => null } // prettier-ignore

  it('names each mistake in its options [PSH-03]', () => {
    expect(() => pushedRequests({ required: 1, seconds: 600, other: 1 } as never)).toThrow(
      new OptionsError('pushedRequests', [
        'other is not an option',
        'required must be true or false, not 1',
        'seconds must be a whole number from 5 to 599, not 600',
      ]),
    )
    expect(() => defineSite({ ...site, blocks: [{} as never] })).toThrow('blocks[0] lacks kind')
  })

  it('keeps its path for itself [PSH-03]', () => {
    const routes = { [`POST ${PUSH}`]: () => new Response() }
    const own = { ...SEALING, interact: INTERACT, routes }
    const named = defineSite({ ...site, blocks: [pushedRequests()] })
    expect(() => createServer(named, own)).toThrow('has a path of hallpass')
  })

  it('is in the OpenAPI description of a server that has it, and in no other one [PSH-04]', async () => {
    const school = await createPushSchool()
    const options = { issuer: ISSUER, requireState: true, defaultScopes: null }
    const own = { ...options, pushedRequests: pushedRequests() }
    const { paths } = describeAuthorizationServer(own, school.server)
    const answers = { 201: expect.any(Object), 401: expect.any(Object) }
    expect(paths[PUSH]).toMatchObject({ post: { operationId: 'oauth.push', responses: answers } })
    const without = describeAuthorizationServer(options, (await createSchool()).server)
    expect(JSON.stringify(without)).not.toContain(PUSH)
  })
})

describe('clients that others wrote, over HTTP', () => {
  /** A school on a port, whose clock is the real one. */
  async function openSchool(): Promise<{ school: School; origin: string }> {
    const listener: { handle: ReturnType<typeof toNodeHandler> | null } = { handle: null }
    const http = createHttpServer((request, response) => listener.handle!(request, response))
    const origin = `http://127.0.0.1:${await openServer(http)}`
    const school = await createSchool({ issuer: origin, options: optionsOf({ required: true }) })
    // oxlint-disable-next-line no-restricted-properties -- the clients check times against the real clock
    school.clock.now = Math.floor(Date.now() / 1000)
    listener.handle = toNodeHandler(school.router, { origin })
    signIn(school)
    return { school, origin }
  }

  it('openid-client pushes with its secret, signs in and exchanges the code [PSH-05]', async () => {
    const { school, origin } = await openSchool()
    const config = await openid.discovery(
      new URL(origin),
      'portfolio-hub',
      PORTFOLIO_SECRET,
      openid.ClientSecretPost(PORTFOLIO_SECRET),
      { execute: [openid.allowInsecureRequests] },
    )
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()]
    const url = await openid.buildAuthorizationUrlWithPAR(config, {
      redirect_uri: REDIRECT,
      scope: 'openid account:read',
      resource: origin,
      state: expectedState,
      nonce: expectedNonce,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    })
    expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri'])
    const callback = await createBrowser(school, origin).authorize(url)
    const tokens = await openid.authorizationCodeGrant(
      config,
      callback,
      { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true },
      { resource: origin },
    )
    expect(tokens.scope).toBe('openid account:read')
  })

  it('oauth4webapi pushes as a public client [PSH-05]', async () => {
    const { school, origin } = await openSchool()
    const insecure = { [oauth.allowInsecureRequests]: true }
    const as = await oauth.processDiscoveryResponse(
      new URL(origin),
      await oauth.discoveryRequest(new URL(origin), { algorithm: 'oauth2', ...insecure }),
    )
    const client = { client_id: 'study-buddy' }
    const verifier = oauth.generateRandomCodeVerifier()
    const state = oauth.generateRandomState()
    const response = await oauth.pushedAuthorizationRequest(
      as,
      client,
      oauth.None(),
      {
        response_type: 'code',
        redirect_uri: REDIRECT,
        scope: 'openid account:read',
        resource: origin,
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      },
      insecure,
    )
    const { request_uri } = await oauth.processPushedAuthorizationResponse(as, client, response)
    const url = new URL(as.authorization_endpoint!)
    url.search = new URLSearchParams({ client_id: 'study-buddy', request_uri }).toString()
    const callback = await createBrowser(school, origin).authorize(url)
    const parameters = oauth.validateAuthResponse(as, client, callback, state)
    const exchanged = await oauth.authorizationCodeGrantRequest(as, client, oauth.None(), parameters, REDIRECT, verifier, { additionalParameters: { resource: origin }, ...insecure }) // prettier-ignore
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, exchanged)
    expect(tokens.scope).toBe('openid account:read')
  })
})
