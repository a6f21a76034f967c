import { createAuthorizationServer, defineSite, OptionsError } from 'hallpass'
import { createRouter } from 'hallpass/authorization-server'
import {
  ASSERTION_REFUSALS,
  clientSecretBasic,
  dpop,
  DPOP_REFUSALS,
  fapi2,
  privateKeyJwt,
  PUSHED_REFUSALS,
  pushedRequests,
} from 'hallpass/blocks'
import { REFRESH_POLICY } from 'hallpass/policy'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore } from 'hallpass/store'
import { createKeyRing, hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { PORTFOLIO_HUB, STUDY_BUDDY } from '../support/school/school.js'
import { INTERACT, ISSUER, SEALING } from '../support/school/signing-client.js'

const store = createMemoryStore()
const keysOf = async (): Promise<null> => null
const SITE = {
  issuer: ISSUER,
  name: 'School',
  store,
  scopes: schoolScopes,
  roles: schoolRoles,
  findPerson: async () => null,
  refusals: [ASSERTION_REFUSALS, DPOP_REFUSALS, PUSHED_REFUSALS],
  senderConstraint: dpop({ once: store }),
}
const OPTIONS = {
  clientAuthentication: [privateKeyJwt({ keysOf, once: store })],
  pushedRequests: pushedRequests({ required: true }),
}

describe('fapi2', () => {
  const { senderConstraint: _without, ...unbound } = SITE
  const NO_PUSH = 'pushedRequests is required: pass pushedRequests({ required: true })'
  const NO_METHOD =
    'clientAuthentication must be [privateKeyJwt({ once: store })], and nothing else'
  it.each<[string, object, object, string]>([
    ['an issuer without TLS', { ...SITE, issuer: 'http://localhost:3000' }, OPTIONS, 'issuer of defineSite must begin with https://'],
    ['no dpop', unbound, OPTIONS, 'senderConstraint of defineSite is required: pass dpop({ once: store })'],
    ['proofs with RS256', { ...SITE, senderConstraint: dpop({ once: store, algorithms: ['ES256', 'RS256'] }) }, OPTIONS, 'senderConstraint: algorithms of dpop must be some of PS256, ES256, EdDSA, Ed25519, not RS256'],
    ['no pushed requests', SITE, { ...OPTIONS, pushedRequests: undefined }, NO_PUSH],
    ['pushed requests by choice', SITE, { ...OPTIONS, pushedRequests: pushedRequests() }, NO_PUSH],
    ['no method', SITE, { ...OPTIONS, clientAuthentication: [] }, NO_METHOD],
    ['another method', SITE, { ...OPTIONS, clientAuthentication: [clientSecretBasic()] }, NO_METHOD],
    ['another method too', SITE, { ...OPTIONS, clientAuthentication: [...OPTIONS.clientAuthentication, clientSecretBasic()] }, NO_METHOD],
    ['assertions with RS256', SITE, { ...OPTIONS, clientAuthentication: [privateKeyJwt({ keysOf, once: store, algorithms: ['RS256', 'PS384'] })] }, 'clientAuthentication: algorithms of privateKeyJwt must be some of PS256, ES256, EdDSA, Ed25519, not RS256, PS384'],
    ['codes of two minutes', SITE, { ...OPTIONS, codeSeconds: 120 }, 'codeSeconds must be at most 60, not 120'],
    ['a state that is required', SITE, { ...OPTIONS, requireState: true }, 'requireState must be false, or left out: a client of the profile may send no state'],
    ['a strict rotation', SITE, { ...OPTIONS, refreshPolicies: { confidential: REFRESH_POLICY.strict } }, 'refreshPolicies.confidential.repeatSeconds must be at least 60, not 0'],
  ])('names what it lacks: %s [FAPI-02]', (_, site, options, mistake) => {
    expect(() => fapi2(defineSite(site as typeof SITE), options as typeof OPTIONS)).toThrow(
      new OptionsError('fapi2', [mistake]),
    )
  }) // prettier-ignore

  it('names everything at once, and nothing of a server that has it [FAPI-02]', () => {
    const site = defineSite({ ...unbound, issuer: 'http://localhost:3000' })
    expect(() => fapi2(site, { codeSeconds: 61 })).toThrow(
      new OptionsError('fapi2', [
        'issuer of defineSite must begin with https://',
        'senderConstraint of defineSite is required: pass dpop({ once: store })',
        NO_PUSH,
        NO_METHOD,
        'codeSeconds must be at most 60, not 61',
      ]),
    )
    expect(fapi2(defineSite(SITE), OPTIONS)).toMatchObject({ requireState: false })
  })

  it('refuses clients without keys wherever clients authenticate, and names no other method [FAPI-03]', async () => {
    const site = defineSite(SITE)
    const keys = createKeyRing(site, SEALING)
    await keys.maintain()
    const options = fapi2(site, { keys, interact: INTERACT, ...OPTIONS })
    const router = createRouter(createAuthorizationServer(site, options))
    await store.insertClient(STUDY_BUDDY)
    await store.insertClient({
      ...PORTFOLIO_HUB,
      secrets: [{ hash: hashToken('x'), expiresAt: null }],
    })
    const post = async (path: string, fields: Record<string, string>, headers = {}) => {
      const url = `${ISSUER}/api/oauth/${path}`
      const body = new URLSearchParams({ token: 'a', grant_type: 'refresh_token', ...fields })
      const response = await router(new Request(url, { method: 'POST', body, headers }))
      return [response.status, ((await response.json()) as { error: string }).error]
    }
    for (const path of ['par', 'token', 'revoke', 'introspect']) {
      expect(await post(path, { client_id: 'study-buddy' })).toEqual([401, 'invalid_client'])
      const secret = { client_id: 'portfolio-hub', client_secret: 'x' }
      expect(await post(path, secret)).toEqual([401, 'invalid_client'])
      const authorization = `Basic ${btoa('portfolio-hub:x')}`
      expect(await post(path, {}, { authorization })).toEqual([401, 'invalid_client'])
    }
    const url = `${ISSUER}/.well-known/oauth-authorization-server`
    const metadata = (await (await router(new Request(url))).json()) as object
    const methods = Object.entries(metadata).filter(([name]) => name.endsWith('_auth_methods_supported')) // prettier-ignore
    expect(methods).toEqual(
      ['token', 'revocation', 'introspection'].map((one) => [
        `${one}_endpoint_auth_methods_supported`,
        ['private_key_jwt'],
      ]),
    )
  })
})
