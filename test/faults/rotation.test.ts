import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { print, type Reply, tally, writeCodes } from '../support/http/code-load.js'
import { demo } from '../support/databases/templates.js'
import { type RunningExample, startExpressExample } from '../support/processes/example.js'
import { freePorts } from '../support/processes/ports.js'
import { startPostgres, type TestDatabase } from '../support/databases/test-database.js'
import { LEAD_SECONDS, openProxy, work } from '../support/processes/health-checking-proxy.js'

const OLD = 'o'.repeat(40)
const NEXT = 'n'.repeat(40)

let database: TestDatabase
let side: pg.Client
beforeAll(async () => {
  database = await startPostgres(demo)
  side = new pg.Client({ connectionString: database.url })
  await side.connect()
})
afterAll(async () => {
  await side.end()
  await database.stop()
})

/** The names of the secrets with which the keys of both schools are sealed. */
async function sealNames(): Promise<readonly (string | undefined)[]> {
  const { rows } = await side.query<{ sealed: string }>(
    'select sealed from hallpass_key where sealed is not null',
  )
  return [...new Set(rows.map(({ sealed }) => decodeProtectedHeader(sealed).kid))]
}

describe('a rotation of the sealing secret', () => {
  it('refuses no request while two processes behind a proxy take the three steps [KEY-06]', async () => {
    const ports = [await freePorts(), await freePorts()]
    const { origin } = await openProxy(ports)
    const start = (port: number, secrets: Readonly<Record<string, string>>) =>
      startExpressExample({
        port,
        environment: {
          DATABASE_URL: database.url,
          HALLPASS_RATE_LIMITS: 'off',
          LANTERN_ORIGIN: origin,
          HALLPASS_LEAD_SECONDS: LEAD_SECONDS,
          ...secrets,
        },
      })
    const before = { HALLPASS_SECRET: OLD }
    const running: RunningExample[] = []
    for (const port of ports) running.push(await start(port, before))
    onTestFinished(async () => {
      for (const { stop } of running) await stop()
    })
    const [first, ...others] = await sealNames()
    expect(others).toEqual([])

    const codes: string[] = []
    const replies: Reply[] = []
    let isOver = false
    onTestFinished(() => void (isOver = true))
    const supply = async (): Promise<void> => {
      if (codes.length < 2000) codes.push(...(await writeCodes(side, { origin, count: 4000 })))
    }
    await supply()
    const clients = Array.from({ length: 8 }, () =>
      work(origin, { codes, replies, isOver: () => isOver }),
    )
    const outputs: string[] = []
    for (const secrets of [
      { HALLPASS_SECRET: OLD, HALLPASS_PREVIOUS_SECRETS: NEXT },
      { HALLPASS_SECRET: NEXT, HALLPASS_PREVIOUS_SECRETS: OLD },
      { HALLPASS_SECRET: NEXT },
    ]) {
      for (const [index, port] of ports.entries()) {
        await supply()
        await running[index]!.stop('SIGTERM')
        outputs.push(running[index]!.output())
        running[index] = await start(port, secrets)
      }
    }
    isOver = true
    await Promise.all(clients)
    outputs.push(...running.map(({ output }) => output()))

    const lost = replies.filter(({ status }) => status !== 200)
    const faults = outputs.flatMap((text) =>
      text.split('\n').filter((line) => line.includes('"type":"fault"')),
    )
    print('rotation of the sealing secret', { ...tally(replies), faults: faults.slice(0, 5) })
    expect(lost).toEqual([])
    const tokens = replies.flatMap(({ text }) => /"id_token":"([^"]+)"/.exec(text)?.[1] ?? [])
    expect(tokens.length).toBeGreaterThan(100)
    const jwks = (await (await fetch(`${origin}/.well-known/jwks.json`)).json()) as JSONWebKeySet
    const verify = createLocalJWKSet(jwks)
    for (const token of tokens.filter((_, index) => index % 20 === 0))
      await jwtVerify(token, verify, { issuer: origin })
    const [last, ...more] = await sealNames()
    expect([last === first, more]).toEqual([false, []])
    expect(outputs.join('\n')).toContain('"oauth.key.resealed"')
    expect(faults).toEqual([])
    for (const secret of [OLD, NEXT]) expect(outputs.join('\n')).not.toContain(secret)
  }, 600_000)

  it('that drops the old secret too early fails at the start, which names the option, and loses nothing [KEY-06]', async () => {
    const environment = { DATABASE_URL: database.url, HALLPASS_RATE_LIMITS: 'off' }
    const names = await sealNames()
    const early = startExpressExample({ environment: { ...environment, HALLPASS_SECRET: OLD } })
    await expect(early).rejects.toThrow(
      /ended before it serves\nHALLPASS_SECRET: key ring: cannot decrypt the stored key \S+: sealingSecret is not the secret/s,
    )
    expect(await sealNames()).toEqual(names)
    const secrets = { HALLPASS_SECRET: OLD, HALLPASS_PREVIOUS_SECRETS: NEXT }
    const { stop } = await startExpressExample({ environment: { ...environment, ...secrets } })
    await stop()
  })
})
