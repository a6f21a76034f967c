import { deepEqual, ok } from 'node:assert/strict'
import { decideCodeChallenge } from 'hallpass/policy'

const decided = decideCodeChallenge({ codeChallenge: null, codeChallengeMethod: 'S256' })
ok(!decided.ok)
deepEqual([decided.error, decided.reason], ['invalid_request', 'code_challenge_missing'])
