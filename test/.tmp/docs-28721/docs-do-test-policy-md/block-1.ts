import { deepEqual } from 'node:assert/strict'
import { decideRedemption } from 'hallpass/policy'
import { exchangeSample } from 'hallpass/testing'

const { now } = exchangeSample()
const expired = { ok: false, error: 'invalid_grant', reason: 'code_expired' }
deepEqual(decideRedemption(exchangeSample({ expiresAt: now })), expired)
