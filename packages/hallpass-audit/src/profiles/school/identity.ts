import { type Check, judge, Stop, violated } from '../../check.js'
import type { Audit } from '../../engine/audit.js'
import type { Answer } from '../../engine/http.js'
import { memberTokens, shared, slug, statement } from './statement.js'
import { IDENTITY_CLAIMS } from './tables.js'

type Claims = Readonly<Record<string, unknown>>

const userinfo = (on: Audit): Promise<Answer> =>
  on.once('school userinfo', async () => {
    const authorization = `Bearer ${(await memberTokens(on)).accessToken}`
    return on.send(await on.endpoint('userinfo_endpoint'), { headers: { authorization } })
  })

/** The header and the claims of the ID token of the member. */
async function idToken(on: Audit): Promise<{ readonly header: Claims; readonly claims: Claims }> {
  const { idToken: token } = await memberTokens(on)
  if (token === null) throw new Stop(violated('the code exchange returns no id_token'))
  const [header = '', claims = ''] = token.split('.')
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Claims
  return { header: read(header), claims: read(claims) }
}

/** A rule of one claim of the ID token. */
const rule = (
  claim: string,
  says: string,
  isRight: (claims: Claims, on: Audit, nonce: string) => boolean,
): Check =>
  statement(
    'Authentication 11',
    `id-token-${claim}`,
    { ...shared, says, change: `Change ${claim} of the ID token: ${says}` },
    async (on) => {
      const { claims } = await idToken(on)
      const { nonce } = (await memberTokens(on)).code
      return judge(isRight(claims, on, nonce), `${claim} is right`, `${claim} is ${JSON.stringify(claims[claim])}`) // prettier-ignore
    },
  )

/** Statements of the description about the claims of a person. */
export const identity: readonly Check[] = [
  ...IDENTITY_CLAIMS.map((claim) =>
    statement(
      'Resources: identity claims',
      `userinfo-${slug(claim)}`,
      { ...shared, says: `UserInfo has ${claim}.`, change: `Add ${claim} to UserInfo.` },
      async (on) => {
        const { status, json } = await userinfo(on)
        return judge(status === 200 && claim in json, `${claim} is there`, `${status} with ${Object.keys(json).join(', ')}`) // prettier-ignore
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
        return judge(isSame, `${claim} is the same`, `${claim} of the ID token is ${String(one)}, and of UserInfo ${String(other)}`) // prettier-ignore
      },
    ),
  ),
  statement(
    'Authentication 11',
    'id-token-key',
    {
      ...shared,
      says: 'The ID token is signed with ES256, by the key at jwks_uri that its kid names.',
      change: 'Sign with ES256, and publish the key under the kid of the header.',
    },
    async (on) => {
      const { header } = await idToken(on)
      const isPublished = (await on.keys()).some(({ kid }) => kid !== undefined && kid === header['kid']) // prettier-ignore
      return judge(header['alg'] === 'ES256' && isPublished, 'ES256 with a published key', `alg is ${String(header['alg'])}, and the key is ${isPublished ? '' : 'not '}published`) // prettier-ignore
    },
  ),
  rule('iss', 'iss equals the origin.', (claims, on) => claims['iss'] === on.origin),
  rule('aud', 'aud equals the client_id.', (claims, on) => claims['aud'] === on.signIn?.member?.client.client_id), // prettier-ignore
  rule('exp', 'exp is ten minutes after iat.', (claims) => Number(claims['exp']) - Number(claims['iat']) === 600), // prettier-ignore
  rule('nonce', 'nonce equals the value that was sent.', (claims, _on, nonce) => claims['nonce'] === nonce), // prettier-ignore
]
