import { defineClient } from 'hallpass/clients'
import { hashToken } from 'hallpass/token'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../examples/school/src/platform/transaction.js'
import { textOf as wordsOf } from '../../support/http/markup.js'
import type { PageBrowser, ShownPage } from '../../support/http/page-browser.js'
import { type AreaSite, openAreaDatabase, openAreaSite, ORIGIN } from '../support/area.js'
import { T } from '../../support/school/school.js'

const PATH = '/oauth/applications/services'
const BLOCKS = ['client-credentials'] as const

let database: Database
let school: AreaSite
let ines: PageBrowser

beforeAll(async () => {
  database = await openAreaDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  school = await openAreaSite(database, BLOCKS)
  ines = await school.browserOf('ines')
})

const textOf = (page: ShownPage): string => wordsOf(page.text)

/** A manager creates a service on the page. Returns its credentials, which are shown there. */
async function createService(
  fields: { name?: string; role?: string; scope?: readonly string[] } = {},
  browser = ines,
) {
  const page = await browser.press(await browser.open(`${PATH}/new`), 'Create service', {
    name: 'Payroll sync',
    role: 'manager',
    scope: ['courses:read', 'orders:read'],
    ...fields,
  })
  const shown = (id: string): string =>
    new RegExp(`id="${id}"[^>]*>\\s*([^<\\s]+)`).exec(page.text)?.[1] ?? ''
  return { page, clientId: shown('client_id'), secret: shown('client_secret') }
}
type Credentials = Pick<Awaited<ReturnType<typeof createService>>, 'clientId' | 'secret'>

const ask = ({ clientId, secret }: Credentials, more: Record<string, string> = {}) =>
  school.token({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: secret,
    ...more,
  })
async function tokenOf(credentials: Credentials, more?: Record<string, string>): Promise<string> {
  const answered = await ask(credentials, more)
  if (answered.status !== 200) throw new Error(await answered.text())
  return ((await answered.json()) as { access_token: string }).access_token
}
/** The status with which the admin API answers a token. */
const statusAt = async (path: string, accessToken: string): Promise<number> =>
  (
    await school.fetch(
      new Request(`${ORIGIN}/api/v1/${path}`, {
        headers: { authorization: `Bearer ${accessToken}` },
      }),
    )
  ).status

describe('service access', () => {
  it('lets a manager create a service, whose secret is shown once, and which calls the admin API [SVC-23]', async () => {
    const created = await createService()
    expect(textOf(created.page)).toContain('Payroll sync is a service now')
    const token = await tokenOf(created)
    expect(await statusAt('courses', token)).toBe(200)
    expect(await statusAt('orders', token)).toBe(200)
    expect(await statusAt('members', token)).toBe(403)
    const list = await ines.open(PATH)
    expect(textOf(list)).toMatch(
      /Payroll sync Active Manager · Used just now 2 permissions .* End…/,
    )
    expect(list.text).not.toContain(created.secret)
    expect(await ines.open('/oauth/applications')).toMatchObject({
      text: expect.stringContaining(`href="${PATH}"`) as string,
    })
    expect(textOf(await ines.open('/oauth/applications?view=all'))).not.toContain('Payroll sync')
  })

  it('names the service in the activity, and not as a person [SVC-24]', async () => {
    await tokenOf(await createService())
    const activity = textOf(await ines.open('/oauth/applications/activity'))
    expect(activity).toMatch(
      /Got access · service: Payroll sync .*Connected · service: Payroll sync .*Service created · service: Payroll sync by Ines Duarte/,
    )
    expect(activity).not.toContain('Someone without a name')
    const file = await ines.open('/oauth/applications/activity?format=json')
    const rows = JSON.parse(file.text) as { type: string; person: string; person_id: string }[]
    expect(rows.find(({ type }) => type === 'oauth.token.issued')).toMatchObject({
      person: 'service: Payroll sync',
      person_id: expect.stringMatching(/^srv_/) as string,
    })
  })

  it('ends a service at once, after a question, and for good [SVC-25]', async () => {
    const created = await createService()
    const token = await tokenOf(created)
    const question = await ines.open(`${PATH}/${created.clientId}`)
    expect(textOf(question)).toMatch(/End the service Payroll sync\? .*Connections open now 1/)
    const after = await ines.press(question, 'End service')
    expect(textOf(after)).toContain('The service Payroll sync has ended.')
    expect(textOf(after)).toMatch(/Payroll sync Ended .* ended on/)
    expect(await statusAt('courses', token)).toBe(401)
    const refused = await ask(created)
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: 'unauthorized_client' },
    ])
    const listing = { of: { clientId: created.clientId }, after: null, limit: 9, now: T }
    expect(await school.store.listGrants(listing)).toEqual([])
    expect(textOf(await ines.open('/oauth/applications/activity'))).toMatch(
      /Service ended · service: Payroll sync by Ines Duarte/,
    )
    // Again, as from another window.
    expect((await ines.open(`${PATH}/${created.clientId}`)).url.pathname).toBe(PATH)
  })

  it('opens nothing any more when its role or its client goes [SVC-25]', async () => {
    const created = await createService({ role: 'assistant', scope: ['courses:read'] })
    const token = await tokenOf(created)
    const set = (change: string) =>
      database.execute(`update school_service set ${change} where site = $1`, [school.id])
    expect(await statusAt('courses', token)).toBe(200)
    await set(`role = 'none'`)
    expect(await statusAt('courses', token)).toBe(401)
    await set(`role = 'assistant'`)
    const page = await ines.open(`/oauth/applications/${created.clientId}`)
    const left = await ines.open(`/oauth/applications/${created.clientId}/disable`)
    await ines.press(left, 'Turn off')
    expect(await statusAt('courses', token)).toBe(401)
    expect(textOf(await ines.open(PATH))).toMatch(/Payroll sync Turned off/)
    expect(textOf(page)).toContain('None, because no one signs in with it')
  })

  it.each<[string, Parameters<typeof createService>[0], string]>([
    ['no name', { name: ' ' }, 'Enter a name'],
    ['no role', { role: '' }, 'Choose one of the roles.'],
    ['the role of an owner', { role: 'owner' }, 'Choose one of the roles.'],
    ['no permission', { scope: [] }, 'Choose at least one permission.'],
    ['an identity scope', { scope: ['openid'] }, 'Choose at least one permission.'],
    ['a scope of members', { scope: ['account:read'] }, 'Choose at least one permission.'],
  ])('creates nothing with %s [SVC-26]', async (_, fields) => {
    const { page, clientId } = await createService(fields)
    expect([page.status, clientId]).toEqual([422, ''])
    expect(page.text).toMatch(/class="fault"/)
    expect(textOf(await ines.open(PATH))).toContain('There are no services.')
  })

  it('is for managers, with the form of this site, and a recent sign-in [SVC-26]', async () => {
    const { clientId } = await createService()
    for (const memberId of ['amara', 'mei']) {
      const browser = await school.browserOf(memberId)
      for (const path of [PATH, `${PATH}/new`, `${PATH}/${clientId}`])
        expect([path, (await browser.open(path)).status]).toEqual([path, 403])
    }
    const [forged, stranger] = [{ csrf_token: 'forged' }, school.stranger()]
    expect((await ines.post(`${PATH}/${clientId}`, forged)).status).not.toBe(303)
    expect((await stranger.open(PATH)).text).not.toContain('Payroll sync')
    school.clock.now = T + 15 * 60
    expect(textOf(await ines.open(`${PATH}/new`))).not.toContain('Create service')
    expect(textOf(await ines.open(PATH))).toContain('Payroll sync')
    expect((await ines.open(`${PATH}/unknown`)).status).toBe(404)
  })

  it('gives a service a new secret, while MCP connections are off too', async () => {
    const created = await createService()
    await school.settings.setMcpConnections(false)
    const page = await ines.open(`/oauth/applications/${created.clientId}`)
    const rotated = await ines.press(page, 'Create secret', { overlap_hours: '0' })
    const secret = /id="client_secret"[^>]*>\s*([^<\s]+)/.exec(rotated.text)![1]!
    expect((await ask(created)).status).toBe(401)
    expect((await ask({ ...created, secret })).status).toBe(200)
  })

  it('is no way for a client of a person to become more than its person [SVC-27]', async () => {
    const redirectUris = ['http://127.0.0.1:7777/callback']
    const secrets = [{ hash: hashToken('own'), expiresAt: null }]
    const scopes = ['courses:read', 'courses:write']
    const fields = { name: 'Desk', redirectUris, secrets, scopes, createdAt: T } as const
    await createService()
    const app = { ...fields, tokenEndpointAuthMethod: 'client_secret_post' } as const
    await school.store.insertClient(defineClient({ ...app, clientId: 'desk', kind: 'loopback' }))
    const client = { clientId: 'desk', secret: 'own' }
    const person = { memberId: 'yuki', ...client, scope: 'openid courses:read courses:write' }
    const { access_token } = await school.connect(person)
    expect(await statusAt('courses', access_token)).toBe(200)
    const refused = await ask(client, { scope: 'courses:write' })
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: 'unauthorized_client' },
    ])
  })

  it('lets no one sign in with the client of a service', async () => {
    const { clientId } = await createService()
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: 'http://127.0.0.1:7777/callback',
      scope: 'courses:read',
      state: 's',
      code_challenge: 'c'.repeat(43),
      code_challenge_method: 'S256',
    })
    expect((await ines.open(`/oauth/authorize?${query.toString()}`)).status).toBe(400)
  })

  it.each(['zh-Hant', 'ar'])('is shown in %s', async (language) => {
    await createService()
    const page = await ines.open(PATH, { 'accept-language': language })
    expect(page.text).toContain(`<html lang="${language}"`)
    expect(textOf(page)).not.toContain('Service access')
  })
})

describe('without the block', () => {
  it('has no such page, no link to it, and refuses the grant [SVC-28]', async () => {
    school = await openAreaSite(database)
    ines = await school.browserOf('ines')
    for (const path of [PATH, `${PATH}/new`, `${PATH}/any`])
      expect([path, (await ines.open(path)).status]).toEqual([path, 404])
    expect((await ines.open('/oauth/applications')).text).not.toContain(PATH)
    const refused = await ask({ clientId: 'desk', secret: 'own' })
    expect(await refused.json()).toEqual({
      error: 'unsupported_grant_type',
      error_description: 'grant_type must be authorization_code or refresh_token',
      error_uri: `${ORIGIN}/auth.md#error-unsupported_grant_type`,
    })
  })
})
