import { defineClient } from 'hallpass/clients'
import { codeSample } from 'hallpass/testing'
import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { decideApproval } from '../../src/authorization-server/approval.js'
import type { AuthorizationRequest } from '../../src/policy/authorization-request.js'
import { T } from '../support/school/school.js'

const { clientId, redirectUri, scopes, resource, resourceSent, codeChallenge } = codeSample()
const request = {
  clientId,
  redirectUri,
  scopes,
  resource,
  resourceSent,
  codeChallenge,
} as AuthorizationRequest
const signedIn = { subject: 'mem_1', authTime: T }
const clientOf = (
  kind: 'member' | 'loopback',
  tokenEndpointAuthMethod: 'client_secret_post' | 'none',
) =>
  defineClient({
    clientId,
    kind,
    name: 'App',
    redirectUris: [redirectUri],
    tokenEndpointAuthMethod,
    ...(tokenEndpointAuthMethod !== 'none' && {
      secrets: [{ hash: hashToken('a secret'), expiresAt: null }],
    }),
    createdAt: T,
  })
const keyFor = (client: ReturnType<typeof clientOf>, more = {}): string | null =>
  decideApproval({ client, request, signedIn, ...more }).consentKey

describe('the key under which a consent is remembered', () => {
  const withSecret = clientOf('member', 'client_secret_post')

  it('is that of the consent, and another one if the person chose an end [UX-09]', () => {
    expect(keyFor(withSecret)).toMatch(/^[\w-]{43}$/)
    expect(keyFor(withSecret, { grantEndsAt: T + 60 })).toMatch(/^[\w-]{43}$/)
    expect(keyFor(withSecret, { grantEndsAt: T + 60 })).not.toBe(keyFor(withSecret))
  })

  it('is none for a client that anyone can be, nor where the consent is remembered already [UX-09]', () => {
    expect(keyFor(clientOf('member', 'none'))).toBeNull()
    expect(keyFor(clientOf('loopback', 'none'))).toBeNull()
    expect(keyFor(withSecret, { remembered: true })).toBeNull()
  })
})
