import { dpop } from 'hallpass/blocks'
import { defineClient } from 'hallpass/clients'
import { createMemoryStore } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import { REFRESH_POLICY } from 'hallpass/policy'
import { describe, expect, it } from 'vitest'
import { createDpopSchool, createKeys, NONCE_SECRET } from '../../support/school/dpop-school.js'
import { T } from '../../support/school/school.js'
import { ISSUER, REDIRECT } from '../../support/school/signing-client.js'

describe('the token endpoint of a site with dpop', () => {
  it('binds the tokens of a request with a proof, and of no other [DPOP-01]', async () => {
    const { issue, redeem, proofFor, store } = await createDpopSchool()
    const keys = await createKeys()
    await issue('a')
    const { status, body, response } = await redeem('a', await proofFor(keys))
    expect([status, body.token_type]).toEqual([200, 'DPoP'])
    expect(response.headers.get('dpop-nonce')).toBeNull()
    const found = await store.findAccessToken(hashToken(body.access_token))
    expect([found?.accessToken.boundTo, found?.grant.boundTo]).toEqual([keys.jkt, keys.jkt])

    await issue('b')
    const plain = await redeem('b')
    expect(plain.body.token_type).toBe('Bearer')
    const other = await store.findAccessToken(hashToken(plain.body.access_token))
    expect(other).not.toHaveProperty('accessToken.boundTo')
    expect(other).not.toHaveProperty('grant.boundTo')
  })

  it.each(['ES256', 'Ed25519'])('accepts a key of %s', async (alg) => {
    const { issue, redeem, proofFor } = await createDpopSchool()
    await issue('a')
    const proof = await proofFor(await createKeys(alg), {}, { alg })
    expect((await redeem('a', proof)).status).toBe(200)
  })

  it('refuses a proof that another key signed, and uses up neither proof nor code [DPOP-11]', async () => {
    const { issue, redeem, proofFor } = await createDpopSchool()
    const [keys, thief] = [await createKeys(), await createKeys()]
    await issue('a')
    const jti = 'the same'
    const forged = await proofFor({ ...thief, jwk: keys.jwk }, { jti })
    expect(await redeem('a', forged)).toMatchObject({
      status: 400,
      body: { error: 'invalid_dpop_proof' },
      reason: 'dpop_proof_signature_wrong',
    })
    expect((await redeem('a', await proofFor(keys, { jti }))).status).toBe(200)
  })

  it.each([
    ['another endpoint', { htu: `${ISSUER}/api/oauth/userinfo` }, 'dpop_proof_for_other_uri'],
    ['another method', { htm: 'GET' }, 'dpop_proof_for_other_method'],
  ])('refuses a proof for %s by name, and says why', async (_, claims, reason) => {
    const { issue, redeem, proofFor } = await createDpopSchool()
    await issue('a')
    const keys = await createKeys()
    const refused = await redeem('a', await proofFor(keys, claims))
    expect(refused).toMatchObject({ status: 400, reason, body: { error: 'invalid_dpop_proof' } })
    expect((await redeem('a', await proofFor(keys))).status).toBe(200)
  })

  it('accepts a proof once, and one of fifty with the same [DPOP-30]', async () => {
    const { issue, redeem, proofFor } = await createDpopSchool()
    const keys = await createKeys()
    const names = Array.from({ length: 50 }, (_, index) => `code_${index}`)
    await Promise.all(names.map((name) => issue(name)))
    const proof = await proofFor(keys)
    const all = await Promise.all(names.map((name) => redeem(name, proof)))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
    const refused = all.filter(({ status }) => status === 400)
    expect(refused.map(({ body }) => body.error)).toEqual(
      Array.from({ length: 49 }, () => 'invalid_dpop_proof'),
    )
    const winner = all.findIndex(({ status }) => status === 200)
    const [loser] = names.filter((_, index) => index !== winner)
    expect((await redeem(loser!, await proofFor(keys))).status).toBe(200)
  })

  it('leaves a code valid if single use fails, which leads to 503', async () => {
    const store = createMemoryStore()
    let fails = true
    const once = {
      useOnce: async (use: { key: string; until: number }) => {
        if (fails) throw new Error('no connection')
        return store.useOnce(use)
      },
    }
    const { issue, redeem, proofFor, faults } = await createDpopSchool({ store, options: { once } })
    const keys = await createKeys()
    await issue('a')
    expect((await redeem('a', await proofFor(keys))).status).toBe(503)
    expect((faults[0]!.fault as Error).message).toContain('useOnce')
    fails = false
    expect((await redeem('a', await proofFor(keys))).status).toBe(200)
  })

  it('gives no unbound token to a client that gets bound ones only [DPOP-21]', async () => {
    const { issue, redeem, refresh, proofFor } = await createDpopSchool()
    const keys = await createKeys()
    await issue('a', 'strict')
    expect(await redeem('a', null, 'strict')).toMatchObject({
      status: 400,
      reason: 'dpop_proof_missing',
      body: { error: 'invalid_dpop_proof' },
    })
    const { body } = await redeem('a', await proofFor(keys), 'strict')
    expect(body.token_type).toBe('DPoP')
    expect(await refresh(body.refresh_token, null, 'strict')).toMatchObject({
      reason: 'dpop_proof_missing',
    })
  })
})

describe('a code that is bound by dpop_jkt', () => {
  it('is redeemed with a proof of that key only, and remains valid [DPOP-29]', async () => {
    const { issue, redeem, proofFor, store } = await createDpopSchool()
    const [keys, thief] = [await createKeys(), await createKeys()]
    await issue('a', 'notes', keys.jkt)
    for (const proof of [null, await proofFor(thief)])
      expect(await redeem('a', proof)).toMatchObject({ status: 400, reason: 'code_bound' })
    const { status, body } = await redeem('a', await proofFor(keys))
    expect(status).toBe(200)
    // Nor does who has the code and the verifier end the grant by a second use.
    expect(await redeem('a', await proofFor(thief))).toMatchObject({ reason: 'code_bound' })
    const found = await store.findAccessToken(hashToken(body.access_token))
    expect(found?.grant.revokedAt).toBeNull()
  })
})

describe('an authorization request with a malformed dpop_jkt', () => {
  it('redirects no one to a document that no one has reviewed', async () => {
    const { store, router, refusals } = await createDpopSchool()
    const clientId = 'https://evil.example/client.json'
    const redirectUri = 'https://evil.example/callback'
    const shared = { redirectUris: [redirectUri], createdAt: T, name: 'Evil', scopes: null }
    await store.insertClient(defineClient({ ...shared, clientId, kind: 'document' }))
    const locationOf = async (client: string, to: string): Promise<string | null> => {
      const query = new URLSearchParams({
        client_id: client,
        redirect_uri: to,
        response_type: 'code',
        scope: 'openid',
        state: 'a-state-of-some-length',
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
        resource: ISSUER,
        dpop_jkt: 'short',
      })
      const response = await router(new Request(`${ISSUER}/oauth/authorize?${query.toString()}`))
      expect(refusals.at(-1)?.reason).toBe('dpop_jkt_malformed')
      return response.headers.get('location')
    }
    expect(await locationOf(clientId, redirectUri)).toBeNull()
    expect(await locationOf('notes', REDIRECT)).toContain('error=invalid_request')
  })
})

describe('a refresh token', () => {
  const bound = async (clientId = 'notes', more: Parameters<typeof createDpopSchool>[0] = {}) => {
    const school = await createDpopSchool(more)
    const keys = await createKeys()
    await school.issue('a', clientId)
    const { body } = await school.redeem('a', await school.proofFor(keys), clientId)
    return { ...school, keys, tokens: body }
  }

  it('of a public client needs proof of its key, and a stranger ends nothing [DPOP-02]', async () => {
    const { tokens, refresh, proofFor, keys, store, events } = await bound('notes', {
      refreshPolicies: { public: REFRESH_POLICY.strict },
    })
    const thief = await createKeys()
    for (const proof of [null, await proofFor(thief)])
      expect(await refresh(tokens.refresh_token, proof)).toMatchObject({
        status: 400,
        reason: 'refresh_token_bound',
        body: { error: 'invalid_grant' },
      })
    const next = await refresh(tokens.refresh_token, await proofFor(keys))
    expect([next.status, next.body.token_type]).toEqual([200, 'DPoP'])
    // The used one as well, which would end the grant of who has the key.
    for (const proof of [null, await proofFor(thief)])
      expect(await refresh(tokens.refresh_token, proof)).toMatchObject({
        reason: 'refresh_token_bound',
      })
    const found = await store.findAccessToken(hashToken(next.body.access_token))
    expect(found?.grant.revokedAt).toBeNull()
    expect(events.filter(({ type }) => type === 'oauth.grant.reuse_detected')).toEqual([])
    expect(await refresh(tokens.refresh_token, await proofFor(keys))).toMatchObject({
      reason: 'refresh_token_reused',
    })
  })

  it('is not used up by a replayed request, nor its grant ended [DPOP-37]', async () => {
    const { tokens, refresh, proofFor, keys, store } = await bound('notes', {
      refreshPolicies: { public: REFRESH_POLICY.strict },
    })
    const proof = await proofFor(keys)
    const first = await refresh(tokens.refresh_token, proof)
    expect(first.status).toBe(200)
    expect(await refresh(tokens.refresh_token, proof)).toMatchObject({
      status: 400,
      reason: 'dpop_proof_used_before',
    })
    const found = await store.findAccessToken(hashToken(first.body.access_token))
    expect(found?.grant.revokedAt).toBeNull()
    // Nor does the next token take a proof that was used.
    const { refresh_token: next } = first.body
    expect(await refresh(next, proof)).toMatchObject({
      status: 400,
      reason: 'dpop_proof_used_before',
    })
    expect((await refresh(next, await proofFor(keys))).status).toBe(200)
  })

  it('is repeated to who has the key, and to no one else', async () => {
    const { tokens, refresh, proofFor, keys, clock } = await bound('notes', {
      refreshPolicies: { public: REFRESH_POLICY.severalProcesses },
    })
    const first = await refresh(tokens.refresh_token, await proofFor(keys))
    clock.advance(30)
    expect(await refresh(tokens.refresh_token, await proofFor(await createKeys()))).toMatchObject({
      reason: 'refresh_token_bound',
    })
    const again = await refresh(tokens.refresh_token, await proofFor(keys))
    expect(again.body.access_token).toBe(first.body.access_token)
    expect(again.body.token_type).toBe('DPoP')
    // It is followed to the newest one, too.
    const newest = await refresh(first.body.refresh_token, await proofFor(keys))
    expect(newest.status).toBe(200)
    expect(await refresh(tokens.refresh_token)).toMatchObject({ reason: 'refresh_token_bound' })
    const followed = await refresh(tokens.refresh_token, await proofFor(keys))
    expect(followed).toMatchObject({ status: 200, body: { token_type: 'DPoP' } })
  })

  it('of a confidential client is used with another key, but never without [DPOP-03]', async () => {
    const { tokens, refresh, proofFor, store, userinfo, proofOf } = await bound('desk')
    const next = await createKeys()
    expect(await refresh(tokens.refresh_token, null, 'desk')).toMatchObject({
      status: 400,
      reason: 'refresh_token_bound',
    })
    const { status, body } = await refresh(tokens.refresh_token, await proofFor(next), 'desk')
    expect([status, body.token_type]).toEqual([200, 'DPoP'])
    const found = await store.findAccessToken(hashToken(body.access_token))
    expect(found?.accessToken.boundTo).toBe(next.jkt)
    const { access_token: token } = body
    expect((await userinfo(`DPoP ${token}`, await proofOf(next, token))).status).toBe(200)
    // Repeated with yet another key, it gives new tokens: those of before could not be used with it.
    const other = await createKeys()
    const repeated = await refresh(tokens.refresh_token, await proofFor(other), 'desk')
    expect([repeated.status, repeated.body.token_type]).toEqual([200, 'DPoP'])
    const foundAgain = await store.findAccessToken(hashToken(repeated.body.access_token))
    expect(foundAgain?.accessToken.boundTo).toBe(other.jkt)
    expect((await userinfo(`DPoP ${token}`, await proofOf(next, token))).status).toBe(200)
    // Who has the response of before continues as well.
    expect((await refresh(body.refresh_token, await proofFor(next), 'desk')).status).toBe(200)
  })

  it('of a confidential client gives two processes with keys of their own, at the same time, a token each [DPOP-03]', async () => {
    const { tokens, refresh, proofFor, store } = await bound('desk')
    const keys = await Promise.all([createKeys(), createKeys()])
    const proofs = await Promise.all(keys.map((one) => proofFor(one)))
    const answers = await Promise.all(
      proofs.map((proof) => refresh(tokens.refresh_token, proof, 'desk')),
    )
    const found = await Promise.all(
      answers.map(({ body }) => store.findAccessToken(hashToken(body.access_token))),
    )
    expect(found.map((one) => one?.accessToken.boundTo)).toEqual(keys.map(({ jkt }) => jkt))
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(keys.length)
  })

  it('of an unbound grant binds what a confidential client gets, and nothing of a public one', async () => {
    const { issue, redeem, refresh, proofFor, store } = await createDpopSchool()
    const keys = await createKeys()
    await issue('a', 'desk')
    const desk = await redeem('a', null, 'desk')
    const upgraded = await refresh(desk.body.refresh_token, await proofFor(keys), 'desk')
    expect(upgraded.body.token_type).toBe('DPoP')
    // A repetition without the proof gets a Bearer token of its own, not the bound one under that name.
    const repeated = await refresh(desk.body.refresh_token, null, 'desk')
    expect(repeated.body.token_type).toBe('Bearer')
    const found = await store.findAccessToken(hashToken(repeated.body.access_token))
    expect(found?.accessToken.boundTo ?? null).toBeNull()
    await issue('b')
    const notes = await redeem('b')
    expect(await refresh(notes.body.refresh_token, await proofFor(keys))).toMatchObject({
      status: 400,
      reason: 'refresh_token_not_bound',
    })
    expect((await refresh(notes.body.refresh_token)).body.token_type).toBe('Bearer')
  })

  it('that is bound gives nothing where the block is switched off again [DPOP-38]', async () => {
    const { tokens, store } = await bound()
    const off = await createDpopSchool({ store, without: true }).catch(() => null)
    expect(off).not.toBeNull()
    expect(await off!.refresh(tokens.refresh_token)).toMatchObject({
      status: 400,
      reason: 'refresh_token_bound',
    })
    expect(await off!.userinfo(`Bearer ${tokens.access_token}`)).toMatchObject({
      status: 401,
      reason: 'access_token_bound',
    })
    expect(await off!.userinfo(`DPoP ${tokens.access_token}`)).toMatchObject({
      reason: 'authorization_malformed',
    })
  })
})

describe('nonces', () => {
  it('are asked for at the token endpoint, before anything is used up [DPOP-26]', async () => {
    const { issue, redeem, proofFor } = await createDpopSchool({
      options: { nonceSecret: NONCE_SECRET },
    })
    const keys = await createKeys()
    await issue('a')
    const asked = await redeem('a', await proofFor(keys))
    expect(asked).toMatchObject({
      status: 400,
      body: { error: 'use_dpop_nonce' },
      reason: 'dpop_nonce_missing',
    })
    const { headers } = asked.response
    const nonce = headers.get('dpop-nonce')!
    expect(nonce).toMatch(/^[\w-]{43}$/)
    expect(headers.get('access-control-expose-headers')).toBe(
      'WWW-Authenticate, Retry-After, X-Request-Id, DPoP-Nonce',
    )
    expect(headers.get('cache-control')).toBe('no-store')
    const done = await redeem('a', await proofFor(keys, { nonce }))
    expect([done.status, done.response.headers.get('dpop-nonce')]).toEqual([200, nonce])
  })

  it('are the newest with each response, and expire [DPOP-31]', async () => {
    const { issue, redeem, refresh, proofFor, clock } = await createDpopSchool({
      options: { nonceSecret: NONCE_SECRET },
    })
    const keys = await createKeys()
    await issue('a')
    const first = (await redeem('a', await proofFor(keys))).response.headers.get('dpop-nonce')!
    const { body, response } = await redeem('a', await proofFor(keys, { nonce: first }))
    expect(response.headers.get('dpop-nonce')).toBe(first)
    clock.advance(150)
    const kept = await refresh(body.refresh_token, await proofFor(keys, { nonce: first }))
    const second = kept.response.headers.get('dpop-nonce')!
    expect([kept.status, second === first]).toEqual([200, false])
    clock.advance(150)
    const late = await refresh(
      kept.body.refresh_token,
      await proofFor(keys, { nonce: first, iat: 1 }),
    )
    expect([late.reason, late.response.headers.get('dpop-nonce') === second]).toEqual([
      'dpop_nonce_unknown',
      false,
    ])
    const done = await refresh(
      kept.body.refresh_token,
      await proofFor(keys, { nonce: second, iat: 1 }),
    )
    expect(done.status).toBe(200)
  })

  it('of one process are accepted by another with the same secret, and by no other [DPOP-27]', async () => {
    const options = { nonceSecret: NONCE_SECRET }
    const [one, two, three] = await Promise.all([
      createDpopSchool({ options }),
      createDpopSchool({ options }),
      createDpopSchool({ options: { nonceSecret: `${NONCE_SECRET}!` } }),
    ])
    const keys = await createKeys()
    for (const school of [one, two, three]) await school.issue('a')
    const { response } = await one.redeem('a', await one.proofFor(keys))
    const nonce = response.headers.get('dpop-nonce')!
    expect((await two.redeem('a', await two.proofFor(keys, { nonce }))).status).toBe(200)
    expect((await three.redeem('a', await three.proofFor(keys, { nonce }))).status).toBe(400)
  })
})

describe('the option senderConstraint', () => {
  const store = createMemoryStore()
  it.each([
    [{ once: {} }, 'once'],
    [{ algorithms: [] }, 'algorithms'],
    [{ algorithms: ['HS256'] }, 'algorithms'],
    [{ algorithms: ['none'] }, 'algorithms'],
    [{ nonceSecret: 'short' }, 'nonceSecret'],
    [{ origin: 'https://school.example/' }, 'origin'],
    [{ origin: 'school.example' }, 'origin'],
    [{ nonces: true }, 'nonces'],
  ])('says what is wrong: %o [DPOP-32]', (options, name) => {
    expect(() => dpop({ once: store, ...(options as object) })).toThrow(
      new RegExp(`^dpop: ${name}\\b`),
    )
  })
})
