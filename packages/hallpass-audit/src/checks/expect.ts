import type { Check } from '../check.js'
import type { Clause } from '../clause.js'
import { type Finding, held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import type { Audit, Changes, Client, Code, Ended, Tokens, Use } from '../engine/audit.js'
import { describe } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import { newSecret } from '../engine/random.js'
import { isLoopback } from '../issuer.js'

/** Writes checks of one subject that need the same: what each is named, what text it has, what to change, how it is run. */
export const checksOf =
  (subject: string, needs: Omit<Check, 'id' | 'clause' | 'change' | 'run'>) =>
  (name: string, clause: Clause, change: string, run: Check['run']): Check => ({
    id: `${subject}/${name}`,
    clause,
    ...needs,
    change,
    run,
  })

/** Whether an endpoint of OAuth refused, and issued nothing. */
export const isRefused = ({ status, json }: Answer): boolean =>
  status >= 400 && status < 500 && json['access_token'] === undefined

/** Held if the endpoint answers with one of these errors. */
export function refusalOf(answer: Answer, errors: readonly string[], what: string): Finding {
  const error = errorOf(answer)
  return judge(
    answer,
    isRefused(answer) && errors.includes(error),
    `${what} is answered by ${answer.status} ${error}`,
    `${what} is answered by ${answer.status} ${error || 'without an error'}, not by ${errors.join(' or ')}`,
  )
}

/** Held if the redirect URI receives one of these errors, or the server shows the person a page about it. */
export function refusedRequest(ended: Ended, errors: readonly string[], what: string): Finding {
  const error = ended.parameters?.get('error') ?? null
  const { status, left } = ended.page
  const isPage = ended.parameters === null && left === null && status >= 400 && status < 500
  return judge(
    ended,
    isPage || (error !== null && errors.includes(error)),
    `${what}: ${describe(ended)}`,
    `${what} is not refused with ${errors.join(' or ')}: ${describe(ended)}`,
  )
}

/** The first finding that is not `held`, or the last one: of a check that asks the same in several shapes. */
export async function firstNotHeld<Shape>(
  shapes: Iterable<Shape>,
  find: (shape: Shape) => Promise<Finding>,
): Promise<Finding> {
  let finding = notReached('there is nothing to ask')
  for (const shape of shapes) {
    finding = await find(shape)
    if (finding.verdict !== 'held') return finding
  }
  return finding
}

/**
 * Sends an exchange whose client should not be authenticated. An invented code is enough for a server that looks at the
 * client first. For any other server, the code is real.
 */
export async function exchangeAs(
  on: Audit,
  client: Client,
  send: (fields: Readonly<Record<string, string>>) => Promise<Answer>,
): Promise<Answer> {
  const invented = { ...on.request(client), code: newSecret() } as Code
  const answer = await send(on.redemption(invented))
  if (answer.json['error'] === 'invalid_client') return answer
  return send(on.redemption(await on.code({ client })))
}

/** The scopes of the audit: one that a narrow token has, and the others. The one is openid, or what no surface needs. */
export async function scopesOf(
  on: Audit,
): Promise<{ readonly kept: string; readonly others: readonly string[] }> {
  const all = (await on.client()).scope.split(' ').filter((one) => one !== '')
  const isNeeded = (one: string): boolean => on.signIn?.surfaces?.some(({ scope }) => scope === one) ?? false // prettier-ignore
  const kept = all.includes('openid') ? 'openid' : (all.find((one) => !isNeeded(one)) ?? all[0])
  const others = all.filter((one) => one !== kept)
  if (kept === undefined || others.length === 0)
    throw new Stop(notApplicable('the audit knows fewer than two scopes: name them in `scope` of the sign-in'))
  return { kept, others }
} // prettier-ignore

/** Tokens of one scope of several, which so can do less than others of the audit. */
export const NARROW = { name: 'tokens of one scope', authorizations: 1 } as const
export const narrowTokens = (on: Audit): Promise<Tokens> =>
  on.once(NARROW.name, async () => {
    const { kept } = await scopesOf(on)
    return on.tokens({ person: 0, changes: { scope: kept } })
  })

/** The scopes of a token: those that the response names, or those of its request if it names none (RFC 6749, section 5.1). */
export const grantedScopes = (
  { answer, code }: Pick<Tokens, 'answer' | 'code'>,
  asked: string = code.url.searchParams.get('scope') ?? '',
): readonly string[] => {
  const { scope = asked } = answer.json
  return String(scope).split(' ').filter((one) => one !== '')
} // prettier-ignore

/** The claims of scopes that were not granted. Stops if there are none. */
export async function leakedClaims(
  on: Audit,
  tokens: Tokens,
  claims: Readonly<Record<string, unknown>>,
): Promise<readonly string[]> {
  const granted = grantedScopes(tokens)
  const named = await on.listOf('scopes_supported')
  const others = Object.entries(CLAIMS).filter(([scope]) => named.includes(scope) && !granted.includes(scope)) // prettier-ignore
  if (others.length === 0)
    throw new Stop(notApplicable('the server names no further scope that claims belong to'))
  return others.flatMap(([, names]) => names.filter((name) => name in claims))
}

/** The claims of each scope of OpenID Connect Core 1.0, section 5.4. */
export const CLAIMS: Readonly<Record<string, readonly string[]>> = {
  profile: ['name', 'family_name', 'given_name', 'middle_name', 'nickname', 'preferred_username', 'profile', 'picture', 'website', 'gender', 'birthdate', 'zoneinfo', 'locale', 'updated_at'],
  email: ['email', 'email_verified'],
  address: ['address'],
  phone: ['phone_number', 'phone_number_verified'],
} // prettier-ignore

/** Headers of a form that a page of another site sends. */
export const CROSS_SITE = { origin: 'https://attacker.example', 'sec-fetch-site': 'cross-site' }

/** The media type of an answer, without its parameters. */
export const mediaTypeOf = ({ headers }: Answer): string =>
  (headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase()

/** Whether a URL is protected on its way: it is `https`, or stays on this computer. */
export function isSecure(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol } = new URL(url)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(url))
}

/** The strings of a list in a document; `null` if it has no such list. */
export function listIn(document: Readonly<Record<string, unknown>>, name: string): readonly string[] | null {
  const list = document[name]
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : null
} // prettier-ignore

/** The code of an error of OAuth; empty if the answer has none. */
export const errorOf = ({ json }: Answer): string =>
  typeof json['error'] === 'string' ? json['error'] : ''

/**
 * The surfaces at which an access token works, of those that refuse a made-up one: what the others answer says nothing
 * of a token. `at` is that of `on.use`.
 */
export async function openedBy(
  on: Audit,
  accessToken: string,
  at?: Parameters<Audit['use']>[1],
): Promise<readonly string[]> {
  const open = await on.once('surfaces open to all', async () =>
    acceptedOf(await on.use(newSecret())),
  )
  return acceptedOf(await on.use(accessToken, at)).filter((surface) => !open.includes(surface))
}

/** Whether an access token works somewhere, or is active by introspection where it can be used nowhere. */
export async function isAlive(on: Audit, accessToken: string): Promise<boolean> {
  if ((await openedBy(on, accessToken)).length > 0) return true
  const answer = await on.introspect(accessToken).catch(() => null)
  return answer?.json['active'] === true
}

/** Clients other than the first one, and how each says who it is: a public one, and one with a secret. */
export async function othersOf(on: Audit): Promise<readonly { what: string; credentials: Changes }[]> {
  const first = await on.client()
  const known = [await on.client('second'), await on.client('confidential').catch(() => first)]
  return known.flatMap((one) => one.clientId === first.clientId ? [] : [{
    what: one.secret === null ? 'a client without a secret' : 'one with a secret',
    credentials: { client_id: one.clientId, client_secret: one.secret },
  }])
} // prettier-ignore

/** The fields of a code exchange that is right but for the code, which no server issued. */
export async function madeUpExchange(on: Audit): Promise<Record<string, string>> {
  const { clientId, secret, redirectUri } = await on.client()
  const resource = await on.resourceIdentifier()
  return {
    grant_type: 'authorization_code',
    code: newSecret(),
    redirect_uri: redirectUri,
    client_id: clientId,
    code_verifier: newSecret(),
    ...(resource !== null && { resource }),
    ...(secret !== null && { client_secret: secret }),
  }
}

/** Less would be too few, although a UUID has only 122 random bits and secrets may share characters by chance. */
export const LEAST_BITS = 112

/** How many random bits secrets of one kind have at most: those of the characters between what all of them share. */
export function mostBits(secrets: readonly string[]): number {
  const [one = '', ...others] = secrets
  const isShared = (place: number): boolean =>
    others.every((other) => other.at(place) === one.at(place))
  let start = 0
  while (start < one.length && isShared(start)) start++
  let end = 0
  while (end < one.length - start && isShared(-1 - end)) end++
  const varied = one.slice(start, one.length - end)
  const bits = /^\d*$/.test(varied) ? 3.3 : /^[\da-f-]*$/i.test(varied) ? 4 : 6
  return Math.floor(varied.length * bits)
}

/** Whether a token is a JWT, which may be valid until it expires whatever its server does. */
export const isSelfContained = (token: string): boolean => /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(token)

/** The surfaces that took an access token as valid. */
export const acceptedOf = (uses: readonly Use[]): readonly string[] =>
  uses.filter(({ isAccepted }) => isAccepted).map(({ surface }) => surface)

/** A part of a JWT, which is not verified; empty if it cannot be read. */
export function partOf(jwt: string, part: 0 | 1): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(Buffer.from(jwt.split('.')[part]!, 'base64url').toString()) as Record<
      string,
      unknown
    >
  } catch {
    return {}
  }
}

/** Whether an answer of the token endpoint has tokens. */
export const hasTokens = ({ json }: Answer): boolean => json['access_token'] !== undefined

/** The tokens of a refresh. Stops unless it works: without that, the refusal of another says nothing. */
export async function renewed(on: Audit, tokens: Tokens): Promise<Tokens> {
  const next = on.tokensOf(await on.refresh(tokens), tokens.code)
  // A server need not rotate the refresh token of a client with a secret.
  return { ...next, refreshToken: next.refreshToken ?? tokens.refreshToken }
}

/** Held if the token endpoint issues nothing, with whatever error: other checks are about those. A failure tells nothing. */
export function nothingFor(answer: Answer, what: string): Finding {
  const where = `${what} is answered by ${answer.status} ${errorOf(answer)}`.trim()
  if (hasTokens(answer)) return violated(answer, `${where} and tokens`)
  // A server that fails has not refused.
  return answer.status < 500 ? held(answer, where) : notReached(where, answer)
}

/** Changes that leave out all by which a client authenticates. */
export const UNAUTHENTICATED = { client_secret: null, client_assertion: null } as const
