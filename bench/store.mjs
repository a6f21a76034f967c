import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { createMemoryStore } from 'hallpass/store'

/**
 * Measures the memory store: the heap that a code exchange leaves, and the time of the methods that look for rows, with
 * 2,000 grants and with a million. Run it with `--expose-gc`. Prints a Markdown table.
 */
const { values: flags } = parseArgs({
  options: {
    grants: { type: 'string', default: '1000000' },
    write: { type: 'boolean', default: false },
  },
})

const T = 1_795_165_200
const YEAR = 365 * 86_400
/** Each person has three grants, and each client has 2,000: a page of a client is a page of any client. */
const GRANTS_OF_PERSON = 3
const GRANTS_OF_CLIENT = 2000
const EXCHANGES_A_SECOND = 100
const ROUNDS = 25

const hash = (text) => createHash('sha256').update(text).digest('base64url')
const median = (times) => times.toSorted((one, other) => one - other)[times.length >> 1]
const heap = () => {
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

const clientOf = (number) => `app_${Math.floor(number / GRANTS_OF_CLIENT)}`
const personOf = (number) => `person_${Math.floor(number / GRANTS_OF_PERSON)}`

async function exchange(store, number) {
  const at = T + Math.floor(number / EXCHANGES_A_SECOND)
  const code = {
    codeHash: hash(`code ${number}`),
    grantId: `grant_${hash(`grant ${number}`).slice(0, 22)}`,
    clientId: clientOf(number),
    subject: personOf(number),
    scopes: ['openid', 'account:read'],
    resource: 'https://school.example',
    resourceSent: true,
    redirectUri: 'http://127.0.0.1:7777/callback',
    codeChallenge: hash(`verifier ${number}`),
    nonce: null,
    authTime: at,
    issuedAt: at,
    expiresAt: at + 60,
    redeemedAt: null,
  }
  const { grantId, clientId, subject, scopes, resource, redirectUri } = code
  await store.issueCode({ code, pendingIdHash: null, consentKey: null })
  await store.redeemCode({
    codeHash: code.codeHash,
    redeemedAt: at,
    grant: {
      grantId,
      clientId,
      subject,
      scopes,
      resource,
      redirectUri,
      createdAt: at,
      expiresAt: at + YEAR,
      revokedAt: null,
      revokedReason: null,
    },
    accessToken: {
      tokenHash: hash(`access ${number}`),
      grantId,
      scopes,
      issuedAt: at,
      expiresAt: at + 3600,
      revokedAt: null,
    },
    refreshToken: {
      tokenHash: hash(`refresh ${number}`),
      grantId,
      issuedAt: at,
      expiresAt: at + YEAR,
      rotation: null,
    },
  })
}

async function timesOf(call) {
  const times = []
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now()
    await call(round)
    times.push(performance.now() - begun)
  }
  return { median: median(times), longest: Math.max(...times) }
}

/** Returns for how long a call keeps other work of the process waiting, at most. */
async function pausesOf(call) {
  const pauses = []
  for (let round = 0; round < ROUNDS; round++) {
    let longest = 0
    let last = performance.now()
    let isRunning = true
    const tick = () => {
      const now = performance.now()
      longest = Math.max(longest, now - last)
      last = now
      if (isRunning) setImmediate(tick)
    }
    setImmediate(tick)
    await call()
    tick()
    isRunning = false
    pauses.push(longest)
  }
  return { median: median(pauses), longest: Math.max(...pauses) }
}

async function measure(grants) {
  const store = createMemoryStore()
  const before = heap()
  for (let number = 0; number < grants; number++) await exchange(store, number)
  const bytes = Math.round((heap() - before) / grants)
  const now = T + Math.ceil(grants / EXCHANGES_A_SECOND)
  const page = { after: null, limit: 50, now }
  const revoked = { revokedAt: now, revokedReason: 'person_revoked' }
  return {
    bytes,
    'listGrants of a client with 2,000': await timesOf(() =>
      store.listGrants({ ...page, of: { clientId: clientOf(0) } }),
    ),
    'listGrants of a person with 3': await timesOf((round) =>
      store.listGrants({ ...page, of: { subject: personOf(round * 3) } }),
    ),
    'revokeGrants of a client and a person': await timesOf((round) =>
      store.revokeGrants({ ...revoked, clientId: clientOf(0), subject: personOf(round) }),
    ),
    'purge of nothing': await timesOf(() => store.purge({ now: T, limit: 1000 })),
    'longest pause of a purge of 1,000 rows of each kind': await pausesOf(() =>
      store.purge({ now: T + 2 * YEAR, limit: 1000 }),
    ),
  }
}

await measure(2000)
const results = [await measure(2000), await measure(Number(flags.grants))]
const written = (time) => `${time.median.toFixed(2)} (${time.longest.toFixed(2)}) ms`
const names = Object.keys(results[0]).filter((name) => name !== 'bytes')
const counts = [2000, Number(flags.grants)].map((count) => `${count.toLocaleString('en')} grants`)
const table = [
  `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0].model.trim()}; median of ${ROUNDS} calls, the longest in brackets.`,
  '',
  `| | ${counts.join(' | ')} |`,
  '| --- | ---: | ---: |',
  `| heap of each code exchange | ${results.map(({ bytes }) => `${bytes} bytes`).join(' | ')} |`,
  ...names.map(
    (name) => `| ${name} | ${results.map((result) => written(result[name])).join(' | ')} |`,
  ),
].join('\n')
console.log(table)

if (flags.write) {
  const page = new URL('../docs/understand/performance.md', import.meta.url)
  const marks = /(?<=<!-- store figures -->\n\n)[^]*?(?=\n\n<!-- end of store figures -->)/
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace(marks, () => table),
  )
}
