import { type Check } from '../check.js'
import { ADVICE, AS, mcpAuthorization, MUST, oidcDiscovery, rfc8414, SHOULD } from '../clause.js'
import { judge, notApplicable } from '../finding.js'
import { isRead } from '../engine/discovery.js'
import { inEach, listed, quote, type Wrong } from './documents.js'
import { listIn } from './expect.js'

const ALGORITHMS = 'id_token_signing_alg_values_supported'

// prettier-ignore
const TEXT = {
  signed: oidcDiscovery('3', ADVICE, AS, 'A server may offer ID tokens without a signature for the code flow only. No client needs them, and some verify nothing then.'),
  members: oidcDiscovery('3', MUST, AS, "jwks_uri REQUIRED. URL of the OP's JWK Set [JWK] document … subject_types_supported REQUIRED. JSON array containing a list of the Subject Identifier types that this OP supports. … id_token_signing_alg_values_supported REQUIRED."),
  openid: oidcDiscovery('3', SHOULD, AS, 'The server MUST support the "openid" scope value. Servers MAY choose not to advertise some supported scope values even when this parameter is used, although those defined in [OpenID.Core] SHOULD be listed, if supported.'),
  claims: oidcDiscovery('3', SHOULD, AS, 'claims_supported RECOMMENDED. JSON array containing a list of the Claim Names of the Claims that the OpenID Provider MAY be able to supply values for.'),
  pkce: mcpAuthorization('Authorization Code Protection', MUST, AS, 'Authorization servers providing OpenID Connect Discovery 1.0 MUST include code_challenge_methods_supported in their metadata to ensure MCP compatibility.'),
  alike: rfc8414('3', ADVICE, AS, 'A client reads one of the documents, so that both should tell it the same.'),
}
/** Members by which a client decides what to send where. */
const DECISIVE = /^(?:issuer|jwks_uri|\w+_endpoint|(?:response|grant)_types_supported|(?:token_endpoint_auth|code_challenge)_methods_supported)$/ // prettier-ignore

/** A member as a text. The order of a list means nothing. */
const plain = (value: unknown): string =>
  quote(Array.isArray(value) ? [...new Set(value.map(quote))].toSorted() : value)

/** Reads the document, if there is one. */
const openid = (good: string, wrong: Wrong): Check['run'] => async (on) => {
  // Stops if there is none.
  await on.openid()
  return inEach([await on.openidAnswer()], good, wrong)
} // prettier-ignore

/** Members that only the document of OpenID Connect Discovery has. */
export const openidMetadata: readonly Check[] = [
  {
    id: 'metadata/signed-id-tokens', clause: TEXT.signed, depth: 'passive',
    change: 'Remove "none" from id_token_signing_alg_values_supported.',
    run: openid('no ID token is offered without a signature', (document) =>
      listIn(document, ALGORITHMS)?.includes('none') === true ? `${ALGORITHMS} has "none"` : null,
    ),
  },
  {
    id: 'metadata/openid-members', clause: TEXT.members, depth: 'passive',
    change: 'Publish jwks_uri, subject_types_supported and id_token_signing_alg_values_supported. A server without OpenID serves no openid-configuration.',
    run: openid('it has all of them', (document, answer) => {
      if (typeof document['jwks_uri'] !== 'string') return 'jwks_uri is missing'
      return listed('subject_types_supported')(document, answer) ?? listed(ALGORITHMS)(document, answer)
    }),
  },
  {
    id: 'metadata/openid-scope', clause: TEXT.openid, depth: 'passive',
    change: 'Add "openid" to scopes_supported of the OpenID configuration.',
    async run(on) {
      const scopes = listIn(await on.openid(), 'scopes_supported')
      if (scopes === null) return notApplicable('the OpenID configuration lists no scopes')
      return judge(await on.openidAnswer(), scopes.includes('openid'), `it lists ${quote(scopes)}`)
    },
  },
  {
    id: 'metadata/openid-claims', clause: TEXT.claims, depth: 'passive',
    change: 'Publish claims_supported, with "sub" and the claims of the scopes. It need not be whole.',
    run: openid('claims_supported is there', listed('claims_supported')),
  },
  {
    id: 'metadata/openid-pkce', clause: TEXT.pkce, depth: 'passive',
    change: 'Publish "code_challenge_methods_supported": ["S256"] in the OpenID configuration. MCP clients that read it refuse a server without.',
    async run(on) {
      // Stops if there is no MCP endpoint.
      await on.mcpPath()
      return openid('it lists methods of PKCE', listed('code_challenge_methods_supported'))(on)
    },
  },
  {
    id: 'metadata/same-server', clause: TEXT.alike, depth: 'passive',
    change: 'Build both documents from one configuration. A client reads only one of them, so it depends on the client what it finds.',
    async run(on) {
      const other = await on.openid()
      const answer = await on.serverAnswer()
      if (!isRead(answer)) return notApplicable('the server has no document but that of OpenID')
      const { json } = answer
      const differing = Object.keys(other)
        .filter((name) => DECISIVE.test(name) && name in json && plain(other[name]) !== plain(json[name]))
        .map((name) => `${name}: ${quote(json[name])} and ${quote(other[name])}`)
      return judge(await on.openidAnswer(), differing.length === 0, 'both documents agree', `they differ in ${differing.join(', ')}`)
    },
  },
] // prettier-ignore
