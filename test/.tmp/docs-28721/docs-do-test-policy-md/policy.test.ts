// policy.test.ts
import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { decideRedirectUri } from 'hallpass/policy'

test('a loopback redirect URI may have any port', () => {
  const redirectUri = 'http://127.0.0.1:52100/callback'
  const decision = decideRedirectUri({ redirectUri, registered: ['http://127.0.0.1/callback'] })
  deepEqual(decision, { ok: true, redirectUri })
})
