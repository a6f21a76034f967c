import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { hashToken } from 'hallpass/token'
import { stagesOf, watchedSchool } from '../attempts/support.js'
import { recordingStore } from '../support/school/stores.js'
import {
  approve,
  authorizationUrl,
  DESK_REQUEST,
  redeem,
  refusalOf,
} from '../support/school/flow.js'
import {
  ACME,
  createBrowser,
  createSchool,
  ISSUER,
  OWNER,
  type School,
  T,
} from '../support/school/school.js'

const LOOPBACK = 'http://127.0.0.1:3000/cb'
const NATIVE = {
  client_name: 'Desk CLI',
  application_type: 'native',
  redirect_uris: [LOOPBACK],
  token_endpoint_auth_method: 'none',
}

const send = (
  school: School,
  body: string | Uint8Array<ArrayBuffer>,
  type = 'application/json',
): Promise<Response> =>
  school.fetch(`${ISSUER}/api/oauth/register`, {
    method: 'POST',
    body,
    headers: { 'content-type': type },
  })
const register = (school: School, metadata: unknown): Promise<Response> =>
  send(school, JSON.stringify(metadata))

async function registered(response: Response): Promise<Record<string, unknown>> {
  expect(response.status).toBe(201)
  return (await response.json()) as Record<string, unknown>
}

/** The members on which a client relies, each with its only value and others that are refused. */
const RELIED_ON: readonly (readonly [string, string, readonly unknown[]])[] = [
  ['subject_type', 'public', ['pairwise', 'Public', 1]],
  ['id_token_signed_response_alg', 'ES256', ['RS256', 'none', ['ES256']]],
  ['id_token_encrypted_response_alg', 'none', ['RSA-OAEP']],
  ['id_token_encrypted_response_enc', 'none', ['A128CBC-HS256']],
  ['userinfo_signed_response_alg', 'none', ['ES256', 'none']],
  ['userinfo_encrypted_response_alg', 'none', ['RSA-OAEP']],
  ['userinfo_encrypted_response_enc', 'none', ['A128CBC-HS256']],
  ['introspection_signed_response_alg', 'none', ['ES256']],
  ['authorization_signed_response_alg', 'none', ['ES256']],
  ['default_max_age', 'none', [0, 300]],
  ['require_auth_time', 'false', [true]],
  ['require_signed_request_object', 'false', [true, 'false']],
  ['require_pushed_authorization_requests', 'false', [true]],
  ['dpop_bound_access_tokens', 'false', [true]],
  ['tls_client_certificate_bound_access_tokens', 'false', [true]],
]
const HONOURED = {
  subject_type: 'public',
  id_token_signed_response_alg: 'ES256',
  require_auth_time: false,
  require_signed_request_object: false,
  require_pushed_authorization_requests: false,
  dpop_bound_access_tokens: false,
  tls_client_certificate_bound_access_tokens: false,
}
/** What OpenID Registration and RFC 7591 have besides. Each is ignored: none of it stands in the response. */
const IGNORED = {
  scope: 'courses:read',
  sector_identifier_uri: 'https://cli.example/sector',
  jwks: { keys: [] },
  token_endpoint_auth_signing_alg: 'ES256',
  request_object_signing_alg: 'ES256',
  request_object_encryption_alg: 'RSA-OAEP',
  request_object_encryption_enc: 'A128CBC-HS256',
  request_uris: ['https://cli.example/request'],
  default_acr_values: ['1'],
  initiate_login_uri: 'https://cli.example/login',
  post_logout_redirect_uris: ['https://cli.example/'],
  software_id: 'cli',
  software_version: '1',
}

/** Asserts a refusal that stored nothing. */
async function expectRefused(metadata: unknown, error: string, reason: string): Promise<void> {
  const { store, calls } = recordingStore()
  const school = await createSchool({ store })
  const before = calls.length
  expect(await refusalOf(await register(school, metadata))).toEqual([
    400,
    { error, error_description: expect.stringMatching(/^[\x20-\x7e]+$/) },
  ])
  expect(school.refusals).toEqual([{ at: T, endpoint: 'register', error, reason, clientId: null }])
  expect([calls.slice(before), school.events]).toEqual([[], []])
}

describe('registration of a loopback client', () => {
  it('answers 201 with what was registered, and no secret [REG-01, REG-27]', async () => {
    const school = await createSchool()
    const response = await register(school, NATIVE)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('pragma')).toBe('no-cache')
    const answer = await registered(response)
    expect(answer).toStrictEqual({
      client_id: expect.stringMatching(/^app_[\w-]{43}$/),
      client_id_issued_at: T,
      client_name: 'Desk CLI',
      redirect_uris: [LOOPBACK],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      subject_type: 'public',
      id_token_signed_response_alg: 'ES256',
    })
    const clientId = answer['client_id'] as string
    expect(await school.store.findClient(clientId)).toEqual({
      clientId,
      kind: 'loopback',
      name: 'Desk CLI',
      redirectUris: [LOOPBACK],
      tokenEndpointAuthMethod: 'none',
      secrets: [],
      scopes: null,
      disabled: false,
      description: null,
      icon: null,
      about: null,
      revision: 1,
      createdAt: T,
      usedAt: null,
      deletedAt: null,
      endsAt: null,
      document: null,
    })
    expect(school.events).toEqual([
      { type: 'oauth.client.registered', at: T, clientId, clientName: 'Desk CLI' },
    ])
  })

  it('keeps the links and contacts that were sent, and answers with them [SAY-01]', async () => {
    const school = await createSchool()
    const said = {
      client_uri: 'https://cli.example',
      policy_uri: 'http://cli.example/privacy?a=1&b=2',
      tos_uri: 'https://cli.example:8443/terms',
      logo_uri: 'https://cli.example/logo.svg',
      contacts: ['Mei Lin <mei@cli.example>'],
    }
    const other = {
      'client_uri#de': 'https://cli.example/de',
      jwks_uri: 'https://cli.example/jwks',
    }
    const answer = await registered(await register(school, { ...NATIVE, ...said, ...other }))
    expect(answer).toMatchObject(said)
    expect(Object.keys(answer).filter((member) => member in other)).toEqual([])
    const stored = await school.store.findClient(answer['client_id'] as string)
    expect(stored?.about).toEqual({
      clientUri: said.client_uri,
      policyUri: said.policy_uri,
      tosUri: said.tos_uri,
      logoUri: said.logo_uri,
      contacts: said.contacts,
    })
  })

  it('answers with no link and no contact that was not sent [SAY-01]', async () => {
    const said = { client_uri: 'https://cli.example' }
    const answer = await registered(await register(await createSchool(), { ...NATIVE, ...said }))
    const members = ['client_uri', 'policy_uri', 'tos_uri', 'logo_uri', 'contacts']
    expect(members.filter((member) => member in answer)).toEqual(['client_uri'])
  })

  it('shows a secret of 256 bits once and keeps its hash [REG-02]', async () => {
    const school = await createSchool()
    const answer = await registered(
      await register(school, {
        redirect_uris: [LOOPBACK],
        token_endpoint_auth_method: 'client_secret_post',
      }),
    )
    const secret = answer['client_secret'] as string
    expect(secret).toMatch(/^hps_[\w-]{43}$/)
    expect(answer['client_secret_expires_at']).toBe(0)
    const client = await school.store.findClient(answer['client_id'] as string)
    expect(client?.secrets).toEqual([{ hash: hashToken(secret), expiresAt: null }])
    expect(JSON.stringify([client, school.events])).not.toContain(secret)
  })

  it('gives a native client a secret of its own, which spares it neither PKCE nor consent [REG-17]', async () => {
    const school = await createSchool()
    const post = { ...NATIVE, token_endpoint_auth_method: 'client_secret_post' }
    const answer = await registered(await register(school, post))
    const { client_id, client_secret } = answer as Record<string, string>
    expect(answer).toMatchObject({
      token_endpoint_auth_method: 'client_secret_post',
      application_type: 'native',
      client_secret_expires_at: 0,
    })
    const other = await registered(await register(school, post))
    expect(other['client_secret']).not.toBe(client_secret)

    const request = { ...DESK_REQUEST, client_id: client_id! }
    const bare = await school.fetch(authorizationUrl({ ...request, code_challenge: null }))
    expect(bare.headers.get('location')).toContain('error=invalid_request')
    expect(school.refusals.at(-1)).toMatchObject({ reason: 'code_challenge_missing' })

    const form = { client_id: client_id!, redirect_uri: LOOPBACK }
    const code = await approve(school, request, OWNER)
    expect((await redeem(school, code, form)).status).toBe(401)
    const verified = { ...form, client_secret: client_secret! }
    expect((await redeem(school, code, { ...verified, code_verifier: null })).status).toBe(400)
    expect((await redeem(school, code, verified)).status).toBe(200)

    await createBrowser(school).open(authorizationUrl(request))
    expect(school.view?.page).toBe('consent')
    const silent = await school.fetch(authorizationUrl({ ...request, prompt: 'none' }))
    expect(silent.headers.get('location')).toContain('error=consent_required')
  })

  it('makes a client that can sign in at once', async () => {
    const school = await createSchool()
    const { client_id } = await registered(await register(school, NATIVE))
    const code = await approve(school, { ...DESK_REQUEST, client_id: client_id as string }, OWNER)
    const form = { client_id: client_id as string, redirect_uri: LOOPBACK }
    expect((await redeem(school, code, form)).status).toBe(200)
  })

  it('takes one address with many ports, which any client on the computer may use [REG-09]', async () => {
    const hosts = ['127.0.0.1', 'localhost', '[::1]']
    const ports = Array.from({ length: 20 }, (_, index) => `:${index + 3000}`)
    const redirect_uris = hosts.flatMap((host) =>
      ['', ...ports].map((port) => `http://${host}${port}/cb`),
    )
    const answer = await registered(
      await register(await createSchool(), { ...NATIVE, redirect_uris }),
    )
    expect(answer['redirect_uris']).toEqual(redirect_uris)
  })

  it('gives ids that never look like a URL and never repeat [REG-25]', async () => {
    const school = await createSchool()
    const ids = await Promise.all(
      Array.from(
        { length: 200 },
        async () => (await registered(await register(school, NATIVE)))['client_id'],
      ),
    )
    expect(new Set(ids).size).toBe(200)
    for (const id of ids) expect(id).toMatch(/^app_[\w-]{43}$/)
  })

  it('honours none of what a client may not decide about itself [REG-18, REG-28, REG-29]', async () => {
    const school = await createSchool()
    const answer = await registered(
      await register(school, {
        ...NATIVE,
        client_id: 'study-buddy',
        client_secret: 'mine',
        kind: 'member',
        scope: 'account:read courses:write',
        scopes: ['account:read'],
        reviewed: true,
        audience: 'member',
        org_id: 'site_other',
        skip_consent: true,
        require_pkce: false,
        software_statement: 'eyJhbGciOiJub25lIn0.e30.',
        agent_auth: { identity: 'x' },
        anonymous_claim: true,
      }),
    )
    const plain = await registered(await register(school, NATIVE))
    expect(Object.keys(answer)).toEqual(Object.keys(plain))
    expect(await school.store.findClient(answer['client_id'] as string)).toEqual({
      ...(await school.store.findClient(plain['client_id'] as string)),
      clientId: answer['client_id'],
    })
    expect((await school.store.findClient('study-buddy'))?.name).toBe('Study Buddy')
  })

  it('takes the values that it has for every client, and answers with each that has an effect [REG-31]', async () => {
    const school = await createSchool()
    const plain = await registered(await register(school, NATIVE))
    const answer = await registered(await register(school, { ...NATIVE, ...IGNORED, ...HONOURED }))
    expect(answer).toStrictEqual({ ...plain, client_id: answer['client_id'] })
    expect(answer).toMatchObject({ subject_type: 'public', id_token_signed_response_alg: 'ES256' })
  })

  it('refuses the members that the page about errors names, and no others [REG-31]', () => {
    const page = readFileSync(new URL('../../docs/look-up/errors.md', import.meta.url), 'utf8')
    const [, section = ''] = page.split('\n## Members of a registration\n')
    const rows = section
      .split('\n## ')[0]!
      .matchAll(/^\| `(\w+)` +\| (?:`(\w+)`|none) +\| (always|never) /gm)
    const answered = new Set(['subject_type', 'id_token_signed_response_alg'])
    expect([...rows].map(([, member, only = 'none', when]) => [member, only, when])).toEqual(
      RELIED_ON.map(([member, only]) => [member, only, answered.has(member) ? 'always' : 'never']),
    )
  })

  it('tells a client which value a member has, and refuses a vendor like any other [REG-31]', async () => {
    const school = await createSchool()
    const told = async (metadata: object): Promise<unknown> =>
      ((await (await register(school, metadata)).json()) as Record<string, unknown>)[
        'error_description'
      ]
    const RS256 = { id_token_signed_response_alg: 'RS256' }
    expect(await told({ client_name: ACME.name, ...RS256 })).toBe(
      'id_token_signed_response_alg must be ES256, or left out',
    )
    expect(await told({ ...NATIVE, require_auth_time: true })).toBe(
      'require_auth_time must be false, or left out',
    )
    expect(await told({ ...NATIVE, default_max_age: 60 })).toBe(
      'default_max_age is not supported: leave it out',
    )
  })

  it('has no way to claim or manage a client afterwards [REG-27, REG-28]', async () => {
    const school = await createSchool()
    const { client_id } = await registered(await register(school, NATIVE))
    for (const path of [`register/${client_id as string}`, 'claim', 'agent', 'service-auth'])
      expect((await school.fetch(`${ISSUER}/api/oauth/${path}`)).status).toBe(404)
  })
})

describe('registration of a vendor platform', () => {
  it.each([
    ['its whole list', ACME.redirectUris],
    ['one of its list', [ACME.redirectUris[2]]],
    ['no list', undefined],
  ])(
    'gives the client that is configured, every time, for %s [REG-05]',
    async (_, redirect_uris) => {
      const school = await createSchool()
      for (let time = 0; time < 3; time++)
        expect(
          await registered(await register(school, { client_name: ' acme  AGENTS', redirect_uris })),
        ).toStrictEqual({
          client_id: 'acme-agents',
          client_name: 'Acme Agents',
          redirect_uris: ACME.redirectUris,
          token_endpoint_auth_method: 'none',
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          subject_type: 'public',
          id_token_signed_response_alg: 'ES256',
        })
      expect(await school.store.findClient('acme-agents')).toBeNull()
      expect(school.events).toEqual([])
    },
  )

  it('answers with the links that are configured [SAY-01]', async () => {
    const links = { clientUri: 'https://acme.example', policyUri: 'https://acme.example/privacy' }
    const about = { ...links, tosUri: null, logoUri: null, contacts: [] }
    const school = await createSchool({ options: { vendors: [{ ...ACME, about }] } })
    const answer = await registered(await register(school, { client_name: ACME.name }))
    const { client_uri: clientUri, policy_uri: policyUri } = answer
    expect({ clientUri, policyUri }).toEqual(links)
  })

  it('is an attempt to connect of the vendor [ATT-01]', async () => {
    const school = await watchedSchool()
    await registered(await register(school, { client_name: ' acme  AGENTS' }))
    const { clientId, name: clientName } = ACME
    const attempt = await school.only()
    expect(attempt).toMatchObject({ clientId, clientName })
    expect(stagesOf(attempt)).toEqual(['registration'])
  })

  it('refuses a name that is no vendor [REG-04]', async () => {
    const refusal = ['invalid_client_metadata', 'client_name_not_a_vendor'] as const
    await expectRefused({ client_name: 'Unheard Of' }, ...refusal)
    await expectRefused({ client_name: 'Unheard Of', redirect_uris: [] }, ...refusal)
  })

  it('never adds an address to the vendor [REG-06]', async () => {
    await expectRefused(
      { client_name: 'Acme Agents', redirect_uris: [...ACME.redirectUris, 'https://evil.test/cb'] },
      'invalid_redirect_uri',
      'redirect_uri_not_loopback',
    )
    const school = await createSchool()
    await registered(
      await register(school, { client_name: 'Acme Agents', redirect_uris: [LOOPBACK] }),
    )
    const url = authorizationUrl({
      client_id: 'acme-agents',
      redirect_uri: LOOPBACK,
      scope: 'openid',
    })
    expect((await school.fetch(url)).status).toBe(400)
  })

  it.each([
    'Acme Agents',
    'Аcme Agents',
    'ACME AGENTS!',
    'Acme-Agents',
    'Αcme Agents',
    'Acme Agеnts',
  ])('shows nobody the name %j on a loopback client [REG-07]', async (client_name) => {
    const answer = await registered(
      await register(await createSchool(), { client_name, redirect_uris: [LOOPBACK] }),
    )
    expect(answer['client_name']).toBe('An app on this computer')
    expect(answer['client_id']).not.toBe('acme-agents')
  })
})

describe('registration refuses', () => {
  it.each([
    ['a fixed https callback [REG-03]', ['https://app.test/cb'], 'not_loopback'],
    ['loopback and https together [REG-08]', [LOOPBACK, 'https://app.test/cb'], 'not_loopback'],
    ['a custom scheme', ['desk://cb'], 'not_loopback'],
    ['a fragment [REG-10]', [`${LOOPBACK}#x`], 'malformed'],
    ['a bare fragment [REG-10]', [`${LOOPBACK}#`], 'malformed'],
    ['a fragment behind a tab [REG-10]', [`${LOOPBACK}\t#`], 'malformed'],
    ['javascript: [REG-11]', ['javascript:alert(1)'], 'not_loopback'],
    ['JavaScript: behind a space [REG-11]', [' JavaScript:alert(1)'], 'malformed'],
    ['javascript: with a control character [REG-11]', ['java\u0000script:alert(1)'], 'malformed'],
    ['data: [REG-11]', ['data:text/html,x'], 'not_loopback'],
    ['vbscript: [REG-11]', ['vbscript:x'], 'not_loopback'],
    ['file: [REG-11]', ['file:///etc/passwd'], 'not_loopback'],
    ['user information [REG-12]', ['http://u@127.0.0.1:1/'], 'not_loopback'],
    [
      'a loopback user at another host [REG-12]',
      ['http://127.0.0.1:80@evil.test/cb'],
      'not_loopback',
    ],
    [
      'a loopback user at a host that is a number [REG-12]',
      ['http://localhost@1/'],
      'not_loopback',
    ],
    ['127.0.0.1.evil.test [REG-13]', ['http://127.0.0.1.evil.test/cb'], 'not_loopback'],
    ['127.0.0.1.80 [REG-13]', ['http://127.0.0.1.80/'], 'not_loopback'],
    ['127.1 [REG-13]', ['http://127.1/cb'], 'not_loopback'],
    ['0x7f.1 [REG-13]', ['http://0x7f.1/cb'], 'not_loopback'],
    ['2130706433 [REG-13]', ['http://2130706433/cb'], 'not_loopback'],
    ['127.0.0.2 [REG-13]', ['http://127.0.0.2/cb'], 'not_loopback'],
    ['0.0.0.0 [REG-13]', ['http://0.0.0.0/cb'], 'not_loopback'],
    ['[::ffff:127.0.0.1] [REG-13]', ['http://[::ffff:127.0.0.1]/cb'], 'not_loopback'],
    ['app.localhost [REG-13]', ['http://app.localhost/cb'], 'not_loopback'],
    ['https on loopback', ['https://127.0.0.1/cb'], 'not_loopback'],
    ['code in the query [REG-14]', [`${LOOPBACK}?code=1`], 'malformed'],
    ['state in the query [REG-14]', [`${LOOPBACK}?a=1&state=1`], 'malformed'],
    ['iss in the query [REG-14]', [`${LOOPBACK}?iss=x`], 'malformed'],
    ['error in the query [REG-14]', [`${LOOPBACK}?%65rror=x`], 'malformed'],
    ['an address over 2 KiB [REG-09]', [`${LOOPBACK}/${'x'.repeat(2048)}`], 'malformed'],
  ])('%s', async (_, redirect_uris, reason) => {
    await expectRefused(
      { ...NATIVE, redirect_uris },
      'invalid_redirect_uri',
      `redirect_uri_${reason}`,
    )
  })

  it.each([
    ['a string', LOOPBACK],
    ['an object', { 0: LOOPBACK }],
    ['a member that is no string', [LOOPBACK, 1]],
    ['a list in a list', [[LOOPBACK]]],
    [
      'eleven addresses',
      Array.from({ length: 11 }, (_, port) => `http://127.0.0.1:${port + 1}/${port}`),
    ],
  ])('redirect_uris that are %s [REG-09]', async (_, redirect_uris) => {
    await expectRefused(
      { ...NATIVE, redirect_uris },
      'invalid_redirect_uri',
      'redirect_uris_malformed',
    )
  })

  it.each([
    [{ token_endpoint_auth_method: 'private_key_jwt' }, 'auth_method_not_supported', 'REG-16'],
    [{ token_endpoint_auth_method: 'client_secret_basic' }, 'auth_method_not_supported', 'REG-16'],
    [{ token_endpoint_auth_method: ['none'] }, 'auth_method_not_supported', 'REG-16'],
    [{ application_type: 'web' }, 'application_type_mismatch', 'REG-17'],
    [{ application_type: 'service' }, 'application_type_mismatch', 'REG-17'],
    [{ grant_types: ['client_credentials'] }, 'grant_types_not_supported', 'REG-17'],
    [{ grant_types: ['implicit', 'password'] }, 'grant_types_not_supported', 'REG-17'],
    [{ grant_types: 'authorization_code' }, 'grant_types_not_supported', 'REG-17'],
    [{ response_types: ['token'] }, 'response_types_not_supported', 'REG-17'],
    ...RELIED_ON.flatMap(([member, only, others]) =>
      others.map((value) => [
        { [member]: value },
        'metadata_value_not_supported',
        `REG-31: ${only}`,
      ]),
    ),
    [{ logo_uri: 'javascript:alert(1)' }, 'link_malformed', 'REG-19'],
    [{ client_uri: 'data:text/html,x' }, 'link_malformed', 'REG-19'],
    [{ tos_uri: 1 }, 'link_malformed', 'REG-19'],
    [{ policy_uri: 'https://app.test/ x' }, 'link_malformed', 'REG-19'],
    [{ jwks_uri: 'file:///keys' }, 'link_malformed', 'REG-19'],
    [{ client_uri: 'https://claude.ai@app.test/' }, 'link_malformed', 'REG-19'],
    [{ client_uri: `https://app.test/${'x'.repeat(2032)}` }, 'link_malformed', 'REG-19'],
    [{ contacts: 'help@app.test' }, 'contacts_malformed', 'SAY-05'],
    [{ contacts: ['x'.repeat(257)] }, 'contacts_malformed', 'SAY-05'],
    [{ contacts: Array(6).fill('a') }, 'contacts_malformed', 'SAY-05'],
    [{ contacts: ['\u200bhelp@app.test'] }, 'contacts_malformed', 'SAY-05'],
    [{ client_name: 'Desk\u202eILC' }, 'client_name_malformed', 'REG-20'],
    [{ client_name: 'Desk\nCLI' }, 'client_name_malformed', 'REG-20'],
    [{ client_name: 'Desk\u001b[31m' }, 'client_name_malformed', 'REG-20'],
    [{ client_name: 'x'.repeat(101) }, 'client_name_malformed', 'REG-20'],
    [{ client_name: { toString: 'x' } }, 'client_name_malformed', 'REG-20'],
  ] as [object, string, string][])('%j with %s [%s]', async (metadata, reason) => {
    await expectRefused({ ...NATIVE, ...metadata }, 'invalid_client_metadata', reason)
  })

  it.each([
    ['null', null],
    ['an empty list', []],
    ['a list with an object', [NATIVE]],
    ['a string', 'x'],
    ['a number', 1],
  ])('a body that is %s [REG-21]', async (_, metadata) => {
    await expectRefused(metadata, 'invalid_client_metadata', 'metadata_not_an_object')
  })

  it.each([
    ['is empty', ''],
    ['breaks off', '{"redirect_uris":["'],
    ['holds two objects', '{"a":1}{}'],
    ['has single quotes', "{'a':1}"],
    ['nests 16,000 lists', '['.repeat(16_000)],
    ['nests 6,000 objects', '{"a":'.repeat(6_000)],
    ['nests 16,000 lists and closes them', '['.repeat(16_000) + ']'.repeat(16_000)],
    ['begins with a byte order mark', '\ufeff{}'],
    ['begins with two of them', '\ufeff\ufeff{}'],
  ])('a body that %s [REG-21]', async (_, text) => {
    const school = await createSchool()
    expect(await refusalOf(await send(school, text))).toEqual([
      400,
      {
        error: 'invalid_client_metadata',
        error_description: 'the body must be valid JSON, nested at most 64 levels deep',
      },
    ])
    expect(school.faults).toEqual([])
  })

  it('a __proto__, and changes no prototype [REG-21]', async () => {
    const school = await createSchool()
    const body = `{"redirect_uris":["${LOOPBACK}"],"__proto__":{"token_endpoint_auth_method":"x"}}`
    expect((await send(school, body)).status).toBe(400)
    const deep = `{"redirect_uris":["${LOOPBACK}"],"constructor":{"prototype":{"polluted":true}}}`
    expect((await send(school, deep)).status).toBe(201)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('invalid UTF-8 [REG-21]', async () => {
    const body = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])
    expect((await send(await createSchool(), body)).status).toBe(400)
  })

  it.each([
    ['redirect_uris', `"redirect_uris":["https://evil.test/cb"]`],
    ['redirect_uris, spelt with an escape', `"redirect\\u005furis":["https://evil.test/cb"]`],
    ['client_name', `"client_name":"Desk","client_name":"Disk"`],
    ['a name inside a member', `"jwks":{"keys":[],"keys":[1]}`],
  ])('two values for %s, whichever comes last [REG-21]', async (_, members) => {
    for (const body of [
      `{${members},"redirect_uris":["${LOOPBACK}"]}`,
      `{"redirect_uris":["${LOOPBACK}"],${members}}`,
    ]) {
      const school = await createSchool()
      expect(await refusalOf(await send(school, body))).toEqual([
        400,
        {
          error: 'invalid_client_metadata',
          error_description: 'the body repeats a name within a JSON object',
        },
      ])
      expect(school.refusals).toMatchObject([{ reason: 'json_key_repeated' }])
      expect([school.events, school.faults]).toEqual([[], []])
    }
  })

  it.each(['application/x-www-form-urlencoded', 'text/plain', 'application/json, x', ''])(
    'the media type %j with 415 [REG-22]',
    async (type) => {
      const school = await createSchool()
      const response = await send(school, new TextEncoder().encode(JSON.stringify(NATIVE)), type)
      expect(await refusalOf(response)).toEqual([
        415,
        { error: 'invalid_request', error_description: 'send Content-Type: application/json' },
      ])
    },
  )

  it.each(['GET', 'PUT', 'DELETE'])('%s with 405 [REG-23]', async (method) => {
    const response = await (await createSchool()).fetch(`${ISSUER}/api/oauth/register`, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  })

  it('a name with markup nowhere: it is kept as text, for pages to escape [REG-20]', async () => {
    const client_name = '<img src=x onerror=alert(1)>'
    const response = await register(await createSchool(), { ...NATIVE, client_name })
    expect(response.headers.get('content-type')).toContain('application/json')
    expect((await registered(response))['client_name']).toBe(client_name)
  })
})
