import { describe, expect, it } from 'vitest'
import { readEnvironment } from '../../examples/school/src/platform/environment.js'
import { readSource } from '../support/source/compile.js'
import { BLOCKS } from '../support/docs/pages.js'

const read = (name: string): string => readSource(`examples/high-availability/${name}`)
const patroni = read('patroni.yml')
const haproxy = read('haproxy.cfg')
const compose = read('docker-compose.yml')

/** Lines without their indentation: on the page they have another. */
const linesOf = (text: string): readonly string[] => text.split('\n').map((line) => line.trim())

const secondsOf = (text: string, name: string): number =>
  Number(new RegExp(`^\\s*${name}:? (\\d+)s?$`, 'm').exec(text)?.[1])

describe('the description of a school whose database may die', () => {
  it('acknowledges what a standby has, and takes connections from a server that is no longer the primary [F-60]', () => {
    expect(patroni).toMatch(/^ {4}synchronous_mode: true$/m)
    expect(haproxy).toMatch(/ on-marked-down shutdown-sessions$/m)
    // Version 3.0.2 would overwrite the lease of another server.
    expect(compose).toMatch(/^ {2}PATRONI_ETCD_HOSTS: .*:2379$/m)
    expect(compose).not.toMatch(/^ *PATRONI_ETCD3_HOSTS:/m)
    expect(haproxy).toMatch(/OPTIONS \/primary$/m)
  })

  it('has times that fit together [F-60]', () => {
    const [ttl, pause, patience] = ['ttl', 'loop_wait', 'retry_timeout'].map((name) =>
      secondsOf(patroni, name),
    ) as [number, number, number]
    expect(pause + 2 * patience).toBeLessThanOrEqual(ttl)
    // Elected, and found by HAProxy, within thirty seconds; a refresh may be repeated for sixty.
    expect(ttl + pause).toBeLessThan(30)
    // A process keeps idle connections for 65 seconds.
    expect(secondsOf(haproxy, 'timeout http-keep-alive')).toBeLessThan(65)
  })

  it('sends a process fewer requests than it takes at the same time, so that it refuses no health check [F-41]', () => {
    const [, most] = /^ {4}default-server .* maxconn (\d+)$/m.exec(haproxy) ?? []
    // The default of `guardServer`, which the example has.
    expect(Number(most)).toBeLessThan(100)
    const [, waiting] =
      /^ {4}http-request deny deny_status 503 if .* ge (\d+) }$/m.exec(haproxy) ?? []
    expect(Number(waiting)).toBeGreaterThan(0)
  })

  it('lets HAProxy check each server and each process of it', () => {
    const addressesOf = (text: string, pattern: RegExp): readonly string[] =>
      [...text.matchAll(pattern)].map(([, address]) => address!)
    const checked = addressesOf(haproxy, /^ {4}server \S+ ([\d.:]+) check/gm)
    const described = [
      ...addressesOf(compose, /HOST: ([\d.]+)/g).map((address) => `${address}:3000`),
      ...addressesOf(compose, /PATRONI_POSTGRESQL_LISTEN: (\S+)/g),
    ]
    expect(checked).toEqual(described)
    expect(described).toHaveLength(6)
  })

  it('gives the school an environment that it accepts', () => {
    const [, block = ''] = /^x-school-environment:.*\n((?: {2}.*\n)+)/m.exec(compose) ?? []
    const secrets: Readonly<Record<string, string>> = {
      LANTERN_ORIGIN: 'http://127.0.0.1:3000',
      HALLPASS_SECRET: 's'.repeat(32),
      SCHOOL_PASSWORD: 'p',
    }
    const entries = [...block.matchAll(/^ {2}(\w+): '?(.*?)'?$/gm)].map(
      ([, name, value]) =>
        [name!, value!.replaceAll(/\$\{(\w+):\?\}/g, (_, secret: string) => secrets[secret]!)] as const, // prettier-ignore
    )
    expect(readEnvironment(Object.fromEntries(entries))).toMatchObject({
      databaseUrl: 'postgres://school:p@10.77.0.20:5432/school',
      redisUrl: 'redis://10.77.0.30:6379',
      trustProxy: true,
    })
  })

  it('is quoted by its page as it is', () => {
    const quoted = BLOCKS.filter(
      ({ page, info }) => page === 'docs/operations/high-availability.md' && info === 'text',
    )
    const lines = new Set([patroni, haproxy].flatMap(linesOf))
    expect(quoted.length).toBeGreaterThanOrEqual(2)
    for (const { code } of quoted)
      expect(linesOf(code).filter((line) => !lines.has(line))).toEqual([])
  })
})

describe('REDIS_URL', () => {
  it('may name several nodes of a cluster [F-61]', () => {
    const url = 'redis://10.0.0.1:6379,redis://10.0.0.2:6379'
    expect(readEnvironment({ REDIS_URL: url }).redisUrl).toBe(url)
  })

  it.each(['redis://10.0.0.1:6379,10.0.0.2:6379', 'redis://10.0.0.1,', 'http://10.0.0.1'])(
    'is refused with its name and without its value: %s [F-61]',
    (url) => {
      expect(() => readEnvironment({ REDIS_URL: url })).toThrow(
        'Invalid environment variables:\n  REDIS_URL must be a URL that begins with redis:// or rediss://, or those of several nodes with commas between them',
      )
    },
  ) // prettier-ignore
})
