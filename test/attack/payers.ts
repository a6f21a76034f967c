import { createFormBrowser, signInAndAllow } from '../support/http/form-browser.js'
import { authorizePath, codeFields, form } from '../support/attack/requests.js'
import { type AttackClass, type Exchange, inTurn } from '../support/attack/run.js'
import { JSON_HEADERS, type Service } from '../support/attack/service.js'
import type { RungClass } from '../support/attack/rungs.js'
import type { Answer, Sent } from '../support/attack/wire.js'

/** The one address of a whole school. */
export const CAMPUS = '203.0.113.50'

/** Headers of the requests that a page of anyone makes the browser of its reader send. */
const IMAGE = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' } as const // prettier-ignore
const SCRIPT = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', origin: 'https://evil.test' } as const // prettier-ignore

const registration = (headers: Readonly<Record<string, string>>): Sent => ({
  path: '/api/oauth/register',
  headers: { ...JSON_HEADERS, ...headers },
  body: JSON.stringify({ client_name: 'Desk', redirect_uris: ['http://127.0.0.1/cb'] }),
})
/** The same from a page that names another origin each time, as its owner may have many. */
export const scriptOf = (index: number) => ({
  ...SCRIPT,
  origin: `https://page-${index}.evil.test`,
})
/** What a token endpoint gets that names another's client. */
const forged = (path: string, headers: Readonly<Record<string, string>> = {}): Sent =>
  form(path, { client_id: 'study-buddy', code: 'x', token: 'x' }, headers)

/** A person with a browser of their own at an address. */
function personAt(service: Service, address: string, email: string) {
  const origin = service.origin.lantern
  const browser = createFormBrowser(origin, { 'x-forwarded-for': address })
  return {
    /** Signs in, allows the app, and lets it redeem the code at its own address. */
    async connects(): Promise<readonly string[]> {
      try {
        const { searchParams } = await signInAndAllow(browser, origin + authorizePath(origin), {
          email,
        })
        const { status } = await service.send(
          form('/api/oauth/token', codeFields(origin, searchParams.get('code') ?? ''), {
            'x-forwarded-for': address,
          }),
        )
        return status === 200
          ? []
          : [`${email} at ${address}: the token endpoint returned ${status}`]
      } catch (error) {
        return [`${email} at ${address}: ${String(error).slice(0, 200)}`]
      }
    },
    /** Ends the session, as a night does. The browser is still known. */
    endSession(): void {
      for (const name of browser.cookies.keys())
        if (!name.includes('known')) browser.cookies.delete(name)
    },
  }
}

export const flood = (
  name: string,
  times: number,
  requestAt: (index: number) => Sent,
  meanwhile: (service: Service) => Promise<readonly string[]>,
): Exchange => ({
  name,
  times,
  async run(service) {
    const statuses = new Map<number, number>()
    await inTurn(Array.from({ length: times }, (_, index) => index), 8, async (index) => {
      const request = requestAt(index)
      const headers = { 'x-forwarded-for': CAMPUS, ...request.headers }
      const { status } = await service.send({ ...request, headers })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }) // prettier-ignore
    const unrefused = statuses.has(429) || statuses.size === 1 ? [] : ['no request was refused']
    return [...unrefused, ...(await meanwhile(service))]
  },
})

/** Nobody pays for another: a page, an app or a program at an address spends nothing that others there need. */
export const payers: AttackClass = {
  name: 'who pays',
  least: 2500,
  async build(service) {
    const known = personAt(service, CAMPUS, 'priya.nair@example.com')
    const before = await known.connects()
    const { refreshToken } = await service.mint({
      clientId: 'study-buddy',
      subject: 'mem_l05',
      scopes: ['openid', 'account:read'],
    })
    const refresh = async (inner: Service): Promise<readonly string[]> => {
      const fields = { grant_type: 'refresh_token', client_id: 'study-buddy', refresh_token: refreshToken } // prettier-ignore
      const { status, text } = await inner.send(
        form('/api/oauth/token', fields, { 'x-forwarded-for': CAMPUS }),
      )
      return status === 200 ? [] : [`an app of the campus: ${status} ${text.slice(0, 200)}`]
    }
    /** Someone new there, an app that is connected, and someone elsewhere. */
    const allGoOn = async (inner: Service): Promise<readonly string[]> => [
      ...(await personAt(inner, CAMPUS, 'sam.okafor@example.com').connects()),
      ...(await refresh(inner)),
      ...(await personAt(inner, '198.51.100.77', 'yuki.tan@example.com').connects()),
    ]
    /** After a program has spent what the campus has, whom the school knows there, and everyone elsewhere. */
    const theKnownGoOn = async (inner: Service): Promise<readonly string[]> => {
      known.endSession()
      return [
        ...(await known.connects()),
        ...(await refresh(inner)),
        ...(await personAt(inner, '198.51.100.78', 'noor.haddad@example.com').connects()),
      ]
    }
    const authorize = authorizePath(service.origin.lantern)
    const ours = [
      forged('/api/oauth/token'),
      forged('/api/oauth/revoke'),
      { path: authorize },
      { path: '/mcp', body: '{}', headers: JSON_HEADERS },
    ]
    return {
      attacks: [
        { name: 'a school without an attack', times: 1, run: async () => before },
        flood('images of a page that start authorization requests', 650, () => ({ path: authorize, headers: IMAGE }), allGoOn), // prettier-ignore
        flood('forms of a page that name an app', 200, (index) => forged(['/api/oauth/token', '/api/oauth/revoke'][index % 2]!, IMAGE), allGoOn), // prettier-ignore
        flood('registrations by a page', 200, () => registration(SCRIPT), allGoOn),
        flood('forms of a page that names another origin each time', 900, (index) => forged('/api/oauth/token', scriptOf(index)), allGoOn), // prettier-ignore
        flood('images of a page, of every path', 650, (index) => ({ path: ['/', '/sign-in', '/assets/school.css', '/nowhere'][index % 4]!, headers: IMAGE }), allGoOn), // prettier-ignore
        flood('a program that names an app everywhere', 2600, (index) => ours[index % ours.length]!, theKnownGoOn), // prettier-ignore
      ],
      controls: [{ name: 'a registration from elsewhere', request: registration({}), statuses: [201] }],
      changes: {
        hallpass_client: 'any', hallpass_pending: 'any', hallpass_code: 'any', hallpass_grant: 'any',
        hallpass_access_token: 'any', hallpass_refresh_token: 'any', hallpass_consent: 'any', school_session: 'any', hallpass_erasure: 'any',
      },
    } // prettier-ignore
  },
}

/** The same for a rung: guesses of others keep no one out whose browser it knows. */
export const payersOfRung: RungClass = {
  name: payers.name,
  needs: ['sign-in by address'],
  least: 40,
  async build({ issuer, signInFields }) {
    const own = { origin: issuer, 'sec-fetch-site': 'same-origin', 'cf-connecting-ip': CAMPUS }
    const signIn = (fields: object, headers = {}): Sent =>
      form('/sign-in', { ...signInFields, ...fields }, { ...own, ...headers })
    const isIn = ({ status, headers }: Answer): boolean =>
      status === 303 && !String(headers['location']).endsWith('?wrong')
    return {
      attacks: [
        {
          name: 'guesses of the password of someone whose browser is known',
          times: 45,
          async run(rung) {
            const first = await rung.send(signIn({}))
            const cookies = [first.headers['set-cookie'] ?? []].flat().map((one) => one.split(';', 1)[0]!)
            const cookie = cookies.filter((one) => one.includes('known-browser')).join('; ')
            const guesses = []
            for (let index = 0; index < 40; index++) guesses.push(await rung.send(signIn({ password: `guess-${index}` })))
            const known = await rung.send(signIn({}, { cookie }))
            return [
              ...(isIn(first) && cookie !== '' ? [] : [`the first sign-in: ${first.status}, ${cookies.length} cookies`]),
              ...(guesses.some(isIn) ? ['a guess is right'] : []),
              ...(guesses.some(({ status }) => status === 429) ? [] : ['no guess was refused']),
              ...(isIn(known) ? [] : [`the person in their own browser: ${known.status}`]),
            ]
          },
        },
      ],
      controls: [],
      changes: { sessions: 'any' },
    }
  },
} // prettier-ignore
