import { shareDocuments } from 'hallpass/platform'
import { OptionsError } from 'hallpass'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { DocumentUrl } from '../../src/policy/cimd-document.js'
import { gate } from './platform-of.js'

const url = (name: string): DocumentUrl => `https://${name}.example/client.json` as DocumentUrl
const ASKED = { kind: 'document', accept: 'application/json', limitBytes: 32 } as const
const START = 1_795_165_200

/** A shared fetcher whose documents say which fetch they are of. */
function shared(
  {
    headers = { 'cache-control': 'max-age=600' },
    ...more
  }: { headers?: Record<string, string>; body?: string; status?: number; most?: number } = {},
  held: Promise<void> = Promise.resolve(),
) {
  let time = START
  const fetches: string[] = []
  const fetchDocument = shareDocuments(
    async (asked) => {
      fetches.push(asked)
      const body = more.body ?? `fetch ${fetches.length}`
      await held
      return new Response(body, { status: more.status ?? 200, headers })
    },
    { now: () => time, ...(more.most !== undefined && { most: more.most }) },
  )
  const textOf = async (name: string, asked: typeof ASKED = ASKED) =>
    (await fetchDocument(url(name), asked)).text()
  const pass = (seconds: number): void => {
    time += seconds
  }
  return { fetchDocument, fetches, textOf, pass }
}

describe('a document that schools share', () => {
  it('is fetched once while it is fresh, with the age of its copy, and then again', async () => {
    const { fetchDocument, textOf, fetches, pass } = shared()
    expect([await textOf('study'), await textOf('study')]).toEqual(['fetch 1', 'fetch 1'])
    pass(599)
    const old = await fetchDocument(url('study'), ASKED)
    expect([old.headers.get('age'), old.headers.get('cache-control')]).toEqual([
      '599',
      'max-age=600',
    ])
    pass(1)
    expect(await textOf('study')).toBe('fetch 2')
    expect(fetches).toEqual([url('study'), url('study')])
  })

  it('is as old as its cache said, and as it has become here', async () => {
    const { fetchDocument, pass } = shared({
      headers: { 'cache-control': 'max-age=600', age: '100' },
    })
    const first = await fetchDocument(url('study'), ASKED)
    expect(first.headers.get('age')).toBe('100')
    pass(40)
    expect((await fetchDocument(url('study'), ASKED)).headers.get('age')).toBe('140')
    const odd = shared({ headers: { 'cache-control': 'max-age=600', age: 'old' } })
    expect((await odd.fetchDocument(url('study'), ASKED)).headers.get('age')).toBe('old')
  })

  it('is not younger when the clock goes back', async () => {
    const { fetchDocument, pass } = shared()
    await fetchDocument(url('study'), ASKED)
    pass(-50)
    expect((await fetchDocument(url('study'), ASKED)).headers.get('age')).toBe('0')
  })

  it('is fetched once for all who wait for it, and another one beside it', async () => {
    const held = gate()
    const { textOf, fetches } = shared({}, held.opened)
    const waiting = ['study', 'study', 'other', 'study'].map((name) => textOf(name))
    held.open()
    expect(await Promise.all(waiting)).toEqual(['fetch 1', 'fetch 1', 'fetch 2', 'fetch 1'])
    expect(fetches).toHaveLength(2)
  })

  it('is not kept if it was refused, and each who waited gets the refusal', async () => {
    const held = gate()
    const { fetchDocument, textOf, fetches } = shared({ status: 404 }, held.opened)
    const waiting = [fetchDocument(url('study'), ASKED), fetchDocument(url('study'), ASKED)]
    held.open()
    for (const response of await Promise.all(waiting))
      expect([response.status, await response.text()]).toEqual([404, 'fetch 1'])
    expect(await textOf('study')).toBe('fetch 2')
    expect(fetches).toHaveLength(2)
  })

  it('is not kept if it is too long, which its reader then sees', async () => {
    const { fetchDocument, fetches } = shared({ body: 'x'.repeat(33) })
    for (const count of [1, 2]) {
      const long = await fetchDocument(url('study'), ASKED)
      expect((await long.bytes()).length).toBe(33)
      expect(long.headers.get('cache-control')).toBe('max-age=600')
      expect(fetches).toHaveLength(count)
    }
    const right = shared({ body: 'x'.repeat(32) })
    await right.textOf('study')
    await right.textOf('study')
    expect(right.fetches).toHaveLength(1)
  })

  it('is fetched again after a fetch that failed', async () => {
    let isDown = true
    const fetchDocument = shareDocuments(async () => {
      if (isDown) throw new Error('no network')
      return new Response('{}')
    })
    await expect(fetchDocument(url('study'), ASKED)).rejects.toThrow('no network')
    isDown = false
    expect((await fetchDocument(url('study'), ASKED)).status).toBe(200)
  })

  it('leaves for a newer one when there are too many, the oldest first', async () => {
    const { textOf, fetches, pass } = shared({ most: 2 })
    for (const name of ['a', 'b']) await textOf(name)
    pass(700)
    // A copy that was fetched again is the newest.
    for (const name of ['a', 'c', 'a', 'c']) await textOf(name)
    expect(fetches.map((one) => one[8])).toEqual(['a', 'b', 'a', 'c'])
    await textOf('b')
    expect(fetches).toHaveLength(5)
  })
})

it('shareDocuments keeps neither keys nor logos', async () => {
  const { fetchDocument, fetches } = shared()
  for (const kind of ['keys', 'logo', 'keys'])
    await fetchDocument(url('study'), { ...ASKED, kind } as never)
  expect(fetches).toHaveLength(3)
})

it('shareDocuments reads the clock of the computer, in seconds', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: START * 1000 })
  onTestFinished(() => void vi.useRealTimers())
  let fetches = 0
  const fetchDocument = shareDocuments(async () => {
    fetches += 1
    return new Response('{}', { headers: { 'cache-control': 'max-age=600' } })
  })
  for (const seconds of [0, 599, 601]) {
    vi.setSystemTime((START + seconds) * 1000)
    await fetchDocument(url('study'), ASKED)
  }
  expect(fetches).toBe(2)
})

it('shareDocuments refuses options that are wrong', () => {
  for (const call of [
    () => shareDocuments(undefined as never),
    () => shareDocuments(async () => new Response(), { most: 0 }),
    () => shareDocuments(async () => new Response(), { now: 7 as never }),
    () => shareDocuments(async () => new Response(), { mosts: 7 } as never),
  ])
    expect(call).toThrow(OptionsError)
})
