import {
  createRemoteGate,
  createServer,
  defineSite,
  schoolRoles,
  schoolScopes,
  type SiteOptions,
} from 'hallpass'
import { dpop } from 'hallpass/blocks'
import { defineClient } from 'hallpass/clients'
import { toNodeHandler } from 'hallpass/node'
import { createMemoryStore, type Store } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import * as jose from 'jose'
import { createServer as createHttpServer } from 'node:http'
import { beforeEach, describe, expect, it } from 'vitest'
import { keepCode } from '../../support/school/kept-token.js'
import { onceInMemory } from '../../../src/blocks/once-in-memory.js'
import { openServer } from '../../support/http/open-server.js'
import { createKeys, type Keys } from '../../support/school/dpop-school.js'
import { T } from '../../support/school/school.js'
import { INTERACT, REDIRECT, SEALING, VERIFIER } from '../../support/school/signing-client.js'

// Two listeners: a school with dpop, and an API without its store, which asks the school what a token allows.

const SECRET = 'the secret of the client grades'

/** Listens, and then answers: an origin is known once there is a port. */
async function listen(
  answer: (origin: string) => (request: Request) => Promise<Response>,
): Promise<string> {
  let handler: ReturnType<typeof toNodeHandler> | null = null
  const port = await openServer(createHttpServer((req, res) => handler?.(req, res)))
  const origin = `http://127.0.0.1:${port}`
  const onError = (fault: unknown): never => {
    throw fault
  }
  handler = toNodeHandler(answer(origin), { origin, onError })
  return origin
}

let issuer: string
let now: number
let store: Store
beforeEach(async () => {
  now = T
  store = createMemoryStore()
  issuer = await listen((origin) => {
    const site = defineSite({
      ...COMMON,
      issuer: origin,
      store,
      now: () => now,
      findPerson: async (subject) => ({ subject, orgId: 'school', roles: ['owner'], name: 'Ines', email: null, picture: null }), // prettier-ignore

      blocks: [dpop({ once: store })],
    })
    const server = createServer(site, { ...SEALING, interact: INTERACT, introspectionClientIds: ['grades'] }) // prettier-ignore
    return (request) => server(request)
  })
  const client = { kind: 'member' as const, redirectUris: [REDIRECT], createdAt: T }
  await store.insertClient(defineClient({ ...client, clientId: 'notes', name: 'Notes', scopes: ['account:read'] })) // prettier-ignore
  await store.insertClient(defineClient({ ...client, clientId: 'grades', name: 'Grades', scopes: [], tokenEndpointAuthMethod: 'client_secret_post', secrets: [{ hash: hashToken(SECRET), expiresAt: null }] })) // prettier-ignore
})

const COMMON = { name: 'School', scopes: schoolScopes, roles: schoolRoles } satisfies Partial<SiteOptions> // prettier-ignore

type Gate = Partial<Parameters<typeof createRemoteGate<string, string>>[0]>

/** Opens the API, and returns its address. */
const openGrades = (block: (origin: string) => Gate): Promise<string> =>
  listen((origin) => {
    const resource = createRemoteGate<string, string>({
      ...COMMON,
      issuer,
      clientId: 'grades',
      clientSecret: SECRET,
      now: () => now,
      ...block(origin),
    })
    const reads = resource.gate('account:read')
    return async (request) => {
      const access = await reads(request)
      return access instanceof Response ? access : Response.json({ for: access.person.subject })
    }
  })

const bound =
  (once: NonNullable<Parameters<typeof dpop>[0]>['once'] = 'memory') =>
  (origin: string) => ({
    blocks: [dpop({ once, origin })],
  })

/** A proof of a key for a request. */
const proofOf = ({ privateKey, jwk }: Keys, claims: Readonly<Record<string, unknown>>) =>
  new jose.SignJWT({ jti: crypto.randomUUID(), htm: 'GET', iat: now, ...claims })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk })
    .sign(privateKey)

async function tokenFor(keys: Keys | null): Promise<string> {
  const code = crypto.randomUUID()
  await keepCode(store, {
    codeHash: hashToken(code),
    grantId: `grant_${code}`,
    clientId: 'notes',
    subject: 'per_ines',
    scopes: ['openid', 'account:read'],
    resource: issuer,
    redirectUri: REDIRECT,
    codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    issuedAt: now,
  })
  const htu = `${issuer}/api/oauth/token`
  const proof = keys === null ? null : await proofOf(keys, { htm: 'POST', htu })
  const answer = await fetch(htu, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'authorization_code', client_id: 'notes', code, code_verifier: VERIFIER, redirect_uri: REDIRECT, resource: issuer }), // prettier-ignore
    headers: proof === null ? {} : { dpop: proof },
  })
  expect(answer.status).toBe(200)
  return ((await answer.json()) as { access_token: string }).access_token
}

/** Asks the API, and returns the status with the error of the challenge. */
async function ask(
  grades: string,
  authorization: string,
  proof: string | null = null,
): Promise<readonly [number, string | null]> {
  const headers = { authorization, ...(proof !== null && { dpop: proof }) }
  const answer = await fetch(`${grades}/marks?of=ines`, { headers })
  const challenge = answer.headers.get('www-authenticate') ?? ''
  return [answer.status, /error="(\w+)"/.exec(challenge)?.[1] ?? null]
}

describe('a second process with dpop', () => {
  it('accepts a bound token with a proof for itself, and a Bearer token as before', async () => {
    const grades = await openGrades(bound())
    const keys = await createKeys()
    const token = await tokenFor(keys)
    const proof = await proofOf(keys, { htu: `${grades}/marks`, ath: hashToken(token) })
    expect(await ask(grades, `DPoP ${token}`, proof)).toEqual([200, null])
    expect(await ask(grades, `Bearer ${await tokenFor(null)}`)).toEqual([200, null])
  })

  it.each<[string, string, (grades: string, keys: Keys, token: string) => Promise<string | null>]>([
    ['Bearer', 'invalid_token', async () => null],
    [
      'Bearer',
      'invalid_token',
      (grades, keys, token) => proofOf(keys, { htu: `${grades}/marks`, ath: hashToken(token) }),
    ],
    ['DPoP', 'invalid_dpop_proof', async () => null],
    [
      'DPoP',
      'invalid_token',
      async (grades, _, token) =>
        proofOf(await createKeys(), { htu: `${grades}/marks`, ath: hashToken(token) }),
    ],
    [
      'DPoP',
      'invalid_dpop_proof',
      (grades, keys) => proofOf(keys, { htu: `${grades}/marks`, ath: hashToken('another') }),
    ],
    ['DPoP', 'invalid_dpop_proof', (grades, keys) => proofOf(keys, { htu: `${grades}/marks` })],
    [
      // One that was captured on its way to the school.
      'DPoP',
      'invalid_dpop_proof',
      (_, keys, token) => proofOf(keys, { htu: `${issuer}/marks`, ath: hashToken(token) }),
    ],
    [
      'DPoP',
      'invalid_dpop_proof',
      (grades, keys, token) =>
        proofOf(keys, { htu: `${grades}/marks`, htm: 'POST', ath: hashToken(token) }),
    ],
    [
      'DPoP',
      'invalid_dpop_proof',
      (grades, keys, token) =>
        proofOf(keys, { htu: `${grades}/marks`, iat: now - 60, ath: hashToken(token) }),
    ],
  ])('refuses a bound token by %s: %s (%#)', async (scheme, error, prove) => {
    const grades = await openGrades(bound())
    const keys = await createKeys()
    const token = await tokenFor(keys)
    const proof = await prove(grades, keys, token)
    expect(await ask(grades, `${scheme} ${token}`, proof)).toEqual([401, error])
    // The answer of the school is kept now.
    expect(await ask(grades, `${scheme} ${token}`, proof)).toEqual([401, error])
  })

  it('accepts each proof once, in its own memory', async () => {
    const grades = await openGrades(bound())
    const keys = await createKeys()
    const token = await tokenFor(keys)
    const proof = await proofOf(keys, { htu: `${grades}/marks`, ath: hashToken(token) })
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ask(grades, `DPoP ${token}`, proof)),
    )
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1)
    now += 30
    expect(await ask(grades, `DPoP ${token}`, proof)).toEqual([401, 'invalid_dpop_proof'])
    // It is forgotten once it is too old to be accepted.
    now += 30
    const next = await proofOf(keys, { htu: `${grades}/marks`, ath: hashToken(token) })
    expect(await ask(grades, `DPoP ${token}`, next)).toEqual([200, null])
    expect(await ask(grades, `DPoP ${token}`, proof)).toEqual([401, 'invalid_dpop_proof'])
  })

  it('accepts a proof once among several processes of one origin with a store, and once in each without', async () => {
    const keys = await createKeys()
    const token = await tokenFor(keys)
    const origin = 'https://grades.example'
    const prove = (): Promise<string> =>
      proofOf(keys, { htu: `${origin}/marks`, ath: hashToken(token) })
    const shared = createMemoryStore()
    const behind = (
      once: NonNullable<Parameters<typeof dpop>[0]>['once'],
    ): Promise<readonly string[]> =>
      Promise.all([1, 2].map(() => openGrades(() => bound(once)(origin))))
    const outcomes = async (processes: readonly string[]): Promise<readonly number[]> => {
      const proof = await prove()
      const statuses: number[] = []
      for (const one of processes) statuses.push((await ask(one, `DPoP ${token}`, proof))[0])
      return statuses
    }
    expect(await outcomes(await behind(shared))).toEqual([200, 401])
    expect(await outcomes(await behind('memory'))).toEqual([200, 200])
  })
})

describe('a second process without dpop', () => {
  it('refuses a bound token, whatever its scheme and proof', async () => {
    const grades = await openGrades(() => ({}))
    const keys = await createKeys()
    const token = await tokenFor(keys)
    const proof = await proofOf(keys, { htu: `${grades}/marks`, ath: hashToken(token) })
    for (const scheme of ['Bearer', 'DPoP', 'bearer', 'dpop'])
      for (const one of [proof, null])
        expect([scheme, await ask(grades, `${scheme} ${token}`, one)]).toEqual([
          scheme,
          [401, 'invalid_token'],
        ])
    expect(await ask(grades, `Bearer ${await tokenFor(null)}`)).toEqual([200, null])
  })
})

describe('the memory of a process', () => {
  const until = T + 60

  it('has room for half of a million proofs of one sender, and for those of others beside them [DPOP-47]', async () => {
    const { useOnce } = onceInMemory(() => now)
    for (let one = 0; one < 500_000; one++) await useOnce({ key: `${one}`, until, sender: 'busy' })
    const more = { key: 'more', until, sender: 'busy' }
    await expect(useOnce(more)).rejects.toThrow('500000 of this key: use a store')
    // Neither forgotten nor in the way of others.
    expect(await useOnce({ key: '7', until, sender: 'busy' })).toBe('again')
    for (let one = 0; one < 1000; one++)
      expect(await useOnce({ key: `of ${one}`, until, sender: `${one}` })).toBe('first')
    await expect(useOnce(more)).rejects.toThrow('use a store')
    now = until
    expect(await useOnce({ ...more, until: T + 120 })).toBe('first')
    expect(await useOnce({ ...more, until: T + 120 })).toBe('again')
  })

  it('keeps at most a million proofs, whoever sends them, and throws rather than forget one', async () => {
    const { useOnce } = onceInMemory(() => now)
    for (let one = 0; one < 1_000_000; one++)
      await useOnce({ key: `${one}`, until, sender: `${one}` })
    const more = { key: 'more', until, sender: 'new' }
    await expect(useOnce(more)).rejects.toThrow('1000000 proofs are in memory')
    expect(await useOnce({ key: '7', until, sender: 'other' })).toBe('again')
    now = until
    expect(await useOnce({ ...more, until: T + 120 })).toBe('first')
  })

  it('keeps a proof that its clock cannot compare', async () => {
    const { useOnce } = onceInMemory(() => NaN)
    expect(await useOnce({ key: 'one', until: T, sender: 'a' })).toBe('first')
    expect(await useOnce({ key: 'one', until: T, sender: 'a' })).toBe('again')
  })
})
