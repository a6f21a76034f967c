import { createProtectedResource, type SiteOptions } from 'hallpass'
import type { AuthorizationServerOptions } from 'hallpass/authorization-server'
import {
  clientCredentials,
  deviceGrant,
  DEVICE_REFUSALS,
  IDENTITY_ASSERTION_REFUSALS,
  identityAssertion,
  SERVICE_REFUSALS,
} from 'hallpass/blocks'
import { createConnectedApps } from 'hallpass/clients'
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
    refusals: [DEVICE_REFUSALS, IDENTITY_ASSERTION_REFUSALS, SERVICE_REFUSALS],
    grants: [
      deviceGrant({
        page(_request, view) {
          device = () => view
          return Response.json(view)
        },
      }),
      identityAssertion({
        providers: { [IDP]: provider },
        once: store,
        fetchKeys: (url) => idp.handle(new Request(url)),
      }),
      clientCredentials({ serviceOf: async () => SERVICE.subject }),
    ],
  } as unknown as Partial<SiteOptions & AuthorizationServerOptions>
  const clients = [DESK_CLI, agent(), serviceClient()]
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
  /** Returns the link of a request for more than a token has. */
  const linkOf = async (token: string): Promise<string> => {
    const gate = createProtectedResource(school.site).gate('courses:write')
    const answer = await gate({ headers: new Headers({ authorization: `Bearer ${token}` }) })
    if (!(answer instanceof Response)) throw new Error('the token has the scope')
    const { error_description } = (await answer.json()) as { error_description: string }
    return /https:\S+/.exec(error_description)![0]
  }
  const grantOf = async (token: string) => (await store.findAccessToken(hashToken(token)))!.grant
  return { school, open, linkOf, grantOf, apps: createConnectedApps(school.site) }
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
})
