import { decidePushedRequest } from 'hallpass/blocks'
import { parseFormParameters } from 'hallpass/policy'
import { describe, expect, it } from 'vitest'
import {
  decidePush,
  OTHER_BROWSER,
  PUSH_PACED,
  PUSH_REQUIRED,
} from '../../src/policy/pushed-request.js'
import { T } from '../support/school/school.js'

type Request = Parameters<typeof decidePushedRequest>[0]
const PUSHED: NonNullable<Request['pushed']> = {
  clientId: 'notes',
  redirectUri: 'https://notes.example/cb?a=b&c=d',
  scopes: ['openid', 'courses:read'],
  resource: 'https://school.example',
  resourceSent: true,
  state: 'af0i + %20',
  codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  nonce: 'n-0S6',
  prompt: ['login', 'consent'],
  maxAge: 0,
  loginHint: 'mei@school.example',
  uiLocales: ['de-CH', 'de'],
  boundTo: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  expiresAt: T + 60,
}
/** The parameters of {@link PUSHED}, as its client sent them. */
const SENT = {
  client_id: 'notes',
  redirect_uri: 'https://notes.example/cb?a=b&c=d',
  response_type: 'code',
  scope: 'openid courses:read',
  state: 'af0i + %20',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
  resource: 'https://school.example',
  nonce: 'n-0S6',
  prompt: 'login consent',
  max_age: '0',
  login_hint: 'mei@school.example',
  ui_locales: 'de-CH de',
  dpop_jkt: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
}
const present = (changes: Partial<Request> = {}) =>
  decidePushedRequest({ pushed: PUSHED, clientId: 'notes', now: T, ...changes })
function sentOf(pushed: Request['pushed']): object {
  const decided = present({ pushed })
  if (!decided.ok) throw new Error(decided.reason)
  const { parameters } = decided
  const names = Object.keys(SENT).filter((name) => parameters.has(name))
  return Object.fromEntries(names.map((name) => [name, parameters.single(name)]))
}

describe('a pushed request', () => {
  it('has the parameters that its client sent', () => {
    expect(sentOf(PUSHED)).toEqual(SENT)
  })

  it('has no parameter that its client did not send', () => {
    const least = {
      ...PUSHED,
      resourceSent: false,
      nonce: null,
      maxAge: null,
      loginHint: null,
      boundTo: null,
    }
    const absent = ['resource', 'nonce', 'max_age', 'login_hint', 'dpop_jkt']
    const rest = Object.entries(SENT).filter(([name]) => !absent.includes(name))
    expect(sentOf(least)).toEqual(Object.fromEntries(rest))
  })

  it.each<[string, Partial<Request>, string, string]>([
    [
      'nothing is stored',
      { pushed: null },
      'pushed_request_unknown',
      'this request has expired or has already been completed: go back to the app and start again',
    ],
    [
      'another client sends it, also after its end',
      { clientId: 'other', now: T + 60 },
      'pushed_request_of_other_client',
      'request_uri belongs to another client: send the client_id with which it was pushed',
    ],
    [
      'no client is named',
      { clientId: null },
      'pushed_request_of_other_client',
      'request_uri belongs to another client: send the client_id with which it was pushed',
    ],
    [
      'it comes at its end',
      { now: T + 60 },
      'pushed_request_expired',
      'this request has expired: go back to the app and start again',
    ],
  ])('is refused if %s', (_, changes, reason, description) => {
    expect(present(changes)).toEqual({ ok: false, error: 'invalid_request', reason, description })
  })

  it('is used until the second before its end', () => {
    expect(present({ now: T + 59 })).toMatchObject({ ok: true })
  })
})

describe('a push', () => {
  const push = (named: string | null, proved: string | null, query = 'client_id=notes') =>
    decidePush({ parameters: parseFormParameters(query), named, proved })

  it.each([
    [null, null, null],
    ['one', null, 'one'],
    [null, 'one', 'one'],
    ['one', 'one', 'one'],
  ])('with the keys %s and %s is bound to %s', (named, proved, boundTo) => {
    expect(push(named, proved)).toEqual({ ok: true, boundTo })
  })

  it('is refused if it names another key than its proof has', () => {
    expect(push('one', 'other')).toEqual({
      ok: false,
      error: 'invalid_request',
      reason: 'pushed_request_of_other_key',
      description:
        'dpop_jkt is not the thumbprint of the key of the DPoP proof: leave it out, or correct it',
    })
  })

  it('is refused if it contains another one', () => {
    expect(push('one', 'other', 'request_uri=urn:x')).toEqual({
      ok: false,
      error: 'invalid_request',
      reason: 'pushed_request_nested',
      description: 'request_uri cannot be pushed: send the parameters themselves',
    })
  })
})

describe('the refusals of pushed requests that need no decision', () => {
  it.each([
    [
      PUSH_REQUIRED,
      'invalid_request',
      'pushed_request_required',
      'push the request first: send its parameters to the pushed_authorization_request_endpoint',
    ],
    [
      OTHER_BROWSER,
      'invalid_request',
      'pushed_request_of_other_browser',
      'this request was started in another browser: go back to the app and start again',
    ],
    [
      PUSH_PACED,
      'temporarily_unavailable',
      'pushed_request_paced',
      'too many requests were pushed: try again later',
    ],
  ])('say what to do: %#', (refusal, error, reason, description) => {
    expect(refusal).toEqual({ ok: false, error, reason, description })
  })
})
