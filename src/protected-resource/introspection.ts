import { readStream } from '../encoding/read-stream.js'
import { decodeUtf8, mediaTypeOf } from '../http/body.js'
import { oneOf, record, SECONDS, SWITCH, TEXT, TEXTS, type Wanted } from '../options/wanted.js'
import { type Access, decideAccess } from '../policy/bearer.js'
import { type ClientKind, completeClient } from '../policy/client.js'
import { refuse } from '../policy/decision.js'
import { isMembers, memberOf, type Members } from '../policy/reading.js'
import type { Sender, Spent } from '../site/budget.js'
import type { RoleTable } from '../scope/role.js'
import type { Payer } from '../site/payer.js'
import type { Site } from '../site/site.js'
import { createDeadline } from '../store/deadline.js'
import { readAs, StorageFailure, UnusableValue } from '../store/guard.js'
import { earliestEnd, isBefore, isNotAfter } from '../time/seconds.js'
import { hashToken, TOKEN_PREFIX } from '../token/opaque.js'
import type { Admission } from './gate.js'
import { createCircuit, createShelf, createSlots, FAILURES_LIMIT } from './questions.js'

/** Most answers about active tokens that are kept. One takes about a kilobyte. */
const MAX_ACTIVE_ANSWERS = 10_000
/** Most answers about other tokens that are kept, so that they do not displace those about active ones. */
const MAX_INACTIVE_ANSWERS = 10_000
/** Most questions at the same time. */
const MAX_QUESTIONS = 64
/** Tokens of one network that turned out not to be active, of those that were never active here. */
const UNKNOWN_ALLOWANCE = { amount: 120, seconds: 60 } as const
const MAX_ANSWER_BYTES = 64 * 1024

/** The form of every access token. A question about another text is not worth a request, and none can make one fail. */
const isAccessToken = (text: string): boolean =>
  text.startsWith(TOKEN_PREFIX.accessToken) &&
  /^[\w-]{43}$/.test(text.slice(TOKEN_PREFIX.accessToken.length))

/** An answer of the server, as it was read. */
interface ReadAnswer {
  readonly admission: Admission
  /** Epoch seconds, by the clock of the server; `null` if the token is not active. */
  readonly expiresAt: number | null
}

/** A question. `payer`: who pays for a token that was never active here; `null` for one that was. */
interface Asked {
  readonly hash: string
  readonly askedAt: number
  readonly payer: Payer | null
}

const TOO_MANY = 'introspection was not asked: too many questions have no answer yet'
const PACED =
  'introspection was not asked: the network of the request has sent too many unknown tokens'
const FAILING = `introspection was not asked: the last ${FAILURES_LIMIT} questions failed`

const NOT_ACTIVE: ReadAnswer = {
  admission: {
    admitted: refuse('invalid_token', 'access_token_unknown'),
    grant: null,
    boundTo: null,
  },
  expiresAt: null,
}

/** The endpoint, and how it is asked. */
export interface IntrospectionSettings {
  readonly site: Pick<
    Site,
    'issuer' | 'resource' | 'scopes' | 'roles' | 'now' | 'callDeadlineMilliseconds' | 'payerOf'
  >
  /** The URL of the endpoint. */
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string | (() => string | Promise<string>)
  readonly cacheSeconds: number
  readonly send: (url: string, init: RequestInit) => Promise<Response>
}

/**
 * Creates a function that asks an introspection endpoint what a token allows, and keeps the answers for a while. It
 * keeps the hash of a token and never the token, and rejects with a `StorageFailure` unless there is an answer that
 * can be used.
 *
 * Who sends pays. A token that was never active here, and that turns out not to be, is an expense of the network of its
 * request. A network also has a part of the questions at the same time, so that a flood of random tokens takes nothing
 * that the holders of other tokens need.
 *
 * An answer is used from the second in which it was asked for, so what was revoked later is seen `cacheSeconds` later. The
 * server has compared the times of the token with its own clock. That of this process only says how old an answer is.
 */
export function createIntrospection(
  settings: IntrospectionSettings,
): (accessToken: string, sender: Sender | null) => Promise<Admission> {
  const { cacheSeconds } = settings
  const { now, callDeadlineMilliseconds, payerOf } = settings.site
  const limit = createDeadline(callDeadlineMilliseconds)('introspection')
  const circuit = createCircuit()
  const active = createShelf<Admission>(MAX_ACTIVE_ANSWERS)
  const inactive = createShelf<Admission>(MAX_INACTIVE_ANSWERS)
  const pending = new Map<
    string,
    { readonly askedAt: number; readonly admission: Promise<Admission> }
  >()
  let questions = 0
  const unknown = createSlots()

  const isFresh = (askedAt: number, until: number, at: number): boolean =>
    isNotAfter(askedAt, at) && isBefore(at, until)

  function keep(hash: string, { admission, expiresAt }: ReadAnswer, askedAt: number): void {
    const until = askedAt + cacheSeconds
    const [shelf, other] = expiresAt === null ? [inactive, active] : [active, inactive]
    other.delete(hash)
    shelf.put(hash, { kept: admission, askedAt, usedUntil: earliestEnd(until, expiresAt) })
  }

  async function ask(accessToken: string, { hash, askedAt, payer }: Asked): Promise<Admission> {
    if (questions >= MAX_QUESTIONS) throw outage(TOO_MANY)
    questions += 1
    const end = new AbortController()
    try {
      const read = await limit(() => askServer(settings, accessToken, end.signal))
      circuit.succeeded()
      keep(hash, read, askedAt)
      return read.admission
    } catch (fault) {
      // A limit that unknown tokens have used up says nothing about the server.
      if (payer === null || !isPaced(fault)) circuit.failed(askedAt, payer?.name ?? null)
      throw fault
    } finally {
      questions -= 1
      // Also stops what is late, and the rest of a body that is too long.
      end.abort()
    }
  }

  /** Asks about a token that was never active here. Its sender pays, unless it turns out to be active. */
  async function askUnknown(
    { name, spend }: Payer,
    question: () => Promise<Admission>,
  ): Promise<Admission> {
    const pay = (cost: number): Promise<Spent> =>
      spend(['unknownTokensOfNetwork', { cost, allowance: UNKNOWN_ALLOWANCE }])
    // First, so that a question that is not sent costs nothing.
    const free = unknown.take(name)
    if (free === null) throw outage(TOO_MANY)
    try {
      if (!(await pay(1)).ok) throw outage(PACED)
      const admission = await question()
      if (admission.grant !== null) await pay(-1)
      return admission
    } finally {
      free()
    }
  }

  return async (accessToken, sender) => {
    if (!isAccessToken(accessToken)) return NOT_ACTIVE.admission
    const hash = hashToken(accessToken)
    const at = now()
    const known = active.get(hash)
    const kept = known ?? inactive.get(hash)
    if (kept !== undefined && isFresh(kept.askedAt, kept.usedUntil, at)) return kept.kept
    const asked = pending.get(hash)
    if (asked !== undefined && isFresh(asked.askedAt, asked.askedAt + cacheSeconds, at))
      return asked.admission
    const payer = known === undefined ? payerOf(sender) : null
    if (!circuit.admits(at, payer !== null)) throw outage(FAILING)
    const question = (): Promise<Admission> => ask(accessToken, { hash, askedAt: at, payer })
    const asking = payer === null ? question() : askUnknown(payer, question)
    const admission = asking.finally(() => {
      if (pending.get(hash)?.askedAt === at) pending.delete(hash)
    })
    pending.set(hash, { askedAt: at, admission })
    return admission
  }
}

function outage(message: string, cause?: unknown): StorageFailure {
  const failure = new StorageFailure(cause)
  failure.message = message
  return failure
}

/** Asks the endpoint once. What is thrown contains neither the token nor the secret, nor what was received. */
async function askServer(
  { site, url, clientId, clientSecret, send }: IntrospectionSettings,
  accessToken: string,
  signal: AbortSignal,
): Promise<ReadAnswer> {
  const secret = typeof clientSecret === 'function' ? await clientSecret() : clientSecret
  readAs(secret, TEXT, 'clientSecret returned')
  const form = { client_id: clientId, client_secret: secret, token: accessToken }
  try {
    const response = await send(url, {
      method: 'POST',
      headers: { accept: JSON_TYPE, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...form, token_type_hint: 'access_token' }).toString(),
      redirect: 'manual',
      signal,
    })
    return readAnswer(await jsonOf(response), site)
  } catch (fault) {
    throw fault instanceof StorageFailure ? fault : outage('introspection did not respond', fault)
  }
}

const JSON_TYPE = 'application/json'

/** Whether the server refused a question because of a limit. */
const isPaced = (fault: unknown): boolean => (fault as { status?: unknown }).status === 429

async function jsonOf(response: Response): Promise<unknown> {
  const { status, headers, body } = response
  const type = mediaTypeOf(headers.get('content-type'))
  if (status !== 200 || type !== JSON_TYPE) {
    await body?.cancel()
    const unusable = new UnusableValue(
      `introspection responded with status ${status}${status === 200 ? ' and no JSON' : (ADVICE[status] ?? '')}`,
    )
    throw Object.assign(unusable, { status })
  }
  const bytes = await readStream(body, MAX_ANSWER_BYTES)
  if (bytes === null)
    throw new UnusableValue(`introspection responded with more than ${MAX_ANSWER_BYTES} bytes`)
  const text = decodeUtf8(bytes)
  try {
    return JSON.parse(text ?? '')
  } catch {
    throw new UnusableValue('introspection responded with malformed JSON')
  }
}

const ADVICE: Readonly<Partial<Record<number, string>>> = {
  401: ': clientId and clientSecret must be those of a client with client_secret_post',
  429: ': the client of a resource server needs a limit of its own',
}

const KINDS: Readonly<Record<ClientKind, true>> = {
  loopback: true,
  vendor: true,
  document: true,
  member: true,
}
const SOME_TEXT: Wanted = {
  words: 'a string that is not empty',
  fits: (value) => TEXT.fits(value) && value !== '',
}
/** The condition of a member that may be absent, or say nothing. */
const ifThere = ({ words, fits }: Wanted): Wanted => ({
  words: `${words}, if it is there`,
  fits: (value) => memberOf({ value }, 'value') === undefined || fits(value),
})
// An empty value says something in `scope`, `token_scope`, `client_scope`, `client_name` and `roles`: no scope, no role.
// Without `client_scope`, the client has every scope.
const ACTIVE = record({
  token_type: oneOf('Bearer', 'DPoP'),
  cnf: ifThere({
    words: 'the thumbprint of a key as { jkt }',
    fits: (value) => isMembers(value) && SOME_TEXT.fits(value['jkt']),
  }),
  scope: TEXT,
  client_id: SOME_TEXT,
  sub: SOME_TEXT,
  aud: SOME_TEXT,
  iat: SECONDS,
  exp: SECONDS,
  grant_id: SOME_TEXT,
  token_scope: TEXT,
  scope_fixed: ifThere({ words: 'true', fits: (value) => value === true }),
  client_name: TEXT,
  client_kind: oneOf(...Object.keys(KINDS)),
  client_scope: {
    words: 'a string, if it is there',
    fits: (value) => value == null || TEXT.fits(value),
  },
  org_id: SOME_TEXT,
  roles: TEXTS,
})

interface Active {
  readonly iss?: unknown
  readonly token_type: string
  readonly cnf?: { readonly jkt: string } | null
  readonly scope: string
  readonly client_id: string
  readonly sub: string
  readonly aud: string
  readonly iat: number
  readonly exp: number
  readonly grant_id: string
  readonly token_scope: string
  readonly scope_fixed?: true
  readonly client_name: string
  readonly client_kind: ClientKind
  readonly client_scope?: string | null
  readonly org_id: string
  readonly roles: readonly string[]
}

/** Reads an answer. It is refused whole if one member is not as wanted, or if another server has given it. */
function readAnswer(
  answer: unknown,
  { issuer, resource, scopes, roles }: IntrospectionSettings['site'],
): ReadAnswer {
  const place = 'introspection returned'
  const { active } = readAs(answer as { active: boolean }, record({ active: SWITCH }), place)
  if (!active) return NOT_ACTIVE
  // The server describes more to those that it knows as resource servers.
  if (memberOf(answer as Members, 'grant_id') === undefined)
    throw new UnusableValue(
      'introspection returned no grant_id: name clientId in introspectionClientIds of the authorization server',
    )
  const read = readAs(answer as Active, ACTIVE, place)
  if (read.iss !== issuer)
    throw new UnusableValue('introspection returned a token of another issuer')
  const { client_id, client_scope, iat, exp } = read
  if (!isBefore(iat, exp))
    throw new UnusableValue('introspection returned a token that ends before it begins')
  const boundTo = read.cnf?.jkt ?? null
  // Only one of them would make a Bearer token of a bound one.
  if ((read.token_type === 'Bearer') !== (boundTo === null))
    throw new UnusableValue('introspection returned a token_type that does not agree with cnf')
  const grant = { grantId: read.grant_id, clientId: client_id, resource: read.aud, createdAt: iat }
  const life = { expiresAt: exp, revokedAt: null }
  const decided = decideAccess({
    found: {
      accessToken: { ...life, scopes: listOf(read.token_scope), issuedAt: iat, boundTo },
      grant: { ...life, ...grant, ...(read.scope_fixed === true && { redirectUri: '' }) },
    },
    client: completeClient({
      clientId: client_id,
      kind: read.client_kind,
      name: read.client_name,
      scopes: client_scope == null ? null : listOf(client_scope),
      redirectUris: [],
      createdAt: 0,
    }),
    person: {
      subject: read.sub,
      orgId: read.org_id,
      roles: read.roles,
      name: null,
      email: null,
      picture: null,
    },
    resource: resource.canonical,
    required: [],
    registry: scopes,
    roles,
    // The server compared the times of the token with its own clock.
    now: iat,
    // Proved with each request, since the answer is kept.
    key: boundTo,
  })
  checkRoles({ read, decided, roles })
  const admitted = decided.ok ? limitedTo(listOf(read.scope), decided.access) : decided
  return { admission: { admitted, grant, boundTo }, expiresAt: exp }
}

/** Refuses an answer of which less holds here than there because of a role: that is not the client's fault. */
function checkRoles({
  read,
  decided,
  roles,
}: {
  readonly read: Active
  readonly decided: ReturnType<typeof decideAccess>
  readonly roles: RoleTable
}): void {
  const strange = read.roles.find((role) => role !== '' && !Object.hasOwn(roles, role))
  if (strange === undefined) return
  const holdsHere = decided.ok
    ? listOf(read.scope).every((scope) => decided.access.scopes.includes(scope))
    : decided.reason !== 'person_has_no_role'
  if (!holdsHere)
    throw new UnusableValue(
      `introspection returned the role ${JSON.stringify(strange)}, which roles of this site does not have: name the roles of the authorization server`,
    )
}

const listOf = (scope: string): readonly string[] => scope.split(' ').filter((one) => one !== '')

/** Leaves only the scopes that the server has decided on: the table of roles may be older or newer there. */
const limitedTo = (scopes: readonly string[], access: Access): Admission['admitted'] => ({
  ok: true,
  access: { ...access, scopes: access.scopes.filter((scope) => scopes.includes(scope)) },
})
