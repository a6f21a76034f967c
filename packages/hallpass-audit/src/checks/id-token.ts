import { decodeJwt, decodeProtectedHeader } from 'jose'
import { type Check } from '../check.js'
import { ADVICE, AS, MUST, MUST_NOT, oidcCore, oidcDiscovery, rfc7519, rfc8725 } from '../clause.js'
import {
  type Finding,
  judge,
  notApplicable,
  notReached,
  type Shown,
  Stop,
  violated,
} from '../finding.js'
import type { Audit, Client, Tokens } from '../engine/audit.js'
import { quote } from './documents.js'
import { grantedScopes, listIn } from './expect.js'

// prettier-ignore
const TEXT = {
  rs256: oidcDiscovery('3', MUST, AS, 'The algorithm "RS256" MUST be included.'),
  issued: oidcCore('3.1.3.3', MUST, AS, 'In addition to the response parameters specified by OAuth 2.0, the following parameters MUST be included in the response: … id_token ID Token value associated with the authenticated session.'),
  unsigned: oidcCore('2', MUST_NOT, AS, 'ID Tokens MUST NOT use "none" as the "alg" value unless the Response Type used returns no ID Token from the Authorization Endpoint (such as when using the Authorization Code Flow) and the Client explicitly requested the use of "none" at Registration time.'),
  symmetric: oidcCore('10.1', MUST, AS, 'The signing party MUST select a signature algorithm based on the algorithms supported by the recipient. … Symmetric signatures MUST NOT be used by public (non-confidential) Clients because of their inability to keep secrets.'),
  algorithms: oidcDiscovery('3', MUST, AS, 'id_token_signing_alg_values_supported REQUIRED. JSON array containing a list of the JWS signing algorithms ("alg" values) supported by the OP for the ID Token to encode the Claims in a JWT [JWT].'),
  kid: oidcCore('10.1', MUST, AS, 'If there are multiple keys in the referenced JWK Set document, a "kid" value MUST be provided in the JOSE Header.'),
  type: rfc8725('3.12', ADVICE, AS, 'An ID token whose typ is that of another kind of JWT, such as at+jwt, may be taken for one.'),
  issuer: oidcDiscovery('3', MUST, AS, 'This also MUST be identical to the "iss" Claim value in ID Tokens issued from this Issuer.'),
  audience: oidcCore('2', MUST, AS, 'aud REQUIRED. Audience(s) that this ID Token is intended for. It MUST contain the OAuth 2.0 "client_id" of the Relying Party as an audience value.'),
  alone: oidcCore('3.1.3.7', ADVICE, AS, 'A server may name further audiences. Clients have to reject a token that names one which they do not trust, so that a token for only its client works everywhere.'),
  party: oidcCore('2', MUST, AS, 'azp OPTIONAL. Authorized party - the party to which the ID Token was issued. If present, it MUST contain the OAuth 2.0 Client ID of this party.'),
  times: rfc7519('4.1.4', MUST, AS, 'Its value MUST be a number containing a NumericDate value.'),
  expiry: oidcCore('2', MUST, AS, 'exp REQUIRED. Expiration time on or after which the ID Token MUST NOT be accepted by the RP when performing authentication with the OP.'),
  issuedAt: oidcCore('2', MUST, AS, 'iat REQUIRED. Time at which the JWT was issued.'),
  nonce: oidcCore('2', MUST, AS, 'If present in the Authentication Request, Authorization Servers MUST include a "nonce" Claim in the ID Token with the Claim Value being the nonce value sent in the Authentication Request.'),
}

type Members = Readonly<Record<string, unknown>>

/** An ID token that was read, but not trusted. */
export interface IdToken extends Shown {
  readonly jwt: string
  readonly header: Members
  readonly claims: Members
  readonly tokens: Tokens
}

export async function openidClient(on: Audit): Promise<Client> {
  const client = await on.client()
  if (!client.scope.split(' ').includes('openid'))
    throw new Stop(notApplicable('the client does not request the scope openid'))
  return client
}

export function read(tokens: Tokens): IdToken {
  const { idToken: jwt, exchange } = tokens
  if (jwt === null) throw new Stop(notApplicable('the server issued no ID token', tokens))
  try {
    return { jwt, exchange, header: decodeProtectedHeader(jwt), claims: decodeJwt(jwt), tokens }
  } catch {
    throw new Stop(notReached('the ID token is not a JWT that the audit can read', tokens))
  }
}

export const idTokenOf = async (on: Audit): Promise<IdToken> => read(await on.sharedTokens())

/** How far the clocks of two computers may differ, in seconds. */
export const SKEW = 300

/** Reads the ID token that all checks share. */
export const ofToken = (
  find: (token: IdToken, on: Audit) => Finding | Promise<Finding>,
): Pick<Check, 'depth' | 'run'> => ({
  depth: 'people',
  run: async (on) => find(await idTokenOf(on), on),
})

/** ID tokens: who signed in, for which client, when. */
export const idToken: readonly Check[] = [
  {
    id: 'id-token/rs256-offered',
    clause: TEXT.rs256,
    depth: 'passive',
    change:
      'Publish an RSA key, sign with RS256 for clients that ask for it, and list it in id_token_signing_alg_values_supported.',
    async run(on) {
      const named = listIn(await on.openid(), 'id_token_signing_alg_values_supported') ?? []
      return judge(await on.openidAnswer(), named.includes('RS256'), 'RS256 is listed', `the list is ${quote(named)}`) // prettier-ignore
    },
  },
  {
    id: 'id-token/issued',
    clause: TEXT.issued,
    depth: 'people',
    change: 'Return id_token from the token endpoint if the scope openid was granted.',
    async run(on) {
      await openidClient(on)
      const tokens = await on.sharedTokens()
      if (!grantedScopes(tokens).includes('openid'))
        return notApplicable('the scope openid was not granted', tokens)
      return judge(tokens, tokens.idToken !== null, 'the token response has an id_token', 'openid was granted, and the token response has no id_token') // prettier-ignore
    },
  },
  {
    id: 'id-token/unsigned',
    clause: TEXT.unsigned,
    change: 'Never issue an ID token with the algorithm none.',
    ...ofToken((token) => {
      const { alg } = token.header
      const isSigned = typeof alg === 'string' && alg.toLowerCase() !== 'none'
      return judge(token, isSigned, `the algorithm is ${quote(alg)}`, `the algorithm is ${quote(alg)}: anyone can write such a token`) // prettier-ignore
    }),
  },
  {
    id: 'id-token/symmetric',
    clause: TEXT.symmetric,
    change: 'Sign with an asymmetric algorithm, such as RS256 or ES256.',
    ...ofToken((token) => {
      if (token.tokens.code.client.secret !== null) return notApplicable('the client has a secret')
      const { alg } = token.header
      return judge(token, !String(alg).startsWith('HS'), `the algorithm is ${quote(alg)}`, `the algorithm is ${quote(alg)}, whose key would be a secret of the client`) // prettier-ignore
    }),
  },
  {
    id: 'id-token/algorithm-named',
    clause: TEXT.algorithms,
    change: 'List the alg of your ID tokens in id_token_signing_alg_values_supported.',
    ...ofToken(async (token, on) => {
      const { alg } = token.header
      const named = (await on.openid())['id_token_signing_alg_values_supported']
      const isNamed = Array.isArray(named) && named.includes(alg)
      return judge(token, isNamed, `${quote(alg)} is listed`, `the token is signed with ${quote(alg)}, and the list is ${quote(named)}`) // prettier-ignore
    }),
  },
  {
    id: 'id-token/key-named',
    clause: TEXT.kid,
    change: 'Give every key a kid, and write it into the header of each ID token.',
    ...ofToken(async (token, on) => {
      const { kid } = token.header
      const { length } = await on.keys()
      return judge(token, kid !== undefined || length < 2, `the kid is ${quote(kid)}, and the key set has ${length}`, `the header has no kid, and ${length} keys are published`) // prettier-ignore
    }),
  },
  {
    id: 'id-token/type',
    clause: TEXT.type,
    change:
      'Leave typ out of the header of ID tokens, or make it JWT. at+jwt is for access tokens.',
    ...ofToken((token) => {
      const { typ } = token.header
      const isOther = typeof typ === 'string' && /\+jwt$/i.test(typ) && !/id/i.test(typ)
      return judge(token, !isOther, `typ is ${quote(typ)}`, `typ is ${quote(typ)}, which is of another kind of JWT`) // prettier-ignore
    }),
  },
  {
    id: 'id-token/issuer',
    clause: TEXT.issuer,
    change: 'Take iss and the issuer of the metadata from one setting: a slash at the end differs.',
    ...ofToken(async (token, on) => {
      const { iss } = token.claims
      const { issuer } = await on.server()
      return judge(token, iss === issuer, `iss is ${quote(iss)}`, `iss is ${quote(iss)}, and the issuer ${quote(issuer)}`) // prettier-ignore
    }),
  },
  {
    id: 'id-token/audience',
    clause: TEXT.audience,
    change: 'Write the client_id into aud. The resource belongs into access tokens only.',
    ...ofToken((token) => {
      const { clientId } = token.tokens.code.client
      const { aud } = token.claims
      return judge(token, [aud].flat().includes(clientId), 'aud contains the client_id', `aud is ${quote(aud)}, and the client ${clientId}`) // prettier-ignore
    }),
  },
  {
    id: 'id-token/other-audience',
    clause: TEXT.alone,
    change: 'Issue each ID token to one client only: aud is its client_id and nothing else.',
    ...ofToken((token) => {
      const { clientId } = token.tokens.code.client
      const { aud } = token.claims
      const others = [aud].flat().filter((one) => one !== clientId)
      return judge(token, aud === undefined || others.length === 0, 'the client is the only audience', `aud names ${quote(others)}, of which the client knows nothing`) // prettier-ignore
    }),
  },
  {
    id: 'id-token/authorized-party',
    clause: TEXT.party,
    change: 'Write the client_id into azp, or leave azp out.',
    ...ofToken((token) => {
      const { azp } = token.claims
      const { clientId } = token.tokens.code.client
      return judge(token, azp === undefined || azp === clientId, `azp is ${quote(azp)}`, `azp is ${quote(azp)}, and the client ${clientId}`) // prettier-ignore
    }),
  },
  {
    id: 'id-token/times',
    clause: TEXT.times,
    change:
      'Write exp, iat and auth_time as numbers, and in seconds: Math.floor(Date.now() / 1000).',
    ...ofToken((token) => {
      const { claims } = token
      // A time in milliseconds lies in a year of five digits.
      const wrong = ['exp', 'iat', 'nbf', 'auth_time'].filter((name) => {
        const value = claims[name]
        return value !== undefined && !(typeof value === 'number' && value >= 0 && value < 1e11)
      })
      const said = wrong.map((name) => `${name} is ${quote(claims[name])}`).join(', ')
      return judge(token, wrong.length === 0, `exp is ${quote(claims['exp'])}`, said)
    }),
  },
  {
    id: 'id-token/expiry',
    clause: TEXT.expiry,
    change: 'Set exp some minutes after iat.',
    ...ofToken((token) => {
      const { exp, iat } = token.claims
      const { receivedAt } = token.tokens
      if (!(Number(exp) > receivedAt - SKEW))
        return violated(token, `exp is ${quote(exp)}, and the token came at ${Math.round(receivedAt)}`) // prettier-ignore
      return judge(token, !(Number(exp) <= Number(iat)), `exp is ${Number(exp) - Number(iat)} s after iat`, `exp is ${quote(exp)}, and iat ${quote(iat)}`) // prettier-ignore
    }),
  },
  {
    id: 'id-token/issued-at',
    clause: TEXT.issuedAt,
    change:
      'Set iat from the clock of the server when the token is signed, and keep that clock right.',
    ...ofToken((token) => {
      const { answer, receivedAt } = token.tokens
      const { iat } = token.claims
      const date = Date.parse(answer.headers.get('date') ?? '') / 1000
      // The clock of the server, if it tells; otherwise that of this computer.
      const away = Math.round(Number(iat) - (Number.isNaN(date) ? receivedAt : date))
      return judge(token, Math.abs(away) <= SKEW, `iat is ${Math.abs(away)} s from the answer`, `iat is ${quote(iat)}, which is ${Number.isNaN(away) ? 'no time' : `${away} s from the answer`}`) // prettier-ignore
    }),
  },
  {
    id: 'id-token/nonce',
    clause: TEXT.nonce,
    change: 'Store nonce with the code, and write it into the ID token as it came.',
    ...ofToken((token) => {
      const { nonce } = token.claims
      return judge(token, nonce === token.tokens.code.nonce, 'the nonce is that of the request', `the nonce of the token is ${nonce === undefined ? 'missing' : 'not that of the request'}`) // prettier-ignore
    }),
  },
]
