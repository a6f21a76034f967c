import { privateKeyJwt as method } from 'hallpass/blocks'
import { decodeJwt, decodeProtectedHeader, importJWK, type JWTPayload, SignJWT } from 'jose'
import { type Fault, ORIGIN, SIGNING_KEY } from '../broken-server.js'
import { type Broken, json, received } from '../faults.js'

const TOKEN = '/api/oauth/token'
const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** Claims in place of the right ones; `undefined` leaves one out. */
type Claims = { readonly [Name in keyof JWTPayload]?: JWTPayload[Name] | undefined }

/** Signs as the client does, with the claims of an assertion that is right in place of those that are left out. */
async function sign(claims: Claims = {}): Promise<string> {
  const key = await importJWK(SIGNING_KEY, 'ES256')
  const jwt = new SignJWT().setProtectedHeader({ alg: 'ES256' }).setIssuedAt().setExpirationTime('1 minute') // prettier-ignore
  const right = decodeJwt(await jwt.sign(key))
  const names = { iss: 'signer', sub: 'signer', aud: ORIGIN, jti: crypto.randomUUID() }
  return new SignJWT({ ...right, ...names, ...claims } as JWTPayload).setProtectedHeader({ alg: 'ES256' }).sign(key)
} // prettier-ignore

/**
 * Replaces an assertion before the server reads it: `null` leaves it as it is, and claims are signed by the client.
 *
 * @param change - `now` is the time in seconds
 */
const forgiving = (
  change: (claims: JWTPayload, alg: string, now: number) => Claims | null,
): Fault =>
  received(TOKEN, async (form) => {
    const assertion = form.get('client_assertion')
    if (assertion === null) return
    const now = decodeJwt(await sign()).iat!
    const { alg = '' } = decodeProtectedHeader(assertion)
    const claims = change(decodeJwt(assertion), alg, now)
    if (claims !== null) form.set('client_assertion', await sign(claims))
  })

export const privateKeyJwt: readonly Broken[] = [
  {
    name: 'assertions are published and not read',
    fault: received(TOKEN, (form) => form.delete('client_assertion')),
    violates: ['private-key-jwt/accepted'],
  },
  {
    name: 'a client with a key need not use it',
    fault: received(TOKEN, async (form) => {
      if (form.get('client_id') !== 'signer' || form.has('client_assertion')) return
      form.set('client_assertion_type', TYPE)
      form.set('client_assertion', await sign())
    }),
    violates: ['private-key-jwt/missing'],
  },
  {
    name: 'the type of an assertion is not read',
    fault: received(TOKEN, (form) => {
      if (form.has('client_assertion')) form.set('client_assertion_type', TYPE)
    }),
    violates: ['private-key-jwt/assertion-type'],
  },
  {
    name: 'assertions are decoded and not verified',
    fault: forgiving((claims) => ({ exp: undefined, jti: undefined, sub: undefined, ...claims })),
    violates: [
      'private-key-jwt/signature',
      'private-key-jwt/unsigned',
      'private-key-jwt/public-key-as-secret',
    ],
  },
  {
    name: 'the algorithm none is accepted',
    fault: forgiving((claims, alg) => (alg === 'none' ? claims : null)),
    violates: ['private-key-jwt/unsigned'],
  },
  {
    name: 'the public key is the secret of HS256',
    fault: forgiving((claims, alg) => (alg === 'HS256' ? claims : null)),
    violates: ['private-key-jwt/public-key-as-secret'],
  },
  {
    name: 'the issuer of an assertion is not compared',
    fault: forgiving(({ iss, ...claims }) => (iss === 'signer' ? null : claims)),
    violates: ['private-key-jwt/issuer'],
  },
  {
    name: 'client_id stands for the subject of an assertion',
    fault: forgiving((claims) => ('sub' in claims ? null : claims)),
    violates: ['private-key-jwt/missing-subject'],
  },
  {
    name: 'an assertion that is not valid is an invalid request',
    fault: json(TOKEN, (body) => ({ ...body, error: 'invalid_request' }), 401),
    violates: ['private-key-jwt/error'],
  },
  {
    name: 'client_id is not compared with the assertion',
    fault: received(TOKEN, (form) => {
      if (form.has('client_assertion')) form.delete('client_id')
    }),
    violates: ['private-key-jwt/client-id'],
  },
  {
    name: 'the audience of an assertion is not compared',
    fault: forgiving(({ aud, ...claims }) => (aud === ORIGIN ? null : claims)),
    violates: ['private-key-jwt/audience'],
  },
  {
    name: 'an assertion never expires',
    fault: forgiving(({ exp, aud }, _alg, now) => (exp !== undefined && exp < now ? { aud } : null)),
    violates: ['private-key-jwt/expired'],
  },
  {
    name: 'exp of an assertion is compared if it is there',
    fault: forgiving((claims) => ('exp' in claims ? null : claims)),
    violates: ['private-key-jwt/missing-expiry'],
  },
  {
    name: 'nbf of an assertion is not read',
    fault: forgiving(({ nbf, aud }) => (nbf === undefined ? null : { aud })),
    violates: ['private-key-jwt/not-yet-valid'],
  },
  {
    name: 'an assertion needs no jti',
    fault: forgiving((claims) => ('jti' in claims ? null : claims)),
    violates: ['private-key-jwt/missing-jti'],
  },
  {
    name: 'an assertion can be used again',
    fault: {
      blocks: [method({ once: { useOnce: async () => 'first', giveBack: async () => {} } })],
    },
    violates: ['private-key-jwt/replay'],
    whole: true,
  },
] // prettier-ignore
