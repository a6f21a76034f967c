import {
  type ClientManagement,
  createClientManagement,
  decideManager,
  defineClient,
} from 'hallpass/clients'
import type { AuthorizationCode, Client, Person } from 'hallpass/policy'
import { createPostgresStore, type Execute, migratePostgres } from 'hallpass/postgres'
import { createProtectedResource } from 'hallpass'
import { schoolRoles, type SchoolScope } from 'hallpass/scope'
import { createMemoryStore, type Store } from 'hallpass/store'
import { withLatency } from 'hallpass/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeClient, createDocumentSchool, later } from '../support/school/metadata-documents.js'
import {
  approve,
  authorizationUrl,
  type Fields,
  isAlive,
  redeem,
  refresh,
  signIn,
  type Tokens,
} from '../support/school/flow.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'
import { rounds } from '../support/run/rounds.js'
import type { RedeemCode } from '../../src/store/store.js'
import { createBrowser, ISSUER, OWNER, type School, STUDENT, STUDY_BUDDY, T } from '../support/school/school.js' // prettier-ignore

// Each begins a step later than the one before; after twelve they repeat.
const ROUNDS = rounds(12, { soak: 48 })

/** A school whose clients are managed while they are used. */
interface Managed {
  readonly school: School
  readonly administration: ClientManagement
}

async function openManaged(store: Store): Promise<Managed> {
  const { school } = await createDocumentSchool({ store, documents: { openRegistration: true } })
  return { school, administration: createClientManagement(school.site) }
}

const decided = decideManager({ person: OWNER, table: schoolRoles })
if (!decided.ok) throw new Error(decided.reason)
const { manager } = decided

/** What ends the work of a client. */
interface Act {
  readonly name: string
  readonly client: (round: number) => Client
  readonly person: Person
  readonly scope: string
  readonly end: (managed: Managed, clientId: string) => Promise<{ readonly ok: boolean }>
  /** Undoes it; `null` = it cannot be undone. */
  readonly undo: ((managed: Managed, clientId: string) => Promise<{ readonly ok: boolean }>) | null
  /** Whether what it held works again after that. */
  readonly comesBack: boolean
}

const member = (name: string) => (round: number) => ({
  ...STUDY_BUDDY,
  clientId: `${name}-${round}`,
  scopes: ['account:read', 'account:write'],
})
const document = (round: number): Client => {
  const clientId = `https://notes.example/${round}.json`
  return defineClient({
    clientId,
    kind: 'document',
    name: 'Notes',
    redirectUris: ['https://notes.example/cb'],
    scopes: [],
    createdAt: T,
    document: {
      firstSeenAt: T,
      fetchedAt: T,
      freshUntil: T + 86_400,
      digest: 'x',
      reviewedAt: T,
      changedAt: null,
    },
  })
}

const ACTS: readonly Act[] = [
  {
    name: 'disabled',
    client: member('disabled'),
    person: STUDENT,
    scope: 'openid account:read',
    end: ({ administration }, clientId) => administration.disable(manager, clientId),
    undo: ({ administration }, clientId) => administration.enable(manager, clientId),
    comesBack: true,
  },
  {
    name: 'deleted',
    client: member('deleted'),
    person: STUDENT,
    scope: 'openid account:read',
    end: ({ administration }, clientId) => administration.remove(manager, clientId),
    undo: null,
    comesBack: false,
  },
  {
    name: 'blocked',
    client: document,
    person: OWNER,
    scope: 'openid courses:read',
    end: ({ administration }, clientId) => administration.block(manager, clientId),
    undo: ({ administration }, clientId) => administration.unblock(manager, clientId),
    comesBack: false,
  },
]

/** A client with a code and a pair of tokens, and both of them being used at this moment. */
async function inUse(
  managed: Managed,
  client: Client,
  { person, scope }: Pick<Act, 'person' | 'scope'>,
) {
  const { school } = managed
  const { clientId } = client
  const id = { client_id: clientId, redirect_uri: client.redirectUris[0]! }
  const request: Fields = { ...id, scope, prompt: 'consent' }
  await school.store.insertClient(client)
  const code = await approve(school, request, person)
  const held: Tokens[] = [await signIn(school, request, { person })]
  const take = async (answer: Promise<Response>): Promise<boolean> => {
    const response = await answer
    const body = (await response.json()) as Tokens
    if (response.status === 200) held.push(body)
    return response.status === 200
  }
  return {
    held,
    redeem: () => take(redeem(school, code, id)),
    refresh: (tokens: Tokens) => take(refresh(school, tokens.refresh_token, id)),
  }
}

const expectDone = ({ ok }: { readonly ok: boolean }): void => expect(ok).toBe(true)

const grantsOf = (store: Store, clientId: string): ReturnType<Store['listGrants']> =>
  store.listGrants({ of: { clientId }, after: null, limit: 100, now: T })

/** Ends a client while its code is exchanged and its token refreshed; `delay` mixes the two up. */
async function race(managed: Managed, act: Act, round: number): Promise<boolean> {
  const { school } = managed
  const client = act.client(round)
  const { clientId } = client
  const use = await inUse(managed, client, act)
  const [first] = use.held
  const end = async (): Promise<void> => {
    for (let step = 0; step < round % 12; step++) await school.store.findClient('nobody')
    expectDone(await act.end(managed, clientId))
  }
  const isDead = async (): Promise<void> => {
    for (const tokens of use.held.slice()) {
      expect(await isAlive(school, tokens.access_token)).toBe(false)
      expect(await use.refresh(tokens)).toBe(false)
    }
    expect(await use.redeem()).toBe(false)
  }
  const ending = end()
  const using = [use.redeem(), use.refresh(first!)]
  await ending
  expect(await isAlive(school, first!.access_token)).toBe(false)
  const [redeemed] = await Promise.all(using)
  if (!act.comesBack) expect(await grantsOf(school.store, clientId)).toEqual([])
  await isDead()
  if (act.undo !== null) expectDone(await act.undo(managed, clientId))
  if (act.comesBack)
    for (const { access_token } of use.held.slice())
      expect(await isAlive(school, access_token)).toBe(true)
  else await isDead()
  return redeemed!
}

/** Takes a scope from a client while its code is exchanged and its token refreshed. */
async function raceNarrowing(managed: Managed, round: number): Promise<void> {
  const { school } = managed
  const client = member('narrowed')(round)
  const scope = 'openid account:read account:write'
  const use = await inUse(managed, client, { person: STUDENT, scope })
  const resource = createProtectedResource(school.site)
  const open = async (needed: SchoolScope, { access_token }: Tokens): Promise<number> => {
    const headers = { authorization: `Bearer ${access_token}` }
    const access = await resource.gate(needed)(new Request(ISSUER, { headers }))
    return access instanceof Response ? access.status : 200
  }
  const narrow = async (): Promise<void> => {
    for (let step = 0; step < round % 12; step++) await school.store.findClient('nobody')
    await changeClient(school, client.clientId, () => ({ scopes: ['account:read'] }))
  }
  const [first] = use.held
  const narrowing = narrow()
  const using = [use.redeem(), use.refresh(first!)]
  await narrowing
  expect(await open('account:write', first!)).toBe(403)
  await Promise.all(using)
  for (const tokens of use.held.slice()) {
    expect(await open('account:write', tokens)).toBe(403)
    expect(await open('account:read', tokens)).toBe(200)
  }
  const newest = use.held.at(-1)!
  expect(await use.refresh(newest)).toBe(true)
  expect(use.held.at(-1)!.scope).toBe('openid account:read')
  expect(await open('account:write', use.held.at(-1)!)).toBe(403)
}

function codeSample(): AuthorizationCode {
  return {
    codeHash: 'code',
    grantId: 'grant',
    clientId: 'app',
    subject: 'mem_1',
    scopes: ['openid'],
    resource: ISSUER,
    redirectUri: 'http://127.0.0.1/cb',
    resourceSent: false,
    codeChallenge: 'c',
    nonce: null,
    grantEndsAt: null,
    authTime: null,
    issuedAt: T,
    expiresAt: T + 60,
    redeemedAt: null,
  }
}

function redemptionOf({ codeHash, ...code }: AuthorizationCode): RedeemCode {
  const { grantId, clientId, subject, scopes, resource, redirectUri } = code
  const life = { grantId, issuedAt: T, expiresAt: T + 100 }
  const granted = { grantId, clientId, subject, scopes, resource, redirectUri }
  const grant = { ...granted, createdAt: T, expiresAt: T + 100 }
  return {
    codeHash,
    redeemedAt: T,
    grant: { ...grant, revokedAt: null, revokedReason: null },
    accessToken: { tokenHash: 'access', scopes, ...life, revokedAt: null },
    refreshToken: { tokenHash: 'refresh', ...life, rotation: null },
  }
}

function races(openStore: () => Store): void {
  it.each(ACTS)(
    'leaves nothing that works of a client that is $name while it exchanges and refreshes [ADM-06]',
    async (act) => {
      const managed = await openManaged(openStore())
      let exchanged = 0
      for (let round = 0; round < ROUNDS; round++) if (await race(managed, act, round)) exchanged++
      // Otherwise nothing was raced.
      expect(exchanged).toBeGreaterThan(0)
      expect(managed.school.faults).toEqual([])
    },
  )

  it('leaves nothing beyond what a client is narrowed to while it exchanges and refreshes [ADM-06]', async () => {
    const managed = await openManaged(openStore())
    for (let round = 0; round < ROUNDS; round++) await raceNarrowing(managed, round)
    expect(managed.school.faults).toEqual([])
  })
}

describe('in memory, over a slow network', () => {
  races(() => withLatency(createMemoryStore(), { maxMilliseconds: 1 }))
})

describe('on a PostgreSQL server, through eight connections', () => {
  let database: TestDatabase
  let pool: pg.Pool
  let mostConnections = 0
  let sites = 0
  const execute: Execute = (sql, parameters) => pool.query(sql, parameters)

  beforeAll(async () => {
    database = await startPostgres()
    pool = new pg.Pool({ connectionString: database.url, max: 8 })
    pool.on('connect', () => {
      mostConnections = Math.max(mostConnections, pool.totalCount)
    })
    await migratePostgres({ execute })
  })
  afterAll(async () => {
    await pool.end()
    await database.stop()
  })

  async function waitersReach(count: number): Promise<void> {
    for (let look = 0; look < 2000; look++) {
      const { rows } = await pool.query(
        `select from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      )
      if (rows.length >= count) return
    }
    throw new Error(`there are fewer than ${count} who wait`)
  }

  races(() => createPostgresStore({ execute, site: `races ${sites++}`, now: () => T }))

  it('ends a grant whose code is being redeemed at the very moment, for certain', async () => {
    const store = createPostgresStore({ execute, site: 'held' })
    const code = codeSample()
    await store.issueCode({ code, pendingIdHash: null, consentKey: null })
    const holder = await pool.connect()
    await holder.query('begin')
    await holder.query('select from hallpass_code where site = $1 for update', ['held'])
    // One after another they wait for the row of the code, and go on in that order.
    const redeeming = store.redeemCode(redemptionOf(code))
    await waitersReach(1)
    const { clientId } = code
    const ending = store.revokeGrantsOfClient({ clientId, revokedAt: T, revokedReason: 'x' })
    await waitersReach(2)
    await holder.query('rollback')
    holder.release()
    expect(await Promise.all([redeeming, ending])).toEqual(['redeemed', 1])
    expect(await grantsOf(store, clientId)).toEqual([])
  })

  it('really used several connections', () => {
    expect(mostConnections).toBeGreaterThan(2)
  })
})

describe('a document that is blocked while a person presses Allow', () => {
  async function slipIn(): Promise<{ managed: Managed; code: string | null; id: Fields }> {
    const memory = createMemoryStore()
    const hold = later<void>()
    const reached = later<void>()
    const store: Store = {
      ...memory,
      async issueCode(issue) {
        reached.resolve()
        await hold.promise
        return memory.issueCode(issue)
      },
    }
    const managed = await openManaged(store)
    const { school, administration } = managed
    const client = document(0)
    await store.insertClient(client)
    const id = { client_id: client.clientId, redirect_uri: client.redirectUris[0]! }
    school.signedIn = { subject: OWNER.subject, authTime: T }
    const browser = createBrowser(school)
    await browser.open(authorizationUrl({ ...id, scope: 'openid courses:read' }))
    if (school.view?.page !== 'consent') throw new Error('no consent page')
    const { action, csrfToken } = school.view.view
    const allowing = browser.post(action, { csrf_token: csrfToken, decision: 'allow' })
    await reached.promise
    expectDone(await administration.block(manager, client.clientId))
    hold.resolve()
    const location = (await allowing).headers.get('location')
    const code = location === null ? null : new URL(location).searchParams.get('code')
    return { managed, code, id }
  }

  it('exchanges no code that slipped in, neither then nor when it is let in again', async () => {
    const { managed, code, id } = await slipIn()
    const { school, administration } = managed
    expect((await redeem(school, code ?? 'none', id)).status).toBe(401)
    expectDone(await administration.unblock(manager, id['client_id'] as string))
    expect((await redeem(school, code ?? 'none', id)).status).toBe(400)
  })

  it('is asked about again when it is let in again', async () => {
    const { managed, id } = await slipIn()
    const { school, administration } = managed
    expectDone(await administration.unblock(manager, id['client_id'] as string))
    const url = authorizationUrl({ ...id, scope: 'openid courses:read', prompt: 'none' })
    const { searchParams } = new URL((await school.fetch(url)).headers.get('location')!)
    expect(searchParams.get('error')).toBe('consent_required')
  })
})
