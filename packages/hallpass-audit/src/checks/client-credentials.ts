import { type Check } from '../check.js'
import { type Finding, held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import { type Audit, type Changes, isPublic } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import { newSecret } from '../engine/random.js'
import { isRefused, UNAUTHENTICATED } from './expect.js'

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

const isGranted = ({ status, json }: Answer): boolean =>
  status === 200 && typeof json['access_token'] === 'string'

/** The answer with a token, which all checks share: without it, a refusal says nothing. */
async function granted(on: Audit): Promise<Answer> {
  const answer = await on.once('client credentials', () => request(on))
  if (!isGranted(answer)) throw new Stop(notReached(`the service gets no token: ${said(answer)}`))
  return answer
}

const said = ({ status, json }: Answer): string => `${status} ${JSON.stringify(json['error'])}`

/** Held if a scope is refused, or left out of what is granted. */
async function refusesScope(on: Audit, scope: string): Promise<Finding> {
  await granted(on)
  const answer = await request(on, { scope: [scopeOf(on), scope].filter(Boolean).join(' ') })
  if (isRefused(answer)) return held(`${scope} is answered by ${said(answer)}`)
  if (!isGranted(answer)) return notReached(`${scope} is answered by ${said(answer)}`)
  const { scope: named } = answer.json
  if (typeof named !== 'string')
    return violated(`${scope} is granted: the answer names no other scope`)
  return named.split(' ').includes(scope)
    ? violated(`${scope} is granted`)
    : held(`the token has the scope ${named}, without ${scope}`)
}

/** Scopes that are about a person. */
const OF_PERSON = new Set(['openid', 'profile', 'email', 'address', 'phone', 'offline_access'])

/** Tokens of a client for itself. */
export const clientCredentials: readonly Check[] = [
  {
    id: 'client-credentials/granted',
    clause: {
      document: 'RFC 6749',
      section: '4.4.3',
      level: 'MUST',
      says: 'A client that authenticates and may use the grant gets an access token for itself.',
    },
    depth: 'anonymous',
    change: 'Answer with 200, access_token and token_type, or leave client_credentials out of grant_types_supported.',
    async run(on) {
      const answer = await on.once('client credentials', () => request(on))
      return judge(
        isGranted(answer) && typeof answer.json['token_type'] === 'string',
        `the service gets a token of the type ${String(answer.json['token_type'])}`,
        `the service is answered by ${said(answer)}`,
      )
    },
  },
  {
    id: 'client-credentials/authenticated',
    clause: {
      document: 'RFC 6749',
      section: '4.4.2',
      level: 'MUST',
      says: 'The server authenticates the client, since its secret or key is all that the grant depends on.',
    },
    depth: 'anonymous',
    change: 'Compare the secret before you issue a token, and refuse a request without one.',
    async run(on) {
      await granted(on)
      const wrong = await request(on, { client_secret: newSecret() })
      if (!isRefused(wrong)) return violated(`a wrong secret is answered by ${wrong.status}`)
      const none = await request(on, UNAUTHENTICATED)
      if (!isRefused(none)) return violated(`no secret is answered by ${none.status}`)
      return held(`a wrong secret is answered by ${said(wrong)}, and none by ${said(none)}`)
    },
  },
  {
    id: 'client-credentials/public-client',
    clause: {
      document: 'RFC 6749',
      section: '4.4',
      level: 'MUST',
      says: 'The grant is for confidential clients only, because any program can use the identifier of a public one.',
    },
    depth: 'anonymous',
    change: 'Answer a client without a secret or a key with unauthorized_client.',
    async run(on) {
      await granted(on)
      const first = await on.client()
      if (!isPublic(first)) return notApplicable('the first client is confidential')
      const answer = await request(on, { client_id: first.clientId, client_secret: null })
      const found = `a public client is answered by ${said(answer)}`
      return judge(isRefused(answer), found, found)
    },
  },
  {
    id: 'client-credentials/no-refresh-token',
    clause: {
      document: 'RFC 6749',
      section: '4.4.3',
      level: 'SHOULD NOT',
      says: 'There is no refresh token, since the client can request another access token at any time.',
    },
    depth: 'anonymous',
    change: 'Leave refresh_token out of the answer.',
    async run(on) {
      const { json } = await granted(on)
      return judge(!('refresh_token' in json), 'it issued none', 'it issued a refresh token')
    },
  },
  {
    id: 'client-credentials/unknown-scope',
    clause: {
      document: 'RFC 6749',
      section: '3.3',
      level: 'MUST',
      says: 'A scope that the server does not know is refused, or the answer names the scope without it.',
    },
    depth: 'anonymous',
    change: 'Answer invalid_scope, or leave it out and name the scope of the token in the answer.',
    run: (on) => refusesScope(on, 'hallpass-audit:unknown'),
  },
  {
    id: 'client-credentials/further-scope',
    clause: {
      document: 'RFC 9700',
      section: '2.3',
      level: 'SHOULD',
      says: 'A token has no more than the privileges that its client needs, and a service gets no scope that it was not given.',
    },
    depth: 'anonymous',
    change: 'Keep a list of scopes for each service, and refuse those that are not in it.',
    async run(on) {
      await on.requires('grant_types_supported', 'client_credentials')
      const allowed = scopeOf(on)?.split(' ') ?? null
      if (allowed === null)
        return notReached('give `scope` of `clients.service`, with all that it may receive')
      const further = (await on.listOf('scopes_supported')).find((one) => !allowed.includes(one) && !OF_PERSON.has(one))
      return further === undefined
        ? notApplicable('the metadata names no other scope')
        : refusesScope(on, further)
    },
  },
  {
    id: 'client-credentials/no-id-token',
    clause: {
      document: 'OpenID Connect Core 1.0',
      section: '2',
      level: 'MUST',
      says: 'The subject of an ID token is a person who was authenticated, so there is none for a client without a person.',
    },
    depth: 'anonymous',
    change: 'Refuse openid with this grant, or ignore it.',
    async run(on) {
      await on.openid()
      await granted(on)
      const answer = await request(on, { scope: [scopeOf(on), 'openid'].filter(Boolean).join(' ') })
      return judge(
        !('id_token' in answer.json),
        `openid is answered by ${answer.status} without an ID token`,
        'it issued an ID token',
      )
    },
  },
] // prettier-ignore
