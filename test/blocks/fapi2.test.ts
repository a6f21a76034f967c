import { createAuthorizationServer, defineSite, OptionsError } from 'hallpass'
import { createRouter } from 'hallpass/authorization-server'
import { clientSecretBasic, dpop, fapi2, privateKeyJwt, pushedRequests } from 'hallpass/blocks'
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
}
const METHOD = privateKeyJwt({ keysOf })
const PUSHES = pushedRequests({ required: true })
const PROOFS = dpop()
const whole = [fapi2(), PROOFS, METHOD, PUSHES]
const keysOfServer = { jwks: async () => ({ keys: [] }), signer: async () => null, refreshSecrets: () => [SEALING.sealingSecret] } // prettier-ignore

describe('fapi2', () => {
  const NO_PUSH = 'blocks needs pushedRequests({ required: true })'
  const NO_METHOD = 'blocks needs privateKeyJwt(), and no other way in which clients authenticate'
  const made = (site: object, blocks: readonly object[], options: object = {}) =>
    createAuthorizationServer(defineSite({ ...SITE, ...site, blocks: blocks as typeof whole }), { keys: keysOfServer, interact: INTERACT, ...options }) // prettier-ignore
  it.each<[string, object, readonly object[], object, string]>([
    ['an issuer without TLS', { issuer: 'http://localhost:3000' }, whole, {}, 'issuer of defineSite must begin with https://'],
    ['no dpop', {}, [fapi2(), METHOD, PUSHES], {}, 'blocks needs dpop()'],
    ['proofs with RS256', {}, [fapi2(), dpop({ algorithms: ['ES256', 'RS256'] }), METHOD, PUSHES], {}, 'algorithms of dpop must be some of PS256, ES256, EdDSA, Ed25519, not RS256'],
    ['no pushed requests', {}, [fapi2(), PROOFS, METHOD], {}, NO_PUSH],
    ['pushed requests by choice', {}, [fapi2(), PROOFS, METHOD, pushedRequests()], {}, NO_PUSH],
    ['no method', {}, [fapi2(), PROOFS, PUSHES], {}, NO_METHOD],
    ['another method', {}, [fapi2(), PROOFS, PUSHES, clientSecretBasic()], {}, NO_METHOD],
    ['another method too', {}, [...whole, clientSecretBasic()], {}, NO_METHOD],
    ['assertions with RS256', {}, [fapi2(), PROOFS, PUSHES, privateKeyJwt({ keysOf, algorithms: ['RS256', 'PS384'] })], {}, 'algorithms of privateKeyJwt must be some of PS256, ES256, EdDSA, Ed25519, not RS256, PS384'],
    ['codes of two minutes', {}, whole, { codeSeconds: 120 }, 'codeSeconds must be at most 60, not 120'],
    ['a state that is required', {}, whole, { requireState: true }, 'requireState must be false, or left out: a client of the profile may send no state'],
    ['a strict rotation', {}, whole, { refreshPolicies: { confidential: REFRESH_POLICY.strict } }, 'refreshPolicies.confidential.repeatSeconds must be at least 60, not 0'],
  ])('names what it lacks: %s [FAPI-02]', (_, site, blocks, options, mistake) => {
    expect(() => made(site, blocks, options)).toThrow(new OptionsError('fapi2', [mistake]))
  }) // prettier-ignore

  it('names everything at once, and nothing of a server that has it [FAPI-02]', () => {
    expect(() => made({ issuer: 'http://localhost:3000' }, [fapi2()], { codeSeconds: 61 })).toThrow(
      new OptionsError('fapi2', [
        'issuer of defineSite must begin with https://',
        'blocks needs dpop()',
        NO_PUSH,
        NO_METHOD,
        'codeSeconds must be at most 60, not 61',
      ]),
    )
    made({}, whole)
  })

  it('refuses clients without keys wherever clients authenticate, and names no other method [FAPI-03]', async () => {
    const site = defineSite({ ...SITE, blocks: whole })
    const keys = createKeyRing(site, SEALING)
    await keys.maintain()
    const router = createRouter(createAuthorizationServer(site, { keys, interact: INTERACT }))
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
