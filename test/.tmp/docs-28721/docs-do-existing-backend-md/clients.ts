// clients.ts
import { defineClient } from 'hallpass/clients'
import { hashToken, newToken } from 'hallpass/token'
import { site } from './site.js'

/** @returns the secret, to be shown once: only its hash is stored */
export async function addStudyApp(): Promise<string> {
  const secret = newToken('clientSecret', site.randomBytes)
  await site.store.insertClient(
    defineClient({
      clientId: 'study-app',
      kind: 'member',
      name: 'Study App',
      redirectUris: ['https://study.example/callback'],
      tokenEndpointAuthMethod: 'client_secret_post',
      secrets: [{ hash: hashToken(secret), expiresAt: null }],
      scopes: ['account:read'],
      createdAt: site.now(),
    }),
  )
  return secret
}
