import { compactVerify, importJWK } from 'jose'
import { type Check } from '../../../packages/hallpass-audit/src/check.js'
import { judge, Stop, violated } from '../../../packages/hallpass-audit/src/finding.js'
import { partOf } from '../../../packages/hallpass-audit/src/checks/expect.js'
import type { Audit, Tokens } from '../../../packages/hallpass-audit/src/engine/audit.js'
import type { Answer } from '../../../packages/hallpass-audit/src/engine/http.js'
import { isJson, kept, memberTokens, narrow, openidTokens, shared, slug, statement } from './statement.js' // prettier-ignore
import { IDENTITY_CLAIMS } from './tables.js'

type Claims = Readonly<Record<string, unknown>>

const userinfoOf = async (on: Audit, { accessToken }: Tokens): Promise<Answer> =>
  on.send(await on.endpoint('userinfo_endpoint'), {
    headers: { authorization: `Bearer ${accessToken}` },
  })
export const userinfo = (on: Audit): Promise<Answer> =>
  kept(on, 'userinfo', async () => userinfoOf(on, await memberTokens(on)))
const narrowUserinfo = (on: Audit): Promise<Answer> =>
  kept(on, 'userinfo openid', async () => userinfoOf(on, await openidTokens(on)))

/** The header and the claims of the ID token of the member. */
async function idToken(
  on: Audit,
): Promise<{ readonly jwt: string; readonly header: Claims; readonly claims: Claims }> {
  const tokens = await memberTokens(on)
  const { idToken: jwt } = tokens
  if (jwt === null) throw new Stop(violated(tokens, 'the code exchange returns no id_token'))
  return { jwt, header: partOf(jwt, 0), claims: partOf(jwt, 1) }
}

/** The published key that the header of the ID token names. */
async function keyOf(on: Audit, { kid }: Claims): Promise<Claims | undefined> {
  return (await on.keys()).find((key) => kid !== undefined && key['kid'] === kid)
}

/** A rule of one claim of the ID token. */
const rule = (
  claim: string,
  says: string,
  isRight: (claims: Claims, on: Audit, tokens: Tokens) => boolean,
  name: string = claim,
): Check =>
  statement(
    'Authentication 11',
    `id-token-${name}`,
    { ...shared, says, change: `Change ${claim} of the ID token: ${says}` },
    async (on) => {
      const { claims } = await idToken(on)
      const tokens = await memberTokens(on)
      const isHeld = isRight(claims, on, tokens)
      return judge(
        tokens,
        isHeld,
        `${claim} is right`,
        `${claim} is ${JSON.stringify(claims[claim])}`,
      )
    },
  )

/** Claims that UserInfo has with a scope, and not without it. */
const claimsOf = (scope: string, claims: readonly string[]): Check =>
  statement(
    'Scopes',
    `claims-of-${scope}`,
    {
      ...narrow,
      says: `The scope ${scope} is for ${claims.join(' and ')}: without it, UserInfo has none of it.`,
      change: `Return ${claims.join(' and ')} only if ${scope} was granted.`,
    },
    async (on) => {
      const [{ json: wide }, answer] = [await userinfo(on), await narrowUserinfo(on)]
      const { status, json } = answer
      const leaked = claims.filter((claim) => claim in json)
      const isGiven = claims.some((claim) => claim in wide)
      return judge(answer, status === 200 && isGiven && leaked.length === 0, 'it has none of it', `${status}; without ${scope}, it has ${leaked.join(', ') || 'nothing'}, and with it ${Object.keys(wide).join(', ')}`) // prettier-ignore
    },
  )

/** Statements of the description about the claims of a person. */
export const identity: readonly Check[] = [
  statement(
    'Endpoints',
    'userinfo-json',
    {
      ...shared,
      says: 'UserInfo returns the claims as JSON.',
      change: 'Answer with application/json.',
    },
    async (on) => isJson(await userinfo(on)),
  ),
  ...IDENTITY_CLAIMS.map((claim) =>
    statement(
      'Resources: identity claims',
      `userinfo-${slug(claim)}`,
      { ...shared, says: `UserInfo has ${claim}.`, change: `Add ${claim} to UserInfo.` },
      async (on) => {
        const answer = await userinfo(on)
        const { status, json } = answer
        return judge(answer, status === 200 && claim in json, `${claim} is there`, `${status} with ${Object.keys(json).join(', ')}`) // prettier-ignore
      },
    ),
  ),
  ...IDENTITY_CLAIMS.map((claim) =>
    statement(
      'Resources: identity claims',
      `claims-${slug(claim)}`,
      {
        ...shared,
        says: `The ID token has the ${claim} of UserInfo.`,
        change: `Take ${claim} of UserInfo and of the ID token from one place.`,
      },
      async (on) => {
        const [{ claims }, { json }] = [await idToken(on), await userinfo(on)]
        const [one, other] = [claims[claim], json[claim]].map((value) => JSON.stringify(value))
        const isSame = claim in claims && (one === other || !(claim in json))
        return judge(await memberTokens(on), isSame, `${claim} is the same`, `${claim} of the ID token is ${String(one)}, and of UserInfo ${String(other)}`) // prettier-ignore
      },
    ),
  ),
  claimsOf('profile', ['name', 'picture']),
  claimsOf('email', ['email']),
  statement(
    'Authentication 11',
    'id-token-alg',
    {
      ...shared,
      says: 'The ID token is signed with ES256.',
      change: 'Sign ID tokens with ES256.',
    },
    async (on) => {
      const { alg } = (await idToken(on)).header
      return judge(
        await memberTokens(on),
        alg === 'ES256',
        'alg is ES256',
        `alg is ${JSON.stringify(alg)}`,
      )
    },
  ),
  statement(
    'Authentication 11',
    'id-token-kid',
    {
      ...shared,
      says: 'kid of the ID token names a key at jwks_uri.',
      change: 'Publish the key under the kid of the header, before you sign with it.',
    },
    async (on) => {
      const { header } = await idToken(on)
      const isPublished = (await keyOf(on, header)) !== undefined
      const kid = JSON.stringify(header['kid'])
      return judge(
        await on.keysAnswer(),
        isPublished,
        `${kid} is published`,
        `no published key has the kid ${kid}`,
      )
    },
  ),
  statement(
    'Authentication 11',
    'id-token-signature',
    {
      ...shared,
      says: 'The key that kid names verifies the signature of the ID token.',
      change: 'Publish the public part of the key that signs.',
    },
    async (on) => {
      const { jwt, header } = await idToken(on)
      const { d: _, ...key } = (await keyOf(on, header)) ?? {}
      const isRight = await importJWK(key, String(header['alg']))
        .then(async (imported) => compactVerify(jwt, imported))
        .then(
          () => true,
          () => false,
        )
      return judge(
        await memberTokens(on),
        isRight,
        'the signature is right',
        'the key does not verify the signature',
      )
    },
  ),
  rule('iss', 'iss equals the origin.', (claims, on) => claims['iss'] === on.origin),
  rule('aud', 'aud equals the client_id.', (claims, on) => [claims['aud']].flat().join() === on.signIn?.member?.client.client_id), // prettier-ignore
  rule('exp', 'exp is in the future.', (claims, _on, { receivedAt }) => Number(claims['exp']) > receivedAt), // prettier-ignore
  rule('exp', 'exp is ten minutes later.', ({ exp, iat }, _on, { receivedAt }) => Math.abs(Number(exp) - Number(iat ?? receivedAt) - 600) <= (iat === undefined ? 5 : 0), 'lifetime'), // prettier-ignore
  rule('nonce', 'nonce equals the value that was sent.', (claims, _on, { code }) => claims['nonce'] === code.nonce), // prettier-ignore
]
