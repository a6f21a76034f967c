import { createRemoteGate } from 'hallpass'
import { dpop } from 'hallpass/blocks'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { hashToken } from 'hallpass/token'
import * as jose from 'jose'
import { createAssertingSchool, IDP, ISSUER } from '../../support/school/asserting-client.js'
import { createDpopSchool, createKeys } from '../../support/school/dpop-school.js'
import { T } from '../../support/school/school.js'
import { TOKEN } from '../../support/school/signing-client.js'
import type { Json } from './watch.js'
import { type Form, signed } from './form.js'

export async function ofIdentityAssertion(): Promise<Form> {
  return {
    name: 'identity assertion',
    examples: [
      [
        { alg: 'ES256', typ: 'oauth-id-jag+jwt' },
        {
          iss: IDP,
          sub: 'u-ines',
          aud: ISSUER,
          client_id: 'agent',
          jti: 'j',
          iat: T,
          exp: T + 60,
          scope: 'openid courses:read',
        },
      ],
      [
        { alg: 'ES256', typ: 'oauth-id-jag+jwt' },
        {
          iss: IDP,
          sub: 'u-ines',
          aud: ISSUER,
          client_id: 'agent',
          jti: 'j',
          iat: T,
          exp: T + 60,
          scope: 'openid school:write',
          resource: `${ISSUER}/mcp`,
          nbf: T,
          auth_time: T,
        },
      ],
    ],
    async ask(texts) {
      const school = await createAssertingSchool({ defaultScopes: ['openid', 'courses:read'] })
      return (await school.outcome(await signed(texts, school.idp.privateKey()))).join(' ')
    },
  }
}

export async function ofProviderKeys(): Promise<Form> {
  const { privateKey, publicKey } = await jose.generateKeyPair('ES256')
  const jwk = await jose.exportJWK(publicKey)
  const header = { alg: 'ES256', typ: 'oauth-id-jag+jwt', kid: 'one' }
  const claims = {
    iss: IDP,
    sub: 'u-ines',
    aud: ISSUER,
    client_id: 'agent',
    jti: 'j',
    iat: T,
    exp: T + 60,
    scope: 'openid',
  }
  return {
    name: 'keys of a provider',
    examples: [
      [{ keys: [{ ...jwk, kid: 'one' }] }],
      [{ keys: [{ ...jwk, kid: 'one', use: 'sig', alg: 'ES256', key_ops: ['verify'] }] }],
    ],
    async ask([body]) {
      const school = await createAssertingSchool({
        options: { fetchKeys: async () => new Response(body) },
      })
      const outcomes = []
      for (const kid of ['one', undefined])
        outcomes.push(
          ...(await school.outcome(
            await signed(
              [JSON.stringify({ ...header, kid }), JSON.stringify({ ...claims, jti: `${kid}` })],
              privateKey,
            ),
          )),
        )
      return outcomes.join(' ')
    },
  }
}

export async function ofProof(): Promise<Form> {
  const keys = await createKeys()
  let codes = 0
  const claims = { jti: 'j', htm: 'POST', htu: TOKEN, iat: T }
  const header = { typ: 'dpop+jwt', alg: 'ES256', jwk: keys.jwk }
  return {
    name: 'DPoP proof',
    examples: [
      [header, claims],
      [
        {
          ...header,
          kid: 'one',
          jwk: { ...keys.jwk, use: 'sig', alg: 'ES256', kid: 'two', key_ops: ['verify'] },
        },
        { ...claims, nonce: 'n', ath: 'a' },
      ],
    ],
    async ask(texts) {
      const school = await createDpopSchool()
      const code = `code ${++codes}`
      await school.issue(code)
      const { status, reason, body } = await school.redeem(
        code,
        await signed(texts, keys.privateKey),
      )
      const said = `${status} ${reason} ${body.token_type}`
      // At a resource as well, where a proof belongs to a token.
      await school.issue('other')
      const { access_token: token } = (await school.redeem('other', await school.proofFor(keys)))
        .body
      const [first, second] = texts.map((text) => JSON.parse(text) as Json)
      const ofToken = {
        ...second,
        htm: 'GET',
        htu: `${ISSUER}/api/oauth/userinfo`,
        ...('ath' in second! && second['ath'] === 'a' && { ath: hashToken(token) }),
      }
      const proof = await signed([JSON.stringify(first), JSON.stringify(ofToken)], keys.privateKey)
      const called = await school.userinfo(`DPoP ${token}`, proof)
      return `${said} ${called.status} ${called.reason}`
    },
  }
}

export async function ofIntrospection(): Promise<Form> {
  const { jkt } = await createKeys()
  const answer = {
    active: true,
    token_type: 'Bearer',
    scope: 'openid courses:read',
    client_id: 'desk',
    sub: 'per_ines',
    aud: ISSUER,
    iss: ISSUER,
    iat: T,
    exp: T + 60,
    grant_id: 'g',
    token_scope: 'openid courses:read',
    client_name: 'Desk',
    client_kind: 'vendor',
    org_id: 'school.example',
    roles: ['owner'],
  }
  return {
    name: 'introspection',
    examples: [
      [answer],
      [{ ...answer, scope_fixed: true, client_scope: 'courses:read' }],
      [{ ...answer, token_type: 'DPoP', cnf: { jkt } }],
      [{ active: false }],
    ],
    async ask([body]) {
      const reasons: string[] = []
      const remote = createRemoteGate<string>({
        issuer: ISSUER,
        name: 'School',
        scopes: schoolScopes,
        roles: schoolRoles,
        clientId: 'service',
        clientSecret: 'a secret of the service',
        now: () => T,
        blocks: [dpop({ once: 'memory' })],
        onRefusal: ({ reason }: { reason: string }) => reasons.push(reason),
        onFault: ({ fault }: { fault: unknown }) =>
          reasons.push(String((fault as Error).cause ?? fault)),
        send: async () => new Response(body, { headers: { 'content-type': 'application/json' } }),
      } as unknown as Parameters<typeof createRemoteGate<string>>[0])
      const headers = { authorization: `Bearer hpa_${'a'.repeat(43)}` }
      const admitted = await remote.gate('courses:read')(new Request(`${ISSUER}/x`, { headers }))
      if (admitted instanceof Response)
        return `${admitted.status} ${reasons.join(' ').replace(/^.*returned | .*$/g, '')}`
      const { client, person, ...access } = admitted
      return `200 ${JSON.stringify([access, client.scopes, client.name, person])}`
    },
  }
}
