import type { Client } from 'hallpass/policy'
import { cimd, compared, oidc, rfc } from './check.js'
import { explainAuthorization, explainDocument, explainRegistration } from './explain.js'
import { parametersText, send } from './exchange.js'
import { challengeOf, nowSeconds, randomText } from './proof.js'
import { type ActId, type Asked, type Walk, withOutcome } from './walk.js'

/** The address to which the response of step 3 returns: this page. */
const REDIRECT_URI = `${location.origin}/`
/** The path of the client metadata document by which the school knows this page; without one, the page registers. */
const DOCUMENT_PATH = document.querySelector<HTMLElement>('#walk')?.dataset['document']
const FIXED_ADDRESS = 'https://app.example/callback'
const SCOPE = 'openid profile email courses:read'
const FOREIGN = 'https://another-school.example'

/** Reads the three metadata documents, which name every endpoint. */
export async function discover(walk: Walk): Promise<Walk> {
  const [server, connect, resource] = await Promise.all(
    [
      '/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration',
      '/.well-known/oauth-protected-resource',
    ].map((path) => send({ method: 'GET', path })),
  )
  const metadata = server!.json
  const methods = metadata['code_challenge_methods_supported']
  const checks = [
    compared('issuer is this origin', [metadata['issuer'], location.origin], rfc(8414, '3.3')),
    compared(
      'OpenID Connect discovery names the same issuer',
      [connect!.json['issuer'], location.origin],
      oidc('2', 'IDToken'),
    ),
    compared(
      'resource is this origin',
      [resource!.json['resource'], location.origin],
      rfc(9728, '3.3'),
    ),
    compared(
      'PKCE with S256 is supported',
      [Array.isArray(methods) && methods.includes('S256') ? 'S256' : null, 'S256'],
      rfc(8414, '2'),
    ),
    compared(
      'Responses name their issuer',
      [metadata['authorization_response_iss_parameter_supported'], true],
      rfc(9207, '3'),
    ),
  ]
  const ok = checks.every((check) => check.ok)
  return withOutcome(
    { ...walk, metadata: ok ? metadata : null },
    {
      act: 'discover',
      ok,
      said: ok
        ? 'Three documents, one origin. From here on the client needs no other knowledge of this school.'
        : 'The documents contradict each other, so a client stops here.',
      exchanges: [server!.exchange, connect!.exchange, resource!.exchange],
      checks,
    },
  )
}

/** Builds the client that the school stores for this page. `defineClient` would add 6 kB of rules to the script. */
const newClient = (
  fields: Pick<Client, 'clientId' | 'kind' | 'name' | 'redirectUris' | 'scopes' | 'createdAt'>,
): Client => ({
  ...fields,
  tokenEndpointAuthMethod: 'none',
  secrets: [],
  disabled: false,
  endsAt: null,
  description: null,
  icon: null,
  about: null,
  revision: 1,
  usedAt: null,
  deletedAt: null,
  document: null,
})

/** Reads the document by which the school knows this page, as its server would. */
async function readDocument(walk: Walk, path: string): Promise<Walk> {
  const answer = await send({ method: 'GET', path })
  const metadata = answer.json
  const clientId = location.origin + path
  const checks = [
    compared(
      'client_id is the address of the document',
      [metadata['client_id'], clientId],
      cimd('3'),
    ),
    ...explainDocument({ url: clientId, metadata }),
  ]
  const ok = answer.ok && checks.every((check) => check.ok)
  const client = newClient({
    clientId,
    kind: 'document',
    name: String(metadata['client_name']),
    redirectUris: [REDIRECT_URI],
    scopes: ['courses:read'],
    createdAt: nowSeconds(),
  })
  return withOutcome(
    { ...walk, client: ok ? client : walk.client },
    {
      act: 'register',
      ok,
      said: ok
        ? 'This page needs no registration: its client_id is the address of this document, and the owner of the address controls the client. The school has reviewed it.'
        : 'The document does not say what a client has to say, so the school does not know this page.',
      exchanges: [answer.exchange],
      checks,
    },
  )
}

/**
 * Makes this page a client: an app on this computer registers, and a page on the web has a document. Or tries to
 * register with an address on the web.
 */
export async function register(walk: Walk, act: 'register' | 'register.fixed'): Promise<Walk> {
  const isFixed = act === 'register.fixed'
  if (!isFixed && DOCUMENT_PATH !== undefined) return readDocument(walk, DOCUMENT_PATH)
  const metadata = {
    client_name: 'Front page walk',
    redirect_uris: [isFixed ? FIXED_ADDRESS : REDIRECT_URI],
    application_type: 'native',
    token_endpoint_auth_method: 'none',
  }
  const answer = await send({ method: 'POST', path: '/api/oauth/register', body: metadata })
  const { client_id: clientId, client_id_issued_at: issuedAt } = answer.json
  const isNew = answer.ok && typeof clientId === 'string'
  const checks = explainRegistration(metadata)
  return withOutcome(
    {
      ...walk,
      client: isNew
        ? newClient({
            clientId,
            kind: 'loopback',
            name: metadata.client_name,
            redirectUris: metadata.redirect_uris,
            scopes: null,
            createdAt: typeof issuedAt === 'number' ? issuedAt : nowSeconds(),
          })
        : walk.client,
    },
    {
      act,
      ok: answer.ok,
      said: saidOfRegistration({ isNew, isFixed, isAllowed: checks.every((check) => check.ok) }),
      exchanges: [answer.exchange],
      checks,
    },
  )
}

function saidOfRegistration({
  isNew,
  isFixed,
  isAllowed,
}: {
  isNew: boolean
  isFixed: boolean
  isAllowed: boolean
}): string {
  if (isNew)
    return 'This page is now a client: public, without a secret, and only for addresses on this computer.'
  if (isAllowed) return 'The school does not accept registrations now: the response says why.'
  return isFixed
    ? 'Anyone could claim an address on the web that belongs to others, so no client can register one. A known platform has an entry of its own, and an app of your own publishes a client ID metadata document.'
    : 'The school does not accept this registration.'
}

/** Creates an authorization request: its URL, and the values to keep until the response arrives. */
export async function ask(walk: Walk, act: Asked['act']): Promise<{ url: string; walk: Walk }> {
  const [verifier, state, nonce] = [randomText(), randomText(), randomText()]
  const challenge = await challengeOf(verifier)
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: walk.client!.clientId,
    redirect_uri: REDIRECT_URI,
    scope: act === 'authorize.scope' ? `${SCOPE} report_cards:read` : SCOPE,
    resource: act === 'authorize.resource' ? FOREIGN : location.origin,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state,
    nonce,
  }).toString()
  const asked = { act, query, verifier, challenge, state, nonce }
  // A new request makes the results of the previous one obsolete.
  const outcomes = walk.outcomes.filter(({ act: done }) => isBeforeAnswer(done))
  return {
    url: `/oauth/authorize?${query}`,
    walk: { ...walk, asked, code: null, tokens: null, ended: null, roles: [], outcomes },
  }
}

const isBeforeAnswer = (act: ActId): boolean => /^(?:discover|register|authorize)/.test(act)

/**
 * Reads the response of the authorization endpoint.
 *
 * @param answer - the query of the redirect
 */
export function answered(walk: Walk, answer: URLSearchParams): Walk {
  const { asked, client } = walk
  if (asked === null || client === null) return walk
  const checks = [
    compared(
      'state: the response belongs to this request',
      [answer.get('state'), asked.state],
      rfc(6749, '10.12'),
    ),
    compared(
      'iss: the response is from this school',
      [answer.get('iss'), location.origin],
      rfc(9207, '2.4'),
    ),
  ]
  const code = answer.get('code')
  const isTrusted = checks.every((check) => check.ok)
  const ok = isTrusted && code !== null
  return withOutcome(
    {
      ...walk,
      code: ok ? { value: code, arrivedAt: nowSeconds(), redeemedAt: null } : null,
    },
    {
      act: asked.act,
      ok,
      said: saidOf({ isTrusted, error: answer.get('error') }),
      exchanges: [
        {
          title: 'GET /oauth/authorize',
          status: 303,
          request: `GET /oauth/authorize\n?${parametersText(new URLSearchParams(asked.query))}`,
          response: `HTTP 303 See Other\nlocation: ${REDIRECT_URI}\n?${parametersText(answer)}`,
        },
      ],
      checks: [...explainAuthorization({ query: asked.query, client }), ...checks],
    },
  )
}

function saidOf({ isTrusted, error }: { isTrusted: boolean; error: string | null }): string {
  if (!isTrusted) return 'This tab did not request this response, or another server sent it.'
  if (error === null)
    return 'You signed in and allowed access. The response holds a code, which works once and for 60 seconds.'
  if (error === 'access_denied')
    return 'The client got no access: either you pressed Cancel (person_denied), or the account does not belong to staff (person_not_staff). The client cannot see which.'
  return 'The school cannot grant this request, so it returned an error without a sign-in.'
}
