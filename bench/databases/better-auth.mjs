import { oauthProvider } from '@better-auth/oauth-provider'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { jwt } from 'better-auth/plugins'
import { createHash, randomBytes } from 'node:crypto'
import {
  CLIENT_ID,
  CODE_CHALLENGE,
  exchangeForm,
  NONCE,
  PERSON,
  REDIRECT_URI,
  refreshForm,
  SCOPE,
  times,
} from '../subjects/common.mjs'
import { openPool, statements } from './common.mjs'
import { withProofs } from './proofs.mjs'

// Without it, it issues no refresh token.
const SCOPES = `${SCOPE} offline_access`

/** better-auth with its plugin for OAuth 2.1, on PostgreSQL by its own adapter, which is Kysely over `pg`. */
export async function createSubject({ origin }) {
  const options = {
    baseURL: origin,
    secret: 'a secret of at least thirty-two characters',
    database: openPool(),
    // One client sends all requests.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    disabledPaths: ['/token'],
    plugins: [
      jwt({ jwks: { keyPairConfig: { alg: 'ES256' } } }),
      oauthProvider({
        loginPage: '/sign-in',
        consentPage: '/consent',
        silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
      }),
    ],
  }
  await (await getMigrations(options)).runMigrations()
  const auth = betterAuth(options)
  const { adapter, internalAdapter } = await auth.$context
  const { name, email } = PERSON
  const user = await internalAdapter.createUser({ name, email, emailVerified: true })
  const session = await internalAdapter.createSession(user.id)
  const date = new Date()
  await adapter.create({
    model: 'oauthClient',
    data: {
      clientId: CLIENT_ID,
      name: 'Bench',
      redirectUris: [REDIRECT_URI],
      tokenEndpointAuthMethod: 'none',
      public: true,
      grantTypes: ['authorization_code', 'refresh_token'],
      responseTypes: ['code'],
      scopes: SCOPES.split(' '),
      requirePKCE: true,
      createdAt: date,
      updatedAt: date,
    },
  })

  /** Stores a code in the form that its authorization endpoint gives it. */
  const issueCode = async () => {
    const code = randomBytes(24).toString('base64url')
    const now = Date.now()
    await internalAdapter.createVerificationValue({
      identifier: createHash('sha256').update(code).digest('base64url'),
      value: JSON.stringify({
        type: 'authorization_code',
        query: {
          response_type: 'code',
          client_id: CLIENT_ID,
          redirect_uri: REDIRECT_URI,
          scope: SCOPES,
          nonce: NONCE,
          code_challenge: CODE_CHALLENGE,
          code_challenge_method: 'S256',
        },
        userId: user.id,
        sessionId: session.id,
        authTime: now,
      }),
      createdAt: new Date(now),
      updatedAt: new Date(now),
      expiresAt: new Date(now + 600_000),
    })
    return code
  }
  const token = '/api/auth/oauth2/token'
  const exchange = async () => ({ path: token, form: exchangeForm(await issueCode()) })
  const tokens = async () => {
    const { path, form } = await exchange()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const request = new Request(origin + path, { method: 'POST', headers, body: form })
    const response = await auth.handler(request)
    if (response.status !== 200) throw new Error(await response.text())
    return response.json()
  }

  await tokens()
  const scenarios = {
    exchange: {
      expect: ['access_token', 'refresh_token', 'id_token'],
      prepare: (count) => times(count, exchange),
    },
    refresh: {
      expect: ['access_token', 'refresh_token', 'id_token'],
      prepare: (count) =>
        times(count, async () => ({
          path: token,
          form: refreshForm((await tokens()).refresh_token),
        })),
    },
    bearer: {
      expect: ['sub', 'name', 'email'],
      prepare: (count) =>
        times(count, async () => ({
          path: '/api/auth/oauth2/userinfo',
          accessToken: (await tokens()).access_token,
        })),
    },
  }
  return {
    listener: toNodeHandler(auth),
    statements,
    jwks: await auth.api.getJwks(),
    scenarios: { ...scenarios, ...withProofs(scenarios, origin) },
  }
}
