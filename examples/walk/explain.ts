import {
  type AuthenticatedClient,
  type Client,
  decideAccess,
  decideApprover,
  decideAuthorizationRequest,
  decideCodeChallenge,
  decideDocument,
  decideRedemption,
  decideRedirectUri,
  decideRefresh,
  decideRegistration,
  decideRepeatedResource,
  decideResource,
  decideScopes,
  defineResource,
  type Grant,
  LOOPBACK_HOSTS,
  parseFormParameters,
  parseScope,
  REFRESH_POLICY,
  verifyPkceS256,
} from 'hallpass/policy'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { type Check, cimd, decided, rfc } from './check.js'
import { nowSeconds } from './proof.js'
import type { Asked, Code, Ended, Tokens } from './walk.js'

const registry = schoolScopes
const roles = schoolRoles
const names = defineResource(location.origin)
// The defaults of the library.
export const CODE_SECONDS = 60
const GRANT_SECONDS = 180 * 86_400

const quoted = (text: string): string =>
  text.length > 14 ? `'${text.slice(0, 10)}…'` : `'${text}'`
const list = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(', ')

/** Shows what registration decides about this metadata. */
export const explainRegistration = (metadata: unknown): readonly Check[] => [
  decided(
    'May this client register here?',
    ['decideRegistration', decideRegistration({ metadata, vendors: [] })],
    rfc(7591, '2'),
    ({ registration }) => `registration: { kind: '${registration.kind}' }`,
  ),
]

/** Shows what the school decides about a client metadata document. */
export const explainDocument = (given: { url: string; metadata: unknown }): readonly Check[] => [
  decided(
    'May the client of this document use these addresses?',
    ['decideDocument', decideDocument(given as Parameters<typeof decideDocument>[0])],
    cimd('4'),
    ({ document }) => `document: { redirectUris: [${list(document.redirectUris)}] }`,
  ),
]

/** Shows what the authorization endpoint decides about a query, part by part and as a whole. */
export function explainAuthorization({
  query,
  client,
}: {
  query: string
  client: Client
}): readonly Check[] {
  const parameters = parseFormParameters(query)
  const scope = parseScope(parameters.single('scope') ?? '')
  const policy = {
    registry,
    resource: names,
    requireState: true,
    defaultScopes: null,
    loopbackHosts: LOOPBACK_HOSTS,
  }
  return [
    decided(
      'May a response go to this address?',
      [
        'decideRedirectUri',
        decideRedirectUri({
          redirectUri: parameters.single('redirect_uri'),
          registered: client.redirectUris,
        }),
      ],
      rfc(8252, '7.3'),
    ),
    decided(
      'Is there a challenge that the exchange can verify?',
      [
        'decideCodeChallenge',
        decideCodeChallenge({
          codeChallenge: parameters.single('code_challenge'),
          codeChallengeMethod: parameters.single('code_challenge_method'),
        }),
      ],
      rfc(7636, '4.3'),
      ({ codeChallenge }) => `codeChallenge: ${quoted(codeChallenge)}`,
    ),
    decided(
      'May this client ask for these scopes?',
      ['decideScopes', scope.ok ? decideScopes({ scopes: scope.scopes, client, registry }) : scope],
      rfc(6749, '3.3'),
      ({ scopes }) => `scopes: [${list(scopes)}]`,
    ),
    decided(
      'Is the resource this school?',
      [
        'decideResource',
        decideResource({ resources: parameters.all('resource'), names, required: false }),
      ],
      rfc(8707, '2'),
      ({ resource }) => `resource: '${resource}'`,
    ),
    decided(
      'The request as a whole',
      ['decideAuthorizationRequest', decideAuthorizationRequest({ parameters, client, policy })],
      rfc(6749, '4.1.1'),
    ),
  ]
}

/** Shows whether a person with these roles may authorize a client of this kind. */
export const explainApproval = (client: Client, held: readonly string[]): Check =>
  decided(
    `May a person with the role ${held.join(', ') || 'none'} authorize this client?`,
    ['decideApprover', decideApprover({ roles: held, client, table: roles })],
    rfc(6749, '4.1.1'),
  )

/** Shows what the token endpoint decides about a code at a time. */
export function explainRedemption({
  code,
  asked,
  client,
  form,
  now = nowSeconds(),
}: {
  code: Code
  asked: Asked
  client: Client
  form: Readonly<Record<string, string>>
  now?: number
}): readonly Check[] {
  const codeVerifier = form['code_verifier'] ?? null
  const redirectUri = form['redirect_uri'] ?? null
  const resources = form['resource'] === undefined ? [] : [form['resource']]
  const kept = {
    ...grantOf({ client, scopes: [], createdAt: code.arrivedAt, ended: null }),
    codeHash: '',
    resourceSent: true,
    codeChallenge: asked.challenge,
    nonce: asked.nonce,
    grantEndsAt: null,
    authTime: null,
    issuedAt: code.arrivedAt,
    expiresAt: code.arrivedAt + CODE_SECONDS,
    redeemedAt: code.redeemedAt,
  }
  const decision = decideRedemption({
    code: kept,
    client: client as AuthenticatedClient,
    redirectUri,
    codeVerifier,
    resources,
    names,
    now,
  })
  return [
    decided(
      'Does the verifier match the challenge of step 3?',
      ['verifyPkceS256', verifyPkceS256({ codeVerifier, codeChallenge: asked.challenge })],
      rfc(7636, '4.6'),
    ),
    decided(
      'Is this the resource of step 3?',
      [
        'decideRepeatedResource',
        decideRepeatedResource({ resources, names, bound: names.canonical, required: true }),
      ],
      rfc(8707, '2.2'),
    ),
    decided(
      'The code: known, of this client, unused and less than 60 seconds old?',
      ['decideRedemption', decision],
      rfc(6749, '4.1.3'),
    ),
  ]
}

/** Shows what the gate of a resource decides about an access token. */
export function explainAccess(
  said: string,
  {
    tokens,
    client,
    ended,
    roles: held,
    required,
  }: {
    tokens: Tokens
    client: Client
    ended: Ended | null
    roles: readonly string[]
    required: readonly string[]
  },
): Check {
  const { scopes, issuedAt, expiresAt } = tokens
  const grant = grantOf({ client, scopes, createdAt: issuedAt, ended })
  const accessToken = { tokenHash: '', grantId: '', scopes, issuedAt, expiresAt, revokedAt: null }
  const person = { subject: '', orgId: '', roles: held, name: null, email: null, picture: null }
  const decision = decideAccess({
    found: { accessToken, grant },
    client,
    person,
    resource: names.canonical,
    required,
    registry,
    roles,
    now: nowSeconds(),
  })
  return decided(
    said,
    ['decideAccess', decision],
    rfc(6750, '3.1'),
    ({ access }) => `scopes: [${list(access.scopes)}]`,
  )
}

/** Shows what the token endpoint decides about a refresh token on its first use. */
export function explainRefresh({
  tokens,
  client,
}: {
  tokens: Tokens
  client: Client
}): readonly Check[] {
  const { scopes, issuedAt } = tokens
  const grant = grantOf({ client, scopes, createdAt: issuedAt, ended: null })
  const refreshToken = {
    tokenHash: '',
    grantId: '',
    issuedAt,
    expiresAt: grant.expiresAt,
    rotation: null,
  }
  const decision = decideRefresh({
    found: { refreshToken, grant, successorUsed: false },
    client: client as AuthenticatedClient,
    scopes: null,
    resources: [],
    names,
    registry,
    policy: REFRESH_POLICY.oneHolder,
    now: nowSeconds(),
  })
  return [
    decided(
      'Is the refresh token current, and its grant active?',
      ['decideRefresh', decision],
      rfc(6749, '6'),
      (refresh) => `outcome: '${refresh.outcome}'`,
    ),
  ]
}

function grantOf({
  client,
  scopes,
  createdAt,
  ended,
}: {
  client: Client
  scopes: readonly string[]
  createdAt: number
  ended: Ended | null
}): Grant {
  return {
    grantId: '',
    clientId: client.clientId,
    subject: '',
    scopes,
    resource: names.canonical,
    redirectUri: client.redirectUris[0] ?? '',
    createdAt,
    expiresAt: createdAt + GRANT_SECONDS,
    revokedAt: ended === null ? null : createdAt,
    revokedReason: ended,
  }
}
