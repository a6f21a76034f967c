import { schoolScopes } from 'hallpass/scope'
import { createMemoryStore } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import {
  changeClient,
  createDocumentSchool,
  documentAnswer,
  NOTES_REQUEST,
  NOTES_URL,
} from '../support/school/metadata-documents.js'
import {
  approve,
  authorizationUrl,
  DESK_CLI,
  DESK_REQUEST,
  type Fields,
  redeem,
  refresh,
  signIn,
} from '../support/school/flow.js'
import {
  ACME,
  createBrowser,
  createSchool,
  ISSUER,
  OWNER,
  type School,
  STUDENT,
  T,
} from '../support/school/school.js'

/** What the consent page shows somebody. */
async function consentOf(school: School, request: Fields, person = OWNER) {
  school.signedIn = { subject: person.subject, authTime: school.clock.now }
  await createBrowser(school).open(authorizationUrl(request))
  if (school.view?.page !== 'consent') throw new Error('no consent page')
  return school.view.view
}

describe('the consent page', () => {
  it('names the school in its texts', async () => {
    const school = await createSchool()
    await school.store.insertClient(DESK_CLI)
    const { scopes } = await consentOf(school, DESK_REQUEST)
    for (const { scope, text } of scopes)
      expect(text).toBe(
        schoolScopes.get(scope)!.consent.replaceAll('{school}', 'Lantern Street Drawing School'),
      )
    expect(scopes.map(({ text }) => text).join()).toContain('Lantern Street Drawing School')
  })

  it('calls a vendor verified, and neither a self-registered client nor an unknown document', async () => {
    const { school } = await createDocumentSchool()
    await school.store.insertClient({ ...DESK_CLI, scopes: ['courses:read', 'courses:write'] })
    const verified: boolean[] = []
    for (const request of [
      {
        client_id: ACME.clientId,
        redirect_uri: ACME.redirectUris[0]!,
        scope: 'openid courses:read',
      },
      DESK_REQUEST,
      NOTES_REQUEST,
    ])
      verified.push((await consentOf(school, request)).client.verified)
    expect(verified).toEqual([true, false, false])
  })

  it('gives no code to somebody whose role was taken, though they said yes before', async () => {
    const school = await createSchool()
    const vendor = {
      client_id: ACME.clientId,
      redirect_uri: ACME.redirectUris[0]!,
      scope: 'openid courses:read',
    }
    await approve(school, vendor, OWNER)
    school.people.set(OWNER.subject, { ...OWNER, roles: ['student'] })
    expect((await consentOf(school, vendor)).blocked).toBe('not_staff')
  })

  /** Presses a button of the consent page, after something else happened. */
  async function pressAfter(school: School, decision: string, meanwhile: () => Promise<void>) {
    const browser = createBrowser(school)
    school.signedIn = { subject: OWNER.subject, authTime: T }
    await browser.open(authorizationUrl(NOTES_REQUEST))
    if (school.view?.page !== 'consent') throw new Error('no consent page')
    const { action, csrfToken } = school.view.view
    await meanwhile()
    return browser.post(action, { csrf_token: csrfToken, decision })
  }

  it('does not count where the document changed while somebody read it', async () => {
    const { school } = await createDocumentSchool()
    const answer = await pressAfter(school, 'allow', () =>
      changeClient(school, NOTES_URL, ({ document }) => ({
        document: { ...document!, digest: 'another' },
      })),
    )
    expect([answer.status, school.view]).toMatchObject([
      403,
      { view: { reason: 'csrf_token_mismatch' } },
    ])
  })

  it('says that it is over where it was answered elsewhere in the very moment', async () => {
    const store = { ...createMemoryStore(), endPending: async () => 'gone' as const }
    const { school } = await createDocumentSchool({ store })
    const answer = await pressAfter(school, 'deny', async () => {})
    expect([answer.status, school.view]).toMatchObject([
      400,
      { view: { reason: 'interaction_expired' } },
    ])
  })

  it('says which scopes the client holds already, for this person alone', async () => {
    const school = await createSchool()
    await signIn(school)
    const held = async (person: typeof OWNER): Promise<boolean[]> =>
      (await consentOf(school, { scope: 'openid email account:read' }, person)).scopes.map(
        ({ alreadyGranted }) => alreadyGranted,
      )
    expect(await held(STUDENT)).toEqual([true, false, true])
    expect(await held(OWNER)).toEqual([false, false, false])
  })
})

describe('a document that cannot be used', () => {
  it.each([
    ['is too large', () => documentAnswer({ text: 'x'.repeat(5 * 1024) })],
    ['is no JSON', () => new Response('{', { headers: { 'content-type': 'application/json' } })],
    ['is not there', () => new Response(null, { status: 404 })],
  ])('as it %s is refused in one way, though an older copy is at hand', async (_, answer) => {
    const { school, hosts } = await createDocumentSchool()
    await consentOf(school, NOTES_REQUEST)
    school.clock.now += 2 * 3600
    hosts.answer = answer
    await school.fetch(authorizationUrl(NOTES_REQUEST))
    expect(school.view).toEqual({
      page: 'error',
      view: {
        status: 400,
        error: 'invalid_client',
        reason: 'document_unavailable',
        description: 'the client ID metadata document could not be read',
      },
    })
  })

  it('is not asked for more often than six times a minute', async () => {
    const { school, hosts } = await createDocumentSchool()
    hosts.answer = () => new Response(null, { status: 404 })
    for (let round = 0; round < 7; round++) await school.fetch(authorizationUrl(NOTES_REQUEST))
    expect(hosts.fetched).toHaveLength(6)
    expect(school.view).toEqual({
      page: 'error',
      view: {
        status: 429,
        error: 'temporarily_unavailable',
        reason: 'document_fetch_paced',
        description: 'too many client ID metadata documents were requested: try again later',
      },
    })
  })

  it('is unavailable where somebody deleted its client in the moment between', async () => {
    const memory = createMemoryStore()
    const store = {
      ...memory,
      insertClient: async (client: Parameters<typeof memory.insertClient>[0]) =>
        client.clientId === NOTES_URL ? ('exists' as const) : memory.insertClient(client),
    }
    const { school } = await createDocumentSchool({ store })
    await school.fetch(authorizationUrl(NOTES_REQUEST))
    expect(school.view).toMatchObject({ view: { reason: 'document_unavailable' } })
  })
})

describe('the metadata of a server', () => {
  it('lists every claim that may be in an ID token or in UserInfo', async () => {
    const answer = await (await createSchool()).fetch(`${ISSUER}/.well-known/openid-configuration`)
    expect(((await answer.json()) as { claims_supported: unknown }).claims_supported).toEqual([
      'sub', 'email', 'name', 'picture', 'org_id', 'roles', 'iss', 'aud', 'exp', 'iat', 'nonce', 'auth_time',
    ])
    expect(answer.headers.get('etag')).toMatch(/^"[\w-]{22}"$/)
  }) // prettier-ignore
})

describe('a code that is refused', () => {
  it('is told of as replayed only where it was', async () => {
    const school = await createSchool()
    const code = await approve(school)
    const before = school.events.length
    await redeem(school, code, { code_verifier: 'x'.repeat(43) })
    await redeem(school, 'hpc_unknown')
    expect(school.events.slice(before)).toEqual([])
  })
})

describe('a member client', () => {
  it('is let in or not as the switch of the site says now', async () => {
    let isOn = false
    const school = await createSchool({ options: { memberClients: () => isOn } })
    school.signedIn = { subject: STUDENT.subject, authTime: T }
    await school.fetch(authorizationUrl())
    expect(school.view).toMatchObject({ page: 'error', view: { reason: 'member_clients_off' } })
    isOn = true
    expect((await school.fetch(authorizationUrl())).status).toBe(303)
  })
})

describe('a registration with a secret', () => {
  it('is called native as well', async () => {
    const school = await createSchool()
    const answer = await school.fetch(`${ISSUER}/api/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        redirect_uris: ['http://127.0.0.1/cb'],
        token_endpoint_auth_method: 'client_secret_post',
      }),
    })
    expect(answer.status).toBe(201)
    expect(await answer.json()).toHaveProperty('application_type', 'native')
  })
})

describe('a refresh token', () => {
  it('is tried twice where others rotate it in between, and then refused', async () => {
    let tries = 0
    const rotateRefreshToken = async (): Promise<'spent'> => {
      tries += 1
      return 'spent'
    }
    const school = await createSchool({ store: { ...createMemoryStore(), rotateRefreshToken } })
    const tokens = await signIn(school)
    const answer = await refresh(school, tokens.refresh_token)
    expect([answer.status, tries, school.refusals]).toEqual([
      400,
      2,
      [
        {
          at: T,
          endpoint: 'token',
          error: 'invalid_grant',
          reason: 'refresh_token_lost_race',
          clientId: 'study-buddy',
        },
      ],
    ])
  })

  it('ends with its grant, however far its own end would be', async () => {
    const school = await createSchool({
      options: { grantSeconds: 100, refreshIdleSeconds: 80 },
    })
    const tokens = await signIn(school)
    school.clock.now = T + 60
    const answer = await school.fetch(`${ISSUER}/api/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: 'study-buddy',
        refresh_token: tokens.refresh_token,
      }),
    })
    const { refresh_token } = (await answer.json()) as { refresh_token: string }
    const found = await school.store.findRefreshToken(hashToken(refresh_token))
    expect(found!.refreshToken.expiresAt).toBe(T + 100)
  })
})
