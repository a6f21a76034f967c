import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import {
  CLIENT_ID,
  CODE_CHALLENGE,
  exchangeForm,
  NONCE,
  PERSON,
  refreshForm,
  SCOPE,
  times,
} from './common.mjs'

/**
 * The lower bound: a handler of `node:http` that does only the cryptography and the lookup. It checks only
 * PKCE and knows one client: never use it as a server.
 */
export async function createSubject({ origin }) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const random = () => randomBytes(32).toString('base64url')
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const header = encode({ alg: 'ES256', typ: 'JWT', kid: 'bare' })
  const { subject: sub, name, email } = PERSON
  const known = new Set()
  const metadata = JSON.stringify({
    issuer: origin,
    token_endpoint: `${origin}/token`,
    scopes_supported: SCOPE.split(' '),
  })

  const answer = (res, body, status = 200) =>
    res
      .writeHead(status, {
        'content-type': 'application/json',
        'cache-control': 'no-store',
        'content-length': Buffer.byteLength(body),
      })
      .end(body)
  const refusal = JSON.stringify({
    error: 'invalid_grant',
    error_description: 'the code is unknown, expired or used',
  })
  const fail = (res) => answer(res, refusal, 400)

  const tokens = (idToken) =>
    JSON.stringify({
      access_token: random(),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: random(),
      scope: SCOPE,
      ...idToken,
    })
  const exchange = (form, res) => {
    const challenge = createHash('sha256').update(form.get('code_verifier')).digest('base64url')
    if (!known.delete(form.get('code')) || challenge !== CODE_CHALLENGE) return fail(res)
    return answer(res, tokens({ id_token: idToken() }))
  }
  const idToken = () => {
    const iat = Math.floor(Date.now() / 1000)
    const claims = {
      iss: origin,
      aud: CLIENT_ID,
      sub,
      name,
      email,
      nonce: NONCE,
      iat,
      exp: iat + 600,
    }
    const input = `${header}.${encode(claims)}`
    return `${input}.${joined(sign('sha256', Buffer.from(input), privateKey))}`
  }
  const refresh = (form, res, signs) => {
    const hash = createHash('sha256').update(form.get('refresh_token')).digest('base64url')
    if (!known.delete(hash)) return fail(res)
    return answer(res, tokens(signs ? { id_token: idToken() } : {}))
  }
  const readForm = (req, then) => {
    let text = ''
    req.setEncoding('latin1')
    req.on('data', (chunk) => (text += chunk))
    req.on('end', () => then(new URLSearchParams(text)))
  }

  const listener = (req, res) => {
    if (req.url === '/metadata') return answer(res, metadata)
    if (req.url === '/userinfo') {
      const token = req.headers.authorization?.slice('Bearer '.length) ?? ''
      const hash = createHash('sha256').update(token).digest('base64url')
      return known.has(hash) ? answer(res, JSON.stringify({ sub, name, email })) : fail(res)
    }
    return readForm(req, (form) =>
      form.get('grant_type') === 'refresh_token'
        ? refresh(form, res, req.url === '/token?id_token')
        : exchange(form, res),
    )
  }
  const remember = (token) => {
    known.add(createHash('sha256').update(token).digest('base64url'))
    return token
  }
  return {
    listener,
    jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'bare', alg: 'ES256' }] },
    scenarios: {
      exchange: {
        expect: ['access_token', 'refresh_token', 'id_token'],
        prepare: (count) =>
          times(count, () => {
            const code = random()
            known.add(code)
            return { path: '/token', form: exchangeForm(code) }
          }),
      },
      refused: {
        expect: ['error', 'error_description'],
        prepare: (count) => times(count, () => ({ path: '/token', form: exchangeForm(random()) })),
      },
      refresh: {
        expect: ['access_token', 'refresh_token'],
        prepare: (count) =>
          times(count, () => ({ path: '/token', form: refreshForm(remember(random())) })),
      },
      'refresh-signed': {
        expect: ['access_token', 'refresh_token', 'id_token'],
        prepare: (count) =>
          times(count, () => ({ path: '/token?id_token', form: refreshForm(remember(random())) })),
      },
      bearer: {
        expect: ['sub', 'name', 'email'],
        prepare: (count) =>
          times(count, () => ({ path: '/userinfo', accessToken: remember(random()) })),
      },
      discovery: {
        expect: ['issuer', 'token_endpoint'],
        prepare: (count) => times(count, () => ({ path: '/metadata' })),
      },
    },
  }
}

/**
 * Turns a signature in DER into the form of JWS. `sign` does so itself if it is given an object for the key, but that
 * makes it slow on Node 24, and the lower bound must not have that.
 */
function joined(der) {
  const middle = 4 + der[3]
  const number = (from, length) =>
    der
      .subarray(from, from + length)
      .toString('hex')
      .padStart(64, '0')
      .slice(-64)
  const hex = number(4, der[3]) + number(middle + 2, der[middle + 1])
  return Buffer.from(hex, 'hex').toString('base64url')
}
