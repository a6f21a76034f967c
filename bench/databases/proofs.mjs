import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { refreshForm } from '../subjects/common.mjs'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
const HEADER = encode({
  typ: 'dpop+jwt',
  alg: 'ES256',
  jwk: publicKey.export({ format: 'jwk' }),
})

/** Adds a proof of the one key of this process to a request (RFC 9449), and the scheme of its token. */
function prove({ accessToken, headers, ...request }, origin) {
  const claims = {
    jti: randomUUID(),
    htm: request.form === undefined ? 'GET' : 'POST',
    htu: origin + request.path,
    iat: Math.floor(Date.now() / 1000),
    ...(accessToken && { ath: createHash('sha256').update(accessToken).digest('base64url') }),
  }
  const text = `${HEADER}.${encode(claims)}`
  const signature = sign('sha256', text, { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const authorization = accessToken && { Authorization: `DPoP ${accessToken}` }
  const dpop = `${text}.${signature.toString('base64url')}`
  return { ...request, headers: { ...headers, ...authorization, DPoP: dpop } }
}

/** Calls a function `count` times, sixteen at a time, since each asks the server. */
async function batches(count, make) {
  const made = []
  while (made.length < count) {
    const length = Math.min(16, count - made.length)
    made.push(...(await Promise.all(Array.from({ length }, make))))
  }
  return made
}

/**
 * The scenarios of a subject again, with a proof in each request. Tokens are those that its token endpoint returns for a
 * proof, so that its own code binds them.
 *
 * @param more - parameters of its refreshes
 */
export function withProofs({ exchange, refresh, bearer }, origin, more) {
  const tokens = async () => {
    const [plain] = await exchange.prepare(1)
    const { path, form, headers } = prove(plain, origin)
    const response = await fetch(origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: form,
    })
    const answer = await response.json()
    if (answer.token_type !== 'DPoP') throw new Error(JSON.stringify(answer))
    return { path, answer }
  }
  return {
    exchangeProved: {
      expect: exchange.expect,
      prepare: async (count) => (await exchange.prepare(count)).map((one) => prove(one, origin)),
    },
    refreshProved: {
      expect: refresh.expect,
      prepare: (count) =>
        batches(count, async () => {
          const { path, answer } = await tokens()
          return prove({ path, form: refreshForm(answer.refresh_token, more) }, origin)
        }),
    },
    bearerProved: {
      expect: bearer.expect,
      prepare: async (count) => {
        const [{ path }] = await bearer.prepare(1)
        return batches(count, async () =>
          prove({ path, accessToken: (await tokens()).answer.access_token }, origin),
        )
      },
    },
  }
}
