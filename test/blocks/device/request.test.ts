import { deviceGrant } from 'hallpass/blocks'
import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import {
  createDeviceSchool,
  DEVICE_GRANT,
  DEVICE_PATH,
} from '../../support/school/device-school.js'
import {
  notAuthenticated,
  PORTFOLIO_FORM,
  reasonsOf,
  refusalOf,
} from '../../support/school/flow.js'
import { createSchool, ISSUER, T } from '../../support/school/school.js'
import { recordingStore } from '../../support/school/stores.js'

const everyClient = { grant: { mayUse: () => true } }

describe('the device authorization endpoint', () => {
  it('says what the device has to show, ask and wait, and no cache keeps it [DEV-03]', async () => {
    const one = await createDeviceSchool()
    const response = await one.request()
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const body = (await response.json()) as Record<string, unknown>
    expect(body).toEqual({
      device_code: expect.any(String),
      user_code: expect.any(String),
      verification_uri: `${ISSUER}${DEVICE_PATH}`,
      verification_uri_complete: `${ISSUER}${DEVICE_PATH}?user_code=${body['user_code'] as string}`,
      expires_in: 600,
      interval: 5,
    })
  })

  it('authenticates a client as the token endpoint does [DEV-01]', async () => {
    const one = await createDeviceSchool(everyClient)
    const member = { scope: 'openid account:read', resource: ISSUER }
    const { client_id: id, client_secret: secret } = PORTFOLIO_FORM
    expect((await one.request({ ...member, client_id: id, client_secret: secret })).status).toBe(
      200,
    )
    expect(await refusalOf(await one.request({ ...member, client_id: id }))).toEqual(
      notAuthenticated('no secret'),
    )
    expect(
      await refusalOf(await one.request({ ...member, client_id: id, client_secret: 'x' })),
    ).toEqual(notAuthenticated('secret'))
    expect(await refusalOf(await one.request({ client_id: 'nobody' }))).toEqual(
      notAuthenticated('no secret'),
    )
    expect((await one.request({ client_id: null })).status).toBe(400)
    expect(reasonsOf(one.school)).toEqual([
      'client_secret_missing', 'client_secret_mismatch', 'client_unknown', 'client_id_missing',
    ]) // prettier-ignore
  })

  it.each([
    [{ scope: ['openid', 'courses:read'] }, 'parameter_repeated'],
    [{ scope: null }, 'scope_missing'],
    [{ scope: 'account:read' }, 'scope_of_other_audience'],
    [{ scope: 'nonsense' }, 'scope_unknown'],
    [{ resource: 'https://other.example' }, 'resource_unknown'],
  ])(
    'refuses a request as the authorization endpoint does: %o [DEV-02]',
    async (changes, reason) => {
      const one = await createDeviceSchool()
      expect((await one.request(changes)).status).toBe(400)
      expect(reasonsOf(one.school)).toEqual([reason])
    },
  )

  it('serves only clients that may: by default those that registered themselves [DEV-21]', async () => {
    const one = await createDeviceSchool()
    const member = { client_id: 'study-buddy', scope: 'openid account:read', resource: ISSUER }
    expect(await refusalOf(await one.request(member))).toEqual([
      400,
      {
        error: 'unauthorized_client',
        error_description:
          'this client may not use the device grant at this site: use authorization_code',
      },
    ])
    const asked: string[] = []
    const other = await createDeviceSchool({
      grant: { mayUse: async ({ clientId }) => asked.push(clientId) > 0 },
    })
    expect((await other.request(member)).status).toBe(200)
    expect(asked).toEqual(['study-buddy'])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('away')
      },
    ],
    ['returns no boolean', () => 'yes' as never],
    ['never answers', () => new Promise<never>(() => {})],
  ])('is away while mayUse %s', async (_, mayUse) => {
    const one = await createDeviceSchool({
      grant: { mayUse },
      options: { callDeadlineMilliseconds: 20 },
    })
    expect((await one.request()).status).toBe(503)
    expect(one.school.faults).toHaveLength(1)
  })

  it.each([
    { origin: 'https://evil.example' },
    { 'sec-fetch-dest': 'image', 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'cross-site' },
  ])(
    'refuses a page of another site, which would ask from where its visitor is: %o [DEV-19]',
    async (headers) => {
      const one = await createDeviceSchool()
      const response = await one.request({}, headers)
      expect(response.status).toBe(400)
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
      expect(reasonsOf(one.school)).toEqual(['request_embedded'])
    },
  )

  it('stores hashes only, under which no interaction URL and no browser finds the request [DEV-17]', async () => {
    const { store, calls } = recordingStore()
    const one = await createDeviceSchool({ store })
    const codes = await Promise.all([one.begin(), one.begin(), one.begin()])
    const [asked] = codes
    const secrets = codes.map(({ device_code }) => /^hpd_([\w-]{43})\./.exec(device_code)![1]!)
    expect(new Set(secrets.map((text) => text.slice(22))).size).toBe(3)
    const stored = JSON.stringify(calls.map(({ parameters }) => parameters))
    for (const { device_code, user_code } of codes) {
      expect(stored).not.toContain(device_code)
      expect(stored).not.toContain(user_code)
      expect(stored).not.toContain(user_code.replace('-', ''))
    }
    const saved = calls.filter(({ method }) => method === 'savePending')
    expect(saved[0]?.parameters[0]).toMatchObject({
      browserHash: 'device',
      redirectUri: DEVICE_GRANT,
      idHash: hashToken(`device/${asked.user_code.replace('-', '')}`),
      codeChallenge: hashToken(asked.device_code),
      createdAt: T,
      expiresAt: T + 590,
    })
    for (const id of [
      asked.user_code,
      asked.device_code,
      `device/${asked.user_code}`,
      `device%2F${asked.user_code.replace('-', '')}`,
    ])
      expect((await one.browser.open(`/oauth/interaction/${id}`)).status).toBe(400)
    expect(new Set(reasonsOf(one.school))).toEqual(new Set(['interaction_expired']))
  })

  it('gives no two waiting devices the same user code [DEV-24]', async () => {
    let draws = 0
    // The same bytes for the first two device codes.
    const randomBytes = (length: number): Uint8Array =>
      length === 32
        ? new Uint8Array(32).fill(draws++ < 2 ? 1 : draws)
        : new Uint8Array(length).fill(9)
    const one = await createDeviceSchool({ options: { randomBytes } })
    draws = 0
    const [first, second] = [await one.begin(), await one.begin()]
    expect(second.user_code).not.toBe(first.user_code)
    const same = await createDeviceSchool({
      options: { randomBytes: (length) => new Uint8Array(length).fill(7) },
    })
    await same.begin()
    expect((await same.request()).status).toBe(500)
  })

  it('charges the network that asks, and no one else', async () => {
    const one = await createDeviceSchool({
      options: { networkOf: (request) => request.headers.get('x-network') },
    })
    const ask = async (network: string): Promise<Response> =>
      one.request({}, { 'x-network': network })
    const all = await Promise.all(Array.from({ length: 601 }, () => ask('203.0.113.9')))
    const refused = all.filter(({ status }) => status !== 200)
    expect(refused.map(({ status }) => status)).toEqual([429])
    expect(refused[0]!.headers.get('retry-after')).toBe('1')
    expect(reasonsOf(one.school)).toEqual(['device_requests_paced'])
    expect((await ask('203.0.113.10')).status).toBe(200)
  })

  it('is in the metadata with its grant type, and only there where the block is [DEV-14]', async () => {
    const read = async (school: { fetch: (url: string) => Promise<Response> }) =>
      (await (
        await school.fetch(`${ISSUER}/.well-known/oauth-authorization-server`)
      ).json()) as Record<string, unknown>
    const metadata = await read((await createDeviceSchool()).school)
    expect(metadata['device_authorization_endpoint']).toBe(
      `${ISSUER}/api/oauth/device_authorization`,
    )
    expect(metadata['grant_types_supported']).toEqual([
      'authorization_code',
      'refresh_token',
      DEVICE_GRANT,
    ])
    const without = await createSchool()
    expect(await read(without)).not.toHaveProperty('device_authorization_endpoint')
    for (const path of [DEVICE_PATH, '/api/oauth/device_authorization'])
      expect((await without.fetch(ISSUER + path)).status).toBe(404)
  })
})

describe('a registration for the device grant', () => {
  const register = async (
    school: { fetch: (url: string, init: RequestInit) => Promise<Response> },
    grantTypes: unknown,
  ) => {
    const response = await school.fetch(`${ISSUER}/api/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Box',
        redirect_uris: ['http://127.0.0.1/cb'],
        grant_types: grantTypes,
      }),
    })
    return [
      response.status,
      ((await response.json()) as Record<string, unknown>)['grant_types'],
    ] as const
  }

  it('is accepted in place of authorization_code, and said in the response, with the block only', async () => {
    const { school } = await createDeviceSchool()
    const own = ['authorization_code', 'refresh_token']
    expect(await register(school, [DEVICE_GRANT, 'refresh_token'])).toEqual([
      201,
      [...own, DEVICE_GRANT],
    ])
    expect(await register(school, own)).toEqual([201, own])
    expect(await register(school, ['client_credentials'])).toEqual([400, undefined])
    expect(await register(school, DEVICE_GRANT)).toEqual([400, undefined])
    expect(await register(await createSchool(), [DEVICE_GRANT])).toEqual([400, undefined])
  })
})

describe('deviceGrant', () => {
  it('lists every mistake in its options', () => {
    expect(() => deviceGrant({ mayUse: true, fromWhere: 'here', pages: 1 } as never)).toThrow(
      /pages is not an option[^]*page is missing[^]*mayUse must[^]*fromWhere must/,
    )
  })
})
