import { type Check } from '../check.js'
import { ADVICE, AS, type Clause, MUST, rfc6749, rfc8628, SHOULD } from '../clause.js'
import { type Finding, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import type { Audit, Client } from '../engine/audit.js'
import { hasPassword } from '../engine/form.js'
import type { Answer } from '../engine/http.js'
import { newSecret } from '../engine/random.js'
import { errorOf, firstNotHeld, hasTokens, isRefused, LEAST_BITS, mostBits, nothingFor, refusalOf } from './expect.js' // prettier-ignore

// prettier-ignore
const TEXT = {
  named: rfc8628('4', ADVICE, AS, 'A device learns from the metadata whether it may ask: from the address of the endpoint and from the grant, so that a server names both or neither.'),
  answer: rfc8628('3.2', MUST, AS, 'The response contains the following parameters: … device_code REQUIRED. … user_code REQUIRED. … verification_uri REQUIRED. … expires_in REQUIRED.'),
  noStore: rfc6749('5.1', MUST, AS, 'The authorization server MUST include the HTTP "Cache-Control" response header field [RFC2616] with a value of "no-store" in any response containing tokens, credentials, or other sensitive information'),
  uri: rfc8628('3.2', MUST, AS, 'verification_uri REQUIRED. The end-user verification URI on the authorization server.'),
  userCode: rfc8628('5.1', SHOULD, AS, 'The user code SHOULD have enough entropy that, when combined with rate-limiting and other mitigations, a brute-force attack becomes infeasible.'),
  deviceCode: rfc8628('5.2', SHOULD, AS, 'As the device code is not displayed to the user and thus there are no usability considerations on the length, a very high entropy code SHOULD be used.'),
  unknownClient: rfc8628('3.1', ADVICE, AS, 'A client that the server does not know can redeem no code, so that its first request should be refused.'),
  grant: rfc6749('5.2', MUST, AS, 'error REQUIRED. A single ASCII [USASCII] error code from the following: … invalid_grant The provided authorization grant (e.g., authorization code, resource owner credentials) or refresh token is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.'),
  error: rfc6749('5.2', MUST, AS, 'The authorization server responds with an HTTP 400 (Bad Request) status code (unless specified otherwise) and includes the following parameters with the response: … error REQUIRED.'),
  patience: rfc8628('3.5', ADVICE, AS, 'slow_down is for a device that asks too often: it continues to ask. One that lost its code would have to ask the person again.'),
  link: rfc8628('3.3.1', SHOULD, AS, 'The server SHOULD display the "user_code" to the user and ask them to verify that it matches the "user_code" being displayed on the device to confirm they are authorizing the correct device.'),
  tokens: rfc6749('5.1', MUST, AS, 'token_type REQUIRED. The type of the token issued as described in Section 7.1.'),
  once: rfc8628('3.5', ADVICE, AS, 'A device code is worth as much as an authorization code, which is used once. Who has copied it should get nothing for it later.'),
}

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const ENDPOINT = 'device_authorization_endpoint'
/** The bits of six digits. A shorter code is guessed, however few tries a server permits. */
const TYPED_BITS = 19

/** A client that may be a device. */
const DEVICE = { name: 'device client', clients: 1 } as const
/** A device that a person has allowed. */
const ALLOWED = { name: 'allowed device', authorizations: 1 } as const
const OF_DEVICE = { depth: 'anonymous', shares: [DEVICE] } as const
const OF_ALLOWED = { depth: 'people', shares: [DEVICE, ALLOWED] } as const
/** A device of its own, which a person answers. */
const OF_PERSON = { depth: 'people', shares: [DEVICE], creates: { authorizations: 1 } } as const

/** The answer to a device that asked for a code. */
interface Asked {
  readonly client: Client
  readonly answer: Answer
  readonly deviceCode: string
  readonly userCode: string
  readonly uri: string
}

/** Registers a client that may be a device. A server without open registration may let every client be one. */
const newDevice = async (on: Audit): Promise<Client> => {
  await on.endpoint(ENDPOINT)
  return on
    .newClient({ grant_types: ['authorization_code', 'refresh_token', GRANT] })
    .catch(() => on.client())
}

const deviceClient = (on: Audit): Promise<Client> => on.once(DEVICE.name, () => newDevice(on))

const credentials = ({ clientId, secret }: Client) => ({ client_id: clientId, ...(secret !== null && { client_secret: secret }) }) // prettier-ignore

/** Asks for a code, as a device does. */
async function request(on: Audit): Promise<Asked> {
  const endpoint = await on.endpoint(ENDPOINT)
  const client = await deviceClient(on)
  const resource = await on.resourceIdentifier()
  const answer = await on.form(endpoint, { ...credentials(client), scope: client.scope, ...(resource !== null && { resource }) }) // prettier-ignore
  const { device_code: deviceCode, user_code: userCode, verification_uri: uri } = answer.json
  if (answer.status !== 200 || typeof deviceCode !== 'string')
    throw new Stop(notReached(`a device gets no code: ${answer.status} ${errorOf(answer)}`, answer))
  return { client, answer, deviceCode, userCode: String(userCode), uri: String(uri) }
}

/** A code that no person answers, for checks that read it. */
const asked = (on: Audit): Promise<Asked> => on.once('device request', () => request(on))

async function poll(on: Audit, of: Asked, as: Client = of.client): Promise<Answer> {
  const resource = await on.resourceIdentifier()
  return on.form(await on.endpoint('token_endpoint'), {
    grant_type: GRANT,
    device_code: of.deviceCode,
    ...credentials(as),
    ...(resource !== null && { resource }),
  })
}

const isWaiting = (answer: Answer): boolean => ['authorization_pending', 'slow_down'].includes(errorOf(answer)) // prettier-ignore

/** A device whose code a person entered and answered. */
async function answered(on: Audit, allow: boolean): Promise<Asked> {
  const of = await request(on)
  await on.visit(of.uri, { allow, userCode: of.userCode })
  return of
}

/** Held if the device still waits. */
const waits = (answer: Answer, when: string): Finding =>
  judge(
    answer,
    answer.status === 400 && isWaiting(answer),
    `${when} is answered by ${errorOf(answer)}`,
    `${when} is answered by ${answer.status} ${errorOf(answer)}, not by 400 and authorization_pending`,
  )

/** Codes of eight letters or more have enough. Letters of a code are of one case, and some are left out. */
function bitsOf(userCode: string): number {
  const characters = userCode.replace(/[^a-z\d]/gi, '')
  const letters = /[a-z]/i.test(characters) ? 20 : 0
  const digits = /\d/.test(characters) ? 10 : 0
  return characters.length * Math.log2(Math.max(letters + digits, 1))
}

/** A check of the answer to a device. */
const reads = (
  name: string,
  clause: Clause,
  change: string,
  find: (asked: Asked, on: Audit) => Finding,
): Check => ({
  id: `device/${name}`,
  clause,
  ...OF_DEVICE,
  change,
  run: async (on) => find(await asked(on), on),
})

/** Programs without a browser: a person enters their code in one. */
export const device: readonly Check[] = [
  {
    id: 'device/named', clause: TEXT.named, depth: 'passive',
    change: `Publish ${ENDPOINT}, and ${GRANT} in grant_types_supported.`,
    async run(on) {
      const endpoint = await on.optionalEndpoint(ENDPOINT)
      const hasGrant = (await on.listOf('grant_types_supported')).includes(GRANT)
      if (endpoint === null && !hasGrant) return notApplicable('the metadata names neither')
      const lacks = endpoint === null ? `it names no ${ENDPOINT}` : `grant_types_supported has no ${GRANT}`
      return judge(await on.serverAnswer(), endpoint !== null && hasGrant, 'it names both', lacks)
    },
  },
  reads('answer', TEXT.answer, 'Answer with device_code, user_code, verification_uri and expires_in. interval, if there, is a number of seconds.', ({ answer }) => {
    const { device_code, user_code, verification_uri, expires_in, interval = 5 } = answer.json
    const missing = Object.entries({ device_code, user_code, verification_uri }).filter(([, value]) => typeof value !== 'string')
    const wrong = Object.entries({ expires_in, interval }).filter(([, value]) => !(typeof value === 'number' && value >= 0))
    const names = [...missing, ...wrong].map(([name]) => name)
    return judge(answer, names.length === 0, 'it has all of them', `no ${names.join(', no ')}`)
  }),
  reads('no-store', TEXT.noStore, 'Send Cache-Control: no-store with the answer to a device.', ({ answer }) => {
    const found = `Cache-Control is ${answer.headers.get('cache-control') ?? 'missing'}`
    return judge(answer, /\bno-store\b/i.test(found), found, found)
  }),
  reads('verification-uri', TEXT.uri, 'Let verification_uri be a short https URL of the server.', ({ answer, uri }, on) => {
    if (!URL.canParse(uri)) return violated(answer, `verification_uri is not a URL: ${uri}`)
    const { protocol, origin } = new URL(uri)
    const found = `verification_uri is ${uri}`
    return judge(answer, protocol === 'https:' || on.reaches(new URL(origin)), found, `${found}: neither https nor of the server`)
  }),
  reads('user-code', TEXT.userCode, 'Make user_code of eight letters or nine digits, and limit how many codes a person may try.', ({ answer, userCode }) => {
    const bits = Math.floor(bitsOf(userCode))
    const found = `${userCode.length} characters have about ${bits} bits`
    return judge(answer, bits >= TYPED_BITS, found, found)
  }),
  {
    id: 'device/device-code', clause: TEXT.deviceCode, ...OF_DEVICE,
    change: 'Make device_code of 128 random bits or more.',
    async run(on) {
      const [{ deviceCode: first }, { deviceCode: second, answer }] = [await asked(on), await request(on)]
      const bits = mostBits([first, second])
      const found = `two codes of ${second.length} characters differ in at most ${bits} bits`
      return judge(answer, bits >= LEAST_BITS, found, found)
    },
  },
  {
    id: 'device/unknown-client', clause: TEXT.unknownClient, depth: 'anonymous',
    change: 'Look the client up before you make a code, and answer invalid_client.',
    async run(on) {
      const answer = await on.form(await on.endpoint(ENDPOINT), { client_id: newSecret() })
      const found = `an unknown client is answered by ${answer.status} ${errorOf(answer) || 'without an error'}`
      return judge(answer, isRefused(answer), found, found)
    },
  },
  {
    id: 'device/unknown-code', clause: TEXT.grant, ...OF_DEVICE,
    change: 'Answer invalid_grant to an unknown device_code, so that its device stops asking.',
    async run(on) {
      const of = await asked(on)
      const answer = await poll(on, { ...of, deviceCode: newSecret() })
      // A server that forgets codes cannot tell an expired one from one that never was.
      return refusalOf(answer, ['invalid_grant', 'expired_token'], 'an unknown device code')
    },
  },
  {
    id: 'device/pending', clause: TEXT.error, ...OF_DEVICE,
    change: 'Answer 400 and authorization_pending until the person has decided.',
    run: async (on) => waits(await poll(on, await request(on)), 'a device that asks early'),
  },
  {
    id: 'device/fast-polling', clause: TEXT.patience, ...OF_DEVICE,
    change: 'Answer slow_down to a device that asks before interval has passed. Do not end its code.',
    async run(on) {
      const of = await request(on)
      return firstNotHeld(['first', 'second', 'third', 'fourth'], async (time) => waits(await poll(on, of), `the ${time} question within a second`))
    },
  },
  {
    id: 'device/link-asks', clause: TEXT.link, ...OF_PERSON,
    change: 'Show the code and the question to who opens verification_uri_complete, and decide nothing until the form is sent.',
    async run(on) {
      // The browser of the person is signed in, as that of a victim is.
      await on.sharedTokens()
      const of = await request(on)
      const link = of.answer.json['verification_uri_complete']
      if (typeof link !== 'string') return notApplicable('there is no verification_uri_complete', of.answer)
      const page = await on.visit(link, { until: ({ forms }) => !forms.some(hasPassword) })
      if (page.status >= 400) return notReached(`the link is answered by ${page.status}`, page)
      return nothingFor(await poll(on, of), 'the device, once the link was opened,')
    },
  },
  {
    id: 'device/other-client', clause: TEXT.grant, ...OF_PERSON,
    creates: { clients: 1, authorizations: 1 },
    change: 'Store the client with the device code, and answer invalid_grant to any other.',
    async run(on) {
      const other = await newDevice(on)
      const of = await answered(on, true)
      const answer = await poll(on, of, other.clientId === of.client.clientId ? await on.client('second') : other)
      if (isWaiting(answer)) return notReached('another client has to wait, as before a person decides', answer)
      return nothingFor(answer, 'another client')
    },
  },
  {
    id: 'device/tokens', clause: TEXT.tokens, ...OF_ALLOWED,
    change: 'Answer with access_token, token_type and expires_in, as to any other grant.',
    async run(on) {
      const { answer } = await allowed(on)
      return judge(answer, typeof answer.json['token_type'] === 'string', 'the device gets its tokens', 'the response has no token_type')
    },
  },
  {
    id: 'device/once', clause: TEXT.once, ...OF_ALLOWED,
    change: 'End the device code in the same step in which you issue its tokens.',
    async run(on) {
      const { of } = await allowed(on)
      const answer = await poll(on, of)
      if (isWaiting(answer)) return notReached(`a second question is answered by ${errorOf(answer)}`, answer)
      return nothingFor(answer, 'a redeemed code')
    },
  },
  {
    id: 'device/denied', clause: TEXT.error, ...OF_PERSON,
    change: 'Answer access_denied once the person has denied.',
    async run(on) {
      const answer = await poll(on, await answered(on, false))
      if (isWaiting(answer)) return notReached(`it could not be denied: ${errorOf(answer)}`, answer)
      return refusalOf(answer, ['access_denied'], 'a denied device')
    },
  },
] // prettier-ignore

/** The tokens of a device that a person allowed. */
const allowed = (on: Audit): Promise<{ readonly of: Asked; readonly answer: Answer }> =>
  on.once(ALLOWED.name, async () => {
    const of = await answered(on, true)
    const answer = await poll(on, of)
    if (!hasTokens(answer))
      throw new Stop(
        notReached(`an allowed device gets ${answer.status} ${errorOf(answer)}`, answer),
      )
    return { of, answer }
  })
