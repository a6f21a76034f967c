import { closed, listOf, object, type Schema, text, URI_SCHEMA } from './parts.js'
import type { GrantType } from '../authorization-server/block.js'
import { MAX_CONTACT_LENGTH, MAX_CONTACTS } from '../policy/client-about.js'
import { MAX_NAME_LENGTH } from '../policy/client-metadata.js'

const choices = (...values: readonly string[]): Schema => listOf({ type: 'string', enum: values })
export const SECONDS: Schema = {
  type: 'integer',
  format: 'int64',
  minimum: 0,
  maximum: 9_007_199_254_740_991,
  description: 'Seconds since 1970-01-01, in UTC.',
}
const aboutSchemas = (): Schema => ({
  client_uri: URI_SCHEMA,
  logo_uri: URI_SCHEMA,
  policy_uri: URI_SCHEMA,
  tos_uri: URI_SCHEMA,
  contacts: listOf(text(MAX_CONTACT_LENGTH), MAX_CONTACTS),
})

const AUTH_METHOD: Schema = {
  type: 'string',
  enum: ['none', 'client_secret_post', 'client_secret_basic'],
}
/** The methods of any server. Those of blocks are named before they are switched on, except for a host's own. */
const AUTH_METHODS: Schema = listOf({
  type: 'string',
  enum: ['none', 'client_secret_post', 'client_secret_basic', 'private_key_jwt'],
})

/** The name of a body that an endpoint of an authorization server receives or sends. */
export type BodyName =
  | 'ClientMetadata'
  | 'RegisteredClient'
  | 'TokenResponse'
  | 'UserInfo'
  | 'Introspection'
  | 'ProtectedResourceMetadata'
  | 'AuthorizationServerMetadata'
  | 'JsonWebKeySet'

/** The blocks that a server has. */
interface Blocks {
  readonly grants: readonly Pick<GrantType, 'name' | 'forServer'>[]
  readonly pushedRequests?: unknown
  readonly senderConstraint?: { readonly scheme: string } | null
}

/** Returns the schemas of the members that blocks have added to an example. */
const added = (example: Schema, known: Schema): Schema => ({
  ...known,
  ...Object.fromEntries(
    Object.entries(example)
      .filter(([name]) => !Object.hasOwn(known, name))
      .map(([name, value]) => [name, schemaLike(value)]),
  ),
})

function schemaLike(value: unknown): Schema {
  if (typeof value === 'string') return URI_SCHEMA
  return Array.isArray(value) ? listOf(text(200)) : { type: 'boolean' }
}

/**
 * Returns the schema of each body.
 *
 * @param examples - the metadata with these blocks
 */
export const bodySchemas = (
  { grants, pushedRequests, senderConstraint }: Blocks,
  examples: Readonly<Record<'protectedResourceMetadata' | 'openidConfiguration', Schema>>,
): Readonly<Record<BodyName, Schema>> => {
  const types = ['Bearer', ...(senderConstraint ? [senderConstraint.scheme] : [])]
  const registered = grants.filter(({ forServer }) => forServer.registers).map(({ name }) => name)
  const switches = {
    ...(senderConstraint && { dpop_bound_access_tokens: { type: 'boolean' } }),
    ...(pushedRequests !== undefined && {
      require_pushed_authorization_requests: { type: 'boolean' },
    }),
  }
  return {
    ClientMetadata: object(
      'The metadata of a client that registers (RFC 7591, section 2). Other members are ignored.',
      {
        client_name: text(MAX_NAME_LENGTH, {
          description:
            'Required for an integration that the school knows, which it is compared with.',
        }),
        redirect_uris: {
          ...redirectUris(),
          description: 'Loopback URIs, or those of the integration.',
        },
        token_endpoint_auth_method: {
          ...AUTH_METHOD,
          default: 'none',
          description: '`client_secret_basic`: if the metadata lists it.',
        },
        application_type: { type: 'string', enum: ['native', 'web'] },
        grant_types: choices('authorization_code', 'refresh_token', ...registered),
        response_types: choices('code'),
        ...aboutSchemas(),
        jwks_uri: URI_SCHEMA,
        ...switches,
      },
      [],
    ),
    RegisteredClient: closed(
      'The client as registered (RFC 7591, section 3.2.1).',
      {
        client_id: text(2048),
        client_id_issued_at: SECONDS,
        client_secret: text(200, {
          description: 'Sent only in this response, to a client with `client_secret_post`.',
        }),
        client_secret_expires_at: { ...SECONDS, description: '0: the secret does not expire.' },
        client_name: text(MAX_NAME_LENGTH),
        redirect_uris: redirectUris(),
        token_endpoint_auth_method: AUTH_METHOD,
        application_type: { type: 'string', enum: ['native'] },
        grant_types: choices('authorization_code', 'refresh_token', ...registered),
        response_types: choices('code'),
        subject_type: { type: 'string', enum: ['public'] },
        id_token_signed_response_alg: { type: 'string', enum: ['ES256'] },
        ...aboutSchemas(),
        ...switches,
      },
      [
        'client_id',
        'client_name',
        'redirect_uris',
        'token_endpoint_auth_method',
        'grant_types',
        'response_types',
        'subject_type',
        'id_token_signed_response_alg',
      ],
    ),
    TokenResponse: closed(
      'Tokens for a code or a refresh token (RFC 6749, section 5.1).',
      {
        access_token: text(200),
        token_type: { type: 'string', enum: types },
        expires_in: {
          ...SECONDS,
          description: 'Remaining lifetime of the access token, in seconds.',
        },
        refresh_token: text(200, { description: 'Replaces the refresh token of the request.' }),
        scope: scopesSchema(),
        id_token: text(8192, {
          description:
            'A signed JWT, in exchange for a code with the scope `openid` if a key signs.',
        }),
      },
      // Grants of blocks may issue no refresh token.
      [
        'access_token',
        'token_type',
        'expires_in',
        ...(grants.length > 0 ? [] : ['refresh_token']),
        'scope',
      ],
    ),
    UserInfo: object(
      'Claims about the person, limited to the scopes of the token. The school may add claims.',
      {
        sub: text(255),
        org_id: text(255),
        name: text(255, { description: 'With the scope `profile`.' }),
        picture: { ...URI_SCHEMA, description: 'With the scope `profile`.' },
        roles: { ...listOf(text(100)), description: 'With the scope `profile`.' },
        email: text(254, { description: 'With the scope `email`.' }),
      },
      ['sub', 'org_id'],
    ),
    Introspection: closed(
      'The state of a token (RFC 7662, section 2.2). `active` is the only member if it is `false`.',
      {
        active: { type: 'boolean' },
        scope: { ...scopesSchema(), description: 'The scopes that have an effect now.' },
        client_id: text(2048),
        sub: text(255),
        aud: URI_SCHEMA,
        iss: URI_SCHEMA,
        iat: SECONDS,
        exp: SECONDS,
        token_type: { type: 'string', enum: types },
        ...(senderConstraint && {
          cnf: closed('The key to which the token is bound (RFC 9449, section 6.2).', {
            jkt: text(43),
          }),
        }),
        grant_id: text(255, { description: 'This and the following: only for a resource server.' }),
        token_scope: { ...scopesSchema(), description: 'The scopes of the token response.' },
        ...(grants.length > 0 && {
          scope_fixed: {
            type: 'boolean',
            enum: [true],
            description: 'There if no person can add scopes at a page of this site.',
          },
        }),
        client_name: text(MAX_NAME_LENGTH),
        client_kind: { type: 'string', enum: ['loopback', 'vendor', 'document', 'member'] },
        client_scope: scopesSchema(),
        org_id: text(255),
        roles: listOf(text(255)),
      },
      ['active'],
    ),
    ProtectedResourceMetadata: closed(
      'Metadata of a protected resource (RFC 9728, section 2).',
      added(examples.protectedResourceMetadata, {
        resource: URI_SCHEMA,
        authorization_servers: listOf(URI_SCHEMA),
        bearer_methods_supported: choices('header'),
        scopes_supported: listOf(text(200), 1000),
        resource_name: text(255),
      }),
      ['resource', 'authorization_servers', 'bearer_methods_supported', 'resource_name'],
    ),
    AuthorizationServerMetadata: object(
      'Metadata of the authorization server (RFC 8414, section 2; OpenID Connect Discovery 1.0, section 3).',
      added(examples.openidConfiguration, {
        issuer: URI_SCHEMA,
        authorization_endpoint: URI_SCHEMA,
        token_endpoint: URI_SCHEMA,
        registration_endpoint: URI_SCHEMA,
        revocation_endpoint: URI_SCHEMA,
        introspection_endpoint: URI_SCHEMA,
        userinfo_endpoint: URI_SCHEMA,
        jwks_uri: URI_SCHEMA,
        response_types_supported: choices('code'),
        response_modes_supported: choices('query'),
        grant_types_supported: choices(
          'authorization_code',
          'refresh_token',
          ...grants.map(({ name }) => name),
        ),
        code_challenge_methods_supported: choices('S256'),
        token_endpoint_auth_methods_supported: AUTH_METHODS,
        revocation_endpoint_auth_methods_supported: AUTH_METHODS,
        introspection_endpoint_auth_methods_supported: AUTH_METHODS,
        scopes_supported: listOf(text(200), 1000),
        authorization_response_iss_parameter_supported: { type: 'boolean' },
        client_id_metadata_document_supported: { type: 'boolean' },
        subject_types_supported: choices('public'),
        prompt_values_supported: choices('none', 'login', 'consent', 'select_account'),
        claims_supported: listOf(text(200)),
        id_token_signing_alg_values_supported: {
          ...choices('ES256'),
          description: 'Absent while no key signs.',
        },
        request_parameter_supported: { type: 'boolean' },
        request_uri_parameter_supported: { type: 'boolean' },
        claims_parameter_supported: { type: 'boolean' },
      }),
      [
        'issuer',
        'response_types_supported',
        'grant_types_supported',
        'code_challenge_methods_supported',
        'scopes_supported',
        'subject_types_supported',
      ],
    ),
    JsonWebKeySet: closed('The public keys of the ID tokens (RFC 7517, section 5).', {
      keys: listOf(
        closed('A public key of ES256.', {
          kty: { type: 'string', enum: ['EC'] },
          crv: { type: 'string', enum: ['P-256'] },
          x: text(43),
          y: text(43),
          kid: text(200),
          use: { type: 'string', enum: ['sig'] },
          alg: { type: 'string', enum: ['ES256'] },
        }),
      ),
    }),
  }
}

/** Returns the schema of a list of scopes. */
export const scopesSchema = (): Schema =>
  text(8192, { description: 'Scopes, separated by spaces.' })

const redirectUris = (): Schema =>
  listOf({ ...URI_SCHEMA, examples: ['http://127.0.0.1:3000/callback'] }, 2000)
