import { randomUUID } from 'node:crypto'
import * as jose from 'jose'
import { part } from '../school/signing-client.js'
import { mutated } from './run.js'

/** A pair of keys of somebody. */
export interface Keys {
  readonly privateKey: jose.CryptoKey
  readonly publicKey: jose.CryptoKey
  readonly jwk: jose.JWK
  readonly secretJwk: jose.JWK
  readonly jkt: string
}

export async function createKeys(alg = 'ES256'): Promise<Keys> {
  const { privateKey, publicKey } = await jose.generateKeyPair(alg, { extractable: true })
  const jwk = await jose.exportJWK(publicKey)
  const jkt = await jose.calculateJwkThumbprint(jwk)
  return { privateKey, publicKey, jwk, secretJwk: await jose.exportJWK(privateKey), jkt }
}

/** Epoch seconds, by the clock of the service. */
export const secondsNow = (): number =>
  // oxlint-disable-next-line no-restricted-properties -- the service runs by the real clock
  Math.floor(Date.now() / 1000)

/** What is signed, with a `jti` of its own unless it names one. */
export type Sign = (
  claims?: Readonly<Record<string, unknown>>,
  header?: Readonly<Record<string, unknown>>,
  key?: jose.CryptoKey | Uint8Array,
) => Promise<string>

/** Returns a function that signs claims with changes. `undefined` leaves a claim out. */
export const signing =
  (keys: Keys, right: Readonly<Record<string, unknown>>, alg: string, more: object = {}): Sign =>
  (claims = {}, header = {}, key = keys.privateKey) =>
    new jose.SignJWT({ jti: randomUUID(), ...right, ...claims })
      .setProtectedHeader({ alg, ...more, ...header })
      .sign(key, { crit: { x: true } })

/**
 * JWTs with the right claims that their issuer did not sign: by another key, by an algorithm that is none, by a public
 * key as a secret, with a key in the header, or changed after the signature.
 *
 * @param sign - of the issuer, whose keys are `own`
 */
export async function forgeriesOf(
  sign: Sign,
  own: Keys,
  alg: string,
): Promise<readonly (readonly [name: string, jwt: string])[]> {
  const other = await createKeys(alg)
  const rsa = await createKeys('RS256')
  const pss = await createKeys('PS256')
  const p384 = await createKeys('ES384')
  const ed = await createKeys('EdDSA')
  const p256 = await createKeys('ES256')
  const good = await sign()
  const [header, claims, signature] = good.split('.') as [string, string, string]
  const right = jose.decodeJwt(good)
  const secrets: readonly (readonly [string, string])[] = [
    ['the JWK', JSON.stringify(own.jwk)],
    ['the JWK Set', JSON.stringify({ keys: [own.jwk] })],
    ['the PEM', await jose.exportSPKI(own.publicKey)],
    ['nothing', '\0'],
    ['its thumbprint', own.jkt],
  ]
  const hmacs = ['HS256', 'HS384', 'HS512'].flatMap((hs) =>
    secrets.map(
      ([name, secret]) =>
        [
          `${hs} with ${name}`,
          sign({}, { alg: hs }, Buffer.from(secret.padEnd(64, '\0'))),
        ] as const,
    ),
  )
  const none = ['none', 'None', 'NONE', 'nOnE', '', 'null'].flatMap((one) =>
    ['', signature, 'AA'].map(
      (end) =>
        [`alg ${one} with "${end.slice(0, 2)}"`, `${part({ ...jose.decodeProtectedHeader(good), alg: one })}.${claims}.${end}`] as const,
    ),
  ) // prettier-ignore
  const inHeader = Object.entries({
    jwk: other.jwk,
    jku: 'https://evil.test/jwks.json',
    x5u: 'https://evil.test/cert.pem',
    x5c: ['MIIB'],
    'x5t#S256': other.jkt,
    kid: '../../../../dev/null',
  }).map(([name, value]) => [`the ${name} of another`, sign({}, { [name]: value }, other.privateKey)] as const) // prettier-ignore
  const waiting: readonly (readonly [string, Promise<string> | string])[] = [
    ['by another key', sign({}, {}, other.privateKey)],
    ['by RS256 of another', sign({}, { alg: 'RS256' }, rsa.privateKey)],
    ['by PS256 of another', sign({}, { alg: 'PS256' }, pss.privateKey)],
    ['by ES384 of another', sign({}, { alg: 'ES384' }, p384.privateKey)],
    ['by EdDSA of another', sign({}, { alg: 'EdDSA' }, ed.privateKey)],
    ['by ES256 of another', sign({}, { alg: 'ES256' }, p256.privateKey)],
    ['with a critical extension', sign({}, { crit: ['x'], x: true })],
    ...hmacs,
    ...none,
    ...inHeader,
    ['no signature', `${header}.${claims}.`],
    ['half a signature', `${header}.${claims}.${signature.slice(0, signature.length / 2)}`],
    ['zeroes for a signature', `${header}.${claims}.${'A'.repeat(signature.length)}`],
    ['the signature of another one', `${header}.${claims}.${(await sign()).split('.')[2]}`],
    ['other claims under the signature', `${header}.${part({ ...right, jti: 'other' })}.${signature}`],
    ['another header over the signature', `${part({ ...jose.decodeProtectedHeader(good), kid: 'k9' })}.${claims}.${signature}`],
    ['one part', header], ['two parts', `${header}.${claims}`], ['four parts', `${good}.`], ['five parts', `${good}.${header}.${claims}`],
    ['JSON', JSON.stringify({ protected: header, payload: claims, signature })],
    ['nothing', ''], ['a word', 'assertion'], ['dots', '..'], ['claims that are a list', `${header}.${part([right])}.${signature}`],
    ['claims that are no JSON', `${header}.${jose.base64url.encode('{')}.${signature}`],
    ['two, with a comma', `${good},${await sign()}`], ['two, with a space', `${good} ${await sign()}`],
    ['a huge one', await sign({ more: 'x'.repeat(9000) })],
    ...mutated(`${header}.${claims}`, 60).map((changed) => [`changed to ${changed.length} ${changed.slice(0, 12)}`, `${changed}.${signature}`] as const),
  ] // prettier-ignore
  return Promise.all(waiting.map(async ([name, jwt]) => [name, await jwt] as const))
}

/** Values that a claim with a time must not have, by what is wrong with them. */
export const wrongTimes = (now: number): readonly unknown[] => [
  undefined, null, '', 'soon', String(now + 60), [now + 60], { now }, true, now - 3600, now - 61, -1, -now, 0,
  now * 1000, (now + 60) * 1000, now + 10 * 365 * 86_400, Number.MAX_SAFE_INTEGER, 1e300,
] // prettier-ignore

/** Values that a claim with a name must not have. */
export const wrongNames = (right: string): readonly unknown[] => [
  undefined, null, '', 7, true, {}, [], [right], [right, right], `${right} `, ` ${right}`, right.toUpperCase(),
  `${right}\0`, `${right}/`, right.slice(1), `${right}.evil.test`, '*', 'x'.repeat(300),
] // prettier-ignore
