import * as sdk from '@modelcontextprotocol/server'
import { createProtectedResource, createRemoteGate } from 'hallpass'
import { clientCredentials, deviceGrant, identityAssertion } from 'hallpass/blocks'
import { createConnectedApps } from 'hallpass/clients'
import { createMcpEndpoint, directAdapter, serverAdapter } from 'hallpass/mcp'
import { createMemoryStore } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { agent, JWT_BEARER, SECRET as AGENT_SECRET } from '../support/school/asserting-client.js'
import { createDeviceSchool, type DeviceSchool } from '../support/school/device-school.js'
import { DESK_CLI, post, tokensOf } from '../support/school/flow.js'
import { createIdentityProvider } from '../support/school/identity-provider.js'
import { createBrowser, ISSUER, OWNER, T } from '../support/school/school.js'
import { SECRET, serviceClient } from './client-credentials/support.js'

const IDP = 'https://idp.example'
const SERVICE = { ...OWNER, subject: 'srv_payroll', roles: ['manager'] }

/** A school with the three blocks that open grants without a redirect. The owner is signed in. */
async function createGrantingSchool() {
  const store = createMemoryStore()
  const idp = await createIdentityProvider({ issuer: IDP, now: () => T, alg: 'ES256' })
  let device: DeviceSchool['view'] | null = null
  const provider = {
    jwksUri: `${IDP}/jwks`,
    clients: ['agent'],
    personOf: async () => OWNER.subject,
  }
  const options = {
    stepUpLinks: true,
    introspectionClientIds: ['agent'],
    blocks: [
      deviceGrant({
        page(_request, view) {
          device = () => view
          return Response.json(view)
        },
      }),
      identityAssertion({
        providers: { [IDP]: provider },
        fetchKeys: (url) => idp.handle(new Request(url)),
      }),
      clientCredentials({ serviceOf: async () => SERVICE.subject }),
    ],
  }
  const clients = [DESK_CLI, agent(), serviceClient({ scopes: ['courses:read', 'courses:write'] })]
  const made = await createDeviceSchool({ store, clients, options })
  const { school } = made
  school.people.set(SERVICE.subject, SERVICE)
  const scope = 'openid courses:read'

  /** Returns the access token of a grant of each block. */
  const open = {
    async device() {
      const { device_code, user_code } = await made.begin({ scope })
      const browser = createBrowser(school)
      const formOf = () => device!() as { csrfToken: string }
      await browser.open('/oauth/device')
      await browser.post('/oauth/device', { csrf_token: formOf().csrfToken, user_code })
      const asked = device!()
      if (asked.page !== 'consent') throw new Error(`the page is ${asked.page}`)
      const { csrfToken, action } = asked.consent
      const fields = { csrf_token: csrfToken, user_code: asked.userCode, decision: 'allow' }
      await browser.post(action, fields)
      return (await tokensOf(await made.poll(device_code))).access_token
    },
    async 'identity assertion'() {
      const claims = { sub: 'u-ines', aud: ISSUER, client_id: 'agent', resource: ISSUER, scope }
      const assertion = await idp.idJag(claims)
      const form = { client_id: 'agent', client_secret: AGENT_SECRET, assertion }
      const response = await post(school, '/api/oauth/token', { grant_type: JWT_BEARER, ...form })
      return (await tokensOf(response)).access_token
    },
    async service() {
      const response = await post(school, '/api/oauth/token', {
        grant_type: 'client_credentials',
        client_id: 'payroll',
        client_secret: SECRET,
        scope: 'courses:read',
      })
      return (await tokensOf(response)).access_token
    },
  }
  /** Returns the challenge and the sentence of a request for more than a token has. */
  const refusalOf = async (token: string, resource = createProtectedResource(school.site)) => {
    const headers = new Headers({ authorization: `Bearer ${token}` })
    const answer = await resource.gate('courses:write')({ headers })
    if (!(answer instanceof Response)) throw new Error('the token has the scope')
    const { error_description } = (await answer.json()) as { error_description: string }
    const challenge = answer.headers.get('www-authenticate')
    return { status: answer.status, challenge, error_description }
  }
  /** Returns the link of such a request. */
  const linkOf = async (token: string): Promise<string> =>
    /https:\S+/.exec((await refusalOf(token)).error_description)![0]
  /** A gate in another process. */
  const remote = createRemoteGate<string>({
    issuer: ISSUER,
    name: 'Grades',
    scopes: school.siteOptions.scopes,
    roles: school.siteOptions.roles,
    stepUpLinks: true,
    clientId: 'agent',
    clientSecret: AGENT_SECRET,
    now: () => T,
    send: async (url, init) => school.router(new Request(url, init)),
  })
  const grantOf = async (token: string) => (await store.findAccessToken(hashToken(token)))!.grant
  const apps = createConnectedApps(school.site)
  return { school, open, refusalOf, linkOf, grantOf, remote, apps }
}

describe('a grant without a redirect', () => {
  it('is widened at its link by the person who allowed it for a device, and disconnected', async () => {
    const { school, open, linkOf, grantOf, apps } = await createGrantingSchool()
    const token = await open.device()
    const browser = createBrowser(school)
    await browser.open(await linkOf(token))
    if (school.view?.page !== 'consent') throw new Error(`the page is ${school.view?.page}`)
    const { action, csrfToken, client } = school.view.view
    expect(client).toMatchObject({ redirectIsLoopback: false, redirectIsOwn: false })
    await browser.post(action, { csrf_token: csrfToken, decision: 'allow' })
    expect(school.view).toMatchObject({ page: 'backToApp', view: { allowed: true } })
    const { clientId, scopes } = await grantOf(token)
    expect(scopes).toContain('courses:write')
    expect(school.faults).toEqual([])
    const { subject } = OWNER
    expect(await apps.list(subject)).toMatchObject([{ client: { clientId } }])
    expect(await apps.disconnect({ subject, clientId })).toBe(1)
    expect((await grantOf(token)).revokedAt).toBe(T)
  })

  it.each(['identity assertion', 'service'] as const)(
    'is not widened if no person allowed it, and is listed for whom it is: %s',
    async (kind) => {
      const { school, open, linkOf, grantOf, apps } = await createGrantingSchool()
      const link = await linkOf(await open.device())
      const { grantId, subject, clientId } = await grantOf(await open[kind]())
      school.signedIn = { subject, authTime: T }
      await createBrowser(school).open(link.replace(/grant_[\w-]{43}/, grantId))
      expect(school.view).toMatchObject({ page: 'error', view: { reason: 'grant_not_of_person' } })
      const listed = (await apps.list(subject)).map(({ client }) => client.clientId)
      expect(listed).toContain(clientId)
      expect(await apps.disconnect({ subject, clientId })).toBe(1)
      expect(school.faults).toEqual([])
    },
  )
  it.each(['identity assertion', 'service'] as const)(
    'names no link in its 403, here and in another process, if no person allowed it: %s [STEP-10]',
    async (kind) => {
      const { school, open, refusalOf, remote } = await createGrantingSchool()
      const token = await open[kind]()
      const refused = {
        status: 403,
        challenge: expect.stringMatching(/^Bearer error="insufficient_scope", .*scope="courses:write"/), // prettier-ignore
        error_description:
          'This needs the permission courses:write, which this app has to request with another token. No page of this site can add it.',
      }
      expect(await refusalOf(token)).toEqual(refused)
      expect(await refusalOf(token, remote)).toEqual(refused)
      expect(school.faults).toEqual([])
    },
  )

  it('names its link in another process too, if a person allowed it for a device', async () => {
    const { open, refusalOf, remote } = await createGrantingSchool()
    const token = await open.device()
    const { error_description } = await refusalOf(token, remote)
    expect(error_description).toContain('?add=courses:write to allow it')
    expect(error_description).toBe((await refusalOf(token)).error_description)
  })

  it.each(['identity assertion', 'service'] as const)(
    'has nothing that check_connection could add if no person allowed it: %s [STEP-10]',
    async (kind) => {
      const { school, open } = await createGrantingSchool()
      const { endpoint } = createMcpEndpoint(school.site, { tools: [], adapter: directAdapter(serverAdapter(sdk)) }) // prettier-ignore
      const check = async (token: string) => {
        const params = { name: 'check_connection', arguments: {} }
        const headers = {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        }
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
        const response = await endpoint(new Request(`${ISSUER}/mcp`, { method: 'POST', headers, body })) // prettier-ignore
        return ((await response.json()) as { result: { structuredContent: { addable_scopes: string[] } } }).result.structuredContent.addable_scopes // prettier-ignore
      }
      expect(await check(await open.device())).toContain('courses:write')
      expect(await check(await open[kind]())).toEqual([])
    },
  )
})
