import { afterEach, describe, expect, it, vi } from 'vitest'
import { createListedHostsFetcher, OptionsError } from '../../src/index.js'
import type { DocumentUrl } from '../../src/policy.js'
import * as kinds from '../../src/site/fetch-document.js'

const allowedHosts = ['app.example', 'other.example:8443']
const fetcher = createListedHostsFetcher({ allowedHosts })
const URL_OF_APP = 'https://app.example/client.json'

type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Replaces the global `fetch`, and returns what it is called with. */
function answer(respond: Fetch): { readonly asked: (readonly [string, RequestInit])[] } {
  const asked: [string, RequestInit][] = []
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    asked.push([url, init])
    return respond(url, init)
  })
  return { asked }
}
afterEach(() => {
  vi.unstubAllGlobals()
})

const get = (url: string, fetchDocument = fetcher, asked = kinds.DOCUMENT): Promise<Response> =>
  fetchDocument(url as DocumentUrl, asked)

describe('createListedHostsFetcher', () => {
  it('sends one GET that follows no redirect, and returns the response whatever its status [CIMD-70]', async () => {
    const { asked } = answer(async () => new Response('{"a":1}', { status: 404, headers: { etag: '"1"' } })) // prettier-ignore
    const response = await get(URL_OF_APP)
    expect([response.status, response.headers.get('etag'), await response.text()]).toEqual([404, '"1"', '{"a":1}']) // prettier-ignore
    expect(asked).toEqual([
      [
        URL_OF_APP,
        {
          redirect: 'manual',
          headers: {
            accept: 'application/json',
            'accept-encoding': 'identity',
            'user-agent': 'hallpass',
          },
          signal: expect.any(AbortSignal) as AbortSignal,
        },
      ],
    ])
  })

  it.each([
    ['https://unknown.example/client.json', 'document_host_not_allowed'],
    ['https://sub.app.example/client.json', 'document_host_not_allowed'],
    ['https://app.example:8443/client.json', 'document_host_not_allowed'],
    ['https://other.example/client.json', 'document_port_not_allowed', ['other.example:8443']],
    ['https://127.0.0.1/client.json', 'document_host_not_public', ['127.0.0.1']],
    ['https://[::1]/client.json', 'document_host_not_public', ['app.example']],
    ['https://localhost/client.json', 'document_host_not_public', ['localhost']],
    ['https://school.internal/client.json', 'document_host_not_public', ['school.internal']],
    ['http://app.example/client.json', 'document_url_malformed'],
    ['https://app.example/../client.json', 'document_url_malformed'],
  ])('sends nothing to %s: %s [CIMD-69]', async (url, reason, hosts = allowedHosts) => {
    const { asked } = answer(async () => new Response('{}'))
    const fetchDocument = createListedHostsFetcher({ allowedHosts: hosts })
    await expect(get(url, fetchDocument)).rejects.toThrow(`nothing is fetched: ${reason}`)
    expect(asked).toEqual([])
  })

  it('asks a host at the port that the list names', async () => {
    const { asked } = answer(async () => new Response('{}'))
    await get('https://other.example:8443/client.json')
    expect(asked).toHaveLength(1)
  })

  it.each([301, 302, 303, 307, 308])('refuses a redirect: %i [CIMD-70]', async (status) => {
    const cancel = vi.fn<() => void>()
    answer(async () => new Response(new ReadableStream({ cancel }), { status, headers: { location: '/a' } })) // prettier-ignore
    await expect(get(URL_OF_APP)).rejects.toThrow('app.example: the response is a redirect')
    expect(cancel).toHaveBeenCalledOnce()
  })

  it('refuses a redirect whose status the runtime hides', async () => {
    answer(async () => Response.error())
    await expect(get(URL_OF_APP)).rejects.toThrow('app.example: the response is a redirect')
  })

  it.each([204, 304])('returns a response that has no body: %i', async (status) => {
    answer(async () => new Response(null, { status }))
    expect((await get(URL_OF_APP)).status).toBe(status)
  })

  it('accepts a body of the limit, and stops reading one byte later [CIMD-70]', async () => {
    const cancel = vi.fn<() => void>()
    const chunks = (count: number): ReadableStream =>
      new ReadableStream({
        pull(controller) {
          if (count-- > 0) controller.enqueue(new Uint8Array(4).fill(97))
          else controller.close()
        },
        cancel,
      })
    const fetchDocument = createListedHostsFetcher({ allowedHosts, limitBytes: 8 })
    answer(async () => new Response(chunks(2)))
    expect(await (await get(URL_OF_APP, fetchDocument)).text()).toBe('aaaaaaaa')
    answer(async () => new Response(chunks(Infinity)))
    await expect(get(URL_OF_APP, fetchDocument)).rejects.toThrow(
      'app.example: the body is larger than 8 bytes',
    )
    expect(cancel).toHaveBeenCalledOnce()
  })

  it.each(Object.values(kinds))(
    'asks for the media types of a $kind, and reads as much as that may have',
    async (kind) => {
      const { asked } = answer(async () => new Response('a'.repeat(kind.limitBytes)))
      expect(await (await get(URL_OF_APP, fetcher, kind)).text()).toHaveLength(kind.limitBytes)
      expect(new Headers(asked[0]![1].headers).get('accept')).toBe(kind.accept)
      answer(async () => new Response('a'.repeat(kind.limitBytes + 1)))
      await expect(get(URL_OF_APP, fetcher, kind)).rejects.toThrow('the body is larger than')
    },
  )

  it('ends at the deadline, also if the request never ends [CIMD-70]', async () => {
    const fetchDocument = createListedHostsFetcher({ allowedHosts, deadlineMilliseconds: 20 })
    const { asked } = answer(() => new Promise(() => {}))
    const late = 'app.example: no complete response within 20 ms'
    await expect(get(URL_OF_APP, fetchDocument)).rejects.toThrow(late)
    expect(asked[0]![1].signal!.aborted).toBe(true)
    answer(async () => new Response(new ReadableStream({})))
    await expect(get(URL_OF_APP, fetchDocument)).rejects.toThrow(late)
  })

  it('says which host could not be reached, and why', async () => {
    const cause = new TypeError('fetch failed')
    answer(() => Promise.reject(cause))
    await expect(get(URL_OF_APP)).rejects.toEqual(new Error('app.example: fetch failed', { cause }))
  })

  it('needs a list of hosts', () => {
    const create = (options: object) => () => createListedHostsFetcher(options as never)
    expect(create({ allowedHosts: [] })).toThrow(
      new OptionsError('createListedHostsFetcher', [
        'allowedHosts must have at least one host: nothing else is fetched',
      ]),
    )
    expect(create({})).toThrow(OptionsError)
    expect(create({ allowedHosts: ['https://app.example'] })).toThrow('allowedHosts')
    expect(create({ allowedHosts, limitBytes: 60_001 })).toThrow('limitBytes')
    expect(create({ allowedHosts, deadlineMilliseconds: 60_001 })).toThrow('deadlineMilliseconds')
  })
})
