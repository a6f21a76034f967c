import type { Fault } from '../broken-server.js'
import { ORIGIN } from '../broken-server.js'
import { answers, both, type Broken, headers, json } from '../faults.js'

const SERVER = '/.well-known/oauth-authorization-server'
const OPENID = '/.well-known/openid-configuration'
type Document = Record<string, unknown>

/** Changes both documents. */
const inBoth = (change: (document: Document) => Document): Fault =>
  both(json(SERVER, change), json(OPENID, change))

const leaving = (...names: readonly string[]) => (document: Document): Document =>
  Object.fromEntries(Object.entries(document).filter(([name]) => !names.includes(name))) // prettier-ignore

/** Leaves members out of both documents. */
const without = (...names: readonly string[]): Fault => inBoth(leaving(...names))

/** Replaces members of both documents. */
const having = (members: Document): Fault => inBoth((document) => ({ ...document, ...members }))

const missing = () => new Response('Not found', { status: 404 })

export const metadata: readonly Broken[] = [
  {
    name: 'nothing is published',
    fault: both(answers(SERVER, missing), answers(OPENID, missing)),
    violates: ['metadata/published'],
  },
  {
    name: 'the metadata is a static file without an extension',
    fault: headers(SERVER, (of) => of.set('content-type', 'application/octet-stream')),
    violates: ['metadata/json'],
  },
  {
    name: 'the issuer is that of another host',
    fault: having({ issuer: 'https://staging.school.example' }),
    violates: ['metadata/issuer', 'issuer/of-metadata', 'introspection/issuer', 'id-token/issuer'],
    whole: true,
  },
  {
    name: 'only the OpenID configuration has the issuer of another host',
    fault: json(OPENID, (document) => ({ ...document, issuer: 'https://login.school.example' })),
    violates: ['metadata/issuer', 'metadata/same-server'],
  },
  {
    name: 'the issuer has a query',
    fault: having({ issuer: `${ORIGIN}?tenant=school` }),
    violates: ['metadata/issuer', 'metadata/issuer-form'],
  },
  {
    name: 'the issuer is not named',
    fault: without('issuer'),
    violates: ['metadata/issuer', 'metadata/issuer-form'],
  },
  {
    name: 'the token endpoint is not named',
    fault: without('token_endpoint'),
    violates: ['metadata/endpoints'],
  },
  {
    name: 'the token endpoint has http behind a proxy that ends TLS',
    fault: having({ token_endpoint: 'http://school.example/api/oauth/token' }),
    violates: ['metadata/secure-urls'],
  },
  {
    name: 'a further endpoint has http behind a proxy that ends TLS',
    fault: having({ end_session_endpoint: 'http://school.example/oauth/end-session' }),
    violates: ['metadata/further-secure-urls'],
  },
  {
    name: 'an endpoint is a path and no URL',
    fault: having({ userinfo_endpoint: '/api/oauth/userinfo' }),
    violates: ['metadata/further-secure-urls'],
  },
  {
    name: 'the authorization endpoint is a route of a page',
    fault: having({ authorization_endpoint: `${ORIGIN}/#/oauth/authorize` }),
    violates: ['metadata/no-fragments'],
  },
  {
    name: 'an endpoint is named that is not there',
    fault: having({ introspection_endpoint: `${ORIGIN}/api/oauth/introspection` }),
    violates: ['metadata/endpoints-answer'],
  },
  {
    name: 'response types are not published',
    fault: without('response_types_supported'),
    violates: ['metadata/response-types'],
  },
  {
    name: 'grant types are not published',
    fault: without('grant_types_supported'),
    violates: ['metadata/grant-types'],
  },
  {
    name: 'the implicit grant is published',
    fault: having({
      response_types_supported: ['code', 'id_token token'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'implicit'],
    }),
    violates: ['metadata/no-implicit'],
  },
  {
    name: 'the password grant is published',
    fault: having({ grant_types_supported: ['authorization_code', 'password', 'refresh_token'] }),
    violates: ['metadata/no-passwords'],
  },
  {
    name: 'scopes are not published',
    fault: without('scopes_supported'),
    violates: ['metadata/scopes'],
  },
  {
    name: 'the claims are one text',
    fault: having({ claims_supported: 'sub email name' }),
    violates: ['metadata/types', 'metadata/openid-claims'],
  },
  {
    name: 'the languages are those of an operating system',
    fault: having({ ui_locales_supported: ['en', 'en_US'] }),
    violates: ['metadata/types'],
  },
  {
    name: 'a boolean is a text',
    fault: having({ authorization_response_iss_parameter_supported: 'true' }),
    violates: ['metadata/types'],
  },
  {
    name: 'a list is empty',
    fault: having({ ui_locales_supported: [] }),
    violates: ['metadata/no-empty-lists'],
  },
  {
    name: 'public clients are registered, and their method is not published',
    fault: without('token_endpoint_auth_methods_supported'),
    violates: ['metadata/public-clients'],
  },
  {
    name: 'the algorithms of assertions are not published',
    fault: without('revocation_endpoint_auth_signing_alg_values_supported'),
    violates: ['metadata/assertion-algorithms'],
  },
  {
    name: 'assertions without a signature are offered',
    fault: having({ token_endpoint_auth_signing_alg_values_supported: ['ES256', 'none'] }),
    violates: ['metadata/signed-assertions'],
  },
  {
    name: 'ID tokens without a signature are offered',
    fault: having({ id_token_signing_alg_values_supported: ['ES256', 'none'] }),
    violates: ['metadata/signed-id-tokens'],
  },
  {
    name: 'the OpenID configuration is a copy of the metadata of OAuth',
    fault: json(OPENID, leaving('jwks_uri', 'subject_types_supported', 'id_token_signing_alg_values_supported')),
    violates: ['metadata/openid-members'],
  },
  {
    name: 'the OpenID configuration lists only the scopes of the API',
    fault: json(OPENID, (document) => ({ ...document, scopes_supported: ['courses:read'] })),
    violates: ['metadata/openid-scope'],
  },
  {
    name: 'the OpenID configuration says nothing of claims',
    fault: json(OPENID, leaving('claims_supported')),
    violates: ['metadata/openid-claims'],
  },
  {
    name: 'the OpenID configuration says nothing of PKCE',
    fault: json(OPENID, leaving('code_challenge_methods_supported')),
    violates: ['metadata/openid-pkce'],
  },
  {
    name: 'the OpenID configuration names the token endpoint of an earlier version',
    fault: json(OPENID, (document) => ({ ...document, token_endpoint: `${ORIGIN}/oauth/token` })),
    violates: ['metadata/same-server'],
  },
  {
    name: 'every path below the well-known one has the metadata',
    fault: {
      wrap: (next) => (request) => {
        const { pathname } = new URL(request.url)
        return next(pathname.startsWith(`${SERVER}/`) ? new Request(ORIGIN + SERVER) : request)
      },
    },
    violates: ['metadata/other-issuer'],
  },
  {
    name: 'URLs are formed from X-Forwarded-Host of anybody',
    fault: answers(SERVER, async (answer, request) => {
      const host = request.headers.get('x-forwarded-host') ?? '127.0.0.1:3000'
      const text = (await answer.text()).replaceAll(ORIGIN, `http://${host}`)
      return new Response(text, { headers: answer.headers })
    }),
    violates: ['metadata/forwarded-host'],
  },
] // prettier-ignore
