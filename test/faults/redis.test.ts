import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningExample, startExpressExample } from '../support/processes/example.js'
import { type Child, startChild } from '../support/processes/child.js'
import { accepts, freePorts } from '../support/processes/ports.js'
import { passTime } from '../support/processes/wait.js'
import { patienceDuring, startLoad, summarize } from '../support/http/load.js'

const FAULT_MILLISECONDS = process.env['HALLPASS_SOAK'] === '1' ? 60_000 : 8000

let redis: Child
let url: string

beforeAll(async () => {
  const port = await freePorts()
  url = `redis://127.0.0.1:${port}`
  // Debian's package, which \`.ci/run\` installs.
  redis = startChild('redis-server', ['--port', `${port}`, '--bind', '127.0.0.1', '--save', ''])
  await redis.until(() => accepts(port), { what: 'it listens' })
})
afterAll(async () => {
  await redis.stop()
})

const changes = (example: RunningExample): readonly string[] =>
  [...example.output().matchAll(/"type":"counters","isUp":(\w+)/g)].map(([, isUp]) => isUp!)

const asksOf = ({ origin }: RunningExample) => ({
  jwks: () => fetch(`${origin}/.well-known/jwks.json`),
  metadata: () => fetch(`${origin}/.well-known/openid-configuration`),
  page: () => fetch(origin, { headers: { accept: 'text/html' } }),
  token: () =>
    fetch(`${origin}/api/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', client_id: 'study-buddy' }),
    }),
  'sign-in': () => signIn(origin),
})

/** An attempt with a wrong password, from a page of the school. */
async function signIn(origin: string): Promise<Response> {
  const page = await fetch(origin, { headers: { accept: 'text/html' } })
  const cookie = page.headers.getSetCookie().map((one) => one.split(';', 1)[0]!).join('; ') // prettier-ignore
  const [, token = ''] = /name="csrf_token"[^>]*value="([^"]*)"/.exec(await page.text()) ?? []
  return fetch(`${origin}/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, origin, 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({
      csrf_token: token,
      email: 'mei-ling.chou@example.com',
      password: 'wrong',
      return_to: '/',
    }),
  })
}

describe('Redis', () => {
  it('that is frozen leaves everything served and limited, and is used again [F-34]', async () => {
    const example = await startExpressExample({ environment: { REDIS_URL: url } })
    try {
      const load = startLoad(asksOf(example), { clients: 1, every: 500 })
      await passTime(2000)
      redis.child.kill('SIGSTOP')
      const from = load.since()
      await passTime(FAULT_MILLISECONDS)
      const to = load.since()
      redis.child.kill('SIGCONT')
      await passTime(2500)
      const back = changes(example)
      await load.stop()
      const during = summarize(load.samples, [from, to])
      process.stdout.write(
        [`Redis frozen for ${FAULT_MILLISECONDS / 1000} s`, ...during.map((row) => `  ${JSON.stringify(row)}`)].join('\n') + '\n',
      ) // prettier-ignore
      const statuses = { jwks: [200], metadata: [200], page: [200], token: [400, 429], 'sign-in': [403, 429] } // prettier-ignore
      for (const { name, statuses: seen, p99 } of during) {
        const expected = statuses[name as keyof typeof statuses].map(String)
        expect([name, Object.keys(seen).filter((status) => !expected.includes(status))]).toEqual([name, []]) // prettier-ignore
        expect([name, p99 <= patienceDuring(load.samples, from)]).toEqual([name, true])
      }
      // Guesses of a password are counted by the process.
      const signIns = during.find(({ name }) => name === 'sign-in')!
      expect(signIns.statuses[429]).toBeGreaterThan(0)
      expect(back).toEqual(['false', 'true'])
    } finally {
      await example.stop()
    }
  })

  it('that is frozen does not stop a start [F-34]', async () => {
    redis.child.kill('SIGSTOP')
    try {
      const began = performance.now()
      const example = await startExpressExample({ environment: { REDIS_URL: url } })
      process.stdout.write(`start with Redis frozen: ${Math.round(performance.now() - began)} ms\n`)
      expect((await fetch(`${example.origin}/.well-known/jwks.json`)).status).toBe(200)
      expect(changes(example)).toEqual(['false'])
      await example.stop()
    } finally {
      redis.child.kill('SIGCONT')
    }
  })
})
