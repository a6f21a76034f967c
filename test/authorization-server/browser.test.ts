import { describe, expect, it } from 'vitest'
import { embeddingOf, isLookAhead, NOTHING } from '../../src/authorization-server/browser.js'
import { readBrowserId } from '../../src/site/browser-id.js'
import type { Incoming } from '../../src/http/exchange.js'

const ISSUER = 'https://lantern.example'
const ID = 'b'.repeat(43)

function incoming(headers: Record<string, string>, method = 'GET'): Incoming {
  const all = new Headers(headers)
  return { method, header: (name: string) => all.get(name) } as Incoming
}
const read = (cookie: string): string | null => readBrowserId(incoming({ cookie }), ISSUER)

describe("a browser's identifier", () => {
  it.each([
    ['alone', `__Host-hallpass=${ID}`],
    ['behind others', `theme=dark; __Host-hallpass=${ID}`],
    ['in front of others', `__Host-hallpass=${ID};a=b`],
    ['behind one whose name begins alike', `__Host-hallpass2=${'c'.repeat(43)}; __Host-hallpass=${ID}`],
  ])('is read where its cookie stands %s', (_, cookie) => {
    expect(read(cookie)).toBe(ID)
  }) // prettier-ignore

  it.each([
    ['too short', `__Host-hallpass=${ID.slice(1)}`],
    ['too long', `__Host-hallpass=${ID}b`],
    ['of other characters', `__Host-hallpass=+${ID.slice(1)}`],
    ['under the name for http', `hallpass=${ID}`],
    ['within another cookie', `x__Host-hallpass=${ID}`],
  ])('is not read where it is %s', (_, cookie) => {
    expect(read(cookie)).toBeNull()
  })

  it('is not read where no cookie came', () => {
    expect(readBrowserId(incoming({}), ISSUER)).toBeNull()
  })
})

describe('a request for a part of a page', () => {
  it.each([
    [{}, null],
    [{ 'sec-fetch-dest': 'document' }, null],
    [{ 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'same-origin' }, null],
    [{ 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'same-site' }, 'part'],
    [{ 'sec-fetch-dest': 'iframe' }, 'frame'],
    [{ 'sec-fetch-dest': 'image' }, 'part'],
    [{ 'sec-fetch-dest': 'empty' }, 'part'],
  ])('with %j: %s', (headers, expected) => {
    expect(embeddingOf(incoming(headers))).toBe(expected)
  })
})

describe('a request that only looks ahead', () => {
  it.each([
    [{ 'sec-purpose': 'prefetch;prerender' }, 'GET', true],
    [{ purpose: 'prefetch' }, 'GET', true],
    [{}, 'HEAD', true],
    [{}, 'GET', false],
    [{ 'sec-purpose': 'other' }, 'GET', false],
  ])('with %j by %s: %s', (headers, method, expected) => {
    expect(isLookAhead(incoming(headers, method))).toBe(expected)
  })

  it('finds nothing to keep', () => {
    expect(NOTHING).toEqual({
      status: 204,
      headers: ['cache-control', 'no-store', 'vary', 'Sec-Purpose'],
      body: null,
    })
  })
})
