import { type Check } from '../check.js'
import { held, judge, notApplicable, violated } from '../finding.js'
import type { Audit } from '../engine/audit.js'
import { askWrongly, denied, errorOf } from './asking.js'

const ADD =
  'Add iss, with the issuer of the metadata, wherever you redirect to a client: with a code and with an error.'

/** Whether the server promises `iss`. */
const isPromised = async (on: Audit): Promise<boolean> =>
  (await on.server())['authorization_response_iss_parameter_supported'] === true

/** Held if a response names its issuer. A server that promises none need not. */
async function namesIssuer(on: Audit, parameters: URLSearchParams, what: string) {
  const issuer = parameters.get('iss')
  if (issuer !== null) return held(`${what} has iss=${issuer}`)
  return (await isPromised(on))
    ? violated(`${what} has no iss`)
    : notApplicable('the metadata does not promise iss')
}

/** A response of which only `iss` matters. One with a code does, if the server shows its errors to people. */
const anyResponse = async (on: Audit): Promise<URLSearchParams> =>
  askWrongly(on)
    .then(errorOf)
    .catch(async () => (await on.sharedTokens()).code.parameters!)

/** Who has answered: against a server in the middle, which passes on the answers of another one. */
export const issuer: readonly Check[] = [
  {
    id: 'issuer/offered',
    clause: {
      document: 'RFC 9700',
      section: '2.1',
      level: 'SHOULD',
      says: 'Clients of several servers compare iss to notice a mix-up, for which the server has to send it.',
    },
    depth: 'anonymous',
    change:
      'Add iss to every authorization response, and publish "authorization_response_iss_parameter_supported": true.',
    async run(on) {
      if (await isPromised(on)) return held('the metadata promises iss')
      const isSent = (await anyResponse(on)).has('iss')
      return judge(isSent, 'a response has iss', 'no response has iss, and the metadata does not promise it') // prettier-ignore
    },
  },
  {
    id: 'issuer/promised',
    clause: {
      document: 'RFC 9207',
      section: '2.3',
      level: 'MUST',
      says: 'A server that adds iss to its authorization responses says so, because clients require it only then.',
    },
    depth: 'anonymous',
    change:
      'Publish "authorization_response_iss_parameter_supported": true. Without it, a client accepts a response whose iss was removed.',
    async run(on) {
      if (await isPromised(on)) return held('the metadata promises iss')
      return (await anyResponse(on)).has('iss')
        ? violated('responses have iss, and the metadata does not promise it')
        : notApplicable('responses have no iss')
    },
  },
  {
    id: 'issuer/in-code',
    clause: {
      document: 'RFC 9207',
      section: '2',
      level: 'MUST',
      says: 'The response with a code names the issuer, so that the client does not send the code to another server.',
    },
    depth: 'people',
    change: ADD,
    async run(on) {
      const { parameters } = (await on.sharedTokens()).code
      return namesIssuer(on, parameters!, 'the response with a code')
    },
  },
  {
    id: 'issuer/in-error',
    clause: {
      document: 'RFC 9207',
      section: '2',
      level: 'MUST',
      says: 'The response with an error names the issuer too.',
    },
    depth: 'anonymous',
    change: ADD,
    run: async (on) => namesIssuer(on, errorOf(await askWrongly(on)), 'the response with an error'),
  },
  {
    id: 'issuer/in-denial',
    clause: {
      document: 'RFC 9207',
      section: '2',
      level: 'MUST',
      says: 'The response to a person who denies names the issuer too.',
    },
    depth: 'people',
    change: ADD,
    async run(on) {
      return namesIssuer(on, errorOf(await denied(on)), 'the response to a denial')
    },
  },
  {
    id: 'issuer/of-metadata',
    clause: {
      document: 'RFC 9207',
      section: '2.3',
      level: 'MUST',
      says: 'iss is the issuer of the metadata, character by character, because clients compare the two as text.',
    },
    depth: 'anonymous',
    change:
      'Take iss and the issuer of the metadata from one constant. A slash at the end makes them different.',
    async run(on) {
      const { issuer: named } = await on.server()
      const received = (await anyResponse(on)).get('iss')
      if (received === null) return notApplicable('the response has no iss')
      return judge(received === named, `iss is ${received}`, `iss is ${received}, and the issuer of the metadata is ${JSON.stringify(named)}`) // prettier-ignore
    },
  },
]
