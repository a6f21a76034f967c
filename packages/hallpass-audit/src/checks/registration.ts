import { type Check } from '../check.js'
import { held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import { type Audit, REDIRECT_URI } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'

/** The metadata of a website, for a server that registers no app on this computer. */
const WEBSITE = {
  application_type: 'web',
  redirect_uris: ['https://hallpass-audit.example/callback'],
}

const isRegistered = ({ status, json }: Answer): boolean =>
  status >= 200 && status < 300 && typeof json['client_id'] === 'string' && json['client_id'] !== ''

/** A client that the server registered, and the metadata with which a further registration begins. */
interface Registered {
  readonly answer: Answer
  readonly base: Readonly<Record<string, unknown>>
  readonly redirectUri: string
}

/** The first registration, which all checks share: without it, a refusal of another one says nothing. */
const registered = (on: Audit): Promise<Registered> =>
  on.once('registration', async () => {
    let answer = await on.register()
    if (isRegistered(answer)) return { answer, base: {}, redirectUri: REDIRECT_URI }
    if (answer.status === 401 || answer.status === 403)
      throw new Stop(notApplicable(`registration needs a token: ${said(answer)}`))
    answer = await on.register(WEBSITE)
    const [redirectUri = ''] = WEBSITE.redirect_uris
    if (isRegistered(answer)) return { answer, base: WEBSITE, redirectUri }
    throw new Stop(notReached(`neither an app nor a website can be registered: ${said(answer)}`))
  })

/** A registration with a client secret, shared as well. */
const withSecret = (on: Audit): Promise<Answer> =>
  on.once('registration with a secret', async () => {
    const { base } = await registered(on)
    const named = (await on.server())['token_endpoint_auth_methods_supported']
    const methods = Array.isArray(named) ? named : ['client_secret_basic']
    const method = ['client_secret_post', 'client_secret_basic'].find((one) => methods.includes(one)) // prettier-ignore
    if (method === undefined)
      throw new Stop(notApplicable('the server names no method with a client secret'))
    const answer = await on.register({ ...base, token_endpoint_auth_method: method })
    if (typeof answer.json['client_secret'] !== 'string')
      throw new Stop(notReached(`no client with a secret was registered: ${said(answer)}`))
    return answer
  })

/** Status and error, in words. */
const said = ({ status, json }: Answer): string =>
  `${status} ${typeof json['error'] === 'string' ? json['error'] : 'without an error'}`

const isJson = ({ headers }: Answer): boolean =>
  /^application\/json\s*(?:;|$)/i.test(headers.get('content-type') ?? '')

/** Sends a registration that may be refused, which an error of the server is not. */
async function tryRegister(on: Audit, changes: Readonly<Record<string, unknown>>): Promise<Answer> {
  const answer = await on.register(changes)
  if (answer.status >= 500)
    throw new Stop(notReached(`the registration is answered by ${said(answer)}`))
  return answer
}

/** Tries redirect URIs one by one: held if none of them is registered. */
async function refusesEach(on: Audit, uris: readonly string[]) {
  const { base } = await registered(on)
  for (const uri of uris) {
    const answer = await tryRegister(on, { ...base, redirect_uris: [uri] })
    const kept: unknown = answer.json['redirect_uris']
    // A server may register a client with other metadata than it sent.
    const isLeftOut = Array.isArray(kept) && !kept.includes(uri)
    if (isRegistered(answer) && !isLeftOut) return violated(`${uri} is registered`)
  }
  return held(`none of ${uris.join(', ')} is registered`)
}

/**
 * The bits of a secret if each of its characters is random. Hyphens are left out, so that a UUID has all of the 128 bits
 * of its digits.
 */
function bitsOf(secret: string): number {
  const text = secret.replaceAll('-', '')
  const alphabet = /^\d*$/.test(text) ? 10 : /^(?:[\da-f]*|[\dA-F]*)$/.test(text) ? 16 : 64
  return Math.floor(text.length * Math.log2(alphabet))
}

/** Metadata with values of wrong types and sizes, which any program can send. */
const MALFORMED: readonly Readonly<Record<string, unknown>>[] = [
  { redirect_uris: 'http://127.0.0.1/callback' },
  { redirect_uris: [7, null, {}] },
  { client_name: { toString: 'name' }, grant_types: 'authorization_code' },
  { client_name: '\u0000\ud800', contacts: { length: -1 }, jwks: [] },
  { client_name: 'a'.repeat(200_000) },
]

/** Dynamic client registration: what an unknown client may register. */
export const registration: readonly Check[] = [
  {
    id: 'registration/created',
    clause: {
      document: 'RFC 7591',
      section: '3.2.1',
      level: 'MUST',
      says: 'A registration is answered by 201 and a JSON object that has the client identifier.',
    },
    depth: 'anonymous',
    change: 'Answer with 201, with "application/json", and with client_id in the body.',
    async run(on) {
      const { answer } = await registered(on)
      const type = answer.headers.get('content-type') ?? 'without a media type'
      return judge(
        answer.status === 201 && isJson(answer),
        'the answer is 201, JSON, and has a client_id',
        `the answer is ${answer.status}, ${type}`,
      )
    },
  },
  {
    id: 'registration/metadata-returned',
    clause: {
      document: 'RFC 7591',
      section: '3.2.1',
      level: 'MUST',
      says: 'The answer has all metadata that is registered, since the server may have changed what the client sent.',
    },
    depth: 'anonymous',
    change:
      'Return redirect_uris, token_endpoint_auth_method and the other members as you stored them.',
    async run(on) {
      const { redirect_uris: uris, token_endpoint_auth_method: method } = (await registered(on)).answer.json // prettier-ignore
      const isWhole = Array.isArray(uris) && uris.length > 0 && typeof method === 'string'
      return judge(
        isWhole,
        `it has ${String(uris)} and ${String(method)}`,
        `redirect_uris is ${JSON.stringify(uris)}, and token_endpoint_auth_method ${JSON.stringify(method)}`,
      )
    },
  },
  {
    id: 'registration/public-without-secret',
    clause: {
      document: 'RFC 7591',
      section: '2',
      level: 'MUST NOT',
      says: 'A client with the authentication method none has no client secret.',
    },
    depth: 'anonymous',
    change:
      'Issue a client_secret only if token_endpoint_auth_method of the registered client needs one.',
    async run(on) {
      const { json } = (await registered(on)).answer
      const method = json['token_endpoint_auth_method'] ?? 'none'
      if (method !== 'none')
        return notApplicable(`the server registered the client with ${JSON.stringify(method)}`)
      return judge(!('client_secret' in json), 'it has no secret', 'it has a client_secret')
    },
  },
  {
    id: 'registration/secret-expiry',
    clause: {
      document: 'RFC 7591',
      section: '3.2.1',
      level: 'MUST',
      says: 'With a secret comes the time in seconds at which it expires, which is 0 if it never does.',
    },
    depth: 'anonymous',
    creates: { clients: 1 },
    change: 'Add "client_secret_expires_at": 0, or the time in seconds, not in milliseconds.',
    async run(on) {
      const expiry = (await withSecret(on)).json['client_secret_expires_at']
      // The year 5138 in seconds; in milliseconds, 1973.
      const isTime = Number.isInteger(expiry) && Number(expiry) >= 0 && Number(expiry) < 1e11
      const found = `client_secret_expires_at is ${JSON.stringify(expiry)}`
      return judge(isTime, found, found)
    },
  },
  {
    id: 'registration/unguessable-secret',
    clause: {
      document: 'RFC 6749',
      section: '10.10',
      level: 'MUST',
      says: 'A guess of a credential that the server generated succeeds with a probability of 2^-128 at most.',
    },
    depth: 'anonymous',
    creates: { clients: 1 },
    change: 'Generate each secret from 32 bytes of a cryptographic random source.',
    async run(on) {
      const secret = String((await withSecret(on)).json['client_secret'])
      const found = `the secret has ${secret.length} characters, which are ${bitsOf(secret)} bits at most`
      return judge(bitsOf(secret) >= 128, found, found)
    },
  },
  {
    id: 'registration/distinct',
    clause: {
      document: 'RFC 7591',
      section: '3.2.1',
      level: 'SHOULD NOT',
      says: 'A client identifier is not issued again to a client that is another one.',
    },
    depth: 'anonymous',
    creates: { clients: 1 },
    change: 'Generate a random client_id for each registration.',
    async run(on) {
      const { answer, base, redirectUri } = await registered(on)
      const other = await on.register({
        ...base,
        client_name: 'hallpass-audit, another client',
        redirect_uris: [`${redirectUri}/other`],
      })
      if (!isRegistered(other))
        return notReached(`the second client was not registered: ${said(other)}`)
      return judge(
        other.json['client_id'] !== answer.json['client_id'],
        'two clients have two identifiers',
        'a client with another name and another redirect URI has the same client_id',
      )
    },
  },
  {
    id: 'registration/client-id-assigned',
    clause: {
      document: 'RFC 7591',
      section: '3.1',
      level: 'MUST',
      says: 'The server assigns the client identifier and the secret, whatever the client sends.',
    },
    depth: 'anonymous',
    creates: { clients: 1 },
    change:
      'Build the client from the members that you know, and never copy the body of the request over it.',
    async run(on) {
      const { base } = await registered(on)
      const chosen = { client_id: 'hallpass-audit-chosen', client_secret: 'hallpass-audit-chosen' }
      const { json } = await tryRegister(on, { ...base, ...chosen })
      const taken = Object.entries(chosen).filter(([name, value]) => json[name] === value)
      return judge(
        taken.length === 0,
        'the client chose neither of them',
        `the client chose its ${taken.map(([name]) => name).join(' and ')}`,
      )
    },
  },
  {
    id: 'registration/unknown-members',
    clause: {
      document: 'RFC 7591',
      section: '2',
      level: 'MUST',
      says: 'Metadata that the server does not understand is ignored.',
    },
    depth: 'anonymous',
    creates: { clients: 1 },
    change: 'Leave unknown members out of what you store, and do not refuse the registration.',
    async run(on) {
      const { base } = await registered(on)
      const answer = await on.register({ ...base, hallpass_audit_unknown: { is: ['unknown'] } })
      return judge(
        isRegistered(answer),
        'a client with an unknown member is registered',
        `a client with an unknown member is answered by ${said(answer)}`,
      )
    },
  },
  {
    id: 'registration/loopback',
    clause: {
      document: 'RFC 8252',
      section: '7',
      level: 'MUST',
      says: 'An app on a computer can have a redirect URI of the loopback interface, with whatever port.',
    },
    depth: 'anonymous',
    creates: { clients: 1 },
    change: 'Accept http://127.0.0.1 with any port and path as a redirect URI of a native app.',
    async run(on) {
      await registered(on)
      const answer = await on.register({ redirect_uris: ['http://127.0.0.1:61023/oauth/callback'] })
      return judge(
        isRegistered(answer),
        'http://127.0.0.1:61023/oauth/callback is registered',
        `http://127.0.0.1:61023/oauth/callback is answered by ${said(answer)}`,
      )
    },
  },
  {
    id: 'registration/redirect-uris-required',
    clause: {
      document: 'RFC 7591',
      section: '5',
      level: 'MUST',
      says: 'A client of the authorization code grant registers its redirect URIs.',
    },
    depth: 'anonymous',
    creates: { clients: 2 },
    change: 'Refuse a registration whose redirect_uris are absent or empty, unless no grant needs one.', // prettier-ignore
    async run(on) {
      const { base } = await registered(on)
      for (const uris of [undefined, []]) {
        const answer = await tryRegister(on, { ...base, redirect_uris: uris })
        const grants: unknown = answer.json['grant_types']
        const isOfCode = !Array.isArray(grants) || grants.includes('authorization_code')
        if (isRegistered(answer) && isOfCode)
          return violated(`a client is registered with redirect_uris ${JSON.stringify(uris)}`)
      }
      return held('a client without redirect URIs is refused')
    },
  },
  {
    id: 'registration/fragment',
    clause: {
      document: 'RFC 6749',
      section: '3.1.2',
      level: 'MUST NOT',
      says: 'A redirect URI has no fragment.',
    },
    depth: 'anonymous',
    creates: { clients: 1 },
    change: 'Refuse a redirect URI that contains "#" with invalid_redirect_uri.',
    async run(on) {
      return refusesEach(on, [`${(await registered(on)).redirectUri}#fragment`])
    },
  },
  {
    id: 'registration/script-scheme',
    clause: {
      document: 'RFC 7591',
      section: '5',
      level: 'MUST',
      says: 'A redirect URI is https, or of this computer, or has the scheme of an app: never one that a browser runs.',
    },
    depth: 'anonymous',
    creates: { clients: 3 },
    change:
      'Accept https, http of loopback addresses and schemes of apps, and refuse all others, such as javascript, in any case.',
    run: (on) =>
      refusesEach(on, [
        'javascript:alert(1)',
        'JavaScript://127.0.0.1/%0aalert(1)',
        'data:text/html,<script>alert(1)</script>',
      ]),
  },
  {
    id: 'registration/http',
    clause: {
      document: 'RFC 7591',
      section: '5',
      level: 'MUST',
      says: 'A redirect URI of a host other than this computer is protected by TLS.',
    },
    depth: 'anonymous',
    creates: { clients: 3 },
    change:
      'Accept http only if the host of the parsed URL equals 127.0.0.1, [::1] or localhost, and compare no beginnings.',
    run: (on) =>
      refusesEach(on, [
        'http://hallpass-audit.example/callback',
        'http://127.0.0.1.hallpass-audit.example/callback',
        'http://localhost:80@hallpass-audit.example/callback',
      ]),
  },
  {
    id: 'registration/error',
    clause: {
      document: 'RFC 7591',
      section: '3.2.2',
      level: 'MUST',
      says: 'A registration that is refused is answered by 400 and JSON with an error code such as invalid_redirect_uri.',
    },
    depth: 'anonymous',
    creates: { clients: 1 },
    change:
      'Answer with 400 and {"error": "invalid_redirect_uri"} or {"error": "invalid_client_metadata"}.',
    async run(on) {
      const { base } = await registered(on)
      const answer = await on.register({ ...base, redirect_uris: ['not a URI'] })
      if (isRegistered(answer)) return notReached('the server registered a text that is not a URI')
      const { error } = answer.json
      const isKnown = error === 'invalid_redirect_uri' || error === 'invalid_client_metadata'
      const found = `a text that is not a URI is answered by ${said(answer)}${isJson(answer) ? '' : ', which is not JSON'}`
      return judge(answer.status === 400 && isJson(answer) && isKnown, found, found)
    },
  },
  {
    id: 'registration/malformed-metadata',
    clause: {
      document: 'RFC 7591',
      section: '3.2.2',
      level: 'MUST',
      says: 'Metadata with values of wrong types or sizes is an error of the client.',
    },
    depth: 'anonymous',
    creates: { clients: 5 },
    change: 'Validate the type and the length of each member before you use it.',
    async run(on) {
      const { base } = await registered(on)
      for (const metadata of MALFORMED) {
        const answer = await on.register({ ...base, ...metadata })
        if (answer.status >= 500)
          return violated(`malformed ${Object.keys(metadata).join(' and ')} lead to ${answer.status}`) // prettier-ignore
      }
      return held('none of them is an error of the server')
    },
  },
  {
    id: 'registration/not-json',
    clause: {
      document: 'RFC 7591',
      section: '3.2.2',
      level: 'MUST',
      says: 'A body that is not a JSON object is an error of the client.',
    },
    depth: 'anonymous',
    change: 'Catch the exception of the JSON parser, and answer with 400.',
    async run(on) {
      await registered(on)
      const endpoint = await on.endpoint('registration_endpoint')
      for (const body of ['null', '["http://127.0.0.1/callback"]', '{"redirect_uris": [']) {
        const headers = { 'content-type': 'application/json', accept: 'application/json' }
        const answer = await on.send(endpoint, { method: 'POST', headers, body })
        if (answer.status < 400 || answer.status >= 500)
          return violated(`${body} is answered by ${said(answer)}`)
      }
      return held('no body without a JSON object is accepted')
    },
  },
  {
    id: 'registration/inconsistent-types',
    clause: {
      document: 'RFC 7591',
      section: '2.1',
      level: 'SHOULD',
      says: 'A client is not registered with response types that its grant types do not have.',
    },
    depth: 'anonymous',
    creates: { clients: 1 },
    change:
      'Refuse authorization_code without code, and token without implicit, or register only what fits.',
    async run(on) {
      const { base } = await registered(on)
      const types = { grant_types: ['authorization_code'], response_types: ['token'] }
      const answer = await tryRegister(on, { ...base, ...types })
      if (!isRegistered(answer)) return held(`token without implicit is answered by ${said(answer)}`)
      const { grant_types: grants, response_types: responses } = answer.json
      if (!Array.isArray(responses) || !Array.isArray(grants))
        return notApplicable('the server does not register these types')
      return judge(
        !responses.includes('token') || grants.includes('implicit'),
        `it registered ${grants.join(', ')} with ${responses.join(', ')}`,
        `it registered ${grants.join(', ')} with ${responses.join(', ')}`,
      )
    },
  },
] // prettier-ignore
