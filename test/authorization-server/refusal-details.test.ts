import {
  type Client,
  decideAuthorizationRequest,
  decideRedemption,
  decideRegistration,
  defineResource,
  LOOPBACK_HOSTS,
  parseFormParameters,
} from 'hallpass/policy'
import { schoolScopes } from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import {
  detailOfExchange,
  detailOfRegistration,
  detailOfRequest,
} from '../../src/authorization-server/refusal-details.js'
import { sha256Base64url } from '../../src/encoding/hash.js'
import {
  authorizationUrl,
  codeForm,
  encode,
  type Fields,
  VERIFIER,
} from '../support/school/flow.js'
import { authenticated } from '../support/school/policy-samples.js'
import { ISSUER, STUDENT, STUDY_BUDDY, T } from '../support/school/school.js'

const policy: Parameters<typeof decideAuthorizationRequest>[0]['policy'] = {
  registry: schoolScopes,
  resource: defineResource(ISSUER),
  requireState: true,
  defaultScopes: null,
  loopbackHosts: LOOPBACK_HOSTS,
}

/** The reason of the refusal of an authorization request, and what the record says that it is about. */
function request(changes: Fields, client: Client = STUDY_BUDDY): readonly unknown[] {
  const parameters = parseFormParameters(authorizationUrl(changes).search)
  const decided = decideAuthorizationRequest({ parameters, client, policy })
  if (decided.ok) throw new Error('not refused')
  return [decided.reason, detailOfRequest(decided, { parameters, client, policy })]
}

describe('what the refusal of an authorization request is about', () => {
  const web = 'https://notes.example/cb'
  const loopback = 'http://127.0.0.1:7777/callback'

  it.each<[readonly string[], string, string]>([
    [[web], 'https://evil.example/cb?code=a', 'https://evil.example, registered: https://notes.example'],
    [[web, 'https://b.example/cb', 'https://notes.example/b'], 'notes://cb', 'notes:, registered: https://notes.example, https://b.example'],
    [[web], 'https://notes.example:8443/cb', 'https://notes.example:8443, registered: https://notes.example'],
    [[web], 'a word', 'no URI, registered: https://notes.example'],
    [[web, loopback], 'https://notes.example/cb/', 'https://notes.example, where another path is registered'],
    [[web, 'notes://cb'], 'notes://cb/secret', 'notes:, where another path is registered'],
    [[web, loopback], 'http://127.0.0.1:1234/other', 'http://127.0.0.1:1234, where another path is registered'],
    [[loopback], 'http://localhost:7777/callback', 'http://localhost:7777, registered: http://127.0.0.1:7777'],
  ])('is the origin of its address, beside %j: %s', (redirectUris, redirect_uri, about) => {
    expect(request({ redirect_uri }, { ...STUDY_BUDDY, redirectUris })).toEqual([
      'redirect_uri_not_registered',
      `sent an address at ${about}`,
    ])
  }) // prettier-ignore

  it.each<[string, string, string]>([
    ['account:read no:scope offline_access x:y', 'scope_unknown', 'no:scope x:y'],
    ['no:scope courses:read', 'scope_unknown', 'no:scope'],
    ['account:read courses:read no:scope courses:write', 'scope_of_other_audience', 'courses:read courses:write'],
    ['account:read account:write courses:read', 'scope_not_allowed_for_client', 'account:write'],
  ])('is the scopes of %j that have its reason', (scope, reason, about) => {
    expect(request({ scope })).toEqual([reason, about])
  }) // prettier-ignore

  it('is the origins of its resources', () => {
    const resource = ['https://a.example/secret', 'https://b.example:8443/?x=1']
    const about = 'sent https://a.example, https://b.example:8443'
    expect(request({ resource })).toEqual(['resource_unknown', about])
  })

  it('is the names of the parameters that it repeats, without their values', () => {
    const repeated = { nonce: ['a-secret', 'b'], scope: ['openid', 'email'] }
    expect(request(repeated)).toEqual(['parameter_repeated', 'scope, nonce'])
  })

  it.each([
    ['response_type', 'response_type_not_supported'],
    ['code_challenge_method', 'code_challenge_method_not_supported'],
  ])('is the word that it sends as %s, and nothing that is longer or no word', (name, reason) => {
    const most = 'x'.repeat(40)
    for (const word of ['plain', 'token id_token', most])
      expect(request({ [name]: word })).toEqual([reason, `sent ${word}`])
    for (const other of [`${most}x`, '<b>', 'plain!', '!plain', 'S256\n'])
      expect(request({ [name]: other })).toEqual([reason, null])
  })

  it('is left to the reason of any other', () => {
    expect(request({ state: null })).toEqual(['state_missing', null])
    expect(request({ scope: 'a,\tb' })).toEqual(['scope_malformed', null])
  })
})

describe('what the refusal of a registration is about', () => {
  it.each<[object, string, string | null]>([
    [
      { redirect_uris: ['https://x.example/cb?tenant=a', 'http://127.0.0.1/cb', 'notes://cb'] },
      'redirect_uri_not_loopback',
      'https://x.example, http://127.0.0.1, notes:',
    ],
    [
      { redirect_uris: ['http://127.0.0.1/cb#secret', 'a word'] },
      'redirect_uri_malformed',
      'http://127.0.0.1, no URI',
    ],
    [{ redirect_uris: 'http://127.0.0.1/cb' }, 'redirect_uris_malformed', null],
    [{ redirect_uris: [] }, 'client_name_not_a_vendor', null],
  ])('is the origins of its addresses, for %j', (metadata, reason, about) => {
    const decided = decideRegistration({
      metadata: { client_name: 'Notes', ...metadata },
      vendors: [],
    })
    if (decided.ok) throw new Error('not refused')
    expect([decided.reason, detailOfRegistration(decided, metadata)]).toEqual([reason, about])
  })
})

describe('what the refusal of an exchange is about', () => {
  it.each<[Fields, string, string | null]>([
    [
      { redirect_uri: 'https://x.example/cb?code=a' },
      'redirect_uri_mismatch',
      'sent an address at https://x.example',
    ],
    [
      { resource: ['https://a.example/secret', ISSUER] },
      'resource_mismatch',
      `sent https://a.example, ${ISSUER}`,
    ],
    [{ code_verifier: `${VERIFIER}x` }, 'code_verifier_mismatch', null],
    [{ resource: null }, 'resource_missing', null],
  ])('is the origin of what does not match, for %j', (changes, reason, about) => {
    const parameters = parseFormParameters(encode(codeForm('hpc_a', changes)).toString())
    const decided = decideRedemption({
      code: {
        codeHash: 'hash',
        grantId: 'grant_1',
        clientId: STUDY_BUDDY.clientId,
        subject: STUDENT.subject,
        scopes: ['openid'],
        resource: ISSUER,
        resourceSent: true,
        redirectUri: STUDY_BUDDY.redirectUris[0]!,
        codeChallenge: sha256Base64url(VERIFIER),
        nonce: null,
        grantEndsAt: null,
        authTime: null,
        issuedAt: T,
        expiresAt: T + 60,
        redeemedAt: null,
      },
      client: authenticated(STUDY_BUDDY),
      redirectUri: parameters.single('redirect_uri'),
      codeVerifier: parameters.single('code_verifier'),
      resources: parameters.all('resource'),
      names: policy.resource,
      now: T,
    })
    if (decided.ok) throw new Error('not refused')
    expect([decided.reason, detailOfExchange(decided, parameters)]).toEqual([reason, about])
  })
})
