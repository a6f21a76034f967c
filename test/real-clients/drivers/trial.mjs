// What the drivers have in common. A driver is a process of its own: `node drivers/<family>.mjs <client>`, with the
// trial in its environment. It prints a line for each step of a client's life.
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'

/** The school's origin, the people's, the app's id, secret, port and address to return to. */
export const trial = JSON.parse(process.env['HALLPASS_TRIAL'])
export const SCHOOL = trial.school
export const { redirectUri: REDIRECT_URI, owner, student } = trial
/** What the page of a new app shows its maker. */
export const { id: CLIENT_ID, secret: CLIENT_SECRET } = trial
export const require = createRequire(import.meta.url)

export const MEMBER_SCOPES = ['openid', 'profile', 'email', 'account:read']
export const OPERATOR_SCOPES = ['openid', 'profile', 'email', 'courses:read']

/** Runs a step. Says how it went, and with which words it failed; `undefined` if it did. */
export async function step(name, work) {
  try {
    const value = await work()
    say({ step: name, ok: true })
    return value
  } catch (error) {
    say({ step: name, ok: false, words: wordsOf(error) })
    return undefined
  }
}

/** Runs what has to be refused, and says with which words it was. */
export async function refusal(name, ...works) {
  const refused = []
  for (const work of works) {
    try {
      const value = await work()
      return say({
        step: name,
        ok: false,
        words: `not refused: ${JSON.stringify(value)?.slice(0, 200)}`,
      })
    } catch (error) {
      refused.push(wordsOf(error))
    }
  }
  say({ step: name, ok: true, words: refused.join(' / ') })
}

export const say = (line) => console.log(`STEP ${JSON.stringify(line)}`)

export function wordsOf(error) {
  const parts = []
  for (let at = error, depth = 0; at && depth < 4; at = at.cause, depth++) {
    parts.push(`${at.name ?? ''}: ${String(at.message ?? JSON.stringify(at)).slice(0, 400)}`)
    for (const key of ['error', 'error_description', 'description'])
      if (typeof at[key] === 'string') parts.push(at[key])
    if (at.data?.payload) parts.push(JSON.stringify(at.data.payload))
  }
  return parts.join(' | ').replaceAll(/\s+/g, ' ')
}

export const assert = (value, words) => {
  if (!value) throw new Error(words ?? 'not so')
}

async function ask(path, url, { email = student, ...more } = {}) {
  const answer = await fetch(
    `${trial.people}${path}?${new URLSearchParams({ email, url, ...more })}`,
  )
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}

/** What the app gets once the person has been to this address: the callback. */
export const callbackOf = async (url, options) =>
  new URL(await ask('/callback', String(url), options))

/** The last page that the person sees, with `url`, `status`, `html`. */
export const follow = async (url, options) => JSON.parse(await ask('/follow', String(url), options))

/** The same, as JSON. */
export async function followed(url, options) {
  const { url: at, status, html } = await follow(url, options)
  try {
    return JSON.parse(html)
  } catch {
    throw new Error(`${at} ${status}: ${html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')}`)
  }
}

export const throwError = (callback) => {
  const error = callback.searchParams.get('error')
  if (error) throw new Error(`${error}: ${callback.searchParams.get('error_description')}`)
  return callback
}

export async function json(request) {
  const answer = await request
  const text = await answer.text()
  let body = null
  try {
    body = JSON.parse(text)
  } catch {
    // The words say what it is.
  }
  return { status: answer.status, body, text }
}

/** Posts a form, for what a library leaves to its user. */
export async function form(path, fields) {
  const answer = await json(
    fetch(SCHOOL + path, { method: 'POST', body: new URLSearchParams(fields) }),
  )
  assert(answer.status === 200, answer.text)
  return answer.body
}

export const revokeByHand = (token, clientId = trial.id) =>
  form('/api/oauth/revoke', {
    token,
    client_id: clientId,
    ...(clientId === trial.id && trial.secret !== null && { client_secret: trial.secret }),
  })

export async function register(more = {}) {
  const answer = await json(
    fetch(`${SCHOOL}/api/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Trial', redirect_uris: [REDIRECT_URI], ...more }),
    }),
  )
  assert(answer.status === 201, answer.text)
  say({ clientId: answer.body.client_id })
  return answer.body
}

/** A token that a person allowed by hand, for what takes one in a header. */
export async function tokenOf({ clientId, scope, email, resource }) {
  const { verifier, challenge } = pkce()
  const url = new URL(`${SCHOOL}/oauth/authorize`)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    scope,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'state',
    resource,
  }).toString()
  const callback = await callbackOf(url, email === undefined ? {} : { email })
  const answer = await json(
    fetch(`${SCHOOL}/api/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: callback.searchParams.get('code'),
        redirect_uri: REDIRECT_URI,
        client_id: clientId,
        code_verifier: verifier,
        resource,
      }),
    }),
  )
  assert(answer.status === 200, answer.text)
  return answer.body.access_token
}

/** A call that a member allowed. */
export async function account(token) {
  const answer = await json(
    fetch(`${SCHOOL}/account/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: '{"query":"{ viewer { id email enrolledCourses(first: 3) { nodes { slug } } } }"}',
    }),
  )
  assert(answer.status === 200 && answer.body.data.viewer.id, answer.text)
}

/** A call that an operator allowed. */
export async function admin(token) {
  const headers = { authorization: `Bearer ${token}` }
  const answer = await json(fetch(`${SCHOOL}/api/v1/courses`, { headers }))
  assert(answer.status === 200, answer.text)
}

export async function userInfo(token) {
  const headers = { authorization: `Bearer ${token}` }
  const answer = await json(fetch(`${SCHOOL}/api/oauth/userinfo`, { headers }))
  assert(answer.status === 200 && answer.body.sub && answer.body.email, answer.text)
}

const keys = createRemoteJWKSet(new URL(`${SCHOOL}/.well-known/jwks.json`))
/** What a library without ID tokens leaves to its user. */
export async function verify(token, { audience = trial.id, nonce } = {}) {
  const { payload } = await jwtVerify(token, keys, {
    issuer: SCHOOL,
    audience,
    algorithms: ['ES256'],
  })
  assert(nonce === undefined || payload.nonce === nonce, 'another nonce')
}

export const pkce = () => {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Serves the app's own site, at the port that its address to return to has. */
export async function serve(listener) {
  const server = createServer(listener)
  server.listen(trial.port, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${trial.port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The processes that this one has started. They end with it at the latest. */
const children = new Set()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})
export function started(child) {
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

/** Less than the test waits, so that the processes end before this one is ended. */
const MOST_MILLISECONDS = 220_000

/** Runs the client that the command names, and ends: some libraries keep a connection open. */
export async function run(lives) {
  setTimeout(() => {
    say({ ended: false, words: `it is not over after ${MOST_MILLISECONDS} ms` })
    process.exit(1)
  }, MOST_MILLISECONDS).unref()
  const life = lives[process.argv[2]]
  if (life === undefined) throw new Error(`${process.argv[2]}: no such client`)
  try {
    await life()
    say({ ended: true })
  } catch (error) {
    say({ ended: false, words: error.stack })
  }
  process.exit(0)
}
