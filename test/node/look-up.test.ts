import { lookup, Resolver } from 'node:dns/promises'
import { describe, expect, it, onTestFinished, test, vi } from 'vitest'
import { createDocumentFetcher } from '../../src/node/document-fetcher.js'
import type { DocumentUrl } from '../../src/policy/cimd-url.js'
import { DOCUMENT as ASKED } from '../../src/site/fetch-document.js'
import { DOCUMENT, failure, fetcherFor, serveHttps, V4, V6 } from './document-host.js'
import { serveNames, type Zone } from './name-server.js'

/** A fetcher that asks a name server, and leads to a host that serves a document. */
async function fetcherOf(zoneOf: (name: string) => Zone | null, deadlineMilliseconds = 5000) {
  const names = await serveNames(zoneOf)
  const host = await serveHttps((_req, res) => res.end('{}'))
  const nameServers = [names.address]
  const fetcher = fetcherFor(host, { nameServers, deadlineMilliseconds, answers: null })
  return { ...fetcher, questions: names.questions }
}

describe('the look-up', () => {
  it('asks name servers for A and AAAA, once each, and connects to what was judged [CIMD-26]', async () => {
    const { fetch, questions, connections } = await fetcherOf(() => ({ a: [V4], aaaa: [V6] }))
    expect((await fetch()).status).toBe(200)
    expect(questions.toSorted()).toEqual(['a app.example', 'aaaa app.example'])
    expect(connections).toEqual([`${V4} 443`])
  })

  test.each<[string, Zone, readonly string[]]>([
    ['A alone', { a: [V4], aaaa: [] }, [V4]],
    ['AAAA alone', { a: [], aaaa: [V6] }, [V6]],
    ['A, and AAAA that does not exist', { a: [V4], aaaa: 'NXDOMAIN' }, [V4]],
  ])('finds a host that has %s', async (_name, zone, addresses) => {
    const { fetch, connections } = await fetcherOf(() => zone)
    expect((await fetch()).status).toBe(200)
    expect(connections).toEqual(addresses.map((address) => `${address} 443`))
  })

  test.each<[string, Zone, string | RegExp]>([
    ['a private A', { a: ['10.0.0.1'], aaaa: [V6] }, '10.0.0.1 is not a public unicast address'],
    ['a private AAAA', { a: [V4], aaaa: ['fd00::1'] }, 'fd00::1 is not a public unicast address'],
    ['a second A', { a: [V4, '127.0.0.1'], aaaa: [] }, '127.0.0.1 is not a public unicast address'],
    ['no address', { a: [], aaaa: [] }, 'the host name has no address'],
    ['no name', { a: 'NXDOMAIN', aaaa: 'NXDOMAIN' }, 'the host name has no address'],
    ['an A that fails', { a: 'SERVFAIL', aaaa: [V6] }, 'queryA ESERVFAIL app.example'],
    ['an AAAA that fails', { a: [V4], aaaa: 'SERVFAIL' }, 'queryAaaa ESERVFAIL app.example'],
  ])('refuses a host for %s [CIMD-25]', async (_name, zone, message) => {
    const { fetch, connections } = await fetcherOf(() => zone)
    expect(await failure(fetch())).toBe(`app.example: ${message}`)
    expect(connections).toEqual([])
  })

  it('reads no file of hosts: a name has the addresses that a name server says', async () => {
    const { fetch, questions } = await fetcherOf(() => ({ a: 'NXDOMAIN', aaaa: 'NXDOMAIN' }))
    expect(await failure(fetch('https://localhost/client.json'))).toBe(
      'localhost: the host name has no address',
    )
    expect(questions.toSorted()).toEqual(['a localhost', 'aaaa localhost'])
  })

  it('asks again if a response was lost', async () => {
    const lost = new Set<string>()
    const names = await serveNames((name) => {
      if (lost.size < 2) {
        lost.add(`${name} ${lost.size}`)
        return null
      }
      return { a: ['10.0.0.1'], aaaa: [] }
    })
    const fetchDocument = createDocumentFetcher({
      nameServers: [names.address],
      deadlineMilliseconds: 4000,
    })
    expect(await failure(fetchDocument(DOCUMENT as DocumentUrl, ASKED))).toBe(
      'app.example: 10.0.0.1 is not a public unicast address',
    )
    expect(names.questions).toHaveLength(4)
  })

  it('that gets no response ends with the deadline, and keeps no one else waiting [CIMD-19, CIMD-38]', async () => {
    const { fetch } = await fetcherOf(
      (name) => (name === 'app.example' ? { a: [V4], aaaa: [] } : null),
      2500,
    )
    const dead = Array.from({ length: 15 }, (_, index) => `dead${index}.example`)
    const ended: string[] = []
    const outcomeOf = async (host: string): Promise<string> => {
      const outcome = await failure(fetch(`https://${host}/`))
      ended.push(host)
      return outcome
    }
    const outcomes = Promise.all(dead.map(outcomeOf))
    await Promise.all([lookup('localhost'), fetch()])
    expect(ended).toEqual([])
    expect(await outcomes).toEqual(
      dead.map((name) => `${name}: no complete response within 2500 ms`),
    )
    // Those look-ups were canceled, so that all slots are free.
    const more = dead.map((name) => outcomeOf(`more-${name}`))
    await fetch()
    expect(ended).toHaveLength(dead.length)
    await Promise.all(more)
  })

  it('asks the name servers of the system unless told otherwise', async () => {
    const asked: unknown[] = []
    const answer = async function (this: Resolver, host: string) {
      asked.push([host, this.getServers()])
      return ['127.0.0.1']
    } as never
    vi.spyOn(Resolver.prototype, 'resolve4').mockImplementation(answer)
    vi.spyOn(Resolver.prototype, 'resolve6').mockImplementation(answer)
    onTestFinished(() => void vi.restoreAllMocks())
    const fetchDocument = createDocumentFetcher()
    expect(await failure(fetchDocument(DOCUMENT as DocumentUrl, ASKED))).toBe(
      'app.example: 127.0.0.1 is not a public unicast address',
    )
    const servers = new Resolver().getServers()
    expect(asked).toEqual([
      ['app.example', servers],
      ['app.example', servers],
    ])
  })
})

describe('nameServers', () => {
  test.each(['192.0.2.53', '192.0.2.53:5353', '2001:db8::53', '[2001:db8::53]:65535'])(
    'may be %s',
    (server) => {
      expect(() => createDocumentFetcher({ nameServers: [server] })).not.toThrow()
    },
  )

  test.each([
    [[]],
    ['192.0.2.53'],
    [['dns.example']],
    [['192.0.2.53:0']],
    [['192.0.2.53:65536']],
    [['192.0.2:53']],
    [['2001:db8::53:5353:']],
    [['[2001:db8::53]']],
    [['192.0.2.53', 53]],
  ])('may not be %j', (nameServers) => {
    expect(() => createDocumentFetcher({ nameServers } as never)).toThrow(
      'nameServers must be IP addresses such as 192.0.2.53 or [2001:db8::53]:5353, not a',
    )
  })
})
