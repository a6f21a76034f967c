import { type Check } from '../check.js'
import { AS, MUST, rfc6749, rfc9126, rfc9700, RS, SHOULD } from '../clause.js'
import { judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import type { Audit } from '../engine/audit.js'
import { until } from '../engine/clock.js'
import { allow, open, refusedAs } from './asking.js'
import { checksOf, hasTokens, nothingFor, openedBy } from './expect.js'
import { presenting, push, pushed } from './pushed-requests.js'
import { familyOf, onlyPublic, refreshed } from './rotation.js'

// prettier-ignore
const TEXT = {
  uri: rfc9126('4', MUST, AS, 'An expired "request_uri" MUST be rejected as invalid.'),
  code: rfc6749('4.1.2', SHOULD, AS, 'A maximum authorization code lifetime of 10 minutes is RECOMMENDED.'),
  refresh: rfc9700('4.14.2', MUST, AS, 'Authorization servers MUST utilize one of these methods to detect refresh token replay by malicious actors for public clients: … the authorization server issues a new refresh token with every access token refresh response. The previous refresh token is invalidated'),
  access: rfc6749('7', MUST, RS, 'The resource server MUST validate the access token and ensure that it has not expired and that its scope covers the requested resource.'),
}
const MINUTE = 60
/** Servers allow for clocks that differ. */
const LEEWAY = 3 * MINUTE
const TEN_MINUTES = 10 * MINUTE

/** Makes all that the checks wait for at the same time, so that the audit waits once, until the last of them expires. */
const begin = (on: Audit): Promise<void> =>
  on.once('patient', async () => {
    for (const made of [uriOf, codeOf, familyBefore, tokensOf])
      await made(on).catch(() => undefined)
  })

const keep = <Value>(name: string, make: (on: Audit) => Promise<Value>) =>
  (on: Audit): Promise<Value & { readonly at: number }> =>
    on.once(`patient ${name}`, async () => ({ ...(await make(on)), at: Date.now() })) // prettier-ignore

/** Waits until something is so old, or stops where the audit has less time. */
async function waitFor(on: Audit, at: number, seconds: number): Promise<void> {
  if (seconds > on.patience)
    throw new Stop(
      notReached(`it has to wait longer: give --patient ${Math.ceil(seconds / MINUTE)}`),
    )
  await until(at, seconds + 5)
}

const uriOf = keep('request_uri', (on) => push(on))
const codeOf = keep('code', async (on) => ({ code: await on.code() }))
const tokensOf = keep('access token', async (on) => {
  const tokens = await on.tokens()
  return { tokens, before: await openedBy(on, tokens.accessToken) }
})
const familyBefore = keep('refresh token', async (on) => {
  const family = await familyOf(on, 'patient')
  onlyPublic(family.first)
  const answers = [await refreshed(on, family), await refreshed(on, family)]
  return { family, given: answers.map(({ json }) => json['refresh_token']) }
})

const waits = checksOf('patient', {
  depth: 'people',
  patient: true,
  creates: { authorizations: 1 },
})

/** Checks of values that expire, each tried when it has expired. */
export const patient: readonly Check[] = [
  waits('pushed-request', TEXT.uri, 'Compare the time with that of the push, and refuse a request_uri after expires_in.', async (on) => {
    await begin(on)
    const { answer, at } = await uriOf(on)
    const seconds = Number(answer.json['expires_in'])
    if (!(seconds > 0)) return notReached(`the push is answered by ${answer.status}`, answer)
    const fresh = await open(on, null, (await pushed(on)).presented)
    if (!fresh.isTaken) return notReached('a new request_uri is not taken either', fresh)
    await waitFor(on, at, seconds)
    // Opened once: it is the first use of this one.
    return refusedAs(await allow(on, presenting(String(answer.json['request_uri']))), ['invalid_request_uri', 'invalid_request'], `a request_uri of ${seconds} s, after them`)
  }),
  waits('code', TEXT.code, 'Store with each code when it expires, a minute after its issue, and refuse it then.', async (on) => {
    await begin(on)
    // A code has led to tokens: without that, a refusal says nothing.
    await on.sharedTokens()
    const { code, at } = await codeOf(on)
    await waitFor(on, at, TEN_MINUTES)
    return nothingFor(await on.redeem(code), 'a code that is older than ten minutes')
  }),
  waits('refresh-token', TEXT.refresh, 'End the time in which a used refresh token gets the same answer again: some seconds are enough for an answer that was lost.', async (on) => {
    await begin(on)
    const { family, given, at } = await familyBefore(on)
    if (family.newest.refreshToken === family.first.refreshToken)
      return notApplicable('the server does not replace refresh tokens', family.newest)
    await waitFor(on, at, TEN_MINUTES)
    const answer = await on.refresh(family.first)
    const what = 'a refresh token that was used ten minutes ago'
    if (!hasTokens(answer)) return nothingFor(answer, what)
    return given.includes(answer.json['refresh_token'])
      ? notReached(`${what} gets tokens that were given before: its time is longer`, answer)
      : violated(answer, `${what} gets new tokens`)
  }),
  waits('access-token', TEXT.access, 'Compare exp, or the time that is stored with the token, at each request.', async (on) => {
    await begin(on)
    const { tokens, before, at } = await tokensOf(on)
    const seconds = tokens.answer.json['expires_in']
    if (typeof seconds !== 'number') return notApplicable('the answer has no expires_in', tokens)
    if (before.length === 0) return notReached('the token worked nowhere when it was new', tokens)
    await waitFor(on, at, seconds + LEEWAY)
    const uses = (await on.use(tokens.accessToken)).filter((one) => before.includes(one.surface))
    const works = uses.find(({ isAccepted }) => isAccepted)
    return judge(
      (works ?? uses[0]!).answer,
      works === undefined,
      `it worked at ${before.join(', ')} when it was new, and does not after ${seconds} s`,
      `an access token of ${seconds} s works at ${works?.surface} after them`,
    )
  }),
] // prettier-ignore
