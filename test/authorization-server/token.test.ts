import { hashToken } from 'hallpass/token'
import { stagesOf, watchedSchool } from '../attempts/support.js'
import { describe, expect, it } from 'vitest'
import {
  approve,
  codeForm,
  encode,
  type Fields,
  notAuthenticated,
  PORTFOLIO,
  PORTFOLIO_FORM,
  post,
  reasonsOf,
  redeem,
  refresh,
  refusalOf,
  signIn,
} from '../support/school/flow.js'
import { recordingStore } from '../support/school/stores.js'
import {
  createSchool,
  ISSUER,
  PORTFOLIO_HUB,
  PORTFOLIO_SECRET,
  type School,
  STUDY_BUDDY,
  T,
} from '../support/school/school.js'

const TOKEN = '/api/oauth/token'
const FORM_TYPE = 'application/x-www-form-urlencoded'

const send = (
  school: School,
  body: string | Uint8Array<ArrayBuffer> | FormData,
  type?: string,
): Promise<Response> =>
  school.fetch(ISSUER + TOKEN, {
    method: 'POST',
    body,
    ...(type !== undefined && { headers: { 'content-type': type } }),
  })
const basic = (id: string, secret: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})

describe('a refresh after the end of its grant', () => {
  it('is reported, and once more an hour later [REFR-20]', async () => {
    const school = await createSchool()
    const { refresh_token } = await signIn(school)
    const form = { token: refresh_token, client_id: 'study-buddy' }
    await post(school, '/api/oauth/revoke', form)
    const before = school.events.length
    for (const seconds of [0, 3599, 1, 1]) {
      school.clock.now += seconds
      expect((await refresh(school, refresh_token)).status).toBe(400)
    }
    const event = { type: 'oauth.grant.used_after_end', clientId: 'study-buddy', reason: 'grant_revoked' } // prettier-ignore
    expect(school.events.slice(before)).toEqual([T, T + 3600].map((at) => ({ ...event, at })))
    expect(reasonsOf(school)).toEqual(['grant_revoked', 'grant_revoked'])
  })
})

describe('a grant type that is not supported', () => {
  const wrong = { grant_type: 'password' }

  it('is recorded in the attempt of the code that came with it [ATT-05]', async () => {
    const school = await watchedSchool()
    const code = await approve(school)
    for (const sent of [code, 'hpc_unknown', null])
      await post(school, TOKEN, codeForm(code, { ...wrong, code: sent }))
    const steps = (await school.all()).map(stagesOf)
    const refused = 'token grant_type_not_supported'
    expect(steps).toContainEqual(['authorize', 'consent', 'code', refused])
    expect(steps.flat().filter((step) => step === refused)).toHaveLength(3)
    expect(school.faults).toEqual([])
  })

  it('is refused in the same words while the store is away', async () => {
    const school = await watchedSchool()
    const code = await approve(school)
    school.store.findCode = () => Promise.reject(new Error('away'))
    expect((await post(school, TOKEN, codeForm(code, wrong))).status).toBe(400)
    expect(reasonsOf(school)).toEqual(['grant_type_not_supported'])
  })

  it('reads nothing at a site that keeps no attempts', async () => {
    const { store, calls } = recordingStore()
    const school = await createSchool({ store })
    const code = await approve(school)
    calls.length = 0
    await post(school, TOKEN, codeForm(code, wrong))
    expect(calls).toEqual([])
  })
})

describe('the token endpoint refuses', () => {
  it.each<[string, Fields, string, string, string]>([
    ['no grant_type [TOKC-03]', { grant_type: null }, 'invalid_request', 'grant_type is required', 'grant_type_missing'],
    ['an empty grant_type [TOKC-19]', { grant_type: '' }, 'invalid_request', 'grant_type is required', 'grant_type_missing'],
    ['no client_id [TOKC-03]', { client_id: null }, 'invalid_request', 'client_id is required', 'client_id_missing'],
    ['an empty client_id [TOKC-19]', { client_id: '' }, 'invalid_request', 'client_id is required', 'client_id_missing'],
    ...['password', 'client_credentials', 'urn:ietf:params:oauth:grant-type:device_code', 'urn:ietf:params:oauth:grant-type:token-exchange', 'AUTHORIZATION_CODE', '__proto__', "' OR 1=1--"].map(
      (grant_type): [string, Fields, string, string, string] => [
        `grant_type=${grant_type} [TOKC-04]`, { grant_type }, 'unsupported_grant_type', 'grant_type must be authorization_code or refresh_token', 'grant_type_not_supported',
      ],
    ),
    ...['grant_type', 'code', 'redirect_uri', 'client_id', 'code_verifier', 'client_secret', 'unknown'].map(
      (name): [string, Fields, string, string, string] => [
        `${name} twice [TOKC-19]`, { [name]: ['x', 'x'] }, 'invalid_request', 'a parameter other than resource was sent more than once', 'parameter_repeated',
      ],
    ),
  ])('%s', async (_, changes, error, error_description, reason) => {
    const school = await createSchool()
    const code = await approve(school)
    const response = await redeem(school, code, changes)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await refusalOf(response)).toEqual([400, { error, error_description }])
    expect(school.refusals).toMatchObject([{ at: T, endpoint: 'token', error, reason }])
    expect((await redeem(school, code)).status).toBe(200)
  }) // prettier-ignore
})

describe('client authentication', () => {
  it.each<[string, Fields, Record<string, string>, string]>([
    ['no secret', PORTFOLIO, {}, 'client_secret_missing'],
    ['an empty secret', { ...PORTFOLIO, client_secret: '' }, {}, 'client_secret_missing'],
    ['a wrong secret', { ...PORTFOLIO, client_secret: 'wrong' }, {}, 'client_secret_mismatch'],
    ['the hash of the secret', { ...PORTFOLIO, client_secret: hashToken(PORTFOLIO_SECRET) }, {}, 'client_secret_mismatch'],
    ['a NUL behind the secret', { ...PORTFOLIO, client_secret: `${PORTFOLIO_SECRET}\u0000` }, {}, 'client_secret_mismatch'],
    ['a long secret', { ...PORTFOLIO, client_secret: 'x'.repeat(15_000) }, {}, 'client_secret_mismatch'],
    ['the secret in Basic', PORTFOLIO, basic('portfolio-hub', PORTFOLIO_SECRET), 'client_auth_method_not_supported'],
    ['a bearer token', PORTFOLIO, { authorization: 'Bearer x' }, 'client_auth_method_not_supported'],
    ['a secret for a public client', { client_secret: 'x' }, {}, 'client_secret_unexpected'],
    ['an unknown client', { client_id: 'nobody' }, {}, 'client_unknown'],
    ['an unknown client with a secret', { client_id: 'nobody', client_secret: 'x' }, {}, 'client_unknown'],
    ['a client named __proto__', { client_id: '__proto__' }, {}, 'client_unknown'],
    ['a client that is an injection', { client_id: "' OR 1=1--" }, {}, 'client_unknown'],
    ['a client with a NUL', { client_id: 'study-buddy\u0000' }, {}, 'client_unknown'],
    ['a client that is a metadata document', { client_id: 'https://app.test/client.json' }, {}, 'client_unknown'],
    ['a client that is switched off', { client_id: 'off' }, {}, 'client_disabled'],
    ['a secret that has expired', { client_id: 'expired', client_secret: PORTFOLIO_SECRET }, {}, 'client_secret_mismatch'],
  ])('answers 401, and words that follow from the request alone, for %s [TOKC-13, TOKC-14, TOKC-15, TOKC-27]', async (_, changes, headers, reason) => {
    const school = await createSchool()
    await school.store.insertClient({ ...STUDY_BUDDY, clientId: 'off', disabled: true })
    await school.store.insertClient({
      ...PORTFOLIO_HUB,
      clientId: 'expired',
      secrets: [{ hash: hashToken(PORTFOLIO_SECRET), expiresAt: T }],
    })
    const code = await approve(school)
    const response = await post(school, TOKEN, codeForm(code, changes), headers)
    const { client_secret = '' } = changes
    const sent = 'authorization' in headers ? 'header' : client_secret === '' ? 'no secret' : 'secret'
    expect(await refusalOf(response)).toEqual(notAuthenticated(sent))
    expect(reasonsOf(school)).toEqual([reason])
    expect((await redeem(school, code)).status).toBe(200)
  }) // prettier-ignore

  it('takes the same steps for an unknown client as for a wrong secret [TOKC-14, LOG-05]', async () => {
    const { store, calls } = recordingStore()
    const school = await createSchool({ store })
    const own = await approve(school)
    const stepsOf = async (code: string, changes: Fields): Promise<readonly string[]> => {
      const before = calls.length
      await redeem(school, code, { client_secret: 'wrong', ...changes })
      return calls.slice(before).map(({ method }) => method)
    }
    // Whoever has no code of the client learns nothing about it, nor does who has a code of another one.
    for (const code of ['x', own]) {
      expect(await stepsOf(code, { client_id: 'nobody' })).toEqual(['findCode', 'findClient'])
      expect(await stepsOf(code, PORTFOLIO)).toEqual(['findCode', 'findClient'])
    }
  })

  it('answers 400 to two methods at once [TOKC-13]', async () => {
    const school = await createSchool()
    const headers = basic('portfolio-hub', PORTFOLIO_SECRET)
    const response = await post(school, TOKEN, codeForm('x', PORTFOLIO_FORM), headers)
    expect(await refusalOf(response)).toEqual([
      400,
      {
        error: 'invalid_request',
        error_description: 'use only one client authentication method',
      },
    ])
  })

  it.each(['token', 'revoke', 'introspect'])(
    'challenges a client that names itself in Basic only, at %s [TOKC-13, D-01]',
    async (name) => {
      const school = await createSchool()
      const code = await approve(school, PORTFOLIO)
      const form = { ...codeForm(code, { client_id: null }), token: 'x' }
      for (const secret of [PORTFOLIO_SECRET, 'wrong']) {
        const headers = basic('portfolio-hub', secret)
        const response = await post(school, `/api/oauth/${name}`, form, headers)
        expect(await refusalOf(response)).toEqual(notAuthenticated('header'))
        expect(response.headers.get('www-authenticate')).toBe(`Basic realm="${ISSUER}"`)
      }
      expect(new Set(reasonsOf(school))).toEqual(new Set(['client_auth_method_not_supported']))
      expect((await redeem(school, code, PORTFOLIO_FORM)).status).toBe(200)
    },
  )

  it('sends no challenge that nobody asked for [D-01]', async () => {
    const response = await redeem(await createSchool(), 'x', { client_id: 'nobody' })
    expect([response.status, response.headers.has('www-authenticate')]).toEqual([401, false])
  })

  it.each([
    [basic('portfolio-hub', PORTFOLIO_SECRET)['authorization'], 'Basic'],
    ['Bearer x', 'Bearer'],
    ['DPoP x', 'DPoP'],
    ['Basic', 'Basic'],
    ['x', 'Basic'],
    [`${'x'.repeat(16)} y`, 'x'.repeat(16)],
    [`${'x'.repeat(17)} y`, 'Basic'],
    ['a"b c', 'Basic'],
  ])('challenges whoever used the Authorization header %j by its scheme [D-01]', async (authorization, scheme) => {
    const school = await createSchool()
    const response = await post(school, TOKEN, codeForm('x', PORTFOLIO), { authorization: authorization! })
    expect(response.headers.get('www-authenticate')).toBe(`${scheme} realm="${ISSUER}"`)
  }) // prettier-ignore

  it('takes either of two secrets while they overlap, to the second [TOKC-15]', async () => {
    const school = await createSchool()
    const secrets = [
      { hash: hashToken('new secret'), expiresAt: null },
      { hash: hashToken('old secret'), expiresAt: T + 10 },
    ]
    await school.store.insertClient({ ...PORTFOLIO_HUB, clientId: 'rotating', secrets })
    const exchange = async (client_secret: string): Promise<number> => {
      const code = await approve(school, { client_id: 'rotating' })
      return (await redeem(school, code, { client_id: 'rotating', client_secret })).status
    }
    school.clock.now = T + 9
    expect([await exchange('new secret'), await exchange('old secret')]).toEqual([200, 200])
    school.clock.now = T + 10
    expect([await exchange('new secret'), await exchange('old secret')]).toEqual([200, 401])
  })
})

describe('the body of a token request', () => {
  it.each([
    ['JSON', JSON.stringify({ grant_type: 'authorization_code' }), 'application/json'],
    ['text', 'grant_type=authorization_code', 'text/plain'],
    ['two media types', 'grant_type=x', `application/json, ${FORM_TYPE}`],
    ['a longer media type', 'grant_type=x', `${FORM_TYPE}x`],
    ['multipart', new FormData(), undefined],
    ['no media type', new TextEncoder().encode('grant_type=x'), undefined],
  ])('is refused as %s [TOKC-17]', async (_, body, type) => {
    const response = await send(await createSchool(), body, type)
    expect(await refusalOf(response)).toEqual([
      415,
      { error: 'invalid_request', error_description: `send Content-Type: ${FORM_TYPE}` },
    ])
  })

  it.each([`${FORM_TYPE};charset=UTF-8`, `${FORM_TYPE} ; charset=utf-8`, FORM_TYPE.toUpperCase()])(
    'is read as %j [TOKC-17]',
    async (type) => {
      const school = await createSchool()
      const body = encode(codeForm(await approve(school))).toString()
      expect((await send(school, body, type)).status).toBe(200)
    },
  )

  it('may come in pieces [TOKC-17]', async () => {
    const school = await createSchool()
    const bytes = new TextEncoder().encode(encode(codeForm(await approve(school))).toString())
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 7) controller.enqueue(bytes.slice(at, at + 7))
        controller.close()
      },
    })
    const init = {
      method: 'POST',
      body: pieces,
      duplex: 'half',
      headers: { 'content-type': FORM_TYPE },
    }
    expect((await school.fetch(ISSUER + TOKEN, init as RequestInit)).status).toBe(200)
  })

  it.each([
    '',
    '&&&',
    '=',
    '%',
    '%zz=%',
    'grant_type',
    'grant_type=%c3%28',
    'a[b][c]=1',
    '\u0000=\u0000',
  ])('is answered with 400 for %j [TOKC-17]', async (body) => {
    const school = await createSchool()
    expect((await send(school, body, FORM_TYPE)).status).toBe(400)
    expect(school.faults).toEqual([])
  })

  it('that is not UTF-8 is answered with 400', async () => {
    const response = await send(await createSchool(), new Uint8Array([0x61, 0x3d, 0xff]), FORM_TYPE)
    expect(await refusalOf(response)).toEqual([
      400,
      { error: 'invalid_request', error_description: 'the body is not valid UTF-8' },
    ])
  })

  it('is all that counts: nothing is read from the query [TOKC-18]', async () => {
    const school = await createSchool()
    const code = await approve(school, PORTFOLIO)
    const query = encode(codeForm(code, PORTFOLIO_FORM)).toString()
    expect((await post(school, `${TOKEN}?${query}`, {})).status).toBe(400)
    const secretInQuery = `${TOKEN}?client_secret=${PORTFOLIO_SECRET}`
    expect((await post(school, secretInQuery, codeForm(code, PORTFOLIO))).status).toBe(401)
    expect((await redeem(school, code, PORTFOLIO_FORM)).status).toBe(200)
  })
})

describe('the token endpoint', () => {
  it.each(['GET', 'PUT', 'DELETE', 'HEAD'])('answers 405 to %s [TOKC-20]', async (method) => {
    const response = await (await createSchool()).fetch(ISSUER + TOKEN, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  })

  it('may be called from any origin, without credentials [TOKC-25]', async () => {
    const school = await createSchool()
    const headers = { origin: 'https://app.test' }
    const preflight = await school.fetch(ISSUER + TOKEN, {
      method: 'OPTIONS',
      headers: { ...headers, 'access-control-request-method': 'POST' },
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([
      204,
      'POST, OPTIONS',
    ])
    const granted = await post(school, TOKEN, codeForm(await approve(school)), headers)
    const refused = await post(school, TOKEN, codeForm('x'), headers)
    expect([granted.status, refused.status]).toEqual([200, 400])
    for (const response of [preflight, granted, refused]) {
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(response.headers.has('access-control-allow-credentials')).toBe(false)
    }
  })

  it('never echoes what it was sent [TOKC-24]', async () => {
    const school = await createSchool()
    const marks = ['<marked-1>', 'marked-2', 'marked-3', 'marked-4', 'marked-5', 'marked-6']
    const [grant_type, code, client_secret, code_verifier, redirect_uri, resource] = marks as [
      string, string, string, string, string, string,
    ] // prettier-ignore
    for (const changes of [
      { grant_type },
      { code },
      { ...PORTFOLIO, client_secret },
      { code_verifier },
      { redirect_uri },
      { resource },
      { client_id: code },
    ] as Fields[]) {
      const response = await redeem(school, await approve(school), changes)
      const text = await response.text()
      expect(JSON.parse(text)).toStrictEqual({
        error: expect.stringMatching(/^[a-z_]+$/),
        error_description: expect.stringMatching(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/),
      })
      expect(text).not.toMatch(/marked|at .+:\d+/)
    }
  })

  it('tells the operator which client it said it was, cut to a length that fits a log [LOG-02]', async () => {
    const school = await createSchool()
    await redeem(school, 'x', { client_id: 'y'.repeat(300) })
    expect(school.refusals).toEqual([
      {
        at: T,
        endpoint: 'token',
        error: 'invalid_client',
        reason: 'client_unknown',
        clientId: 'y'.repeat(256),
      },
    ])
  })
})
