import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { endpointFrom, type Incoming, responseFrom } from '../../src/http/exchange.js'

const URL = 'https://school.example/a?b=1'

/** What an endpoint sees of a request. */
async function seen<Seen>(request: Request, look: (incoming: Incoming) => Promise<Seen>) {
  const looked: Seen[] = []
  await endpointFrom(async (incoming) => {
    looked.push(await look(incoming))
    return { status: 204, headers: [], body: null }
  })(request)
  return looked[0]
}

const bytes = (...chunks: readonly string[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    },
  })

describe('a request of the Fetch API', () => {
  it('is what the host’s own functions get, and ends when it is aborted', async () => {
    const controller = new AbortController()
    const request = new Request(URL, { signal: controller.signal })
    const [same, target, signal] = (await seen(request, async (incoming) => [
      incoming.request() === request,
      incoming.target,
      incoming.signal,
    ]))!
    controller.abort()
    expect([same, target, signal.aborted]).toEqual([true, '/a?b=1', true])
  })

  it.each([
    ['nothing', null, ''],
    ['one piece', bytes('one'), 'one'],
    ['several', bytes('one', '', 'two'), 'onetwo'],
  ])('has its body read: %s', async (_, body, text) => {
    const request = new Request(URL, { method: 'POST', body, duplex: 'half' } as RequestInit)
    const read = await seen(request, (incoming) => incoming.body(6))
    expect(new TextDecoder().decode(read!)).toBe(text)
  })

  it('has no more of its body read than it may have', async () => {
    const request = new Request(URL, { method: 'POST', body: bytes('one', 'two', '!'), duplex: 'half' } as RequestInit) // prettier-ignore
    expect(await seen(request, (incoming) => incoming.body(6))).toBeNull()
  })
})

it('an answer keeps each value of a name that comes again', async () => {
  const headers = ['set-cookie', 'a=1', 'x-a', 'b', 'set-cookie', 'c=2']
  const answer = responseFrom({ status: 201, headers, body: 'x' })
  expect([answer.status, answer.headers.getSetCookie(), answer.headers.get('x-a')]).toEqual([
    201,
    ['a=1', 'c=2'],
    'b',
  ])
  expect(responseFrom(answer)).toBe(answer)
})

describe('a response of another class, where a framework has replaced the global one', () => {
  const native = globalThis.Response
  const page = (): Response => new native('a page', { headers: { 'x-page': 'yes' } })
  beforeEach(() => {
    globalThis.Response = class extends native {}
  })
  afterEach(() => {
    globalThis.Response = native
  })

  it('is passed on by an endpoint', async () => {
    const answered = page()
    expect(await endpointFrom(async () => answered)(new Request(URL))).toBe(answered)
  })
})
