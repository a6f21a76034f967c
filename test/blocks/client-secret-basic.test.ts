import { createAuthorizationServer } from 'hallpass'
import { configureAuthorizationServer, createRouter } from 'hallpass/authorization-server'
import { describeAuthorizationServer } from 'hallpass/openapi'
import { clientSecretBasic } from 'hallpass/blocks'
import { hashToken } from 'hallpass/token'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { describe, expect, it } from 'vitest'
import {
  approve,
  codeForm,
  type Fields,
  notAuthenticated,
  PORTFOLIO,
  PORTFOLIO_REQUEST,
  post,
  reasonsOf,
  refusalOf,
  TOLD,
} from '../support/school/flow.js'
import {
  createSchool,
  ISSUER,
  PORTFOLIO_HUB,
  PORTFOLIO_SECRET,
  type School,
} from '../support/school/school.js'
import {
  createSigningSchool,
  form as assertion,
  INTERACT,
} from '../support/school/signing-client.js'

const TOKEN = '/api/oauth/token'
const MALFORMED =
  'the Authorization header must be Basic with client_id and client_secret, each form-urlencoded: or send both in the form'

const createBasicSchool = (): Promise<School> =>
  createSchool({ options: { blocks: [clientSecretBasic()] } })

const header = (pair: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
})
const OWN = header(`portfolio-hub:${PORTFOLIO_SECRET}`)
/** The form of a code without anything that authenticates its client. */
const bare = (code: string, changes: Fields = {}): Fields =>
  codeForm(code, { ...PORTFOLIO, client_id: null, ...changes })

describe('a client with client_secret_basic', () => {
  it.each([
    ['without client_id in the form', {}],
    ['with its client_id there too', { client_id: 'portfolio-hub' }],
    ['with an empty client_secret there', { client_secret: '' }],
  ])('exchanges its code, %s [BLK-06]', async (_, changes) => {
    const school = await createBasicSchool()
    const code = await approve(school, PORTFOLIO_REQUEST)
    expect((await post(school, TOKEN, bare(code, changes), OWN)).status).toBe(200)
  })

  it.each(['client_secret_basic', 'client_secret_post'])(
    'may send its secret by either method: %s [BLK-06]',
    async (which) => {
      const school = await createBasicSchool()
      const code = await approve(school, PORTFOLIO_REQUEST)
      const inForm = { client_id: 'portfolio-hub', client_secret: PORTFOLIO_SECRET }
      const [form, headers] = which === 'client_secret_post' ? [inForm, {}] : [{}, OWN]
      expect((await post(school, TOKEN, bare(code, form), headers)).status).toBe(200)
    },
  )

  it.each([
    ['a space and a percent sign', 'shop 100%', 's p%c'],
    ['a plus sign', 'a+b', 'c+d'],
    ['a colon in both', 'https://app.test:1/x', 'a:b'],
    ['letters beyond ASCII', 'shop', 'пароль schülerin'],
  ])('is decoded as a form is, with %s [BLK-06]', async (_, clientId, secret) => {
    const school = await createBasicSchool()
    const secrets = [{ hash: hashToken(secret), expiresAt: null }]
    await school.store.insertClient({ ...PORTFOLIO_HUB, clientId, secrets })
    const encode = (text: string): string =>
      new URLSearchParams({ x: text }).toString().slice('x='.length)
    const headers = header(`${encode(clientId)}:${encode(secret)}`)
    const revoked = await post(school, '/api/oauth/revoke', { token: 'x' }, headers)
    expect([revoked.status, await revoked.json()]).toEqual([200, {}])
  })

  it.each<[string, string, string, string]>([
    ['a wrong secret', 'portfolio-hub:wrong', 'client_secret_mismatch', TOLD.secret],
    ['an unknown client', 'nobody:wrong', 'client_unknown', TOLD.secret],
    ['a public client with a secret', 'study-buddy:x', 'client_secret_unexpected', TOLD.secret],
    ['no secret', 'portfolio-hub:', 'client_secret_missing', TOLD['no secret']],
    ['no colon', 'portfolio-hub', 'client_auth_method_not_supported', MALFORMED],
    ['no client', ':x', 'client_auth_method_not_supported', MALFORMED],
    ['a broken escape', 'portfolio-hub:%zz', 'client_auth_method_not_supported', MALFORMED],
  ])('is refused with %s, and its code remains valid [BLK-06]', async (_, pair, reason, told) => {
    const school = await createBasicSchool()
    const code = await approve(school, PORTFOLIO_REQUEST)
    const refused = await post(school, TOKEN, bare(code), header(pair))
    expect(refused.headers.get('www-authenticate')).toBe(`Basic realm="${ISSUER}"`)
    expect(await refusalOf(refused)).toEqual([
      401,
      { error: 'invalid_client', error_description: told },
    ])
    expect(reasonsOf(school)).toEqual([reason])
    expect((await post(school, TOKEN, bare(code), OWN)).status).toBe(200)
  })

  it.each(['Bearer x', 'Basic', 'Basic !', 'Basic /w==', 'Basic a'])(
    'is told what the header must be: %j',
    async (authorization) => {
      const school = await createBasicSchool()
      const refused = await post(school, TOKEN, bare('x'), { authorization })
      expect(await refusalOf(refused)).toMatchObject([401, { error_description: MALFORMED }])
    },
  )

  it('may not be another client than the form names', async () => {
    const school = await createBasicSchool()
    const form = bare('x', { client_id: 'study-buddy' })
    expect(await refusalOf(await post(school, TOKEN, form, OWN))).toEqual(
      notAuthenticated('secret'),
    )
    // Nor if that one would be accepted without the header.
    const own = codeForm(await approve(school))
    const other = await post(school, TOKEN, own, header('portfolio-hub:'))
    expect([other.status, (await post(school, TOKEN, own)).status]).toEqual([401, 200])
  })

  it('is refused if it uses two methods [BLK-06]', async () => {
    const school = await createBasicSchool()
    const both = bare('x', { client_secret: PORTFOLIO_SECRET })
    expect(await refusalOf(await post(school, TOKEN, both, OWN))).toEqual([
      400,
      { error: 'invalid_request', error_description: 'use only one client authentication method' },
    ])
    const { site, keys, sign, method } = await createSigningSchool()
    for (const methods of [
      [method, clientSecretBasic()],
      [clientSecretBasic(), method],
    ]) {
      const server = createAuthorizationServer(
        { ...site, blocks: methods },
        { keys, interact: INTERACT },
      )
      const signed = new URLSearchParams({ token: 'x', ...assertion(await sign()) })
      const send = (headers: Record<string, string>): Promise<Response> =>
        createRouter(server)(
          new Request(`${ISSUER}/api/oauth/revoke`, { method: 'POST', body: signed, headers }),
        )
      expect([(await send(header('notes:x'))).status, (await send({})).status]).toEqual([400, 200])
    }
  })
})

describe('a server with clientSecretBasic', () => {
  it('lists it at every endpoint that authenticates clients, and takes it in a registration [BLK-06]', async () => {
    const school = await createBasicSchool()
    const metadata = (await (
      await school.fetch(`${ISSUER}/.well-known/oauth-authorization-server`)
    ).json()) as Record<string, string[]>
    for (const one of ['token', 'revocation', 'introspection'])
      expect(metadata[`${one}_endpoint_auth_methods_supported`]).toContain('client_secret_basic')

    const registered = await school.fetch(`${ISSUER}/api/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        redirect_uris: ['http://127.0.0.1/cb'],
        token_endpoint_auth_method: 'client_secret_basic',
      }),
    })
    const client = (await registered.json()) as Record<string, string>
    expect([registered.status, client['token_endpoint_auth_method']]).toEqual([
      201,
      'client_secret_basic',
    ])
    const headers = header(`${client['client_id']}:${client['client_secret']}`)
    expect((await post(school, '/api/oauth/revoke', { token: 'x' }, headers)).status).toBe(200)
    expect((await school.store.findClient(client['client_id']!))?.tokenEndpointAuthMethod).toBe(
      'client_secret_post',
    )
  })

  it.each(['client_secret_jwt', 'tls_client_auth'])(
    'registers no client with %s',
    async (method) => {
      const school = await createBasicSchool()
      const registered = await school.fetch(`${ISSUER}/api/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          redirect_uris: ['http://127.0.0.1/cb'],
          token_endpoint_auth_method: method,
        }),
      })
      expect(registered.status).toBe(400)
      expect(reasonsOf(school)).toEqual(['auth_method_not_supported'])
    },
  )

  it('registers no client that authenticates by another block', async () => {
    const { router } = await createSigningSchool()
    const response = await router(
      new Request(`${ISSUER}/api/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          redirect_uris: ['http://127.0.0.1/cb'],
          token_endpoint_auth_method: 'private_key_jwt',
        }),
      }),
    )
    expect(response.status).toBe(400)
  })

  it('requires no client_id of the form in its description', async () => {
    const { site, keys } = await createSigningSchool()
    const basic = { ...site, blocks: [clientSecretBasic()] }
    const configuration = configureAuthorizationServer(basic, { keys, interact: INTERACT })
    const { paths } = describeAuthorizationServer(configuration, { token: true })
    expect(JSON.stringify(paths)).toContain('"required":["grant_type"]')
  })
})

describe('published libraries by their default', () => {
  it('oauth4webapi revokes by ClientSecretBasic [BLK-06]', async () => {
    const school = await createBasicSchool()
    const as: oauth.AuthorizationServer = {
      issuer: ISSUER,
      revocation_endpoint: `${ISSUER}/api/oauth/revoke`,
      introspection_endpoint: `${ISSUER}/api/oauth/introspect`,
    }
    const client = { client_id: 'portfolio-hub' }
    const options = { [oauth.customFetch]: school.fetch }
    const send = oauth.ClientSecretBasic(PORTFOLIO_SECRET)
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(as, client, send, 'x', options),
    )
    const introspected = await oauth.introspectionRequest(as, client, send, 'x', options)
    expect(await oauth.processIntrospectionResponse(as, client, introspected)).toEqual({
      active: false,
    })
  })

  it('openid-client finds the server and exchanges a code by ClientSecretBasic [BLK-06]', async () => {
    const school = await createBasicSchool()
    const config = await openid.discovery(
      new URL(ISSUER),
      'portfolio-hub',
      { client_secret: PORTFOLIO_SECRET },
      openid.ClientSecretBasic(PORTFOLIO_SECRET),
      { [openid.customFetch]: school.fetch as openid.CustomFetch },
    )
    expect(config.serverMetadata().token_endpoint_auth_methods_supported).toContain(
      'client_secret_basic',
    )
    await openid.tokenRevocation(config, 'x')
    expect((await openid.tokenIntrospection(config, 'x')).active).toBe(false)
  })
})
