import { hashToken } from 'hallpass/token'
import * as jose from 'jose'
import { JWT_BEARER } from '../../support/school/asserting-client.js'
import { TYPE } from '../../support/school/signing-client.js'

export const SIGNER = 'signer'
export const IDP = 'https://idp.example'

const { privateKey, publicKey } = await jose.generateKeyPair('ES256')
const jwk = await jose.exportJWK(publicKey)
/** One key of the client that signs, of its identity provider, and of proofs of possession, at every school. */
export const JWKS = { keys: [jwk] }

const sign = (claims: jose.JWTPayload, header: object = {}): Promise<string> =>
  new jose.SignJWT(claims).setProtectedHeader({ alg: 'ES256', ...header }).sign(privateKey)

/** Signs as a client of this school, with an identifier that is used once. */
export const signed = (issuer: string, now: number, jti: () => string) => ({
  clientAssertion: async (): Promise<Record<string, string>> => ({
    client_id: SIGNER,
    client_assertion_type: TYPE,
    client_assertion: await sign({ iss: SIGNER, sub: SIGNER, aud: issuer, exp: now + 240, jti: jti() }), // prettier-ignore
  }),
  idJag: async (): Promise<Record<string, string>> => ({
    grant_type: JWT_BEARER,
    assertion: await sign(
      { iss: IDP, sub: 'ines', aud: issuer, client_id: SIGNER, jti: jti(), iat: now, exp: now + 240, scope: 'courses:read' },
      { typ: 'oauth-id-jag+jwt' },
    ), // prettier-ignore
  }),
  proof: (path: string, { method = 'POST', token }: { method?: string; token?: string } = {}) =>
    sign(
      {
        jti: jti(),
        htm: method,
        htu: issuer + path,
        iat: now,
        ...(token !== undefined && { ath: hashToken(token) }),
      },
      { typ: 'dpop+jwt', jwk },
    ),
})
export type Signed = ReturnType<typeof signed>
