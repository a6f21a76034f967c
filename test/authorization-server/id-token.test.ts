import { createKeyRing } from 'hallpass/token'
import { testSite } from 'hallpass/testing'
import * as jose from 'jose'
import { describe, expect, it } from 'vitest'
import { verifyIdToken } from '../../examples/walk/id-token.js'
import {
  authorizationUrl,
  DESK_CLI,
  DESK_REQUEST,
  type Fields,
  generic,
  refresh,
  refusalOf,
  signIn,
  tokensOf,
  userinfo,
} from '../support/school/flow.js'
import {
  createBrowser,
  createSchool,
  ISSUER,
  OWNER,
  type School,
  STUDENT,
  T,
} from '../support/school/school.js'

const EVERYTHING = { scope: 'openid profile email account:read' }

const jwksOf = async (school: School): Promise<jose.JSONWebKeySet> =>
  (await (await school.fetch(`${ISSUER}/.well-known/jwks.json`)).json()) as jose.JSONWebKeySet

/** Verifies an ID token as any client would, at the school's own time. */
async function verify(
  school: School,
  idToken: string,
  audience = 'study-buddy',
): Promise<jose.JWTVerifyResult> {
  return jose.jwtVerify(idToken, jose.createLocalJWKSet(await jwksOf(school)), {
    issuer: ISSUER,
    audience,
    algorithms: ['ES256'],
    currentDate: new Date(school.clock.now * 1000),
  })
}

async function idTokenOf(school: School, request: Fields = {}): Promise<string> {
  return (await signIn(school, request)).id_token!
}

describe('the ID token', () => {
  it('has a header of three members [IDT-01]', async () => {
    const school = await createSchool()
    const { keys } = await jwksOf(school)
    expect(jose.decodeProtectedHeader(await idTokenOf(school))).toStrictEqual({
      alg: 'ES256',
      typ: 'JWT',
      kid: keys[0]!.kid,
    })
  })

  it('holds issuer, audience, 600 seconds and no more than openid opens [IDT-02, IDT-04, LIM-07]', async () => {
    const school = await createSchool()
    expect((await verify(school, await idTokenOf(school))).payload).toStrictEqual({
      sub: STUDENT.subject,
      org_id: 'site_lantern',
      iss: ISSUER,
      aud: 'study-buddy',
      iat: T,
      exp: T + 600,
    })
  })

  it('names the client as its audience, whatever the kind [IDT-02]', async () => {
    const school = await createSchool()
    await school.store.insertClient(DESK_CLI)
    const { id_token } = await signIn(school, DESK_REQUEST, { person: OWNER })
    const { payload } = await verify(school, id_token!, DESK_CLI.clientId)
    expect([payload.aud, payload.sub]).toEqual([DESK_CLI.clientId, OWNER.subject])
  })

  it.each(['n-0S6_WzA2Mj', 'n'.repeat(64), '林 "\\'])(
    'echoes the nonce %j [IDT-02, AUTH-29]',
    async (nonce) => {
      const school = await createSchool()
      const { payload } = await verify(school, await idTokenOf(school, { nonce }))
      expect(payload['nonce']).toBe(nonce)
    },
  )

  it.each<[string, Fields]>([
    ['max_age was sent', { max_age: '1000' }],
    ['prompt=login was sent', { prompt: 'login' }],
  ])('says when the person signed in where %s [IDT-02, AUTH-23]', async (_, request) => {
    const school = await createSchool()
    const { payload } = await verify(school, await idTokenOf(school, request))
    expect(payload['auth_time']).toBe(T)
  })

  it('has a later auth_time after signing in again [AUTH-23]', async () => {
    const school = await createSchool()
    const before = await verify(school, await idTokenOf(school, { max_age: '1' }))
    school.clock.now = T + 2
    const browser = createBrowser(school)
    await browser.open(authorizationUrl({ max_age: '1' }))
    expect(school.view).toMatchObject({ page: 'signIn', view: { cause: 'again' } })
    const after = await verify(school, await idTokenOf(school, { max_age: '1' }))
    expect([before.payload['auth_time'], after.payload['auth_time']]).toEqual([T, T + 2])
  })

  it.each(['openid account:read', 'openid profile', 'openid email', EVERYTHING.scope])(
    'says of the person what UserInfo says, for %s [IDT-03, IDT-11]',
    async (scope) => {
      const school = await createSchool()
      const tokens = await signIn(school, { scope })
      const {
        iss: _,
        aud: __,
        iat: ___,
        exp: ____,
        ...identity
      } = (await verify(school, tokens.id_token!)).payload
      expect(await (await userinfo(school, tokens.access_token)).json()).toStrictEqual(identity)
    },
  )

  it('has every identity claim where every scope was granted [IDT-03]', async () => {
    const school = await createSchool()
    await school.store.insertClient(DESK_CLI)
    const request = { ...DESK_REQUEST, scope: 'openid profile email' }
    const { id_token } = await signIn(school, request, { person: OWNER })
    expect((await verify(school, id_token!, DESK_CLI.clientId)).payload).toMatchObject({
      sub: 'mem_ines',
      org_id: 'site_lantern',
      name: 'Ines Duarte',
      picture: 'https://lantern.example/ines.png',
      roles: ['owner'],
      email: 'ines.duarte@example.com',
    })
  })

  it('cannot be bent by the claims of the host [IDT-05]', async () => {
    const extraClaims = (): Record<string, unknown> => ({
      iss: 'https://evil.test', aud: 'evil', exp: 9_999_999_999, iat: 1, nbf: 9_999_999_999, nonce: 'evil',
      auth_time: 1, azp: 'evil', acr: 'evil', amr: ['evil'], at_hash: 'evil', sub: 'evil', org_id: 'evil', locale: 'de',
    }) // prettier-ignore
    const school = await createSchool({ options: { extraClaims } })
    expect((await verify(school, await idTokenOf(school))).payload).toStrictEqual({
      sub: STUDENT.subject,
      org_id: 'site_lantern',
      locale: 'de',
      iss: ISSUER,
      aud: 'study-buddy',
      iat: T,
      exp: T + 600,
    })
  })

  it('comes with the code and never with a refresh [REFR-01]', async () => {
    const school = await createSchool()
    const { refresh_token } = await signIn(school)
    expect(await tokensOf(await refresh(school, refresh_token))).not.toHaveProperty('id_token')
  })

  it('opens nothing as an access token [IDT-10, UI-09]', async () => {
    const school = await createSchool()
    const response = await userinfo(school, await idTokenOf(school))
    expect(await refusalOf(response)).toEqual(generic('invalid_token'))
  })

  it('has a subject that stays when the address changes, and is not the address [IDT-11]', async () => {
    const school = await createSchool()
    const before = (await verify(school, await idTokenOf(school, EVERYTHING))).payload
    school.people.set(STUDENT.subject, { ...STUDENT, email: 'new@example.com', name: 'Mei' })
    const after = (await verify(school, await idTokenOf(school, EVERYTHING))).payload
    expect([before.sub, before['email']]).toEqual([after.sub, STUDENT.email])
    expect([after.sub, after['email']]).toEqual([STUDENT.subject, 'new@example.com'])
  })
})

describe('whoever verifies the ID token', () => {
  const segments = (idToken: string): string[] => idToken.split('.')
  const encode = (value: object): string => jose.base64url.encode(JSON.stringify(value))

  it('rejects a payload that was changed [IDT-07]', async () => {
    const school = await createSchool()
    const [header, payload, signature] = segments(await idTokenOf(school))
    const forged = encode({
      ...jose.decodeJwt(`${header}.${payload}.${signature}`),
      sub: OWNER.subject,
    })
    await expect(verify(school, `${header}.${forged}.${signature}`)).rejects.toThrow(
      'signature verification failed',
    )
  })

  it('rejects alg none and HS256 with the public key as secret [IDT-07]', async () => {
    const school = await createSchool()
    const idToken = await idTokenOf(school)
    const payload = jose.decodeJwt(idToken)
    const { kid } = jose.decodeProtectedHeader(idToken)
    await expect(
      verify(school, `${encode({ alg: 'none', kid })}.${segments(idToken)[1]}.`),
    ).rejects.toThrow()
    const secret = new TextEncoder().encode(JSON.stringify((await jwksOf(school)).keys[0]))
    const signed = await new jose.SignJWT(payload)
      .setProtectedHeader({ alg: 'HS256', kid: kid! })
      .sign(secret)
    await expect(verify(school, signed)).rejects.toThrow('"alg"')
  })

  it('is told by our own verifier that neither of them is signed by the school [IDT-07]', async () => {
    const school = await createSchool()
    const { keys } = await jwksOf(school)
    const faultsOf = async (idToken: string): Promise<readonly string[]> => {
      const expected = { keys, issuer: ISSUER, clientId: 'study-buddy', nonce: 'n-1' }
      const { checks } = await verifyIdToken(idToken, expected)
      // The school's clock stands still, and that of a browser does not.
      return checks
        .filter(({ ok, said }) => !ok && !said.startsWith('exp'))
        .map(({ said }) => said.split(' ', 1).join())
    }
    const idToken = await idTokenOf(school, { nonce: 'n-1' })
    expect(await faultsOf(idToken)).toEqual([])
    const [header, payload, signature] = segments(idToken)
    const forged = encode({ ...jose.decodeJwt(idToken), sub: OWNER.subject })
    expect(await faultsOf(`${header}.${forged}.${signature}`)).toEqual(['Signature'])
    const none = encode({ alg: 'none', kid: keys[0]!['kid'] })
    expect(await faultsOf(`${none}.${payload}.`)).toEqual(['Algorithm', 'Signature'])
    const secret = new TextEncoder().encode(JSON.stringify(keys[0]))
    const { kid } = jose.decodeProtectedHeader(idToken)
    const signed = await new jose.SignJWT(jose.decodeJwt(idToken))
      .setProtectedHeader({ alg: 'HS256', kid: kid! })
      .sign(secret)
    expect(await faultsOf(signed)).toEqual(['Algorithm', 'Signature'])
  })

  it('rejects it for another client, and after ten minutes [IDT-02]', async () => {
    const school = await createSchool()
    const idToken = await idTokenOf(school)
    await expect(verify(school, idToken, 'portfolio-hub')).rejects.toThrow('"aud"')
    school.clock.now = T + 599
    expect((await verify(school, idToken)).payload.sub).toBe(STUDENT.subject)
    school.clock.now = T + 600
    await expect(verify(school, idToken)).rejects.toThrow('"exp"')
  })

  it('finds the key of every ID token that is still good while keys rotate [IDT-08]', async () => {
    const school = await createSchool()
    const rotation = createKeyRing(school.site, {
      sealingSecret: 'a sealing secret of thirty-two characters',
      rotateAfterSeconds: 3000,
    })
    const kids = new Set<string>()
    let cached = await jwksOf(school)
    let cachedAt = T
    const held: string[] = []
    for (let minute = 0; minute < 150; minute++) {
      school.clock.now += 60
      await rotation.maintain()
      if (school.clock.now - cachedAt >= 600)
        [cached, cachedAt] = [await jwksOf(school), school.clock.now]
      held.push(await idTokenOf(school))
      for (const idToken of held.slice(-10)) {
        const { protectedHeader } = await jose.jwtVerify(idToken, jose.createLocalJWKSet(cached), {
          currentDate: new Date(school.clock.now * 1000),
          algorithms: ['ES256'],
        })
        kids.add(protectedHeader.kid!)
      }
    }
    expect(kids.size).toBeGreaterThanOrEqual(3)
    expect(cached.keys.length).toBeLessThanOrEqual(3)
  })

  it('is missing without a key, which the first exchange reports as one fault [IDT-13]', async () => {
    const { site } = testSite()
    const keys = createKeyRing(site, { sealingSecret: 'a sealing secret of thirty-two characters' })
    const school = await createSchool({ options: { keys } })
    for (const times of [1, 1]) {
      expect(await signIn(school)).not.toHaveProperty('id_token')
      expect(school.faults).toEqual(
        Array.from({ length: times }, () => ({
          at: T,
          endpoint: 'token',
          fault: new Error(
            'there is no signing key, so an exchange with the scope openid was answered without an id_token: call maintain(site, { keys }) at start-up and every few minutes, or serve(server)',
          ),
        })),
      )
    }
    // Keys that are published and do not sign are meant so.
    const staged = await createSchool({ signing: false })
    expect(await signIn(staged)).not.toHaveProperty('id_token')
    expect(staged.faults).toEqual([])
  })
})
