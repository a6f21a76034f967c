import { routesOf } from 'hallpass/authorization-server'
import { createPasswordThrottle } from 'hallpass/operations'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openCounters } from '../../../examples/school/src/platform/counters.js'
import { createLimiter } from '../../../examples/school/src/platform/limited.js'
import { createLimits } from '../../../examples/school/src/platform/limits.js'
import { createPayers } from '../../../examples/school/src/platform/payer.js'
import { createRefusals, tooMany } from '../../../examples/school/src/pages/too-many.js'
import { LANTERN } from '../../../examples/school/src/sites.js'
import { authorizationUrl, post, refresh, signIn, tokensOf } from '../../support/school/flow.js'
import { networkOf, register } from '../../support/school/networks.js'
import { createSchool, ISSUER, type School, T } from '../../support/school/school.js'

const CAMPUS = '203.0.113.7'
const MINUTES = 60

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A school with the limits of the example. `x-network` is the address. */
async function createLimitedSchool() {
  const payerOf = createPayers({
    origin: ISSUER,
    accountOf: (headers) => passwords.accountOf(headers),
  })
  const senderOf = (request: Request) => ({ address: networkOf(request), headers: request.headers })
  const school = await createSchool({
    options: { networkOf: (request) => payerOf(senderOf(request)).name },
  })
  const sealingSecret = 'a sealing secret of thirty-two characters'
  const passwords = createPasswordThrottle(school.site, { sealingSecret })
  const { ofSender, ofEndpoint } = createLimits(await openCounters({ redisUrl: null }), { payerOf })
  const refusals = createRefusals({ site: LANTERN, origin: ISSUER })
  const limited = createLimiter({ ofEndpoint, store: school.store, refusals }).server(school.server)
  const routes = new Map(routesOf(limited))

  /** The school as a sender sees it who sends these headers. */
  const as = (headers: Readonly<Record<string, string>>): School => {
    const send: School['fetch'] = async (input, init) => {
      const request = new Request(input, { ...init, redirect: 'manual' })
      for (const [name, value] of Object.entries(headers))
        request.headers.set(name, [request.headers.get(name), value].filter(Boolean).join('; '))
      const seconds = await ofSender(senderOf(request))
      if (seconds > 0) return tooMany(seconds)
      const path = new URL(request.url).pathname.replace(/(?<=interaction\/).+/, ':id')
      return routes.get(path)!(request, { address: networkOf(request) })
    }
    return new Proxy(school, {
      get: (target, name) => (name === 'fetch' ? send : Reflect.get(target, name)),
    })
  }
  const cookieOf = async (email: string): Promise<string> => {
    const attempt = await passwords.attempt(new Request(ISSUER), email, async () => true)
    return attempt.ok ? attempt.setCookie.split(';', 1)[0]! : ''
  }
  const setMinute = (minute: number): void => {
    school.clock.now = T + 60 * minute
    vi.setSystemTime(school.clock.now * 1000)
  }
  return { as, cookieOf, setMinute }
}

it('of one address leaves all others, and whom the school knows there, as they were [LIM-01]', async () => {
  const { as, cookieOf, setMinute } = await createLimitedSchool()
  const attacker = as({ 'x-network': CAMPUS })
  const kinds = [
    () => attacker.fetch(authorizationUrl()),
    () => post(attacker, '/api/oauth/token', { client_id: 'study-buddy', code: 'x' }),
    () => post(attacker, '/api/oauth/revoke', { client_id: 'study-buddy', token: 'x' }),
    () => register(attacker, CAMPUS),
  ]
  setMinute(0)
  let token = (await signIn(as({ 'x-network': CAMPUS }))).refresh_token

  const counts = { refused: 0, elsewhere: 0, known: 0, refreshed: 0 }
  for (let minute = 1; minute <= MINUTES; minute++) {
    setMinute(minute)
    // So that the attacker is nobody who is signed in.
    attacker.signedIn = null
    for (let sent = 0; sent < 1000; sent++) {
      // Each minute all of them at one endpoint, and then a few at each.
      const { status } = await kinds[(sent < 900 ? minute : sent) % kinds.length]!()
      if (status === 429) counts.refused++
    }
    await signIn(as({ 'x-network': `198.51.100.${minute}` }))
    counts.elsewhere++
    await signIn(as({ 'x-network': CAMPUS, cookie: await cookieOf(`p${minute}@example.com`) }))
    counts.known++
    token = (await tokensOf(await refresh(as({ 'x-network': CAMPUS }), token))).refresh_token
    counts.refreshed++
  }
  expect(counts.refused).toBeGreaterThan(MINUTES * 200)
  expect(counts).toMatchObject({ elsewhere: MINUTES, known: MINUTES, refreshed: MINUTES })
})
