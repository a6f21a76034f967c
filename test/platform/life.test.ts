import { createServer, defineSite, OptionsError } from 'hallpass'
import { defineClient, moveGrant } from 'hallpass/clients'
import { endSchool, moveSchool } from 'hallpass/platform'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createPostgresStorage, migratePostgres } from 'hallpass/postgres'
import { createMemoryStorage, type SiteStorage } from 'hallpass/store'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startPostgres } from '../support/databases/test-database.js'
import { waitFor } from '../support/processes/wait.js'
import { platformOf, type Row, rowOf } from './platform-of.js'

const ISSUER = 'https://art.example'
const CLIENT = 'study-app'
const REDIRECT = 'https://study.example/callback'
const SCOPES = ['openid', 'account:read']
// Fewer than a school may have requests under way, so that none of them waits for the others.
const PEOPLE = 12

/** A school with people who refresh their tokens all the time, on one of two storages. */
async function schoolOnShards(
  storages: readonly [SiteStorage, SiteStorage] = [createMemoryStorage(), createMemoryStorage()],
) {
  const shardOf = (row: Row): 0 | 1 => (row.name === 'shard 1' ? 1 : 0)
  const world = platformOf([], {
    storages,
    storageOf: (row) => storages[shardOf(row)],
    open: ({ name }, given) => {
      const page = (): Response => new Response('your page')
      const site = defineSite({
        ...given.site,
        name,
        scopes: schoolScopes,
        roles: schoolRoles,
        findPerson: async (subject) => ({
          subject,
          orgId: 'art',
          roles: ['student'],
          name: null,
          email: null,
          picture: null,
        }),
      })
      const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
      return createServer(site, { ...given.server, interact })
    },
  })
  const { platform, rows } = world
  let revision = 1
  const change = async (fields: Partial<Row>): Promise<void> => {
    revision += 1
    rows.set(
      'art.example',
      rowOf('art.example', { ...rows.get('art.example'), ...fields, revision }),
    )
    platform.changed('art.example')
  }
  await change({ name: 'shard 0' })
  const server = await platform.serverOf('art.example')
  const { site } = server!
  await site.store.insertClient(
    defineClient({
      clientId: CLIENT,
      kind: 'member',
      name: 'Study App',
      redirectUris: [REDIRECT],
      scopes: SCOPES,
      createdAt: site.now(),
    }),
  )
  const people = Array.from({ length: PEOPLE }, (_, index) => ({
    subject: `mem_${index}`,
    refreshToken: `first-refresh-token-of-person-${index}`,
    accessTokens: [] as string[],
  }))
  for (const { subject, refreshToken } of people)
    await moveGrant(site, {
      clientId: CLIENT,
      subject,
      scopes: SCOPES,
      redirectUri: REDIRECT,
      refreshToken,
      expiresAt: site.now() + 86_400,
    })

  async function refresh(person: (typeof people)[number]): Promise<number> {
    const response = await platform(
      new Request(`${ISSUER}/api/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          refresh_token: person.refreshToken,
          client_id: CLIENT,
        }),
      }),
    )
    if (response.status === 200) {
      const { refresh_token, access_token } = (await response.json()) as Record<string, string>
      person.refreshToken = refresh_token!
      person.accessTokens.push(access_token!)
    }
    return response.status
  }
  const userinfo = async (token: string): Promise<number> =>
    (
      await platform(
        new Request(`${ISSUER}/api/oauth/userinfo`, {
          headers: { authorization: `Bearer ${token}` },
        }),
      )
    ).status
  return { ...world, storages, people, change, refresh, userinfo }
}

/** Storages in two databases of PostgreSQL. */
async function inTwoDatabases(): Promise<readonly [SiteStorage, SiteStorage]> {
  const one = async (): Promise<SiteStorage> => {
    const { url, stop } = await startPostgres()
    const pool = new pg.Pool({ connectionString: url, max: 5 })
    onTestFinished(async () => {
      await pool.end()
      await stop()
    })
    await migratePostgres({ execute: (sql, parameters) => pool.query(sql, parameters) })
    return createPostgresStorage({
      execute: (text, values, name) => pool.query({ name, text, values }),
    })
  }
  return [await one(), await one()]
}

describe('a school that is moved under traffic', () => {
  it.each([
    ['memory', undefined],
    ['PostgreSQL', inTwoDatabases],
  ])(
    'keeps every token and key, and loses no change, in %s',
    async (_, open) => {
      const { storages, people, change, refresh, userinfo, rows, platform, get } =
        await schoolOnShards(await open?.())
      const [from, to] = storages
      const keysBefore = await (await get(`${ISSUER}/.well-known/jwks.json`)).json()
      const statuses = new Map<number, number>()
      const over = new AbortController()
      const traffic = people.map(async (person) => {
        while (!over.signal.aborted) {
          // The memory store never waits, and would let nothing else run.
          await new Promise((resolve) => setImmediate(resolve))
          await waitFor(async () => {
            const status = await refresh(person)
            statuses.set(status, (statuses.get(status) ?? 0) + 1)
            return status === 200 || over.signal.aborted
          })
        }
      })
      await waitFor(() => people.every(({ accessTokens }) => accessTokens.length > 3))
      await change({ paused: true })
      const { rows: moved } = await moveSchool({
        issuer: ISSUER,
        find: async (host) => rows.get(host) ?? null,
        from,
        to,
        arrive: () => change({ paused: false, name: 'shard 1' }),
        waitSeconds: 1,
      })
      over.abort()
      await Promise.all(traffic)
      const issued = people.flatMap(({ accessTokens }) => accessTokens)
      expect([...statuses.keys()].toSorted((one, other) => one - other)).toEqual([200, 503])
      expect(issued).toHaveLength(statuses.get(200)!)
      expect(moved).toBeGreaterThan(4 * PEOPLE)
      for (const person of people) expect(await refresh(person)).toBe(200)
      for (const token of issued) expect(await userinfo(token)).toBe(200)
      expect(await (await get(`${ISSUER}/.well-known/jwks.json`)).json()).toEqual(keysBefore)
      expect(await from.eraseSite(ISSUER)).toEqual({ rows: 0 })
      expect(await from.storeOf(ISSUER).findClient(CLIENT)).toBeNull()
      expect((await platform.serverOf('art.example'))!.site.name).toBe('shard 1')
    },
    60_000,
  )

  it('stays where it is if it is not paused, or does not arrive', async () => {
    const { storages, change, rows, people, refresh } = await schoolOnShards()
    const [from, to] = storages
    const move = (arrive: () => Promise<void>): Promise<unknown> =>
      moveSchool({
        issuer: ISSUER,
        find: async (host) => rows.get(host) ?? null,
        from,
        to,
        arrive,
        waitSeconds: 0,
      })
    await expect(move(async () => {})).rejects.toThrow('is not paused')
    await change({ paused: true })
    await expect(move(async () => {})).rejects.toThrow('arrive must end the pause')
    await expect(
      move(async () => {
        throw new Error('no database')
      }),
    ).rejects.toThrow('no database')
    await change({ paused: false })
    expect(await refresh(people[0]!)).toBe(200)
    // The rows that were copied are older now: a second try does not take them for those of the school.
    await change({ paused: true })
    await expect(move(() => change({ paused: false, name: 'shard 1' }))).rejects.toThrow(
      'has a row',
    )
    await to.eraseSite(ISSUER)
    await move(() => change({ paused: false, name: 'shard 1' }))
    expect(await refresh(people[0]!)).toBe(200)
  })
})

describe('a school that ends', () => {
  it('has no row any more, and its neighbour all', async () => {
    const { storages, rows, platform, get } = await schoolOnShards()
    const [storage] = storages
    const find = async (host: string) => rows.get(host) ?? null
    const neighbour = storage.storeOf('https://music.example')
    await neighbour.useOnce({ key: 'proof', until: 2_000_000_000 })
    const end = { issuer: ISSUER, find, storage, waitSeconds: 0 }
    await expect(endSchool(end)).rejects.toThrow('still returns https://art.example')
    rows.delete('art.example')
    platform.changed('art.example')
    expect((await get(`${ISSUER}/`)).status).toBe(421)
    expect((await endSchool(end)).rows).toBeGreaterThan(PEOPLE)
    expect(await endSchool(end)).toEqual({ rows: 0 })
    expect(await neighbour.useOnce({ key: 'proof', until: 2_000_000_000 })).toBe('again')
  })

  it('needs options that are right', async () => {
    await expect(endSchool({ issuer: 'art', waitSeconds: -1 } as never)).rejects.toThrow(
      OptionsError,
    )
    await expect(moveSchool({ issuer: `${ISSUER}/` } as never)).rejects.toThrow(OptionsError)
  })
})
