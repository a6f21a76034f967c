import type { RefusalReason } from 'hallpass/policy'
import type { StepId } from '../school/src/playground/presets.js'
import { type Check, compared, rfc } from '../walk/check.js'
import { type Algorithm, type IdToken, verifyIdToken } from '../walk/id-token.js'
import { challengeOf, nowSeconds, randomText } from '../walk/proof.js'
import { addressOf, newDraft, type Draft, type Values } from './draft.js'
import { dispatch, readied, type Reply, shownOf, whyOf } from './send.js'
import { type Outcome, type Sent, type Session, without } from './session.js'
import { discoverAt } from './target.js'

/** A request to send. */
export interface Try {
  readonly step: StepId
  readonly label: string
  readonly draft: Draft
  /** Changes to the response of the authorization endpoint. Default: none */
  readonly answer?: Readonly<Record<string, string>>
}

/** The facts that the page knows. */
export interface Surroundings {
  /** The schools of this demo, which say why they refused a request. */
  readonly schools: readonly string[]
  /** The `client_id` of this page, for servers that read client ID metadata documents. */
  readonly document: string | null
  /** The client that each school of this demo knows as an app for its members. */
  readonly memberClient: string
}

/** The session after a try, and where the browser has to go to finish it. */
export interface Tried {
  readonly session: Session
  readonly leaveTo: string | null
}

const EXPECTED_SCOPES = ['openid', 'profile', 'email', 'offline_access']
const ENDPOINTS = [
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'userinfo_endpoint',
  'revocation_endpoint',
  'introspection_endpoint',
  'jwks_uri',
]

/** Sends the request of a step, and returns the result. */
export async function trying(session: Session, one: Try, around: Surroundings): Promise<Tried> {
  const fresh = { ...session, values: { ...session.values, random: randomText() } }
  switch (one.step) {
    case 'discover':
      return { session: await discover(fresh, one, around), leaveTo: null }
    case 'register':
      return { session: await register(fresh, one, around), leaveTo: null }
    case 'authorize':
      return authorize(fresh, one, around)
    default:
      return { session: await sendStep(fresh, one, around), leaveTo: null }
  }
}

/** The parts of an outcome that are absent. */
const NOTHING = { sent: [], checks: [], error: null, why: null, idToken: null, draft: null }

const withOutcome = (session: Session, outcome: Outcome): Session => ({
  ...session,
  outcomes: [...session.outcomes, outcome],
})

const withValues = (session: Session, values: Values): Session => ({
  ...session,
  values: { ...session.values, ...values },
})

async function discover(session: Session, one: Try, around: Surroundings): Promise<Session> {
  if (one.label !== '') return sendStep(session, one, around)
  const { metadata, resource, sent, checks } = await discoverAt(session)
  const isSafe = checks.slice(0, 2).every((check) => check.ok)
  const ok = metadata !== null && isSafe && typeof metadata['token_endpoint'] === 'string'
  const lacks = checks.filter((check) => !check.ok).length
  const outcome: Outcome = {
    step: 'discover',
    label: one.label,
    ok,
    said: !ok
      ? 'A client stops here: this address has no metadata, or that of another server.'
      : lacks === 0
        ? 'The documents agree, and the server has everything that a careful client looks for.'
        : `The server can be used. It lacks ${lacks} of the things that a careful client looks for.`,
    ...NOTHING,
    sent,
    checks,
  }
  if (!ok) return withOutcome(session, outcome)
  const known = Object.fromEntries(
    ENDPOINTS.flatMap((name) => (isAddress(metadata[name]) ? [[name, metadata[name]]] : [])),
  )
  const issuer = String(metadata['issuer'])
  const urls = [issuer, ...(resource === null ? [] : [resource]), ...Object.values(known)]
  const origins = urls.map((url) => new URL(url).origin)
  const isSchool = around.schools.includes(issuer)
  return withOutcome(
    {
      ...withValues(session, {
        ...known,
        issuer,
        ...(resource !== null && { resource }),
        mcp: isSchool ? `${issuer}/mcp` : (resource ?? session.target),
        scope: scopeOf(session, metadata, isSchool),
        ...clientOf(session, metadata, { ...around, isSchool }),
      }),
      metadata,
      trusted: [...new Set(origins)],
    },
    outcome,
  )
}

// Anything else could run as a script when the browser goes there.
const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)

function scopeOf({ track }: Session, metadata: Session['metadata'], isSchool: boolean): string {
  if (isSchool) {
    if (track === 'member') return 'openid profile account:read'
    return 'openid profile email courses:read'
  }
  const offered = metadata?.['scopes_supported']
  const both = EXPECTED_SCOPES.filter((scope) => Array.isArray(offered) && offered.includes(scope))
  return both.join(' ') || 'openid'
}

async function register(session: Session, one: Try, around: Surroundings): Promise<Session> {
  const { memberClient } = around
  const isKnown = session.track === 'member' && session.values['client_id'] === memberClient
  if (one.label !== '' || !isKnown) return sendStep(session, one, around)
  return withKnownClient(
    session,
    memberClient,
    'This client needs no registration: a manager of the school created it, with the scopes that it may ask for.',
  )
}

/** Returns the session with a client that the server knows already. */
export function withKnownClient(session: Session, clientId: string, said: string): Session {
  return withOutcome(withValues(session, { client_id: clientId }), {
    step: 'register',
    label: '',
    ok: true,
    said,
    ...NOTHING,
  })
}

/** The `client_id` that needs no registration: of the member client, or the address of the document. */
function clientOf(
  { track }: Session,
  metadata: Session['metadata'],
  { isSchool, document, memberClient }: Surroundings & { isSchool: boolean },
): Values {
  if (isSchool && track === 'member') return { client_id: memberClient }
  const reads = metadata?.['client_id_metadata_document_supported'] === true
  return reads && document !== null ? { client_id: document } : {}
}

/** Makes the values of one authorization request: each is used once. */
async function withProof(session: Session): Promise<Session> {
  const verifier = randomText()
  return withValues(session, {
    code_verifier: verifier,
    code_challenge: await challengeOf(verifier),
    state: randomText(),
    nonce: randomText(),
  })
}

async function authorize(before: Session, one: Try, around: Surroundings): Promise<Tried> {
  const session = await withProof(before)
  const ready = readied(session, one.draft, around.schools)
  const { label, draft, answer = {} } = one
  const leaving = { ...session, left: { draft, label, sent: shownOf(ready), answer } }
  // A page can lead the browser away with GET only, whatever the method of the request.
  const leaveTo = { session: leaving, leaveTo: addressOf({ ...ready, method: 'GET' }) }
  // A request that breaks a rule is refused without asking a person, and the server of this page can be asked here.
  const isAsItShouldBe = label === ''
  const own = new URL(session.values['redirect_uri']!).origin
  if (isAsItShouldBe || new URL(ready.url).origin !== own) return leaveTo
  const reply = await dispatch(ready)
  const callback = reply.url.startsWith(`${session.values['redirect_uri']}?`)
  if (callback) {
    const response = new URL(reply.url).searchParams
    if (response.get('error') === 'login_required') return leaveTo
    return { session: await answered(leaving, response, around), leaveTo: null }
  }
  // It led on to the sign-in, which only the browser itself can open.
  if (new URL(reply.url).pathname !== new URL(ready.url).pathname) return leaveTo
  const of = reply.headers.get('x-request-id')
  const why = await whyOf(session.values, { of, schools: around.schools })
  const said =
    why === null
      ? 'The server shows a page to the person, and sends nothing to the client.'
      : `${why.meaning} The server shows a page to the person, and sends nothing to the client: the address could be an attacker’s.`
  const outcome = {
    step: one.step,
    label,
    ok: false,
    said,
    checks: [],
    error: why?.error ?? null,
    why,
  }
  return {
    session: withOutcome(session, { ...outcome, sent: [reply.sent], idToken: null, draft }),
    leaveTo: null,
  }
}

/**
 * Reads the response of the authorization endpoint.
 *
 * @param response - the query of the redirect
 */
export async function answered(
  session: Session,
  response: URLSearchParams,
  { schools }: Pick<Surroundings, 'schools'>,
): Promise<Session> {
  const { left, metadata, values } = session
  if (left === null) return session
  const of = `${values['redirect_uri']}?${response.toString()}`
  for (const [name, value] of Object.entries(left.answer))
    response.set(name, value.replace('{random}', randomText()))
  const promisesIssuer = metadata?.['authorization_response_iss_parameter_supported'] === true
  const isOld =
    response.get('state') === null && !left.draft.fields.some(([name]) => name === 'state')
  const checks = [
    ...(isOld
      ? []
      : [
          compared(
            'state: the response belongs to this request',
            [response.get('state'), values['state'] ?? ''],
            rfc(6749, '10.12'),
          ),
        ]),
    ...(promisesIssuer || response.has('iss')
      ? [
          compared(
            'iss: the response is from this server',
            [response.get('iss'), values['issuer'] ?? ''],
            rfc(9207, '2.4'),
          ),
        ]
      : []),
  ]
  const [code, error] = [response.get('code'), response.get('error')]
  const isTrusted = checks.every((check) => check.ok)
  const ok = isTrusted && code !== null
  const why = error === null ? null : await whyOf(values, { of, schools })
  const shown = [...response].map(
    ([name, value]) =>
      `${name}=${name === 'code' || name === 'state' ? `${value.slice(0, 10)}…` : value}`,
  )
  const outcome: Outcome = {
    step: 'authorize',
    label: left.label,
    ok,
    said: saidOfAnswer({ isTrusted, error, why, description: response.get('error_description') }),
    sent: [
      {
        ...left.sent,
        ...(code !== null && { person: 'Allow' as const }),
        ...(error === 'access_denied' && { person: 'Cancel' as const }),
        status: 303,
        response: [
          'HTTP 303 See Other',
          `location: ${values['redirect_uri']}`,
          `?${shown.join('\n&')}`,
        ].join('\n'),
      },
    ],
    checks,
    error: isTrusted ? error : null,
    why,
    idToken: null,
    draft: left.draft,
  }
  const arrived = ok
    ? {
        ...withValues(session, { code }),
        codeArrivedAt: nowSeconds(),
        exchangedAt: null,
        allowedAt: nowSeconds(),
      }
    : session
  return withOutcome({ ...arrived, left: null }, outcome)
}

function saidOfAnswer({
  isTrusted,
  error,
  description,
  why,
}: {
  isTrusted: boolean
  error: string | null
  description: string | null
  why: Outcome['why']
}): string {
  if (!isTrusted && why === null)
    return 'The client discards this response without looking at its code: another person may have put it there.'
  if (error === null)
    return 'The person allowed access. The code works once, for a short time, and only for the client that has the verifier.'
  return why?.meaning ?? description ?? 'The server sent the browser back with an error.'
}

/** Sends the request of a step that no person takes part in. */
async function sendStep(session: Session, one: Try, around: Surroundings): Promise<Session> {
  const { step, draft, label } = one
  const reply = await dispatch(
    readied(session, draft, around.schools),
    step === 'use' ? 'api' : 'server',
  )
  const refused = !reply.ok || isRpcError(reply)
  const of = reply.headers.get('x-request-id')
  const why = refused ? await whyOf(session.values, { of, schools: around.schools }) : null
  const {
    session: after,
    checks,
    sent,
    idToken,
  } = refused
    ? { session, checks: [], sent: [], idToken: null }
    : await succeeded(session, step, reply)
  const ok = !refused && checks.every((check) => check.ok)
  const known = refused
    ? { ...after, isEnded: after.isEnded || ENDING.includes(why?.reason) }
    : after
  return withOutcome(known, {
    step,
    label,
    ok,
    said: refused ? saidOfRefusal(reply, why) : ok ? SAID[step] : NOT_TRUSTED,
    sent: [reply.sent, ...sent],
    checks,
    error: refused ? errorOf(reply) : null,
    why,
    idToken: idToken === null ? null : { header: idToken.header, claims: idToken.claims },
    draft,
  })
}

/** The refusals that end the grant. */
const ENDING: readonly (RefusalReason | undefined)[] = ['code_replayed', 'refresh_token_reused']

const isRpcError = ({ json }: Reply): boolean =>
  json['jsonrpc'] === '2.0' && json['error'] !== undefined

function errorOf({ json, headers }: Reply): string | null {
  if (typeof json['error'] === 'string') return json['error']
  return /error="([^"]+)"/.exec(headers.get('www-authenticate') ?? '')?.[1] ?? null
}

function saidOfRefusal({ status, json }: Reply, why: Outcome['why']): string {
  if (why !== null) return why.meaning
  const description = json['error_description'] ?? json['detail']
  return typeof description === 'string' ? description : `The server responded with ${status}.`
}

const SAID: Readonly<Record<StepId, string>> = {
  discover: 'The server responded.',
  register: 'This page is a client now.',
  authorize: '',
  exchange:
    'The code and its verifier became tokens. A thief who had only seen the code would have got nothing.',
  use: 'The token opened it.',
  refresh:
    'A new pair of tokens, without a question to the person. The old refresh token is used up.',
  revoke: 'The server has ended the grant, and every token that came from it.',
}

const NOT_TRUSTED =
  'It is not certain who signed in, so a client discards the whole response and starts again.'

interface Succeeded {
  readonly session: Session
  readonly checks: readonly Check[]
  readonly sent: readonly Sent[]
  readonly idToken: IdToken | null
}

async function succeeded(session: Session, step: StepId, reply: Reply): Promise<Succeeded> {
  const { json } = reply
  const nothing = { checks: [], sent: [], idToken: null }
  const text = (name: string): string | null => (typeof json[name] === 'string' ? json[name] : null)
  if (step === 'register') {
    const clientId = text('client_id')
    return {
      ...nothing,
      session: clientId === null ? session : withValues(session, { client_id: clientId }),
    }
  }
  if (step === 'revoke') return { ...nothing, session: { ...session, isEnded: true } }
  if (step !== 'exchange' && step !== 'refresh') return { ...nothing, session }
  const before = step === 'exchange' ? exchanged(session) : renewed(session)
  const { values } = before
  const refreshToken = text('refresh_token') ?? values['refresh_token']
  const previous = step === 'refresh' ? values['refresh_token'] : undefined
  const after = withValues(before, {
    access_token: text('access_token') ?? '',
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    ...(previous !== undefined && {
      previous_refresh_token: previous,
      first_refresh_token: values['first_refresh_token'] ?? previous,
    }),
  })
  const idToken = text('id_token')
  if (step === 'refresh' || idToken === null) return { ...nothing, session: after }
  const jwks = await dispatch(newDraft('GET', values['jwks_uri']!))
  const keys = Array.isArray(jwks.json['keys'])
    ? (jwks.json['keys'] as Record<string, unknown>[])
    : []
  const verified = await verifyIdToken(idToken, {
    keys,
    issuer: values['issuer']!,
    clientId: values['client_id']!,
    nonce: values['nonce']!,
    ...(keys.every(({ kty }) => kty === 'RSA') && { algorithm: RS256 }),
  })
  const isTrusted = verified.checks.every((check) => check.ok)
  return {
    session: isTrusted ? after : before,
    checks: verified.checks,
    sent: [jwks.sent],
    idToken: verified,
  }
}

const exchanged = (session: Session): Session => ({
  ...without(session, ['previous_refresh_token', 'first_refresh_token']),
  codeArrivedAt: null,
  exchangedAt: nowSeconds(),
  renewedAt: null,
  renewals: 0,
  isEnded: false,
})

const renewed = (session: Session): Session => ({
  ...session,
  renewedAt: nowSeconds(),
  renewals: session.renewals + 1,
})

// Chosen by the keys of the server, never by the token: a token must not choose how it is verified.
const RS256: Algorithm = {
  alg: 'RS256',
  key: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  verify: { name: 'RSASSA-PKCS1-v1_5' },
}
