import { type Check } from '../check.js'
import { ADVICE, AS, MUST, MUST_NOT, rfc6749, rfc7591, rfc8252, rfc9700, SHOULD, SHOULD_NOT } from '../clause.js' // prettier-ignore
import { held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import { type Audit, describe } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import { open } from './asking.js'
import { quote } from './documents.js'
import { errorOf, mediaTypeOf } from './expect.js'
import { isRegistered, refusesEach, registered, said, tryRegister } from './registering.js'

// prettier-ignore
const TEXT = {
  created: rfc7591('3.2.1', ADVICE, AS, 'A registration is answered by 201 and application/json. Some clients look for nothing else.'),
  returned: rfc7591('3.2.1', MUST, AS, 'Additionally, the authorization server MUST return all registered metadata about this client, including any fields provisioned by the authorization server itself.'),
  reflected: rfc7591('3.2.1', ADVICE, AS, 'A client takes the answer for what is registered, so that an answer which repeats its request misleads it.'),
  withoutSecret: rfc7591('2', ADVICE, AS, 'A client with the method none has no client secret: one that it gets is kept where others read it, and proves nothing.'),
  expiry: rfc7591('3.2.1', MUST, AS, 'client_secret_expires_at REQUIRED if "client_secret" is issued. Time at which the client secret will expire or 0 if it will not expire. The time is represented as the number of seconds from 1970-01-01T00:00:00Z as measured in UTC until the date/time of expiration.'),
  guess: rfc6749('10.10', MUST, AS, 'The probability of an attacker guessing generated tokens (and other credentials not intended for handling by end-users) MUST be less than or equal to 2^(-128) and SHOULD be less than or equal to 2^(-160).'),
  distinct: rfc7591('3.2.1', SHOULD_NOT, AS, 'client_id REQUIRED. OAuth 2.0 client identifier string. It SHOULD NOT be currently valid for any other registered client, though an authorization server MAY issue the same client identifier to multiple instances of a registered client at its discretion.'),
  counted: rfc7591('3.2.1', ADVICE, AS, 'Identifiers that are counted tell how many clients there are, and let anyone try all of them.'),
  assigned: rfc7591('3.1', ADVICE, AS, 'The server assigns the identifier and the secret. A client that chooses them can take those of another, or one that can be guessed.'),
  unknown: rfc7591('2', MUST, AS, "The authorization server MUST ignore any client metadata sent by the client that it does not understand (for instance, by silently removing unknown metadata from the client's registration record during processing)."),
  loopback: rfc8252('7.3', ADVICE, AS, 'An app on a computer gets its port when it starts, so that a server should take any port of the loopback interface.'),
  required: rfc7591('5', MUST, AS, 'authorization servers MUST require clients to register their redirection URI values.'),
  fragment: rfc6749('3.1.2', ADVICE, AS, 'A redirect URI must not have a fragment. A server that refuses it finds the mistake before a code gets lost.'),
  oneOf: rfc7591('5', MUST, AS, 'Additionally, in order to prevent hijacking of the return values of the redirection, registered redirection URI values MUST be one of: … A remote web site protected by TLS (e.g., https://client.example.com/oauth_redirect) … A web site hosted on the local machine using an HTTP URI (e.g., http://localhost:8080/oauth_redirect) … A non-HTTP application-specific URL that is available only to the client application (e.g., exampleapp://oauth_redirect)'),
  http: rfc9700('2.6', MUST_NOT, AS, 'To this end, authorization servers MUST NOT allow redirection URIs that use the http scheme except for native clients that use loopback interface redirection as described in Section 7.3 of [RFC8252].'),
  error: rfc7591('3.2.2', MUST, AS, 'Two members are defined for inclusion in the JSON object: … error REQUIRED. Single ASCII error code string.'),
  malformed: rfc7591('3.2.2', ADVICE, AS, 'A registration with values of wrong types or sizes, or that is not a JSON object, is an error of the client and not of the server.'),
  consistent: rfc7591('2.1', SHOULD, AS, 'As such, a server supporting these fields SHOULD take steps to ensure that a client cannot register itself into an inconsistent state, for example, by returning an "invalid_client_metadata" error response to an inconsistent registration request.'),
}

/** A value that no server knows. */
const UNKNOWN = 'urn:hallpass-audit:unknown'
/** Metadata with values of wrong types and sizes, and bodies without metadata, as any program can send them. */
const MALFORMED: readonly Readonly<Record<string, unknown>>[] = [
  { redirect_uris: 'http://127.0.0.1/callback' },
  { redirect_uris: [7, null, {}] },
  { client_name: { toString: 'name' }, grant_types: 'authorization_code' },
  { client_name: '\u0000\ud800', contacts: { length: -1 }, jwks: [] },
  { client_name: 'a'.repeat(200_000) },
]
const NOT_JSON = ['null', '["http://127.0.0.1/callback"]', '{"redirect_uris": [']

/** A registration with a client secret. */
const SECRET = { name: 'registration with a secret', clients: 1 } as const
const withSecret = (on: Audit): Promise<Answer> =>
  on.once(SECRET.name, async () => {
    const { base } = await registered(on)
    const named = (await on.server())['token_endpoint_auth_methods_supported']
    const methods = Array.isArray(named) ? named : ['client_secret_basic']
    const method = ['client_secret_post', 'client_secret_basic'].find((one) => methods.includes(one))
    if (method === undefined) throw new Stop(notApplicable('the server names no method with a client secret'))
    const answer = await on.register({ ...base, token_endpoint_auth_method: method })
    if (typeof answer.json['client_secret'] === 'string') return answer
    throw new Stop(notReached(`no client with a secret was registered: ${said(answer)}`, answer))
  }) // prettier-ignore

/** A registration with a member that no server knows. */
const FURTHER = { name: 'registration with an unknown member', clients: 1 } as const
const withUnknown = (on: Audit): Promise<Answer> =>
  on.once(FURTHER.name, () => tryRegister(on, { hallpass_audit_unknown: { is: [UNKNOWN] } }))

/**
 * The bits of a secret if each of its characters is random. Hyphens are left out, so that a UUID has all of the 128 bits
 * of its digits.
 */
function bitsOf(secret: string): number {
  const text = secret.replaceAll('-', '')
  const alphabet = /^\d*$/.test(text) ? 10 : /^(?:[\da-f]*|[\dA-F]*)$/.test(text) ? 16 : 64
  return Math.floor(text.length * Math.log2(alphabet))
}

/** How far the numbers at the end of two identifiers are apart; `null` if they differ in more. */
function stepOf(one: string, other: string): number | null {
  const [first, second] = [one, other].map((id) => /^(.*?)(\d{1,15})$/s.exec(id))
  return first?.[1] === undefined || first[1] !== second?.[1] ? null : Number(second[2]) - Number(first[2])
} // prettier-ignore

/** Dynamic client registration: what an unknown client may register. */
export const registration: readonly Check[] = [
  {
    id: 'registration/created', clause: TEXT.created, depth: 'anonymous',
    change: 'Answer with 201, with "application/json", and with client_id in the body.',
    async run(on) {
      const { answer } = await registered(on)
      const type = mediaTypeOf(answer)
      const found = `the answer is ${answer.status}, ${type || 'without a media type'}`
      return judge(answer, answer.status === 201 && type === 'application/json', found)
    },
  },
  {
    id: 'registration/metadata-returned', clause: TEXT.returned, depth: 'anonymous',
    change: 'Return redirect_uris, token_endpoint_auth_method and the other members as you stored them.',
    async run(on) {
      const { answer } = await registered(on)
      const { redirect_uris: uris, token_endpoint_auth_method: method } = answer.json
      const found = `redirect_uris is ${quote(uris)}, and token_endpoint_auth_method ${quote(method)}`
      return judge(answer, Array.isArray(uris) && uris.length > 0 && typeof method === 'string', found)
    },
  },
  {
    id: 'registration/reflected', clause: TEXT.reflected, depth: 'anonymous',
    shares: [FURTHER], creates: { clients: 1 },
    change: 'Answer with the record that you stored, and never with the body of the request.',
    async run(on) {
      const ofMember = await withUnknown(on)
      if (isRegistered(ofMember) && ofMember.text.includes(UNKNOWN)) return violated(ofMember, 'the answer has a member that no server knows')
      const ofGrant = await tryRegister(on, { grant_types: ['authorization_code', UNKNOWN] })
      const isRepeated = isRegistered(ofGrant) && ofGrant.text.includes(UNKNOWN)
      return judge(ofGrant, !isRepeated, 'no answer has what no server knows', 'the answer has a grant type that no server knows')
    },
  },
  {
    id: 'registration/uris-registered', clause: TEXT.reflected, depth: 'anonymous', creates: { clients: 1 },
    change: 'Store all redirect_uris, or answer with those that you stored.',
    async run(on) {
      await on.requiresPublic()
      const { redirectUri } = await registered(on)
      const second = `${redirectUri}/second`
      const answer = await tryRegister(on, { redirect_uris: [redirectUri, second] })
      const { client_id: clientId, redirect_uris: uris } = answer.json
      if (typeof clientId !== 'string' || !Array.isArray(uris) || !uris.includes(second))
        return notApplicable(`the server registers one redirect URI only: ${said(answer)}`, answer)
      const client = { clientId, secret: null, redirectUri, scope: await on.scope() }
      const first = await open(on, null, {}, client)
      if (!first.isTaken) return notReached(`a request with the first one: ${describe(first)}`, first)
      const asked = await open(on, null, { redirect_uri: second }, client)
      return judge(asked, asked.isTaken, `the answer lists ${second}, and a request with it: ${describe(asked)}`)
    },
  },
  {
    id: 'registration/public-without-secret', clause: TEXT.withoutSecret, depth: 'anonymous',
    change: 'Issue a client_secret only if token_endpoint_auth_method of the registered client needs one.',
    async run(on) {
      const { answer } = await registered(on)
      const method = answer.json['token_endpoint_auth_method'] ?? 'none'
      if (method !== 'none') return notApplicable(`the server registered the client with ${quote(method)}`, answer)
      return judge(answer, !('client_secret' in answer.json), 'it has no secret', 'it has a client_secret')
    },
  },
  {
    id: 'registration/secret-expiry', clause: TEXT.expiry, depth: 'anonymous', shares: [SECRET],
    change: 'Add "client_secret_expires_at": 0, or the time in seconds, not in milliseconds.',
    async run(on) {
      const answer = await withSecret(on)
      const expiry = answer.json['client_secret_expires_at']
      // The year 5138 in seconds; in milliseconds, 1973.
      const isTime = Number.isInteger(expiry) && Number(expiry) >= 0 && Number(expiry) < 1e11
      return judge(answer, isTime, `client_secret_expires_at is ${quote(expiry)}`)
    },
  },
  {
    id: 'registration/unguessable-secret', clause: TEXT.guess, depth: 'anonymous', shares: [SECRET],
    change: 'Generate each secret from 32 bytes of a cryptographic random source.',
    async run(on) {
      const answer = await withSecret(on)
      const secret = String(answer.json['client_secret'])
      return judge(answer, bitsOf(secret) >= 128, `the secret has ${secret.length} characters, which are ${bitsOf(secret)} bits at most`)
    },
  },
  {
    id: 'registration/distinct', clause: TEXT.distinct, depth: 'anonymous', creates: { clients: 1 },
    change: 'Generate a random client_id for each registration.',
    async run(on) {
      const { answer: first, redirectUri } = await registered(on)
      const name = 'hallpass-audit, another client'
      const answer = await tryRegister(on, { client_name: name, redirect_uris: [`${redirectUri}/other`] })
      if (!isRegistered(answer)) return notReached(`the second client was not registered: ${said(answer)}`, answer)
      return judge(
        answer,
        answer.json['client_id'] !== first.json['client_id'],
        'two clients have two identifiers',
        'a client with another name and another redirect URI has the same client_id',
      )
    },
  },
  {
    id: 'registration/not-counted', clause: TEXT.counted, depth: 'anonymous', shares: [FURTHER],
    change: 'Generate client_id from random bytes, and keep the number of the row to yourself.',
    async run(on) {
      const { answer: first } = await registered(on)
      const answer = await withUnknown(on)
      if (!isRegistered(answer)) return notReached(`the second client was not registered: ${said(answer)}`, answer)
      const ids = [first, answer].map(({ json }) => String(json['client_id']))
      const step = stepOf(ids[0]!, ids[1]!)
      const isCounted = step !== null && step > 0 && step <= 100
      return judge(answer, !isCounted, 'the identifiers of two clients do not follow each other', `two clients have ${ids.join(' and ')}`)
    },
  },
  {
    id: 'registration/client-id-assigned', clause: TEXT.assigned, depth: 'anonymous', creates: { clients: 1 },
    change: 'Build the client from the members that you know, and never copy the body of the request over it.',
    async run(on) {
      const chosen = { client_id: 'hallpass-audit-chosen', client_secret: 'hallpass-audit-chosen' }
      const answer = await tryRegister(on, chosen)
      const taken = Object.entries(chosen).flatMap(([name, value]) => (answer.json[name] === value ? [name] : []))
      return judge(answer, taken.length === 0, 'the client chose neither of them', `the client chose its ${taken.join(' and ')}`)
    },
  },
  {
    id: 'registration/unknown-members', clause: TEXT.unknown, depth: 'anonymous', shares: [FURTHER],
    change: 'Leave unknown members out of what you store, and do not refuse the registration.',
    async run(on) {
      const answer = await withUnknown(on)
      const found = `a client with an unknown member is answered by ${said(answer)}`
      return judge(answer, isRegistered(answer), 'a client with an unknown member is registered', found)
    },
  },
  {
    id: 'registration/loopback', clause: TEXT.loopback, depth: 'anonymous', creates: { clients: 1 },
    change: 'Accept http://127.0.0.1 with any port and path as a redirect URI of a native app.',
    async run(on) {
      // Stops if nothing can be registered.
      await registered(on)
      const uri = 'http://127.0.0.1:61023/oauth/callback'
      const answer = await on.register({ redirect_uris: [uri] })
      return judge(answer, isRegistered(answer), `${uri} is registered`, `${uri} is answered by ${said(answer)}`)
    },
  },
  {
    id: 'registration/redirect-uris-required', clause: TEXT.required, depth: 'anonymous', creates: { clients: 2 },
    change: 'Refuse a registration whose redirect_uris are absent or empty, unless no grant needs one.',
    async run(on) {
      let last: Answer | undefined
      for (const uris of [undefined, []]) {
        const answer = await tryRegister(on, { redirect_uris: uris })
        const grants: unknown = answer.json['grant_types']
        const isOfCode = !Array.isArray(grants) || grants.includes('authorization_code')
        if (isRegistered(answer) && isOfCode) return violated(answer, `a client is registered with redirect_uris ${quote(uris)}`)
        last = answer
      }
      return held(last!, 'a client without redirect URIs is refused')
    },
  },
  {
    id: 'registration/fragment', clause: TEXT.fragment, depth: 'anonymous', creates: { clients: 1 },
    change: 'Refuse a redirect URI that contains "#" with invalid_redirect_uri.',
    run: async (on) => refusesEach(on, [`${(await registered(on)).redirectUri}#fragment`]),
  },
  {
    id: 'registration/script-scheme', clause: TEXT.oneOf, depth: 'anonymous', creates: { clients: 3 },
    change: 'Accept https, http of loopback addresses and schemes of apps, and refuse all others, such as javascript, in any case.',
    run: (on) => refusesEach(on, ['javascript:alert(1)', 'JavaScript://127.0.0.1/%0aalert(1)', 'data:text/html,<script>alert(1)</script>']),
  },
  {
    id: 'registration/http', clause: TEXT.http, depth: 'anonymous', creates: { clients: 3 },
    change: 'Accept http only if the host of the parsed URL equals 127.0.0.1, [::1] or localhost, and compare no beginnings.',
    run: (on) => refusesEach(on, ['', '127.0.0.1.', 'localhost:80@'].map((before) => `http://${before}hallpass-audit.example/callback`)),
  },
  {
    id: 'registration/error', clause: TEXT.error, depth: 'anonymous', creates: { clients: 1 },
    change: 'Answer with 400 and {"error": "invalid_redirect_uri"} or {"error": "invalid_client_metadata"}.',
    async run(on) {
      const answer = await tryRegister(on, { redirect_uris: ['not a URI'] })
      if (isRegistered(answer)) return notReached('the server registered a text that is not a URI', answer)
      return judge(answer, errorOf(answer) !== '', `a text that is not a URI is answered by ${said(answer)}`)
    },
  },
  {
    id: 'registration/malformed-metadata', clause: TEXT.malformed, depth: 'anonymous', creates: { clients: 5 },
    change: 'Catch the exception of the JSON parser, and validate the type and the length of each member before you use it.',
    async run(on) {
      const { base } = await registered(on)
      for (const metadata of MALFORMED) {
        const answer = await on.register({ ...base, ...metadata })
        if (answer.status >= 500) return violated(answer, `malformed ${Object.keys(metadata).join(' and ')} lead to ${answer.status}`)
      }
      const endpoint = await on.endpoint('registration_endpoint')
      let last: Answer | undefined
      for (const body of NOT_JSON) {
        const answer = await on.send(endpoint, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
        if (answer.status < 400 || answer.status >= 500) return violated(answer, `${body} is answered by ${said(answer)}`)
        last = answer
      }
      return held(last!, 'none of them is an error of the server')
    },
  },
  {
    id: 'registration/inconsistent-types', clause: TEXT.consistent, depth: 'anonymous', creates: { clients: 1 },
    change: 'Refuse authorization_code without code, and token without implicit, or register only what fits.',
    async run(on) {
      const answer = await tryRegister(on, { grant_types: ['authorization_code'], response_types: ['token'] })
      if (!isRegistered(answer)) return held(answer, `token without implicit is answered by ${said(answer)}`)
      const { grant_types: grants, response_types: responses } = answer.json
      if (!Array.isArray(responses) || !Array.isArray(grants)) return notApplicable('the server does not register these types', answer)
      const found = `it registered ${grants.join(', ')} with ${responses.join(', ')}`
      return judge(answer, !responses.includes('token') || grants.includes('implicit'), found)
    },
  },
] // prettier-ignore
