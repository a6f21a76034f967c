import type { AuthorizationCode, Grant } from 'hallpass/policy'
import type { Store } from 'hallpass/store'
import { hashToken } from 'hallpass/token'

/** What a test decides of a code: the others are those of a request without a nonce, which lasts a minute. */
type Decided =
  | 'codeHash'
  | 'grantId'
  | 'clientId'
  | 'subject'
  | 'scopes'
  | 'resource'
  | 'redirectUri'
  | 'issuedAt'

/** Puts a code into a store, as a consent does. */
export const keepCode = (
  store: Store,
  code: Pick<AuthorizationCode, Decided> & Partial<AuthorizationCode>,
): Promise<unknown> =>
  store.issueCode({
    pendingIdHash: null,
    consentKey: null,
    code: {
      resourceSent: true,
      codeChallenge: code.codeHash,
      nonce: null,
      grantEndsAt: null,
      authTime: null,
      expiresAt: code.issuedAt + 60,
      redeemedAt: null,
      ...code,
    },
  })

/** Puts an access token into a store, as the exchange of a code does. */
export async function keepToken(
  store: Store,
  accessToken: string,
  {
    expiresAt,
    boundTo,
    ...granted
  }: Omit<Grant, 'createdAt' | 'revokedAt' | 'revokedReason'> & { readonly issuedAt: number },
  grantEndsAt = expiresAt,
): Promise<void> {
  const { grantId, scopes, issuedAt } = granted
  const { issuedAt: createdAt, ...grant } = granted
  const codeHash = hashToken(`code of ${accessToken}`)
  const bound = boundTo !== undefined && { boundTo }
  const life = { grantId, issuedAt, expiresAt }
  await keepCode(store, { ...granted, codeHash })
  await store.redeemCode({
    codeHash,
    redeemedAt: issuedAt,
    grant: {
      ...grant,
      createdAt,
      expiresAt: grantEndsAt,
      revokedAt: null,
      revokedReason: null,
      ...bound,
    },
    accessToken: { tokenHash: hashToken(accessToken), scopes, ...life, revokedAt: null, ...bound },
    refreshToken: { tokenHash: hashToken(`refresh of ${accessToken}`), ...life, rotation: null },
  })
}
