import { describe, expect, it } from 'vitest'
import { decideClientAssertion } from '../../src/policy/client-assertion.js'

const NOW = 1_795_165_200
const RIGHT = {
  iss: 'portal',
  sub: 'portal',
  aud: 'https://school.example',
  exp: NOW + 60,
  jti: 'x',
}
const decide = (claims: object) =>
  decideClientAssertion({
    claims: { ...RIGHT, ...claims },
    client: { clientId: 'portal' },
    audiences: ['https://school.example', 'https://school.example/api/oauth/token'],
    now: NOW,
  })

describe('a refused assertion tells the developer of the client', () => {
  it.each([
    ['what it must be', { jti: 7 }, 'client_assertion must be a JWT of at most 8192 characters without crit, with iss, sub, aud, exp in seconds, and jti of at most 256 characters'],
    ['whose it must be', { sub: 'other' }, 'iss and sub of the assertion must both be the client_id'],
    ['for whom it must be', { aud: 'https://other.example' }, 'aud of the assertion must be one of these, and nothing else: https://school.example, https://school.example/api/oauth/token'],
    ['that it has expired', { exp: NOW - 60 }, 'exp of the assertion was 30 seconds ago or earlier by the clock of the server, or is not in seconds'],
    ['that its clock is ahead', { nbf: NOW + 61 }, 'nbf or iat of the assertion is more than 30 seconds ahead of the clock of the server'],
    ['how long it may live', { exp: NOW + 3661 }, 'exp of the assertion must be at most 3600 seconds ahead, the bound of this server'],
  ])('%s', (_, claims, description) => {
    expect(decide(claims)).toMatchObject({ ok: false, description })
  }) // prettier-ignore
})
