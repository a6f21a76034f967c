import { type Check } from '../check.js'
import { ADVICE, AS, MUST, oidcCore, rfc6749, rfc9700, SHOULD, SHOULD_NOT } from '../clause.js'
import { type Finding, judge, notApplicable, notReached, Stop } from '../finding.js'
import { type Audit, type Changes, isPublic } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import { newSecret } from '../engine/random.js'
import { checksOf, firstNotHeld, isRefused, UNAUTHENTICATED } from './expect.js'

// prettier-ignore
const TEXT = {
  issues: rfc6749('5.1', MUST, AS, 'access_token REQUIRED. The access token issued by the authorization server. … token_type REQUIRED. The type of the token issued as described in Section 7.1.'),
  authenticated: rfc6749('4.4.2', MUST, AS, 'The authorization server MUST authenticate the client.'),
  refreshToken: rfc6749('4.4.3', SHOULD_NOT, AS, 'A refresh token SHOULD NOT be included.'),
  unknownScope: rfc6749('3.3', ADVICE, AS, 'A scope that the server does not know is refused or left out: a token that has it can do more on the day on which it gets a meaning.'),
  minimum: rfc9700('2.3', SHOULD, AS, 'The privileges associated with an access token SHOULD be restricted to the minimum required for the particular application or use case.'),
  idToken: oidcCore('2', ADVICE, AS, 'An ID token is about a person who was authenticated, so that there is none for a client without a person.'),
}
/** Scopes that are about a person. */
const OF_PERSON = new Set(['openid', 'profile', 'email', 'address', 'phone', 'offline_access'])

/** Requests tokens as the service of the host, which is given. */
async function request(on: Audit, changes: Changes = {}): Promise<Answer> {
  await on.requires('grant_types_supported', 'client_credentials')
  const { clientId, secret } = await on.client('service')
  return on.form(await on.endpoint('token_endpoint'), {
    grant_type: 'client_credentials',
    scope: scopeOf(on),
    resource: await on.resourceIdentifier(),
    client_id: clientId,
    client_secret: secret,
    ...changes,
  })
}

const scopeOf = (on: Audit): string | null => on.signIn?.clients?.service?.scope ?? null
const withScope = (on: Audit, scope: string): Changes => ({ scope: [scopeOf(on), scope].filter(Boolean).join(' ') }) // prettier-ignore

const isGranted = ({ status, json }: Answer): boolean =>
  status === 200 && typeof json['access_token'] === 'string'

const asked = (on: Audit): Promise<Answer> => on.once('client credentials', () => request(on))

/** The answer with a token, which all checks share: without it, a refusal says nothing. */
async function granted(on: Audit): Promise<Answer> {
  const answer = await asked(on)
  if (isGranted(answer)) return answer
  throw new Stop(notReached(`the service gets no token: ${said(answer)}`, answer))
}

const said = ({ status, json }: Answer): string => `${status} ${JSON.stringify(json['error'])}`

/** Held if a scope is refused, or left out of what is granted. */
async function refusesScope(on: Audit, scope: string): Promise<Finding> {
  await granted(on)
  const answer = await request(on, withScope(on, scope))
  if (!isGranted(answer))
    return isRefused(answer)
      ? judge(answer, true, `${scope} is answered by ${said(answer)}`)
      : notReached(`${scope} is answered by ${said(answer)}`, answer)
  const { scope: named } = answer.json
  const isLeftOut = typeof named === 'string' && !named.split(' ').includes(scope)
  return judge(answer, isLeftOut, `a request with ${scope} gets a token whose scope is ${JSON.stringify(named) ?? 'not named'}`) // prettier-ignore
}

const service = checksOf('client-credentials', { depth: 'anonymous' })

/** Tokens of a client for itself. */
export const clientCredentials: readonly Check[] = [
  service('granted', TEXT.issues, 'Answer with 200, access_token and token_type, or leave client_credentials out of grant_types_supported.', async (on) => {
    const answer = await asked(on)
    const { token_type: type } = answer.json
    const isRight = isGranted(answer) && typeof type === 'string'
    return judge(answer, isRight, `the service gets a token of the type ${String(type)}`, `the service is answered by ${said(answer)}`)
  }),
  service('authenticated', TEXT.authenticated, 'Compare the secret before you issue a token, and refuse a request without one.', async (on) => {
    await granted(on)
    const secrets = { 'a wrong secret': { client_secret: newSecret() }, 'no secret': UNAUTHENTICATED }
    return firstNotHeld(Object.entries(secrets), async ([what, changes]) => {
      const answer = await request(on, changes)
      return judge(answer, isRefused(answer), `${what} is answered by ${said(answer)}`)
    })
  }),
  service('public-client', TEXT.authenticated, 'Answer a client without a secret or a key with unauthorized_client.', async (on) => {
    await granted(on)
    const first = await on.client()
    if (!isPublic(first)) return notApplicable('the first client is confidential')
    const answer = await request(on, { client_id: first.clientId, client_secret: null })
    return judge(answer, isRefused(answer), `a public client is answered by ${said(answer)}`)
  }),
  service('no-refresh-token', TEXT.refreshToken, 'Leave refresh_token out of the answer.', async (on) => {
    const answer = await granted(on)
    return judge(answer, !('refresh_token' in answer.json), 'it issued none', 'it issued a refresh token')
  }),
  service('unknown-scope', TEXT.unknownScope, 'Answer invalid_scope, or leave it out and name the scope of the token in the answer.',
    (on) => refusesScope(on, 'hallpass-audit:unknown')),
  service('further-scope', TEXT.minimum, 'Keep a list of scopes for each service, and refuse those that are not in it.', async (on) => {
    await on.requires('grant_types_supported', 'client_credentials')
    const allowed = scopeOf(on)?.split(' ') ?? null
    if (allowed === null)
      return notReached('give `scope` of `clients.service`, with all that it may receive')
    const further = (await on.listOf('scopes_supported')).find((one) => !allowed.includes(one) && !OF_PERSON.has(one))
    return further === undefined
      ? notApplicable('the metadata names no other scope')
      : refusesScope(on, further)
  }),
  service('no-id-token', TEXT.idToken, 'Refuse openid with this grant, or ignore it.', async (on) => {
    await on.openid()
    await granted(on)
    const answer = await request(on, withScope(on, 'openid'))
    const kind = 'id_token' in answer.json ? 'with' : 'without'
    return judge(answer, kind === 'without', `openid is answered by ${answer.status} ${kind} an ID token`)
  }),
] // prettier-ignore
