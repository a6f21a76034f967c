import type { AuthorizationServerOptions } from 'hallpass/authorization-server'
import { deviceGrant, type DeviceView } from 'hallpass/blocks'
import type { Client, Person } from 'hallpass/policy'
import type { Store } from 'hallpass/store'
import { DESK_CLI, encode, type Fields, post } from './flow.js'
import type { SiteChanges } from './bare-server.js'
import { createBrowser, createSchool, OWNER, type School } from './school.js'

type DeviceGrantOptions = Parameters<typeof deviceGrant>[0]

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
export const DEVICE_PATH = '/oauth/device'
export const DEVICE_REQUEST_PATH = '/api/oauth/device_authorization'

/** The response of the device authorization endpoint. */
export interface DeviceAuthorization {
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri: string
  readonly verification_uri_complete: string
  readonly expires_in: number
  readonly interval: number
}

/** What Desk CLI asks for on a computer without a browser. */
const DEVICE_REQUEST: Fields = {
  client_id: DESK_CLI.clientId,
  scope: 'openid courses:read courses:write',
}

export interface DeviceSchool {
  readonly school: School
  /** What the last page was made of. */
  readonly view: () => DeviceView
  /** The last page, which has to be this one. */
  readonly pageOf: <Page extends DeviceView['page']>(
    page: Page,
  ) => Extract<DeviceView, { page: Page }>
  /** Asks for a code, as a device does. */
  readonly request: (
    changes?: Fields,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Response>
  readonly begin: (changes?: Fields) => Promise<DeviceAuthorization>
  readonly poll: (deviceCode: string, changes?: Fields) => Promise<Response>
  /** Polls, and returns the error. */
  readonly errorOf: (deviceCode: string, changes?: Fields) => Promise<unknown>
  readonly browser: ReturnType<typeof createBrowser>
  readonly signIn: (person?: Person) => void
  /** Opens the page and enters a code. */
  readonly enter: (
    userCode: string,
    browser?: ReturnType<typeof createBrowser>,
  ) => Promise<Response>
  /** Sends the form of the question in front. */
  readonly decide: (
    decision: 'allow' | 'deny',
    more?: Fields,
    browser?: ReturnType<typeof createBrowser>,
  ) => Promise<Response>
}

/** A school at which Desk CLI may be a device. The owner is signed in. */
export async function createDeviceSchool({
  store,
  clients = [DESK_CLI],
  options = {},
  grant = {},
}: {
  store?: Store
  clients?: readonly Client[]
  options?: SiteChanges & Partial<AuthorizationServerOptions>
  grant?: Partial<DeviceGrantOptions>
} = {}): Promise<DeviceSchool> {
  let last: DeviceView | null = null
  const page = (_request: Request, view: DeviceView): Response => {
    last = view
    return Response.json(view)
  }
  const own = { blocks: [deviceGrant({ page, ...grant })], ...options }
  const school = await createSchool({ ...(store && { store }), options: own })
  for (const client of clients) await school.store.insertClient(client)
  const signIn = (person: Person = OWNER): void => {
    school.signedIn = { subject: person.subject, authTime: school.clock.now }
  }
  signIn()
  const view = (): DeviceView => {
    if (last === null) throw new Error('no page was shown')
    return last
  }
  function pageOf<Page extends DeviceView['page']>(name: Page) {
    const shown = view()
    if (shown.page !== name) throw new Error(`the page is ${shown.page}: ${JSON.stringify(shown)}`)
    return shown as Extract<DeviceView, { page: Page }>
  }
  const browser = createBrowser(school)
  const request: DeviceSchool['request'] = (changes = {}, headers = {}) =>
    post(school, DEVICE_REQUEST_PATH, { ...DEVICE_REQUEST, ...changes }, headers)
  const poll: DeviceSchool['poll'] = (deviceCode, changes = {}) =>
    post(school, '/api/oauth/token', {
      grant_type: DEVICE_GRANT,
      device_code: deviceCode,
      client_id: DESK_CLI.clientId,
      ...changes,
    })
  return {
    school,
    view,
    pageOf,
    request,
    async begin(changes) {
      const response = await request(changes)
      if (response.status !== 200) throw new Error(`no code: ${await response.text()}`)
      return (await response.json()) as DeviceAuthorization
    },
    poll,
    async errorOf(deviceCode, changes) {
      const { error } = (await (await poll(deviceCode, changes)).json()) as { error?: string }
      return error
    },
    browser,
    signIn,
    async enter(userCode, from = browser) {
      await from.open(DEVICE_PATH)
      const { csrfToken } = pageOf('code')
      return from.post(DEVICE_PATH, { csrf_token: csrfToken, user_code: userCode })
    },
    async decide(decision, more = {}, from = browser) {
      const { userCode, consent } = pageOf('consent')
      const fields = encode({
        csrf_token: consent.csrfToken,
        user_code: userCode,
        decision,
        ...more,
      })
      return from.post(consent.action, Object.fromEntries(fields))
    },
  }
}
