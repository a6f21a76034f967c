// Parts of several faults: keys of their own, redirect URIs and verifiers that are compared in another way, and tokens
// that are accepted where the school refuses them.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { Answer, AUTHORIZE, KEYS, PUSH, TOKEN } from './proxy.mjs'

/** Subjects in which faults of one kind could be seen. */
export const FLOW = ['authorization', 'redirects', 'code', 'pkce', 'issuer']
export const PUSHED = ['pushed-requests', 'redirects', 'pkce', 'issuer']
export const PAGES = ['sign-in', 'consent', 'headers', 'redirects']
export const ID = ['id-token', 'userinfo', 'key-set', 'device']

export const INTERACTION = '/oauth/interaction/'
export const random = () => randomBytes(32).toString('base64url')
export const sha256 = (text) => createHash('sha256').update(text).digest('base64url')
export const COURSES = '/api/v1/courses'
export const isMcp = ({ path }) => path.startsWith('/mcp')
export const isGrant = (call, type) => call.path === TOKEN && call.params.get('grant_type') === type
export const isRefresh = (call) => isGrant(call, 'refresh_token')
export const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'
export const isHtml = ({ headers }) => /text\/html/.test(headers['content-type'] ?? '')
/** Whether an answer sends the browser to an app, and not to another page. */
export const isToApp = ({ location }) => location !== null && location.host !== 'here.invalid' && location.searchParams.has('state') // prettier-ignore
export const errorOf = ({ location }) => location?.searchParams.get('error') ?? null

/** Changes the parameters of the address to which an answer redirects. */
export function inLocation(answer, change) {
  const { location } = answer
  change(location.searchParams)
  answer.location = location
}

export const hasCredentials = ({ params, basic }) =>
  params.has('client_secret') || params.has('client_assertion') || Boolean(basic[1])

/** Lets a request be of another client, as a server does that compares nothing. */
export function asClient(call, clientId) {
  if (clientId === undefined || clientId === call.clientId) return
  if (call.params.getAll('client_id').length > 1) return
  delete call.headers.authorization
  for (const name of ['client_secret', 'client_assertion', 'client_assertion_type']) call.params.delete(name) // prettier-ignore
  call.params.set('client_id', clientId)
}

export const CONFIDENTIAL = { id: 'portfolio-hub', secret: 'portfolio-hub-demo-secret' }
/** Lets a request be of the confidential client with its right secret, whatever it says. */
export function asConfidential(call) {
  delete call.headers.authorization
  call.params.set('client_id', CONFIDENTIAL.id)
  call.params.set('client_secret', CONFIDENTIAL.secret)
}

// Keys and ID tokens.

const keyPair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const KID = 'key-of-the-fault'
const publicKey = { ...keyPair.publicKey.export({ format: 'jwk' }), kid: KID, alg: 'ES256', use: 'sig' } // prettier-ignore
const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
/** The header and the claims of a token. */
export const readToken = (token) =>
  token.split('.').slice(0, 2).map((text) => JSON.parse(Buffer.from(text, 'base64url').toString())) // prettier-ignore

function signToken(header, claims) {
  const text = `${part(header)}.${part(claims)}`
  const key = { key: keyPair.privateKey, dsaEncoding: 'ieee-p1363' }
  return `${text}.${sign('sha256', text, key).toString('base64url')}`
}

/**
 * Changes ID tokens, and signs them by a key that is published next to that of the school.
 *
 * @param change - changes the claims or the header in place, or returns `false` for a token that stays as it is
 */
export const idTokens = (change, { isPublished = true } = {}) => ({
  answer(answer, call, memory) {
    const { json } = answer
    if (call.path === KEYS && isPublished && json.keys)
      answer.json = { ...json, keys: [...json.keys, publicKey] }
    if (call.path !== TOKEN || !json.id_token) return
    const [header, claims] = readToken(json.id_token)
    header.kid = KID
    const issued = memory.tokens.get(json.id_token)
    if (change(claims, { header, issued, call, json, memory }) === false) return
    answer.json = { ...json, id_token: signToken(header, claims) }
  },
})

// Redirect URIs.

const GIVEN = 'http://127.0.0.1:7777/callback'
const OF_DOCUMENTS = 'http://127.0.0.1:47317/callback'
const registeredOf = (clientId, { clients }) =>
  clients.get(clientId)?.redirect_uris ?? [clientId?.startsWith('https:') ? OF_DOCUMENTS : GIVEN]

/**
 * Accepts redirect URIs that are not registered.
 *
 * @param accepts - whether it accepts a redirect URI, with those that are registered and the request
 */
export const redirects = (accepts) => ({
  request(call, { clients, kept, ...memory }) {
    const wanted = call.single('redirect_uri')
    if (wanted === null) return
    if (call.path === TOKEN && kept.has(wanted)) call.params.set('redirect_uri', kept.get(wanted))
    if (![AUTHORIZE, PUSH].includes(call.path)) return
    const registered = registeredOf(call.clientId, { clients, ...memory })
    if (registered.includes(wanted) || !accepts(wanted, registered, call)) return
    kept.set(wanted, registered[0]).set(`state ${call.params.get('state')}`, wanted)
    call.params.set('redirect_uri', registered[0])
  },
  answer(answer, _, { kept }) {
    const wanted = isToApp(answer) && kept.get(`state ${answer.location.searchParams.get('state')}`)
    if (wanted) answer.headers.location = elsewhere(wanted, answer.location)
  },
})

const elsewhere = (target, { search }) =>
  target + (target.includes('?') ? `&${search.slice(1)}` : search)

/** Redirects some errors before the redirect URI was compared: to any. `isThis` is given the error. */
export const errorsToAny = (isThis) => ({
  async answer(answer, call, memory, forward) {
    if (call.path !== AUTHORIZE || answer.status !== 400 || !call.params.has('redirect_uri')) return
    const again = call.copy()
    again.params.set('redirect_uri', registeredOf(call.clientId, memory)[0])
    const other = await forward(again)
    if (!isToApp(other) || !isThis(errorOf(other), call)) return
    const target = call.params.get('redirect_uri')
    if (URL.canParse(target)) answer.status = other.status
    if (URL.canParse(target)) answer.headers = { ...other.headers, location: elsewhere(target, other.location) } // prettier-ignore
  },
})

// Codes and verifiers.

/** Gives codes of another form. */
export const codes = (next) => ({
  request(call, { kept }) {
    const code = call.single('code')
    if (call.path === TOKEN && kept.has(code)) call.params.set('code', kept.get(code))
  },
  answer(answer, _, { kept }) {
    const code = isToApp(answer) && answer.location.searchParams.get('code')
    if (!code) return
    const given = next(kept.size)
    kept.set(given, code)
    inLocation(answer, (query) => query.set('code', given))
  },
})

const VERIFIER = random()
/**
 * Compares verifiers in place of the school.
 *
 * @param accepts - whether it accepts one, `null` if none came, with the authorization request
 */
export const verifiers = (accepts) => ({
  request(call, memory) {
    const given = call.single('code_challenge')
    const isUsual = /^[\w-]{43}$/.test(given ?? '') && call.params.get('code_challenge_method') === 'S256' // prettier-ignore
    if ([AUTHORIZE, PUSH].includes(call.path) && isUsual)
      call.params.set('code_challenge', sha256(VERIFIER))
    if (call.path !== TOKEN || call.params.getAll('code_verifier').length > 1) return
    const asked = memory.codes.get(call.single('code'))
    const verifier = call.params.get('code_verifier')
    if (asked === undefined) return
    const isRight =
      /^[\w.~-]{43,128}$/.test(verifier ?? '') && sha256(verifier) === asked.code_challenge
    if (isRight || accepts(verifier, asked)) call.params.set('code_verifier', VERIFIER)
  },
})

// Access tokens.

/**
 * Sends a refused request again with another access token, so that it is answered.
 *
 * @returns the last answer at this path, if no other token works
 */
export async function withAnother(call, memory, forward, fits = () => true) {
  const others = [...new Set(memory.tokens.values())]
    .filter((one) => one.token_type === 'Bearer' && one.access_token !== call.token && fits(one))
    .toReversed()
  for (const { access_token: token } of others.slice(0, 10)) {
    const again = call.copy()
    again.headers.authorization = `Bearer ${token}`
    delete again.headers.dpop
    const answer = await forward(again)
    if (answer.status < 400) return answer
  }
  const before = memory.good.get(call.path)
  return before && new Answer(before)
}
/** Whether a request has a bearer token that was issued in this audit. */
export const isIssued = ({ token }, { tokens }) =>
  tokens.get(token)?.access_token === token && tokens.get(token)?.token_type === 'Bearer'

export const claimsOfProof = ({ headers: { dpop = '' } }) => {
  try {
    return readToken(dpop)[1]
  } catch {
    return {}
  }
}
