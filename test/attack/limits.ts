import type { AttackClass, Exchange } from '../support/attack/run.js'
import { inTurn } from '../support/attack/run.js'
import { form } from '../support/attack/requests.js'
import { bearer, JSON_HEADERS, PASSWORD, type Service } from '../support/attack/service.js'
import type { RungClass } from '../support/attack/rungs.js'
import type { Sent } from '../support/attack/wire.js'

const REGISTRATION: Sent = {
  path: '/api/oauth/register',
  headers: JSON_HEADERS,
  body: JSON.stringify({ client_name: 'Desk', redirect_uris: ['http://127.0.0.1/cb'] }),
}

/** Sends a request some times, and counts the statuses. */
async function countOf(
  { send }: Pick<Service, 'send'>,
  times: number,
  requestAt: (index: number) => Sent,
): Promise<Readonly<Record<number, number>>> {
  const counts: Record<number, number> = {}
  await inTurn(Array.from({ length: times }, (_, index) => index), 8, async (index) => {
    const { status } = await send(requestAt(index))
    counts[status] = (counts[status] ?? 0) + 1
  }) // prettier-ignore
  return counts
}

/** Whether no more than so many requests were let through, and all others told to wait. */
const within = (
  counts: Readonly<Record<number, number>>,
  most: number,
  passed: readonly number[],
): readonly string[] => {
  const others = Object.keys(counts).map(Number).filter((status) => status !== 429 && status !== 404 && !passed.includes(status)) // prettier-ignore
  const through = passed.reduce((sum, status) => sum + (counts[status] ?? 0), 0)
  if (others.length > 0 || through > most || counts[429] === undefined)
    return [`${JSON.stringify(counts)} (at most ${most} may pass)`]
  return []
}

/** A limit of one address, however the address or the path is spelled. */
const limited = (
  name: string,
  most: number,
  { times, request, passed }: { times: number; request: (index: number) => Sent; passed: readonly number[] }, // prettier-ignore
): Exchange<Pick<Service, 'send'>> => ({
  name,
  times,
  run: async (service) => within(await countOf(service, times, request), most, passed),
})

const from = (request: Sent, address: string): Sent => ({
  ...request,
  headers: { ...request.headers, 'x-forwarded-for': address },
})
/** As a page sends it, which has a tenth of what its network has. */
const fromPage = (request: Sent, address: string): Sent => ({
  ...request,
  headers: { ...request.headers, origin: 'https://evil.test', 'x-forwarded-for': address },
})

/** Paths that a router may find the registration at. */
const SPELLINGS = ['/api/oauth/register', '/api/oauth/Register', '/api/oauth/register/', '/API/oauth/register', '/api/oauth/register?x=1', '/api/oauth/register?', '/api/oauth/%72egister'] // prettier-ignore

/** Nobody gets past a limit by another spelling of the same thing, and nobody locks another one out. */
export const limits: AttackClass = {
  name: 'limits',
  least: 1800,
  async build(service) {
    const token = (await service.mint()).accessToken
    const visitor = await service.signIn(null)
    const signIn = (email: string, password: string, address: string): Sent =>
      from(
        form('/sign-in', { email, password, return_to: '/', csrf_token: visitor.csrfToken }, { cookie: visitor.cookie }), // prettier-ignore
        address,
      )
    const ofClient = (client_id: string): Sent => form('/api/oauth/token', { client_id })
    const attacks: readonly Exchange[] = [
      limited('registrations by every spelling of the path', 60, {
        times: 140,
        passed: [201],
        request: (index) => fromPage({ ...REGISTRATION, path: SPELLINGS[index % SPELLINGS.length]! }, '198.51.100.1'), // prettier-ignore
      }),
      limited('registrations from one network of 64 bits', 60, {
        times: 90,
        passed: [201],
        request: (index) => fromPage(REGISTRATION, `2001:db8:0:1:${index.toString(16)}::${index.toString(16)}`), // prettier-ignore
      }),
      limited('registrations behind made-up addresses', 60, {
        times: 90,
        passed: [201],
        request: (index) =>
          fromPage(REGISTRATION, `203.0.113.${index}, 10.0.0.${index}, 198.51.100.2`),
      }),
      limited('registrations of an IPv4 address in both notations', 60, {
        times: 90,
        passed: [201],
        request: (index) => fromPage(REGISTRATION, index % 2 === 0 ? '198.51.100.3' : '::ffff:198.51.100.3'), // prettier-ignore
      }),
      // Express counts an empty entry by the connection, and all other text together.
      limited('registrations from addresses that are none', 120, {
        times: 180,
        passed: [201],
        request: (index) => fromPage(REGISTRATION, ['x', "' or 1=1", '999.1.1.1', 'localhost', ','][index % 5]!), // prettier-ignore
      }),
      limited('token requests of one client', 60, {
        times: 90,
        passed: [400],
        request: () => fromPage(ofClient('study-buddy'), '198.51.100.4'),
      }),
      limited('token requests that say the client in every way', 60, {
        times: 160,
        passed: [400, 401],
        request: (index) =>
          fromPage(
            index % 2 === 0
              ? ofClient('study-buddy')
              : form('/api/oauth/token', {}, { authorization: `Basic ${Buffer.from('study-buddy:x').toString('base64')}` }), // prettier-ignore
            '198.51.100.5',
          ),
      }),
      limited('token requests of an address that names others', 600, {
        times: 640,
        passed: [400, 401],
        request: (index) => from(ofClient(`client-${index}`), '198.51.100.6'),
      }),
      limited('introspections with guesses', 100, {
        times: 130,
        passed: [401],
        request: (index) => fromPage(form('/api/oauth/introspect', { client_id: 'portfolio-hub', client_secret: `guess-${index}`, token: 'x' }), '198.51.100.7'), // prettier-ignore
      }),
      limited('anonymous calls of /mcp', 60, {
        times: 80,
        passed: [403],
        request: () =>
          fromPage({ path: '/mcp', body: '{}', headers: JSON_HEADERS }, '198.51.100.8'),
      }),
      limited('calls of the admin API with one grant, from many addresses', 100, {
        times: 130,
        passed: [200],
        request: () => ({ path: '/api/v1/school', headers: bearer(token) }),
      }),
      limited('wrong passwords, spelled in many ways', 6, {
        times: 24,
        passed: [403],
        request: (index) => signIn(['amara.obi@example.com', 'AMARA.OBI@example.com ', ' Amara.Obi@Example.com', '\tamara.obi@EXAMPLE.com'][index % 4]!, `guess ${index}`, '198.51.100.9'), // prettier-ignore
      }),
      {
        name: 'one address that guesses the password of somebody',
        times: 41,
        async run(inner) {
          const guesses = await countOf(inner, 40, (index) =>
            signIn('tomasz.wilk@example.com', `guess ${index}`, '198.51.100.10'),
          )
          const { status } = await inner.send(signIn('tomasz.wilk@example.com', PASSWORD, '203.0.113.200')) // prettier-ignore
          return [
            ...within(guesses, 6, [403]),
            ...(status === 303 ? [] : [`the person is told ${status} elsewhere`]),
          ]
        },
      },
    ]
    return {
      attacks,
      controls: [
        { name: 'a registration from elsewhere', request: REGISTRATION, statuses: [201] },
        { name: 'the token endpoint from elsewhere', request: ofClient('study-buddy'), statuses: [400] },
      ],
      changes: { hallpass_client: 'any', school_session: 1 },
    } // prettier-ignore
  },
}

/** The same for a rung: what guesses, and pages that register apps in the name of their readers. */
export const limitsOfRung: RungClass = {
  name: limits.name,
  needs: ['sign-in by address'],
  least: 540,
  async build({ issuer, signInFields }) {
    // It is on a page of its own, and Cloudflare says to a worker who sends it.
    const own = { origin: issuer, 'sec-fetch-site': 'same-origin', 'cf-connecting-ip': '198.51.100.1' } // prettier-ignore
    const guess = (index: number): Sent =>
      form('/sign-in', { ...signInFields, email: ['victim@example.com', 'VICTIM@example.com', 'Victim@Example.Com'][index % 3]!, password: `guess-${index}` }, own) // prettier-ignore
    return {
      attacks: [
        limited('wrong passwords, spelled in many ways', 6, {
          times: 15,
          passed: [303, 403],
          request: guess,
        }),
        // A tenth of what its network may, whatever origins it names.
        limited('registrations by a page', 500, {
          times: 530,
          passed: [201],
          request: (index) => ({
            ...REGISTRATION,
            headers: { ...REGISTRATION.headers, origin: `https://page-${index}.evil.test`, 'cf-connecting-ip': '198.51.100.1' }, // prettier-ignore
          }),
        }),
      ],
      controls: [
        { name: 'a registration by a program', request: REGISTRATION, statuses: [201] },
        {
          name: 'the right password of another person',
          request: form('/sign-in', signInFields, own),
          statuses: [303],
          fault: ({ headers }) => String(headers['location']).endsWith('?wrong') ? 'it is refused' : null, // prettier-ignore
        },
      ],
      changes: { hallpass_client: 'any', sessions: 1 },
    }
  },
}
