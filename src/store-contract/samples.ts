import { sha256Base64url } from '../encoding/hash.js'
import type { Client } from '../policy/client.js'
import type { AccessToken, AuthorizationCode, Grant, RefreshToken } from '../policy/grant.js'
import type { StoreWith } from '../store/groups.js'
import type { RedeemCode, RotateRefreshToken } from '../store/store.js'
import type { KeyRecord, PendingAuthorization, StoredEvent } from '../store/records.js'

/**
 * The time of every sample, 2021-03-01T09:00:00Z: long ago, because a store with a clock deletes nothing that is in its
 * future.
 */
export const T = 1_614_589_200

/** Texts that a careless store damages: quotes, SQL, JSON, other scripts, and a long text. */
export const HOSTILE: readonly string[] = [
  `'; drop table hallpass_grant; --`,
  `"{"$gt":""}"`,
  '林美玲 🎨 e\u0301 \u202e',
  '__proto__',
  '%_\\',
  'x'.repeat(4000),
]

/** The verifier of the PKCE challenge of every sample. */
export const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'

export const hash = (text: string): string => sha256Base64url(text)

/**
 * Returns a sample: a member client with two secrets, `new` and `old`, of which the second ends after an hour.
 *
 * @param fields - the members that the test needs
 * @returns the client, at 2021-03-01T09:00:00Z
 * @group Samples
 * @example
 * ```ts
 * import { clientSample } from 'hallpass/testing'
 *
 * clientSample({ disabled: true }).disabled // => true
 * ```
 */
export function clientSample(fields: Partial<Client> = {}): Client {
  return {
    clientId: 'app_1',
    kind: 'member',
    name: 'Study Buddy',
    redirectUris: ['http://127.0.0.1:7777/callback', 'https://app.example/cb?a=b&c=d,e'],
    tokenEndpointAuthMethod: 'client_secret_post',
    secrets: [
      { hash: hash('new'), expiresAt: null },
      { hash: hash('old'), expiresAt: T + 3600 },
    ],
    scopes: ['account:write', 'account:read'],
    disabled: false,
    endsAt: T + 90 * 86_400,
    description: 'Keeps "notes" next to each lecture.',
    icon: 'pencil',
    about: {
      clientUri: 'https://app.example/?a=1&b=%20',
      policyUri: 'http://app.example/privacy',
      tosUri: null,
      logoUri: null,
      contacts: ['Mei "Lin" <mei@app.example>'],
    },
    revision: 1,
    createdAt: T - 1000,
    usedAt: null,
    deletedAt: null,
    document: null,
    ...fields,
  }
}

/**
 * Returns a sample: an authorization request of that client that waits for the person.
 *
 * @param fields - the members that the test needs
 * @returns the request, at 2021-03-01T09:00:00Z
 * @group Samples
 * @example
 * ```ts
 * import { pendingSample } from 'hallpass/testing'
 *
 * pendingSample({ prompt: [] }).prompt // => []
 * ```
 */
export function pendingSample(fields: Partial<PendingAuthorization> = {}): PendingAuthorization {
  return {
    idHash: hash('interaction'),
    browserHash: hash('browser'),
    clientId: 'app_1',
    redirectUri: 'http://127.0.0.1:49152/callback',
    scopes: ['openid', 'account:read'],
    resource: 'https://school.example',
    resourceSent: true,
    state: 'af0ifjsldkj',
    codeChallenge: hash(VERIFIER),
    nonce: 'n-0S6_WzA2Mj',
    prompt: ['login', 'consent'],
    maxAge: 0,
    loginHint: 'mei-ling.chou@example.com',
    uiLocales: ['zh-Hant-TW', 'en'],
    hintedHash: hash('hinted'),
    createdAt: T,
    expiresAt: T + 600,
    ...fields,
  }
}

/**
 * Returns a sample: an authorization code, valid for 60 seconds and not redeemed.
 *
 * @param fields - the members that the test needs
 * @returns the code, at 2021-03-01T09:00:00Z
 * @group Samples
 * @example
 * ```ts
 * import { codeSample } from 'hallpass/testing'
 *
 * codeSample({ nonce: null }).nonce // => null
 * ```
 */
export function codeSample(fields: Partial<AuthorizationCode> = {}): AuthorizationCode {
  return {
    codeHash: hash('code'),
    grantId: 'grant_1',
    clientId: 'app_1',
    subject: 'mem_1',
    scopes: ['openid', 'account:read'],
    resource: 'https://school.example',
    resourceSent: true,
    redirectUri: 'http://127.0.0.1:49152/callback',
    codeChallenge: hash(VERIFIER),
    nonce: 'n-0S6_WzA2Mj',
    grantEndsAt: T + 30 * 86_400,
    authTime: T - 5,
    issuedAt: T,
    expiresAt: T + 60,
    redeemedAt: null,
    ...fields,
  }
}

/**
 * Returns a sample: the grant of that code, a second later and for 180 days.
 *
 * @param fields - the members that the test needs
 * @returns the grant, at 2021-03-01T09:00:00Z
 * @group Samples
 * @example
 * ```ts
 * import { grantSample } from 'hallpass/testing'
 *
 * grantSample({ revokedReason: 'person' }).revokedReason // => 'person'
 * ```
 */
export function grantSample(fields: Partial<Grant> = {}): Grant {
  return {
    grantId: 'grant_1',
    clientId: 'app_1',
    subject: 'mem_1',
    scopes: ['openid', 'account:read'],
    resource: 'https://school.example',
    redirectUri: 'http://127.0.0.1:49152/callback',
    createdAt: T + 1,
    expiresAt: T + 180 * 86_400,
    revokedAt: null,
    revokedReason: null,
    ...fields,
  }
}

/**
 * Returns a sample: an access token of that grant, valid for an hour.
 *
 * @param fields - the members that the test needs
 * @returns the token, at 2021-03-01T09:00:00Z
 * @group Samples
 * @example
 * ```ts
 * import { accessSample } from 'hallpass/testing'
 *
 * accessSample({ scopes: [] }).scopes // => []
 * ```
 */
export function accessSample(fields: Partial<AccessToken> = {}): AccessToken {
  return {
    tokenHash: hash('access 0'),
    grantId: 'grant_1',
    scopes: ['openid', 'account:read'],
    issuedAt: T + 1,
    expiresAt: T + 3601,
    revokedAt: null,
    ...fields,
  }
}

/**
 * Returns a sample: the current refresh token of that grant, valid for 30 days.
 *
 * @param fields - the members that the test needs
 * @returns the token, at 2021-03-01T09:00:00Z
 * @group Samples
 * @example
 * ```ts
 * import { refreshSample } from 'hallpass/testing'
 *
 * refreshSample().rotation // => null
 * ```
 */
export function refreshSample(fields: Partial<RefreshToken> = {}): RefreshToken {
  return {
    tokenHash: hash('refresh 0'),
    grantId: 'grant_1',
    issuedAt: T + 1,
    expiresAt: T + 30 * 86_400,
    rotation: null,
    ...fields,
  }
}

/**
 * Returns a sample: a key pair that is not published. The private key is not a real one.
 *
 * @param fields - the members that the test needs
 * @returns the key, at 2021-03-01T09:00:00Z
 * @group Samples
 * @example
 * ```ts
 * import { keySample } from 'hallpass/testing'
 *
 * keySample({ state: 'published' }).state // => 'published'
 * ```
 */
export function keySample(fields: Partial<KeyRecord> = {}): KeyRecord {
  return {
    kid: 'key_1',
    state: 'generated',
    publicJwk: '{"kty":"EC","crv":"P-256","x":"AA","y":"BB"}',
    sealedPrivateKey: `ey.${'A'.repeat(3000)}`,
    createdAt: T,
    publishedAt: null,
    activatedAt: null,
    retiringAt: null,
    retiredAt: null,
    ...fields,
  }
}

/**
 * Returns a sample: an event that waits for its delivery.
 *
 * @param fields - the members that the test needs
 * @returns the event, at 2021-03-01T09:00:00Z
 * @group Samples
 * @example
 * ```ts
 * import { eventSample } from 'hallpass/testing'
 *
 * eventSample({ id: 'event_2' }).id // => 'event_2'
 * ```
 */
export function eventSample(fields: Partial<StoredEvent> = {}): StoredEvent {
  return {
    id: 'event_1',
    type: 'oauth.client.registered',
    at: T,
    clientId: 'app_1',
    clientName: 'Study Buddy',
    ...fields,
  }
}

/** Returns a redemption of the code of `codeSample`; the name distinguishes the tokens of several callers. */
export function redemption(name = '0', fields: Partial<RedeemCode> = {}): RedeemCode {
  return {
    codeHash: hash('code'),
    redeemedAt: T + 1,
    grant: grantSample(),
    accessToken: accessSample({ tokenHash: hash(`access ${name}`) }),
    refreshToken: refreshSample({ tokenHash: hash(`refresh ${name}`) }),
    ...fields,
  }
}

/** Returns a rotation from one named refresh token to another. */
export function rotation(
  from: string,
  to: string,
  fields: Partial<RotateRefreshToken> = {},
): RotateRefreshToken {
  return {
    tokenHash: hash(`refresh ${from}`),
    rotation: {
      rotatedAt: T + 100,
      salt: hash(`salt ${to}`),
      scopes: ['openid'],
      scopesOmitted: true,
      successorHash: hash(`refresh ${to}`),
      accessTokenExpiresAt: T + 3700,
    },
    successor: refreshSample({ tokenHash: hash(`refresh ${to}`), issuedAt: T + 100 }),
    accessToken: accessSample({
      tokenHash: hash(`access ${to}`),
      scopes: ['openid'],
      issuedAt: T + 100,
      expiresAt: T + 3700,
    }),
    forgetSaltsUntil: 0,
    ...fields,
  }
}

/** Stores a grant with one access token and one refresh token. */
export async function storeGrant(
  store: StoreWith,
  name = '0',
  { grant = grantSample(), code = codeSample() }: { grant?: Grant; code?: AuthorizationCode } = {},
): Promise<void> {
  await store.issueCode({ code, pendingIdHash: null, consentKey: null })
  const { grantId } = grant
  await store.redeemCode({
    codeHash: code.codeHash,
    redeemedAt: T + 1,
    grant,
    accessToken: accessSample({ tokenHash: hash(`access ${name}`), grantId }),
    refreshToken: refreshSample({ tokenHash: hash(`refresh ${name}`), grantId }),
  })
}
