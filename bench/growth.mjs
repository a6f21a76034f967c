import { createPostgresStore, migratePostgres } from 'hallpass/postgres'
import { hashToken } from 'hallpass/token'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startServer } from '../test/support/databases/postgres-server.js'
import { fillTables } from '../test/support/databases/many-rows.js'

/**
 * Measures what the requests of a store cost on PostgreSQL as its tables grow, with and without names of statements, and
 * what the refreshes of one grant leave behind. Sizes and both ways alternate, so that a slow minute of the machine
 * affects all of them. Prints Markdown tables.
 */
const { values: flags } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,1000000' },
    rounds: { type: 'string', default: '20' },
    requests: { type: 'string', default: '50' },
    active: { type: 'string', default: '400' },
    grants: { type: 'string', default: '40' },
  },
})
const sizes = flags.sizes.split(',').map(Number)
const [rounds, requests, active, grants] = [
  flags.rounds, flags.requests, flags.active, flags.grants,
].map(Number) // prettier-ignore

const SITE = 'school'
const NOW = 1_700_000_000
const HOUR = 3600
const DAY = 24 * HOUR
const key = (text) => text.padEnd(43, '-')
let serial = 0
const fresh = (kind) => hashToken(`${kind} ${serial++}`)

const scopes = ['openid', 'courses:read']
const resource = 'https://school.example'
const accessToken = (grantId, issuedAt = NOW) => ({
  tokenHash: fresh('access'),
  grantId,
  scopes,
  issuedAt,
  expiresAt: issuedAt + HOUR,
  revokedAt: null,
})
const refreshToken = (grantId, issuedAt = NOW) => ({
  tokenHash: fresh('refresh'),
  grantId,
  issuedAt,
  expiresAt: issuedAt + 30 * DAY,
  rotation: null,
})
const rotationOf = (tokenHash, grantId, now = NOW) => {
  const successor = refreshToken(grantId, now)
  const rotation = {
    rotatedAt: now,
    salt: fresh('salt'),
    scopes,
    scopesOmitted: true,
    successorHash: successor.tokenHash,
    accessTokenExpiresAt: now + HOUR,
  }
  const forgetSaltsUntil = now - 7 * DAY
  return {
    tokenHash,
    rotation,
    successor,
    accessToken: accessToken(grantId, now),
    forgetSaltsUntil,
  }
}
const grantOf = ({ grantId, clientId, subject }) => ({
  grantId,
  clientId,
  subject,
  scopes,
  resource,
  redirectUri: resource,
  createdAt: NOW,
  expiresAt: NOW + 180 * DAY,
  revokedAt: null,
  revokedReason: null,
})
const codeOf = (i) => ({
  codeHash: fresh('code'),
  grantId: fresh('grant'),
  clientId: `client ${i % 100}`,
  subject: `mem_${i}`,
  scopes,
  resource,
  resourceSent: true,
  redirectUri: resource,
  codeChallenge: key('v'),
  grantEndsAt: null,
  nonce: null,
  authTime: null,
  issuedAt: NOW,
  expiresAt: NOW + 60,
  redeemedAt: null,
})
const redemptionOf = (code) => ({
  codeHash: code.codeHash,
  redeemedAt: NOW,
  grant: grantOf(code),
  accessToken: accessToken(code.grantId),
  refreshToken: refreshToken(code.grantId),
})

/** The calls that a request makes of the store, for the stored row `i` or a code that was just issued. */
const REQUESTS = {
  'bearer check': async (store, i) => {
    if ((await store.findAccessToken(key(`access${i}`))) === null) throw new Error('no token')
  },
  'code exchange': async (store, _, code) => {
    await store.findCode(code.codeHash)
    if ((await store.redeemCode(redemptionOf(code))) !== 'redeemed') throw new Error('no code')
  },
  refresh: async (store, i, _, newest) => {
    const { grant } = await store.findRefreshToken(newest.get(i) ?? key(`refresh${i}`))
    const rotation = rotationOf(newest.get(i) ?? key(`refresh${i}`), grant.grantId)
    if ((await store.rotateRefreshToken(rotation)) !== 'rotated') throw new Error('no rotation')
    newest.set(i, rotation.successor.tokenHash)
  },
  introspection: async (store, i) => {
    await store.findClient(`client ${i % 100}`)
    await store.findAccessToken(key(`access${i}`))
  },
  'apps of a person': (store, i) =>
    store.listGrants({
      of: { subject: `mem_${i}` }, after: null, limit: 50, now: NOW,
    }), // prettier-ignore
}

async function openDatabase(url, name) {
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  await admin.query(`create database ${name}`)
  await admin.end()
  const own = new URL(url)
  own.pathname = `/${name}`
  const pool = new pg.Pool({ connectionString: own.href, max: 1 })
  // The server is stopped before the pool if something fails.
  pool.on('error', () => {})
  await migratePostgres({ execute: (text, values) => pool.query(text, values) })
  return pool
}

const quantile = (times, part) => times.toSorted((a, b) => a - b)[Math.floor(times.length * part)]

/** Blocks that the statements of a request touch, in the plan that PostgreSQL keeps. */
async function blocksOf({ pool, newest }, request, i) {
  const asked = []
  const execute = async (text, values) => {
    asked.push([text, values])
    return pool.query(text, values)
  }
  const store = createPostgresStore({ execute, site: SITE, now: () => NOW })
  const code = codeOf(i)
  await store.issueCode({ code, pendingIdHash: null, consentKey: null })
  asked.length = 0
  await pool.query('begin')
  await request(store, i, code, new Map(newest))
  await pool.query('rollback')
  let blocks = 0
  for (const [text, values] of asked) {
    await pool.query('begin')
    // The first run reads the catalogue and the pages that no one has read yet.
    for (const isCounted of [false, true]) {
      await pool.query('savepoint before')
      const { rows } = await pool.query(`explain (analyze, buffers, format json) ${text}`, values)
      await pool.query('rollback to before')
      const [{ Plan: plan }] = rows[0]['QUERY PLAN']
      if (isCounted) blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
    }
    await pool.query('rollback')
  }
  return blocks
}

async function measureGrowth(url) {
  const databases = []
  for (const rows of sizes) {
    const pool = await openDatabase(url, `rows_${rows}`)
    const began = performance.now()
    await fillTables((sql) => pool.query(sql), { site: SITE, rows, now: NOW })
    await pool.query('vacuum analyze')
    console.error(
      `${rows} rows of each kind in ${Math.round((performance.now() - began) / 1000)} s`,
    )
    databases.push({ rows, pool, newest: new Map() })
  }
  const ways = databases.flatMap(({ rows, pool, newest }) => [
    { rows, newest, isNamed: true, execute: (text, values, name) => pool.query({ name, text, values }) },
    { rows, newest, isNamed: false, execute: (text, values) => pool.query(text, values) },
  ]) // prettier-ignore
  for (const way of ways) {
    way.store = createPostgresStore({ execute: way.execute, site: SITE, now: () => NOW })
    way.times = Object.fromEntries(Object.keys(REQUESTS).map((name) => [name, []]))
  }
  // Round 0 reads the rows of everyone who is active. They are spread over the tables; the others are not asked for.
  for (let round = 0; round < rounds + 1; round++)
    for (const [name, request] of Object.entries(REQUESTS))
      for (const way of round % 2 === 0 ? ways : ways.toReversed())
        for (let count = 0; count < (round === 0 ? active : requests); count++) {
          const person = round === 0 ? count : Math.floor(Math.random() * active)
          // Every tenth grant is revoked.
          const i = 1 + person * 10 * Math.floor(way.rows / 20 / active)
          const code = codeOf(i)
          if (name === 'code exchange')
            await way.store.issueCode({ code, pendingIdHash: null, consentKey: null })
          const began = performance.now()
          await request(way.store, i, code, way.newest)
          if (round > 0) way.times[name].push(performance.now() - began)
        }
  const table = []
  for (const [name, request] of Object.entries(REQUESTS)) {
    const row = [name]
    for (const database of databases) {
      const { rows } = database
      const of = (isNamed) =>
        ways.find((way) => way.rows === rows && way.isNamed === isNamed).times[name]
      row.push(
        String(await blocksOf(database, request, 1)),
        `${quantile(of(true), 0.5).toFixed(2)} / ${quantile(of(true), 0.99).toFixed(2)}`,
        `${quantile(of(false), 0.5).toFixed(2)} / ${quantile(of(false), 0.99).toFixed(2)}`,
      )
    }
    table.push(row)
  }
  const titles = databases.flatMap(({ rows }) => {
    const size = rows.toLocaleString('en')
    return [`${size}: blocks`, 'named, ms', 'without, ms']
  })
  print(['request', ...titles], table)
  const hot = []
  for (const { rows, pool } of databases) {
    await pool.query('select pg_stat_force_next_flush()')
    const { rows: updates } = await pool.query(
      `select relname, n_tup_upd::int as all, n_tup_hot_upd::int as hot from pg_stat_user_tables
       where relname in ('hallpass_code', 'hallpass_refresh_token') order by relname`,
    )
    for (const one of updates)
      hot.push([rows.toLocaleString('en'), one.relname, String(one.all), String(one.hot)])
    await pool.end()
  }
  print(['rows', 'table', 'updates', 'of them in the same page (HOT)'], hot)
}

/** Refreshes grants each hour for 180 days, with a purge each hour and a vacuum each day, as autovacuum does. */
async function measureStorage(url) {
  const pool = await openDatabase(url, 'storage')
  let now = NOW
  const execute = (text, values, name) => pool.query({ name, text, values })
  const store = createPostgresStore({ execute, site: SITE, now: () => now + 60 })
  const newest = []
  for (let i = 0; i < grants; i++) {
    const code = { ...codeOf(i), grantId: `grant_${fresh('grant')}` }
    await store.issueCode({ code, pendingIdHash: null, consentKey: null })
    const redemption = redemptionOf(code)
    await store.redeemCode(redemption)
    newest.push([redemption.refreshToken.tokenHash, code.grantId])
  }
  let most = 0
  for (let hour = 1; hour < 180 * 24; hour++) {
    now += HOUR
    for (const line of newest) {
      const rotation = rotationOf(line[0], line[1], now)
      if ((await store.rotateRefreshToken(rotation)) !== 'rotated') throw new Error('no rotation')
      line[0] = rotation.successor.tokenHash
    }
    await store.purge({ now: now - 65 * 60, limit: 1000 })
    if (hour % 24 !== 0) continue
    for (const table of ['hallpass_refresh_token', 'hallpass_access_token'])
      await pool.query(`vacuum ${table}`)
    const { rows } = await pool.query(
      `select (pg_total_relation_size('hallpass_refresh_token')
        + pg_total_relation_size('hallpass_access_token'))::int as bytes`,
    )
    most = Math.max(most, rows[0].bytes)
  }
  const { rows } = await pool.query('select count(*)::int as rows from hallpass_refresh_token')
  await pool.end()
  print(
    ['rows of a grant at last', 'kB of a grant at most'],
    [[String(rows[0].rows / grants), (most / grants / 1000).toFixed(0)]],
  )
}

function print(titles, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`
  console.log([line(titles), line(titles.map(() => '---')), ...rows.map(line), ''].join('\n'))
}

const server = await startServer()
try {
  console.log(`Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model ?? ''})\n`)
  await measureStorage(server.url)
  await measureGrowth(server.url)
} finally {
  await server.stop()
}
