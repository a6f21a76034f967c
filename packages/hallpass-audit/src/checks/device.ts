import { type Check } from '../check.js'
import { type Finding, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import type { Audit, Client } from '../engine/audit.js'
import type { Answer } from '../engine/http.js'
import { newSecret } from '../engine/random.js'
import {
  errorOf,
  hasTokens,
  isRefused,
  LEAST_BITS,
  mostBits,
  nothingFor,
  refusalOf,
} from './expect.js'

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const ENDPOINT = 'device_authorization_endpoint'
/** Less than the nine digits that RFC 8628, section 6.1, has as an example, and no more than a server can slow down. */
const TYPED_BITS = 26

/** A client that may be a device. */
const DEVICE = 'device client'
/** A device that a person has allowed. */
const ALLOWED = 'allowed device'
const OF_DEVICE = { depth: 'anonymous', shares: [{ name: DEVICE, clients: 1 }] } as const
const OF_ALLOWED = { depth: 'people', shares: [...OF_DEVICE.shares, { name: ALLOWED, authorizations: 1 }] } as const // prettier-ignore

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

const deviceClient = (on: Audit): Promise<Client> => on.once(DEVICE, () => newDevice(on))

const credentials = ({ clientId, secret }: Client) => ({ client_id: clientId, ...(secret !== null && { client_secret: secret }) }) // prettier-ignore

/** Asks for a code, as a device does. */
async function request(on: Audit): Promise<Asked> {
  const endpoint = await on.endpoint(ENDPOINT)
  const client = await deviceClient(on)
  const resource = await on.resourceIdentifier()
  const answer = await on.form(endpoint, { ...credentials(client), scope: client.scope, ...(resource !== null && { resource }) }) // prettier-ignore
  const { device_code: deviceCode, user_code: userCode, verification_uri: uri } = answer.json
  if (answer.status !== 200 || typeof deviceCode !== 'string')
    throw new Stop(notReached(`a device gets no code: ${answer.status} ${errorOf(answer)}`))
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

/** Programs without a browser: a person enters their code in one. */
export const device: readonly Check[] = [
  {
    id: 'device/named',
    clause: {
      document: 'RFC 8628',
      section: '4',
      level: 'SHOULD',
      says: 'The metadata names the endpoint for devices and their grant: both, or neither.',
    },
    depth: 'passive',
    change: `Publish ${ENDPOINT}, and ${GRANT} in grant_types_supported.`,
    async run(on) {
      const endpoint = await on.optionalEndpoint(ENDPOINT)
      const hasGrant = (await on.listOf('grant_types_supported')).includes(GRANT)
      if (endpoint === null && !hasGrant) return notApplicable('the metadata names neither')
      return judge(endpoint !== null && hasGrant, 'it names both', endpoint === null ? `it names no ${ENDPOINT}` : `grant_types_supported has no ${GRANT}`)
    },
  },
  {
    id: 'device/answer',
    clause: {
      document: 'RFC 8628',
      section: '3.2',
      level: 'MUST',
      says: 'A device gets a code for itself, a code and an address for the person, and the seconds for which they are valid.',
    },
    ...OF_DEVICE,
    change: 'Answer with device_code, user_code, verification_uri and expires_in. interval, if there, is a number of seconds.',
    async run(on) {
      const { answer } = await asked(on)
      on.show(answer)
      const { device_code, user_code, verification_uri, expires_in, interval = 5 } = answer.json
      const missing = Object.entries({ device_code, user_code, verification_uri }).filter(([, value]) => typeof value !== 'string').map(([name]) => name)
      const wrong = Object.entries({ expires_in, interval }).filter(([, value]) => !(typeof value === 'number' && value >= 0)).map(([name]) => name)
      return judge(missing.length + wrong.length === 0, 'it has all of them', `no ${[...missing, ...wrong].join(', no ')}`)
    },
  },
  {
    id: 'device/no-store',
    clause: {
      document: 'RFC 6749',
      section: '5.1',
      level: 'MUST',
      says: 'An answer with credentials is stored by no cache, and a device code is one.',
    },
    ...OF_DEVICE,
    change: 'Send Cache-Control: no-store with the answer to a device.',
    async run(on) {
      const { answer } = await asked(on)
      on.show(answer)
      const cache = answer.headers.get('cache-control') ?? 'nothing'
      return judge(/\bno-store\b/i.test(cache), `Cache-Control is ${cache}`, `Cache-Control is ${cache}`)
    },
  },
  {
    id: 'device/verification-uri',
    clause: {
      document: 'RFC 8628',
      section: '3.2',
      level: 'MUST',
      says: 'The address that a person opens is a URL of the authorization server, and no one on the way can change its page.',
    },
    ...OF_DEVICE,
    change: 'Let verification_uri be a short https URL of the server.',
    async run(on) {
      const { answer, uri } = await asked(on)
      on.show(answer)
      if (!URL.canParse(uri)) return violated(`verification_uri is not a URL: ${uri}`)
      const { protocol, origin } = new URL(uri)
      return judge(protocol === 'https:' || origin === on.origin, `verification_uri is ${uri}`, `verification_uri is ${uri}: neither https nor of ${on.origin}`)
    },
  },
  {
    id: 'device/user-code',
    clause: {
      document: 'RFC 8628',
      section: '5.1',
      level: 'SHOULD',
      says: 'The code for the person has so many values that none can be guessed before it expires.',
    },
    ...OF_DEVICE,
    change: 'Make user_code of eight letters or nine digits, and limit how many codes a person may try.',
    async run(on) {
      const { answer, userCode } = await asked(on)
      on.show(answer)
      const bits = Math.floor(bitsOf(userCode))
      return judge(bits >= TYPED_BITS, `${userCode.length} characters have about ${bits} bits`, `${userCode.length} characters have about ${bits} bits: a few million values or less`)
    },
  },
  {
    id: 'device/device-code',
    clause: {
      document: 'RFC 8628',
      section: '5.2',
      level: 'SHOULD',
      says: 'The code of the device is long and random: no one has to type it.',
    },
    ...OF_DEVICE,
    change: 'Make device_code of 128 random bits or more.',
    async run(on) {
      const [{ deviceCode: first }, { deviceCode: second }] = [await asked(on), await request(on)]
      const bits = mostBits([first, second])
      const text = `two codes of ${second.length} characters differ in at most ${bits} bits`
      return judge(bits >= LEAST_BITS, text, text)
    },
  },
  {
    id: 'device/unknown-client',
    clause: {
      document: 'RFC 8628',
      section: '3.1',
      level: 'MUST',
      says: 'A client that the server does not know gets no code.',
    },
    depth: 'anonymous',
    change: 'Look the client up before you make a code, and answer invalid_client.',
    async run(on) {
      const answer = await on.form(await on.endpoint(ENDPOINT), { client_id: newSecret() })
      const found = `an unknown client is answered by ${answer.status} ${errorOf(answer) || 'without an error'}`
      return judge(isRefused(answer), found, found)
    },
  },
  {
    id: 'device/unknown-code',
    clause: {
      document: 'RFC 6749',
      section: '5.2',
      level: 'MUST',
      says: 'A device code that the server did not issue is answered by invalid_grant.',
    },
    ...OF_DEVICE,
    change: 'Answer invalid_grant to an unknown device_code, so that its device stops asking.',
    async run(on) {
      const of = await asked(on)
      const answer = await poll(on, { ...of, deviceCode: newSecret() })
      // A server that forgets codes cannot tell an expired one from one that never was.
      return refusalOf(answer, ['invalid_grant', 'expired_token'], 'an unknown device code')
    },
  },
  {
    id: 'device/pending',
    clause: {
      document: 'RFC 8628',
      section: '3.5',
      level: 'MUST',
      says: 'A device that asks before the person has decided learns that it has to ask again.',
    },
    ...OF_DEVICE,
    change: 'Answer 400 and authorization_pending until the person has decided.',
    run: async (on) => waits(await poll(on, await request(on)), 'a device that asks early'),
  },
  {
    id: 'device/fast-polling',
    clause: {
      document: 'RFC 8628',
      section: '3.5',
      level: 'SHOULD',
      says: 'A device that asks too often is slowed down, and keeps its code.',
    },
    ...OF_DEVICE,
    change: 'Answer slow_down to a device that asks before interval has passed. Do not end its code.',
    async run(on) {
      const of = await request(on)
      for (let polls = 0; polls < 3; polls++) {
        const answer = waits(await poll(on, of), polls === 0 ? 'the first question' : 'the next one')
        if (answer.verdict !== 'held') return answer
      }
      return waits(await poll(on, of), 'the fourth question within a second')
    },
  },
  {
    id: 'device/link-asks',
    clause: {
      document: 'RFC 8628',
      section: '3.3.1',
      level: 'SHOULD',
      says: 'A link with the code in it only saves the typing: the person is still asked, since anyone may have sent the link.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    shares: [{ name: DEVICE, clients: 1 }],
    change: 'Show the code and the question to who opens verification_uri_complete, and decide nothing until the form is sent.',
    async run(on) {
      // The browser of the person is signed in, as that of a victim is.
      await on.sharedTokens()
      const of = await request(on)
      const link = of.answer.json['verification_uri_complete']
      if (typeof link !== 'string') return notApplicable('there is no verification_uri_complete')
      const { status } = await on.visit(link, { until: ({ forms }) => forms.every(({ passwords }) => passwords.length === 0) })
      if (status >= 400) return notReached(`the link is answered by ${status}`)
      return nothingFor(await poll(on, of), 'the device, once the link was opened,')
    },
  },
  {
    id: 'device/other-client',
    clause: {
      document: 'RFC 6749',
      section: '5.2',
      level: 'MUST',
      says: 'A device code is redeemed only by the client that it was issued to.',
    },
    depth: 'people',
    creates: { clients: 1, authorizations: 1 },
    shares: [{ name: DEVICE, clients: 1 }],
    change: 'Store the client with the device code, and answer invalid_grant to any other.',
    async run(on) {
      const other = await newDevice(on)
      const of = await answered(on, true)
      const answer = await poll(on, of, other.clientId === of.client.clientId ? await on.client('second') : other)
      if (isWaiting(answer)) return notReached('another client has to wait, as before a person decides')
      return nothingFor(answer, 'another client')
    },
  },
  {
    id: 'device/tokens',
    clause: {
      document: 'RFC 8628',
      section: '3.5',
      level: 'MUST',
      says: 'Once the person has allowed it, the device gets a token response as for any other grant.',
    },
    ...OF_ALLOWED,
    change: 'Answer with access_token, token_type and expires_in, as to any other grant.',
    async run(on) {
      const { answer } = await allowed(on)
      on.show(answer)
      return judge(
        typeof answer.json['token_type'] === 'string',
        'the device gets its tokens',
        'the response has no token_type',
      )
    },
  },
  {
    id: 'device/once',
    clause: {
      document: 'RFC 6749',
      section: '10.5',
      level: 'MUST',
      says: 'A code that carries the consent of a person is redeemed once, and so is that of a device.',
    },
    ...OF_ALLOWED,
    change: 'End the device code in the same step in which you issue its tokens.',
    async run(on) {
      const { of } = await allowed(on)
      const answer = await poll(on, of)
      if (isWaiting(answer)) return notReached(`a second question is answered by ${errorOf(answer)}`)
      return nothingFor(answer, 'a redeemed code')
    },
  },
  {
    id: 'device/denied',
    clause: {
      document: 'RFC 8628',
      section: '3.5',
      level: 'MUST',
      says: 'If the person denies it, the device is answered by access_denied, and stops asking.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    shares: [{ name: DEVICE, clients: 1 }],
    change: 'Answer access_denied once the person has denied.',
    async run(on) {
      const answer = await poll(on, await answered(on, false))
      if (isWaiting(answer)) return notReached(`it could not be denied: ${errorOf(answer)}`)
      return refusalOf(answer, ['access_denied'], 'a denied device')
    },
  },
] // prettier-ignore

/** The tokens of a device that a person allowed. */
const allowed = (on: Audit): Promise<{ readonly of: Asked; readonly answer: Answer }> =>
  on.once(ALLOWED, async () => {
    const of = await answered(on, true)
    const answer = await poll(on, of)
    if (!hasTokens(answer))
      throw new Stop(notReached(`an allowed device gets ${answer.status} ${errorOf(answer)}`))
    return { of, answer }
  })
