import { deepEqual, ok } from 'node:assert/strict'
import { decideAccess } from 'hallpass/policy'
import { bearerSample, clientSample } from 'hallpass/testing'

const decided = decideAccess({ ...bearerSample(), client: clientSample({ disabled: true }) })
ok(!decided.ok)
deepEqual([decided.error, decided.reason], ['invalid_token', 'client_disabled'])
