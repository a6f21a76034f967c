import {
  type Broken,
  answers,
  both,
  headers,
  json,
  received,
  replaced,
  requested,
  returned,
  sent,
} from '../../../packages/hallpass-audit/test/faults.js'
import {
  ACCOUNT_FIELDS,
  DOCUMENTS,
  ENDPOINTS,
  FIELD_TYPES,
  IDENTITY_CLAIMS,
  IDENTITY_SCOPES,
  LISTED,
  MEMBER_SCOPES,
  OPERATOR_SCOPES,
  READ_SCOPES,
  WRITE_SCOPES,
} from './tables.js'

/** A server that breaks statements of the service description. */
export interface BrokenSchool extends Broken {
  /** The statements that are run. Default: all. Given where many servers have one fault each, in many rows of a table. */
  readonly only?: readonly string[]
}

const METADATA = '/.well-known/oauth-authorization-server'
const OPENID = '/.well-known/openid-configuration'
const RESOURCE = '/.well-known/oauth-protected-resource'
const AUTHORIZE = '/oauth/authorize'
const TOKEN = '/api/oauth/token'
const REGISTER = '/api/oauth/register'
const REVOKE = '/api/oauth/revoke'
const USERINFO = '/api/oauth/userinfo'
const GRAPHQL = '/account/graphql'
const COURSES = '/api/v1/courses'
const CALLBACK = 'http://127.0.0.1:47317/callback'
const DOCUMENT = 'https://audit.example/client.json'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

type Body = Record<string, unknown>
const slug = (text: string): string => text.replaceAll(/\W+|_/g, '-').toLowerCase()
const without = (values: unknown, one: string): unknown =>
  (values as string[]).filter((value) => value !== one)
const lacking =
  (name: string) =>
  (body: Body): object =>
    Object.fromEntries(Object.entries(body).filter(([one]) => one !== name))
const unchallenged = (path: string) => headers(path, (of) => of.delete('www-authenticate'))
const asText = (path: string) => headers(path, (of) => of.set('content-type', 'text/plain'))
/** Changes a text in the answers of one path. */
const text = (path: string, change: (body: string) => string) =>
  answers(path, async (answer) => new Response(change(await answer.text()), answer))
const named = (prefix: string, names: readonly string[]): readonly string[] =>
  names.map((name) => `school/${prefix}${slug(name)}`)

/** Changes a part of the ID token, and leaves the signature as it was. */
const idToken = (part: 0 | 1, change: (claims: Body) => object) =>
  json(TOKEN, (body) => {
    const parts = String(body['id_token']).split('.')
    if (parts.length < 3) return body
    const read = JSON.parse(Buffer.from(parts[part]!, 'base64url').toString()) as Body
    parts[part] = Buffer.from(JSON.stringify(change(read))).toString('base64url')
    return { ...body, id_token: parts.join('.') }
  })

const SCOPES = [...IDENTITY_SCOPES, ...OPERATOR_SCOPES, ...MEMBER_SCOPES]
const GRANTED = [...IDENTITY_SCOPES, ...OPERATOR_SCOPES, 'account:read']
const CLAIMS = [...named('userinfo-', IDENTITY_CLAIMS), ...named('claims-', IDENTITY_CLAIMS)]

const generated: readonly BrokenSchool[] = [
  ...SCOPES.map((scope) => ({
    name: `the metadata does not list ${scope}`,
    fault: json(METADATA, (body) => ({
      ...body,
      scopes_supported: without(body['scopes_supported'], scope),
    })),
    violates: [`school/scope-${slug(scope)}`],
    only: named('scope-', SCOPES),
  })),
  ...GRANTED.map((scope) => ({
    name: `${scope} is not granted`,
    fault: json(TOKEN, (body) => ({
      ...body,
      scope: without(String(body['scope']).split(' '), scope),
    })),
    violates: [`school/grants-${slug(scope)}`],
    only: named('grants-', GRANTED),
  })).map((one) => ({
    ...one,
    fault: both(
      one.fault,
      json(TOKEN, (body) => ({ ...body, scope: [body['scope']].flat().join(' ') })),
    ),
  })),
  ...DOCUMENTS.map((path) => ({
    name: `${path} is text`,
    fault: asText(path),
    violates: [`school/get${slug(path)}`],
    only: named('get', DOCUMENTS),
  })),
  ...ENDPOINTS.map(({ member }) => ({
    name: `the metadata has another ${member}`,
    fault: json(METADATA, (body) => ({ ...body, [member]: `${String(body[member])}/v1` })),
    violates: [`school/path-${slug(member)}`, 'school/openid-agrees'],
    only: [
      'school/openid-agrees',
      ...named(
        'path-',
        ENDPOINTS.map((one) => one.member),
      ),
    ],
  })),
  ...LISTED.map(({ list, value }) => ({
    name: `the metadata does not list ${value}`,
    fault: json(METADATA, (body) => ({ ...body, [list]: without(body[list], value) })),
    violates: [`school/lists-${slug(value)}`],
    only: named(
      'lists-',
      LISTED.map((one) => one.value),
    ),
  })),
  ...FIELD_TYPES.map(({ field, wrong }) => ({
    name: `${field} may have any type`,
    fault: sent(REGISTER, (body) =>
      body[field] === wrong ? { ...body, [field]: undefined, redirect_uris: [CALLBACK] } : body,
    ),
    violates: [`school/registration-type-${slug(field)}`],
    only: named(
      'registration-type-',
      FIELD_TYPES.map((one) => one.field),
    ),
  })),
  ...IDENTITY_CLAIMS.map((claim) => ({
    name: `UserInfo lacks ${claim}`,
    fault: json(USERINFO, lacking(claim)),
    violates: [`school/userinfo-${slug(claim)}`],
    only: CLAIMS,
  })),
  ...IDENTITY_CLAIMS.map((claim) => ({
    name: `UserInfo has another ${claim}`,
    fault: json(USERINFO, (body) => ({ ...body, [claim]: 'other' })),
    violates: [`school/claims-${slug(claim)}`],
    only: CLAIMS,
  })),
  ...ACCOUNT_FIELDS.filter((path) => !path.endsWith('nodes')).map((path) => ({
    name: `the Account API lacks ${path}`,
    fault: text(GRAPHQL, (body) =>
      body.replace(`"${path.slice(path.lastIndexOf('.') + 1)}":`, '"other":'),
    ),
    violates: [`school/account-${slug(path)}`],
    only: named('account-', ACCOUNT_FIELDS),
  })),
  ...[
    { claim: 'iss', value: 'https://elsewhere.example', rules: ['iss'] },
    { claim: 'aud', value: 'another-client', rules: ['aud'] },
    { claim: 'exp', value: 1_500_000_000, rules: ['exp', 'lifetime'] },
    { claim: 'exp', value: 4_000_000_000, rules: ['lifetime'] },
    { claim: 'nonce', value: 'another', rules: ['nonce'] },
  ].map(({ claim, value, rules }) => ({
    name: `${claim} of the ID token is ${value}`,
    fault: idToken(1, (claims) => ({ ...claims, [claim]: value })),
    violates: named('id-token-', [...rules, 'signature']),
  })),
  ...[
    { path: USERINFO, more: ['userinfo-without-token'], name: 'userinfo' },
    {
      path: GRAPHQL,
      more: [
        'account-without-token',
        'account-foreign-token',
        'account-operator-token',
        'revoked-access-token',
      ],
      name: 'account',
    },
    { path: '/mcp', more: [], name: 'mcp' },
    { path: COURSES, more: [], name: 'admin' },
  ].map(({ path, more, name }) => ({
    name: `${path} has no challenge`,
    fault: unchallenged(path),
    violates: named('', [
      ...more,
      ...['malformed-token', 'invalid-token', 'pointer', 'missing-scope'].map(
        (one) => `${name}-${one}`,
      ),
    ]),
  })),
]

/** Errors of the token endpoint. */
const TOKEN_ERRORS = [
  'exchange-code',
  'exchange-redirect-uri',
  'exchange-client-id',
  'exchange-code-verifier',
  'exchange-resource',
  'mismatched-resource',
  'mismatched-redirect-uri',
  'mismatched-code-verifier',
  'mismatched-client-id',
  'mismatched-refresh-token',
  'used-code',
  'refresh-scope',
  'refresh-refresh-token',
  'missing-secret',
  'wrong-secret',
  'no-agent-claim',
  'revoked-refresh-token',
  'error-malformed',
  'error-code',
  'error-refresh-token',
  'error-client',
  'error-refresh-client',
  'error-description-token',
]

const single: readonly BrokenSchool[] = [
  {
    name: 'the issuer has a slash at its end',
    fault: json(METADATA, (body) => ({ ...body, issuer: `${String(body['issuer'])}/` })),
    violates: ['school/issuer'],
  },
  {
    name: 'the OpenID configuration has another issuer',
    fault: json(OPENID, (body) => ({ ...body, issuer: `${String(body['issuer'])}/` })),
    violates: ['school/issuer-openid'],
  },
  {
    name: 'the resource has a path',
    fault: json(RESOURCE, (body) => ({ ...body, resource: `${String(body['resource'])}/mcp` })),
    violates: ['school/resource'],
  },
  {
    name: 'another origin issues the tokens',
    fault: json(RESOURCE, (body) => ({
      ...body,
      authorization_servers: ['https://elsewhere.example'],
    })),
    violates: named('', ['authorization-servers', 'userinfo-pointer', 'admin-pointer']),
  },
  {
    name: 'there is no description of the API',
    fault: replaced('/openapi.json', () => new Response(null, { status: 404 })),
    violates: named('', ['openapi', 'get-openapi-json', 'openapi-paths', 'openapi-scopes']),
  },
  {
    name: 'the description leaves out the tools',
    fault: text('/openapi.json', (body) => body.replace('"/mcp":', '"/tools":')),
    violates: ['school/openapi-paths'],
  },
  {
    name: 'an operation requires a scope of its own',
    fault: text('/openapi.json', (body) => body.replaceAll('courses:write', 'courses:admin')),
    violates: ['school/openapi-scopes'],
  },
  {
    name: 'the walkthrough is a page',
    fault: headers('/auth.md', (of) => of.set('content-type', 'text/html')),
    violates: ['school/auth-md'],
  },
  {
    name: 'the walkthrough is a stub',
    fault: text('/auth.md', () => '# Authentication'),
    violates: ['school/auth-md-walkthrough'],
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
    name: 'the response type token is listed',
    fault: json(METADATA, (body) => ({ ...body, response_types_supported: ['code', 'token'] })),
    violates: ['school/code-only'],
  },
  {
    name: 'iss is not announced',
    fault: json(METADATA, lacking('authorization_response_iss_parameter_supported')),
    violates: ['school/iss-announced'],
  },
  {
    name: 'nothing is said of metadata documents',
    fault: json(METADATA, lacking('client_id_metadata_document_supported')),
    violates: ['school/document-flag'],
  },
  {
    name: 'ES256 is not listed',
    fault: json(OPENID, (body) => ({ ...body, id_token_signing_alg_values_supported: ['RS256'] })),
    violates: ['school/id-token-algorithm'],
  },
  {
    name: 'the OpenID configuration has no jwks_uri',
    fault: json(OPENID, lacking('jwks_uri')),
    violates: ['school/key-set'],
  },
  {
    name: 'agents are announced',
    fault: json(METADATA, (body) => ({ ...body, agent_auth: {} })),
    violates: ['school/no-agent-metadata'],
  },
  {
    name: 'a client gets no client_id',
    fault: json(REGISTER, lacking('client_id'), 201),
    violates: named('', [
      'registration-client-id',
      'registration-port-and-path',
      'registration-public',
      'registration-confidential',
      'registration-vendor',
    ]),
  },
  {
    name: 'a registration needs a token',
    fault: replaced(REGISTER, () =>
      Response.json({ error: 'invalid_token', error_description: 'send a token' }, { status: 401 }),
    ),
    violates: named('', [
      'registration-client-id',
      'registration-native',
      'registration-port-and-path',
      'registration-public',
      'registration-confidential',
      'registration-https',
      'registration-http',
      'registration-mixed',
      'registration-unknown-vendor',
      'registration-vendor',
      'error-malformed-registration',
      ...FIELD_TYPES.map(({ field }) => `registration-type-${slug(field)}`),
    ]),
  },
  {
    name: 'a public client gets a secret',
    fault: json(REGISTER, (body) => ({ client_secret: 'secret', ...body }), 201),
    violates: ['school/registration-public'],
    only: ['school/registration-public', 'school/registration-confidential'],
  },
  {
    name: 'no client gets a secret',
    fault: json(REGISTER, lacking('client_secret'), 201),
    violates: ['school/registration-confidential'],
  },
  {
    name: 'no vendor is known by its name',
    fault: sent(REGISTER, (body) => ({ redirect_uris: [CALLBACK], ...body })),
    violates: ['school/registration-unknown-vendor', 'school/registration-vendor'],
  },
  {
    name: 'a form is registered too',
    fault: {
      wrap: (next) => async (request) => {
        const { method, url, headers } = request
        if (!url.endsWith(REGISTER) || headers.get('content-type') === 'application/json')
          return next(request)
        const { redirect_uris: uri, ...form } = Object.fromEntries(
          new URLSearchParams(await request.text()),
        )
        const body = JSON.stringify({ ...form, redirect_uris: [uri] })
        return next(
          new Request(url, {
            method,
            headers: { 'content-type': 'application/json' },
            ...(method === 'POST' && { body }),
          }),
        )
      },
    },
    violates: ['school/registration-form'],
  },
  {
    name: 'other redirect URIs are left out',
    fault: sent(REGISTER, ({ redirect_uris: uris, ...body }) => ({
      ...body,
      redirect_uris: Array.isArray(uris)
        ? uris.map((uri) => (String(uri).includes('audit.example') ? CALLBACK : (uri as unknown)))
        : uris,
    })),
    violates: named('', [
      'registration-https',
      'registration-http',
      'registration-mixed',
      'error-json-register',
      'error-description-register',
    ]),
  },
  {
    name: 'a registration that is not JSON is a fault',
    fault: answers(REGISTER, async (answer, request) =>
      (await request.text()) === '{' ? new Response('SyntaxError', { status: 500 }) : answer,
    ),
    violates: ['school/error-malformed-registration'],
  },
  {
    name: 'the registration endpoint has a page',
    fault: answers(REGISTER, (answer, { method }) =>
      method === 'GET' ? new Response('Register here') : answer,
    ),
    violates: ['school/register-post'],
  },
  {
    name: 'a registration is answered by text',
    fault: asText(REGISTER),
    violates: ['school/register-json', 'school/error-json-register'],
  },
  {
    name: 'agents get a token to claim',
    fault: answers(REGISTER, async (answer, request) => {
      const { type } = (await request.json().catch(() => ({}))) as Body
      return type === undefined ? answer : Response.json({ registration_id: 'r', claim_token: 'c' })
    }),
    violates: named('', [
      'no-agent-identity-assertion',
      'no-agent-service-auth',
      'no-agent-anonymous',
    ]),
  },
  {
    name: 'any client may request account:read',
    fault: requested((query) => {
      if (query.get('scope')?.includes('account:read') && query.get('client_id') !== 'study-buddy')
        query.set('scope', 'openid')
    }),
    violates: named('', ['no-self-serve-member', 'operator-account-read', 'document-no-member']),
  },
  {
    name: 'member clients may request any scope',
    fault: requested((query) => {
      if (query.get('client_id') === 'study-buddy' && query.get('scope')?.includes('courses'))
        query.set('scope', 'openid')
    }),
    violates: ['school/member-picked-scopes'],
  },
  {
    name: 'staff may not use member clients',
    fault: {
      wrap:
        (next, { sessionOf }) =>
        (request) =>
          request.url.includes('client_id=study-buddy') &&
          sessionOf(request)?.subject.startsWith('per_')
            ? new Response('Students only', { status: 403 })
            : next(request),
    },
    violates: ['school/member-any-role'],
  },
  {
    name: 'every person is an owner',
    fault: {
      site: {
        findPerson: async (subject) => ({
          subject,
          orgId: 'school',
          picture: 'https://school.example/people/1.png',
          email: 'mei@school.example',
          name: 'Mei-Ling',
          roles: ['owner', 'student'],
        }),
      },
    },
    violates: ['school/operator-acts-for-staff'],
  },
  {
    name: 'unreviewed documents may write',
    fault: requested((query) => {
      if (query.get('client_id') === DOCUMENT) query.set('scope', 'openid')
    }),
    violates: [...named('unreviewed-refused-', WRITE_SCOPES), 'school/document-no-member'],
  },
  {
    name: 'unreviewed documents get nothing',
    fault: requested((query) => {
      if (query.get('client_id') === DOCUMENT) query.set('scope', 'courses:write')
    }),
    violates: named('unreviewed-allowed-', [...IDENTITY_SCOPES, ...READ_SCOPES]),
  },
  {
    name: 'the form of a document is not checked',
    fault: requested((query) => {
      if (
        !/[/](?:http|without-redirect-uris|redirect-elsewhere)[.]json$/.test(
          query.get('client_id') ?? '',
        )
      )
        return
      query.set('client_id', DOCUMENT)
      query.set('redirect_uri', CALLBACK)
    }),
    violates: named('', [
      'document-http',
      'document-without-redirect-uris',
      'document-redirect-elsewhere',
    ]),
  },
  {
    name: 'documents may name loopback addresses only',
    fault: requested((query) => {
      if (query.get('redirect_uri')?.startsWith('https:')) query.delete('redirect_uri')
    }),
    violates: ['school/document-redirect-here'],
  },
  {
    name: 'every URL is a client',
    fault: requested((query) => {
      if (query.get('client_id')?.startsWith('https://nobody')) query.set('client_id', DOCUMENT)
    }),
    violates: ['school/unlisted-document'],
  },
  {
    name: 'parameters have defaults',
    fault: requested((query) => {
      const usual = {
        response_type: 'code',
        client_id: 'study-buddy',
        redirect_uri: CALLBACK,
        scope: 'openid',
        state: 's',
        resource: 'http://127.0.0.1:3000',
        code_challenge: CHALLENGE,
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(usual))
        if (!query.has(name)) query.set(name, value)
    }),
    violates: named('request-', [
      'response_type',
      'client_id',
      'redirect_uri',
      'scope',
      'state',
      'resource',
      'code_challenge',
      'code_challenge_method',
    ]),
  },
  {
    name: 'parameters are corrected',
    fault: requested((query) => {
      query.set('response_type', 'code')
      query.set('code_challenge_method', 'S256')
      const right = {
        client_id: ['no-such-client', 'study-buddy'],
        redirect_uri: ['http://127.0.0.1:47317/not-registered', CALLBACK],
        resource: ['https://elsewhere.example', 'http://127.0.0.1:3000'],
        code_challenge: ['too-short', CHALLENGE],
        scope: ['openid,account:read', 'openid account:read'],
      }
      for (const [name, [wrong, value]] of Object.entries(right))
        if (query.get(name) === wrong) query.set(name, value!)
    }),
    violates: named('request-', [
      'response_type',
      ...[
        'response_type',
        'client_id',
        'redirect_uri',
        'scope',
        'resource',
        'code_challenge',
        'code_challenge_method',
      ].map((name) => `${name}-value`),
      'code_challenge_method',
    ]),
  },
  {
    name: 'the query is not decoded',
    fault: {
      wrap: (next) => (request) =>
        next(
          request.url.includes(AUTHORIZE) && request.url.includes('%20')
            ? new Request(request.url.replaceAll('%20', '_'), request)
            : request,
        ),
    },
    violates: ['school/request-encoding'],
  },
  {
    name: 'nonce is required',
    fault: requested((query) => {
      const isOpenId = query.get('scope')?.split(' ').includes('openid') === true
      if (isOpenId && !query.has('nonce')) query.delete('response_type')
    }),
    violates: ['school/request-without-nonce'],
  },
  {
    name: 'approval sends no code',
    fault: returned((to) => to.searchParams.delete('code')),
    violates: ['school/answer-code', 'school/member-any-role'],
  },
  {
    name: 'the state is lost',
    fault: returned((to) => to.searchParams.delete('state')),
    violates: ['school/answer-state', 'school/state-opaque'],
  },
  {
    name: 'iss is the name of the school',
    fault: returned((to) => to.searchParams.set('iss', 'Example School')),
    violates: ['school/answer-iss'],
  },
  {
    name: 'a person who denies sends a code',
    fault: returned((to) => {
      if (to.searchParams.get('error') === 'access_denied') to.searchParams.set('code', 'c')
    }),
    violates: ['school/answer-denied'],
  },
  {
    name: 'the state is decoded twice',
    fault: returned((to) => {
      const state = to.searchParams.get('state') ?? ''
      to.searchParams.set('state', decodeURIComponent(state))
    }),
    violates: ['school/state-opaque'],
  },
  {
    name: 'the token endpoint reads queries and JSON',
    fault: {
      wrap: (next) => async (request) => {
        const url = new URL(request.url)
        const isJson = request.headers.get('content-type') === 'application/json'
        if (url.pathname !== TOKEN || (request.method === 'POST' && !isJson)) return next(request)
        const fields = isJson
          ? new URLSearchParams((await request.json()) as Record<string, string>)
          : url.searchParams
        return next(
          new Request(url.origin + TOKEN, {
            method: 'POST',
            headers: { host: url.host },
            body: fields,
          }),
        )
      },
    },
    violates: ['school/token-post', 'school/token-form'],
  },
  {
    name: 'the token endpoint answers with text',
    fault: asText(TOKEN),
    violates: ['school/token-json', 'school/error-json-token'],
  },
  {
    name: 'errors of the token endpoint are of its own',
    fault: answers(TOKEN, (answer) =>
      answer.status < 300 ? answer : Response.json({ error: 'failed' }, { status: 400 }),
    ),
    violates: named('', TOKEN_ERRORS),
  },
  {
    name: 'no access token is issued',
    fault: json(TOKEN, lacking('access_token')),
    violates: ['school/exchange-access-token', 'school/public-client', 'school/secret-in-form'],
  },
  {
    name: 'no refresh token is issued',
    fault: json(TOKEN, lacking('refresh_token')),
    violates: ['school/exchange-refresh-token'],
  },
  {
    name: 'no ID token is issued',
    fault: json(TOKEN, lacking('id_token')),
    violates: [
      ...named('claims-', IDENTITY_CLAIMS),
      ...named('id-token-', ['alg', 'kid', 'signature', 'iss', 'aud', 'exp', 'lifetime', 'nonce']),
      'school/exchange-id-token',
    ],
  },
  {
    name: 'every response has an ID token',
    fault: json(TOKEN, (body) => ({ id_token: 'x.y.z', ...body })),
    violates: ['school/exchange-without-openid', 'school/refresh-no-id-token'],
  },
  {
    name: 'a refresh returns no tokens',
    fault: answers(TOKEN, async (answer, request) =>
      (await request.text()).includes('grant_type=refresh_token') && answer.status === 200
        ? Response.json({})
        : answer,
    ),
    violates: ['school/refresh', 'school/refresh-no-id-token'],
  },
  {
    name: 'a refresh token is enough',
    fault: received(TOKEN, (form) => {
      if (!form.has('client_id') && form.has('refresh_token')) form.set('client_id', 'study-buddy')
    }),
    violates: ['school/refresh-client-id'],
  },
  {
    name: 'secrets in the form are not read',
    fault: received(TOKEN, (form) => form.delete('client_secret')),
    violates: ['school/secret-in-form'],
  },
  {
    name: 'introspection leaves out the resource',
    fault: json('/api/oauth/introspect', lacking('aud')),
    violates: ['school/introspection-resource'],
  },
  {
    name: 'an unknown token cannot be revoked',
    fault: answers(REVOKE, (answer) =>
      answer.status === 200
        ? Response.json(
            { error: 'invalid_token', error_description: 'it is unknown' },
            { status: 400 },
          )
        : answer,
    ),
    violates: ['school/revoke-unknown', 'school/revoked-access-token', 'school/sequence'],
  },
  {
    name: 'a revocation does nothing',
    fault: replaced(REVOKE, () => new Response()),
    violates: named('', [
      'revoke-post',
      'revoke-form',
      'revoke-token',
      'revoke-client-id',
      'revoke-unknown-client',
      'revoke-wrong-secret',
      'revoked-access-token',
      'revoked-refresh-token',
      'error-json-revoke',
      'error-description-revoke',
    ]),
  },
  {
    name: 'UserInfo is text',
    fault: asText(USERINFO),
    violates: ['school/userinfo-json'],
  },
  {
    name: 'UserInfo has every claim',
    fault: json(USERINFO, (body) => ({ name: 'Mei', email: 'mei@school.example', ...body })),
    violates: ['school/claims-of-profile', 'school/claims-of-email'],
  },
  {
    name: 'the ID token is signed with a secret',
    fault: idToken(0, (header) => ({ ...header, alg: 'HS256' })),
    violates: ['school/id-token-alg', 'school/id-token-signature'],
  },
  {
    name: 'the key of the ID token is not published',
    fault: idToken(0, (header) => ({ ...header, kid: 'another' })),
    violates: ['school/id-token-kid', 'school/id-token-signature'],
  },
  {
    name: 'enrolled courses are in edges',
    fault: text(GRAPHQL, (body) => body.replace('"nodes":', '"edges":')),
    violates: named('account-', [
      ...ACCOUNT_FIELDS.filter((field) => field.includes('nodes')),
      'first',
    ]),
  },
  {
    name: 'a page of courses is larger than it may be',
    fault: text(GRAPHQL, (body) => body.replace(/"nodes":\[(.*)\]/, '"nodes":[$1,$1]')),
    violates: ['school/account-first'],
  },
  {
    name: 'the Account API runs anything',
    fault: answers(GRAPHQL, async (answer) => {
      const body = (await answer.clone().json()) as Body
      return 'errors' in body && answer.status <= 400
        ? Response.json({ data: { viewer: {} } })
        : answer
    }),
    violates: named('', ['account-first-int', 'account-without-query', 'account-query-string']),
  },
  {
    name: 'lifetime access is a text',
    fault: text(GRAPHQL, (body) => body.replace(/("hasLifetimeAccess":)(?:true|false)/, '$1"yes"')),
    violates: ['school/account-lifetime-boolean'],
  },
  {
    name: 'the Account API has the data of another member',
    fault: text(GRAPHQL, (body) => body.replace('mei@school.example', 'ines@school.example')),
    violates: ['school/account-own-data'],
  },
  {
    name: 'the Account API returns text',
    fault: asText(GRAPHQL),
    violates: ['school/account-json'],
  },
  {
    name: 'the Account API names no error without a token',
    fault: answers(GRAPHQL, (answer, request) =>
      request.headers.has('authorization')
        ? answer
        : new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer' } }),
    ),
    violates: ['school/account-without-token-error'],
  },
  {
    name: 'tokens are read from the URL',
    fault: {
      wrap: (next) => async (request) => {
        const { method, url, headers } = request
        const token = new URL(url).searchParams.get('access_token')
        if (token === null) return next(request)
        const authorized = new Headers(headers)
        authorized.set('authorization', `Bearer ${token}`)
        const body = method === 'POST' ? await request.text() : null
        return next(new Request(url.split('?')[0]!, { method, headers: authorized, body }))
      },
    },
    violates: named('', ['userinfo-header', 'account-header', 'admin-header']),
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
    name: '/mcp lists tools, and runs none without a token',
    fault: answers('/mcp', async (answer, request) =>
      !request.headers.has('authorization') && (await request.text()).includes('tools/call')
        ? new Response(null, { status: 401 })
        : answer,
    ),
    violates: ['school/mcp-public-call'],
  },
  {
    name: '/mcp runs every tool for everyone',
    fault: answers('/mcp', (answer, request) =>
      !request.headers.has('authorization') && answer.status === 401
        ? Response.json({ jsonrpc: '2.0', id: 'call', result: { content: [] } })
        : answer,
    ),
    violates: ['school/mcp-private-call'],
  },
  {
    name: 'the admin API fails',
    fault: answers(COURSES, (answer) =>
      answer.status === 200 ? new Response(null, { status: 500 }) : answer,
    ),
    violates: ['school/admin-api'],
  },
  {
    name: 'authorization errors have no description',
    fault: returned((to) => to.searchParams.delete('error_description')),
    violates: ['school/error-description-authorize'],
  },
  ...[
    { path: TOKEN, status: 400, of: 'token' },
    { path: REGISTER, status: 400, of: 'register' },
    { path: REVOKE, status: 401, of: 'revoke' },
  ].map(({ path, status, of }) => ({
    name: `errors of ${path} have no description`,
    fault: json(path, lacking('error_description'), status),
    violates: [`school/error-description-${of}`],
  })),
]

/** Broken servers of the service description. */
export const school: readonly BrokenSchool[] = [...generated, ...single]
