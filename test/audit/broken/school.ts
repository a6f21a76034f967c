import { type Broken, answers, headers, json, replaced, requested, returned } from '../faults.js'
import {
  IDENTITY_CLAIMS,
  IDENTITY_SCOPES,
  MEMBER_SCOPES,
  OPERATOR_SCOPES,
  READ_SCOPES,
  WRITE_SCOPES,
  ENDPOINTS,
  ACCOUNT_FIELDS,
} from '../../../packages/hallpass-audit/src/profiles/school/tables.js'

const METADATA = '/.well-known/oauth-authorization-server'
const OPENID = '/.well-known/openid-configuration'
const TOKEN = '/api/oauth/token'
const REGISTER = '/api/oauth/register'
const GRAPHQL = '/account/graphql'
const slug = (text: string): string => text.replaceAll(/\W+|_/g, '-').toLowerCase()
const without = (values: unknown, one: string): unknown =>
  (values as string[]).filter((value) => value !== one)
const lacking =
  (name: string) =>
  (body: Record<string, unknown>): object =>
    Object.fromEntries(Object.entries(body).filter(([one]) => one !== name))
const registered = (body: object, status = 201) =>
  answers(REGISTER, () => Response.json(body, { status }))
const unchallenged = (path: string) => headers(path, (of) => of.delete('www-authenticate'))

const generated: readonly Broken[] = [
  ...[...IDENTITY_SCOPES, ...OPERATOR_SCOPES, ...MEMBER_SCOPES].map((scope) => ({
    name: `the metadata does not list ${scope}`,
    fault: json(METADATA, (body) => ({
      ...body,
      scopes_supported: without(body['scopes_supported'], scope),
    })),
    violates: [`school/scope-${slug(scope)}`],
  })),
  ...OPERATOR_SCOPES.map((scope) => ({
    name: `${scope} is not granted`,
    fault: json(TOKEN, (body) => ({
      ...body,
      scope: String(body['scope'])
        .split(' ')
        .filter((one) => one !== scope)
        .join(' '),
    })),
    violates: [`school/grants-${slug(scope)}`],
  })),
  ...ENDPOINTS.map(({ member }) => ({
    name: `the OpenID configuration has another ${member}`,
    fault: json(OPENID, (body) => ({ ...body, [member]: 'https://elsewhere.example/' })),
    violates: [`school/path-${slug(member)}`],
  })),
  ...IDENTITY_CLAIMS.map((claim) => ({
    name: `UserInfo lacks ${claim}`,
    fault: json('/api/oauth/userinfo', lacking(claim)),
    violates: [`school/userinfo-${slug(claim)}`],
  })),
  ...IDENTITY_CLAIMS.map((claim) => ({
    name: `UserInfo has another ${claim}`,
    fault: json('/api/oauth/userinfo', (body) => ({ ...body, [claim]: 'other' })),
    violates: [`school/claims-${slug(claim)}`],
  })),
  ...ACCOUNT_FIELDS.filter((path) => !path.endsWith('nodes')).map((path) => {
    const name = path.slice(path.lastIndexOf('.') + 1)
    return {
      name: `the Account API lacks ${path}`,
      fault: answers(
        GRAPHQL,
        async (answer) =>
          new Response((await answer.text()).replace(`"${name}":`, '"other":'), answer),
      ),
      violates: [`school/account-${slug(path)}`],
    }
  }),
]

export const school: readonly Broken[] = [
  ...generated,
  {
    name: 'the issuer has a slash at its end',
    fault: json(METADATA, (body) => ({ ...body, issuer: `${String(body['issuer'])}/` })),
    violates: ['school/issuer'],
  },
  {
    name: 'the resource has a path',
    fault: json('/.well-known/oauth-protected-resource', (body) => ({
      ...body,
      resource: `${String(body['resource'])}/mcp`,
    })),
    violates: ['school/resource'],
  },
  {
    name: 'there is no description of the API',
    fault: replaced('/openapi.json', () => new Response(null, { status: 404 })),
    violates: ['school/openapi'],
  },
  {
    name: 'the walkthrough is a page',
    fault: headers('/auth.md', (of) => of.set('content-type', 'text/html')),
    violates: ['school/auth-md'],
  },
  {
    name: 'refresh_token is not listed',
    fault: json(METADATA, (body) => ({ ...body, grant_types_supported: ['authorization_code'] })),
    violates: ['school/grant-types'],
  },
  {
    name: 'plain is listed',
    fault: json(METADATA, (body) => ({
      ...body,
      code_challenge_methods_supported: ['S256', 'plain'],
    })),
    violates: ['school/s256-only'],
  },
  {
    name: 'public clients are not listed',
    fault: json(METADATA, (body) => ({
      ...body,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    })),
    violates: ['school/auth-methods'],
  },
  {
    name: 'nothing is said of metadata documents',
    fault: json(METADATA, lacking('client_id_metadata_document_supported')),
    violates: ['school/document-flag'],
  },
  {
    name: 'ES256 is not listed',
    fault: json(OPENID, (body) => ({ ...body, id_token_signing_alg_values_supported: ['RS256'] })),
    violates: ['school/id-token-discovery'],
  },
  {
    name: 'a registration answers 200',
    fault: answers(REGISTER, async (answer) =>
      Response.json(await answer.json(), { status: answer.status === 201 ? 200 : answer.status }),
    ),
    violates: [
      'school/registration-client-id',
      'school/registration-public',
      'school/registration-confidential',
    ],
  },
  {
    name: 'a public client gets a secret',
    fault: json(REGISTER, (body) => ({ ...body, client_secret: 'secret' }), 201),
    violates: ['school/registration-public', 'school/error-revoke-unknown'],
  },
  {
    name: 'no client gets a secret',
    fault: json(REGISTER, lacking('client_secret'), 201),
    violates: ['school/registration-confidential'],
  },
  {
    name: 'any registration is accepted',
    fault: registered({ client_id: 'any' }),
    violates: [
      'school/registration-confidential',
      'school/registration-https',
      'school/registration-unknown-vendor',
      'school/registration-vendor',
      'school/error-code',
      'school/error-refresh-token',
      'school/error-revoke-unknown',
    ],
  },
  {
    name: 'operator clients may request account:read',
    fault: requested((query) => {
      if (query.get('scope')?.includes('account:read') && query.get('client_id') !== 'study-buddy')
        query.set('scope', 'openid')
    }),
    violates: ['school/no-self-serve-member', 'school/operator-account-read'],
  },
  {
    name: 'unreviewed documents may write',
    fault: requested((query) => {
      if (query.get('client_id')?.startsWith('https://audit.example')) query.set('scope', 'openid')
    }),
    violates: WRITE_SCOPES.map((scope) => `school/unreviewed-refused-${slug(scope)}`),
  },
  {
    name: 'every URL is a client',
    fault: requested((query) => {
      if (query.get('client_id')?.startsWith('https://nobody'))
        query.set('client_id', 'https://audit.example/client.json')
    }),
    violates: ['school/unlisted-document'],
  },
  {
    name: 'parameters have defaults',
    fault: requested((query) => {
      for (const [name, value] of Object.entries({
        response_type: 'code',
        client_id: 'study-buddy',
        redirect_uri: 'http://127.0.0.1:47317/callback',
        scope: 'openid',
        state: 's',
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      }))
        if (!query.has(name)) query.set(name, value)
    }),
    violates: [
      'school/request-response-type',
      'school/request-client-id',
      'school/request-redirect-uri',
      'school/request-scope',
      'school/request-code-challenge',
      'school/request-state',
    ],
  },
  {
    name: 'parameters are corrected',
    fault: requested((query) => {
      query.set('response_type', 'code')
      query.set('code_challenge_method', 'S256')
      if (query.get('resource')?.includes('elsewhere'))
        query.set('resource', 'http://127.0.0.1:3000')
    }),
    violates: [
      'school/request-response-type',
      'school/request-response-type-value',
      'school/request-code-challenge-method-value',
      'school/request-resource-value',
    ],
  },
  {
    name: 'the state is lost',
    fault: returned((to) => to.searchParams.delete('state')),
    violates: ['school/request-answer'],
  },
  {
    name: 'no ID token is issued',
    fault: json(TOKEN, lacking('id_token')),
    violates: [
      'school/exchange-tokens',
      'school/claims-sub',
      'school/claims-email',
      'school/claims-name',
      'school/claims-picture',
      'school/claims-org-id',
      'school/claims-roles',
      'school/id-token-key',
      'school/id-token-iss',
      'school/id-token-aud',
      'school/id-token-exp',
      'school/id-token-nonce',
    ],
  },
  {
    name: 'a refresh returns an ID token',
    fault: json(TOKEN, (body) => ({ id_token: 'x.y.z', ...body })),
    violates: ['school/refresh'],
  },
  {
    name: 'unknown grants are invalid requests',
    fault: json(
      TOKEN,
      (body) => ({
        ...body,
        error: body['error'] === 'unsupported_grant_type' ? 'invalid_request' : body['error'],
      }),
      400,
    ),
    violates: ['school/no-agent-auth'],
  },
  {
    name: 'errors of the token endpoint are of its own',
    fault: answers(TOKEN, async (answer) =>
      answer.status === 400 || answer.status === 401
        ? Response.json({ error: 'failed' }, { status: answer.status })
        : answer,
    ),
    violates: [
      'school/exchange-code',
      'school/exchange-redirect-uri',
      'school/exchange-client-id',
      'school/exchange-code-verifier',
      'school/exchange-resource',
      'school/secret-in-form',
      'school/no-agent-auth',
      'school/revoked-refresh-token',
      'school/error-malformed',
      'school/error-code',
      'school/error-refresh-token',
      'school/error-client',
      'school/error-description',
    ],
  },
  {
    name: 'the Account API has no challenge',
    fault: unchallenged(GRAPHQL),
    violates: [
      'school/account-without-token',
      'school/account-foreign-token',
      'school/account-operator-token',
      'school/revoked-access-token',
    ],
  },
  {
    name: 'the Account API has errors only',
    fault: answers(GRAPHQL, () => Response.json({ errors: [{ message: 'no' }] })),
    violates: [
      'school/account-viewer-id',
      'school/account-viewer-email',
      'school/account-viewer-enrolledcourses-nodes',
      'school/account-viewer-enrolledcourses-nodes-slug',
      'school/account-viewer-enrolledcourses-nodes-expiredate',
      'school/account-viewer-enrolledcourses-nodes-haslifetimeaccess',
      'school/account-viewer-enrolledcourses-nodes-lastwatchedlecture-lectureid',
      'school/account-viewer-enrolledcourses-nodes-lastwatchedlecture-positionseconds',
      'school/account-first',
      'school/account-without-token',
      'school/account-foreign-token',
      'school/account-operator-token',
      'school/revoked-access-token',
    ],
  },
  {
    name: '/mcp has no challenge',
    fault: unchallenged('/mcp'),
    violates: ['school/mcp-bad-token'],
  },
  {
    name: '/mcp lists no tools',
    fault: json('/mcp', (body) => ({ ...body, result: {} })),
    violates: ['school/mcp-anonymous', 'school/mcp-public-tools'],
  },
  {
    name: '/mcp lists the same tools to every caller',
    fault: json('/mcp', (body) => ({ ...body, result: { tools: [] } })),
    violates: ['school/mcp-public-tools'],
  },
  {
    name: '/mcp refuses the tokens of members',
    fault: answers('/mcp', (answer, request) =>
      request.headers.has('authorization') && answer.status === 200
        ? Response.json({ error: 'forbidden' }, { status: 403 })
        : answer,
    ),
    violates: ['school/member-token-at-mcp', 'school/mcp-public-tools'],
  },
  {
    name: 'the admin API has no challenge',
    fault: unchallenged('/api/v1/courses'),
    violates: ['school/admin-bad-token', 'school/admin-missing-scope'],
  },
  {
    name: 'the admin API fails',
    fault: answers('/api/v1/courses', (answer) =>
      answer.status === 200 ? new Response(null, { status: 500 }) : answer,
    ),
    violates: ['school/admin-api'],
  },
  {
    name: 'unreviewed documents get nothing',
    fault: requested((query) => {
      if (query.get('client_id') === 'https://audit.example/client.json')
        query.set('scope', 'courses:write')
    }),
    violates: [...IDENTITY_SCOPES, ...READ_SCOPES].map(
      (scope) => `school/unreviewed-allowed-${slug(scope)}`,
    ),
  },
  {
    name: 'errors have no description',
    fault: json(TOKEN, lacking('error_description'), 400),
    violates: ['school/error-description'],
  },
  {
    name: 'an unknown token cannot be revoked',
    fault: answers('/api/oauth/revoke', () =>
      Response.json({ error: 'invalid_token' }, { status: 400 }),
    ),
    violates: ['school/error-revoke-unknown', 'school/revoked-access-token'],
  },
]
