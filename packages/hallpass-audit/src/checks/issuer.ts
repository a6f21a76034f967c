import { type Check } from '../check.js'
import { ADVICE, AS, MUST, rfc9207 } from '../clause.js'
import { type Finding, held, judge, notApplicable, type Shown, violated } from '../finding.js'
import type { Audit } from '../engine/audit.js'
import { askWrongly, denied, errorOf, responsesWith } from './asking.js'

// prettier-ignore
const TEXT = {
  offered: rfc9207('2', ADVICE, AS, 'A server that sends iss lets a client of several servers notice a mix-up. RFC 9700 asks clients for it, and no server.'),
  promised: rfc9207('2.3', MUST, AS, 'The server MUST indicate its support for the iss parameter by setting the metadata parameter authorization_response_iss_parameter_supported, defined in Section 3, to true.'),
  sent: rfc9207('2', MUST, AS, 'In authorization responses to the client, including error responses, an authorization server supporting this specification MUST indicate its identity by including the iss parameter in the response.'),
  same: rfc9207('2.3', MUST, AS, "The issuer identifier included in the server's metadata value issuer MUST be identical to the iss parameter's value."),
}

const ADD =
  'Add iss, with the issuer of the metadata, wherever you redirect to a client: with a code and with an error.'

/** Whether the server promises `iss`. */
const isPromised = async (on: Audit): Promise<boolean> =>
  (await on.server())['authorization_response_iss_parameter_supported'] === true

/** Parameters that a client received, and the exchange that sent them. */
interface Received extends Shown {
  readonly parameters: URLSearchParams
}

/** Held if responses name their issuer. A server that promises none need not. */
async function namesIssuer(on: Audit, what: string, all: readonly Received[]): Promise<Finding> {
  const at = all.find(({ parameters }) => !parameters.has('iss')) ?? all[0]!
  const issuer = at.parameters.get('iss')
  if (issuer !== null) return held(at, `${what} has iss=${issuer}`)
  return (await isPromised(on))
    ? violated(at, `${what} has no iss`)
    : notApplicable('the metadata does not promise iss')
}

const withError = (asked: Parameters<typeof errorOf>[0]): Received => ({ ...asked, parameters: errorOf(asked) }) // prettier-ignore

async function withCode(on: Audit): Promise<Received> {
  const { code } = await on.sharedTokens()
  return { ...code, parameters: code.parameters! }
}

const isDenial = ({ parameters }: Received): boolean => parameters.get('error') === 'access_denied'

/** A response of which only `iss` matters. One with a code does, if the server shows its errors to people. */
const anyResponse = (on: Audit): Promise<Received> =>
  askWrongly(on).then(withError).catch(() => withCode(on)) // prettier-ignore

/**
 * Who has answered: against a server in the middle, which passes on the answers of another one. They read every response
 * of the audit, and so come late.
 */
export const issuer: readonly Check[] = [
  {
    id: 'issuer/offered',
    clause: TEXT.offered,
    depth: 'anonymous',
    change:
      'Add iss to every authorization response, and publish "authorization_response_iss_parameter_supported": true.',
    async run(on) {
      if (await isPromised(on)) return held(await on.serverAnswer(), 'the metadata promises iss')
      const response = await anyResponse(on)
      return judge(response, response.parameters.has('iss'), 'a response has iss', 'no response has iss, and the metadata does not promise it') // prettier-ignore
    },
  },
  {
    id: 'issuer/promised',
    clause: TEXT.promised,
    depth: 'anonymous',
    change:
      'Publish "authorization_response_iss_parameter_supported": true. Without it, a client accepts a response whose iss was removed.',
    async run(on) {
      if (await isPromised(on)) return held(await on.serverAnswer(), 'the metadata promises iss')
      const response = await anyResponse(on)
      return response.parameters.has('iss')
        ? violated(response, 'responses have iss, and the metadata does not promise it')
        : notApplicable('responses have no iss')
    },
  },
  {
    id: 'issuer/in-code',
    clause: TEXT.sent,
    depth: 'people',
    change: ADD,
    run: async (on) =>
      namesIssuer(on, 'a response with a code', [await withCode(on), ...responsesWith(on, 'code')]),
  },
  {
    id: 'issuer/in-error',
    clause: TEXT.sent,
    depth: 'anonymous',
    change: ADD,
    run: async (on) =>
      namesIssuer(on, 'a response with an error', [
        withError(await askWrongly(on)),
        ...responsesWith(on, 'error').filter((one) => !isDenial(one)),
      ]),
  },
  {
    id: 'issuer/in-denial',
    clause: TEXT.sent,
    depth: 'people',
    change: ADD,
    run: async (on) =>
      namesIssuer(on, 'the response to a denial', [
        withError(await denied(on)),
        ...responsesWith(on, 'error').filter(isDenial),
      ]),
  },
  {
    id: 'issuer/of-metadata',
    clause: TEXT.same,
    depth: 'anonymous',
    change:
      'Take iss and the issuer of the metadata from one constant. A slash at the end makes them different.',
    async run(on) {
      const { issuer: ours } = await on.server()
      const all = [
        await anyResponse(on),
        ...responsesWith(on, 'code'),
        ...responsesWith(on, 'error'),
      ]
      const named = all.filter(({ parameters }) => parameters.has('iss'))
      const response = named.find(({ parameters }) => parameters.get('iss') !== ours) ?? named[0]
      if (response === undefined) return notApplicable('the responses have no iss')
      const received = response.parameters.get('iss')
      return judge(response, received === ours, `iss is ${received}`, `iss is ${received}, and the issuer of the metadata is ${JSON.stringify(ours)}`) // prettier-ignore
    },
  },
]
