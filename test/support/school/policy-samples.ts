import {
  type AuthenticatedClient,
  type Client,
  decideClientAuthentication,
  type Grant,
} from 'hallpass/policy'
import { ISSUER, STUDENT, STUDY_BUDDY, T } from './school.js'

/** The client, as the one maker of authenticated clients returns it. */
export function authenticated(
  client: Client,
  clientSecret: string | null = null,
): AuthenticatedClient {
  const decided = decideClientAuthentication({ client, clientSecret, authorization: null, now: T })
  if (!decided.ok) throw new Error(decided.reason)
  return decided.client
}

/** A self-registered operator client. */
export const DESK_CLI: Client = {
  ...STUDY_BUDDY,
  clientId: 'app_desk',
  kind: 'loopback',
  name: 'Desk CLI',
  redirectUris: ['http://127.0.0.1:3000/cb'],
  scopes: null,
}

/** An operator client of a document that nobody has reviewed. */
export const NOTES: Client = {
  ...STUDY_BUDDY,
  clientId: 'https://notes.example/client.json',
  kind: 'document',
  name: 'Notes',
  redirectUris: ['https://notes.example/cb'],
  scopes: null,
}

export const GRANT: Grant = {
  grantId: 'grant_1',
  clientId: STUDY_BUDDY.clientId,
  subject: STUDENT.subject,
  scopes: ['openid', 'email', 'account:read'],
  resource: ISSUER,
  redirectUri: 'http://127.0.0.1:7777/callback',
  createdAt: T,
  expiresAt: T + 180 * 86_400,
  revokedAt: null,
  revokedReason: null,
}
