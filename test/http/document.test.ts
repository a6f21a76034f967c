import { expect, it } from 'vitest'
import { createDocument, createJsonDocument } from '../../src/http/document.js'
import type { Incoming } from '../../src/http/exchange.js'

const asking = (ifNoneMatch: string | null): Incoming =>
  ({ header: (name: string) => (name === 'if-none-match' ? ifNoneMatch : null) }) as Incoming
const bytesOf = (text: string) => new TextEncoder().encode(text)

it('is answered with its tag, and without its body to whoever has it', () => {
  const document = createDocument({ contentType: 'text/plain', text: 'a' })
  const known = ['cache-control', 'public, max-age=300', 'etag', '"ypeBEsobvcr6wjGzmiPcTa"']
  expect(document(asking(null))).toEqual({
    status: 200,
    headers: ['content-type', 'text/plain', 'x-content-type-options', 'nosniff', ...known],
    body: bytesOf('a'),
  })
  expect(document(asking('"ypeBEsobvcr6wjGzmiPcTa"'))).toEqual({
    status: 304,
    headers: known,
    body: null,
  })
})

it('may be a value as JSON, kept for five minutes unless it says otherwise', () => {
  const value = () => ({ a: 1 })
  const ages = [createJsonDocument(value), createJsonDocument(value, 60)].map((document) => {
    const { headers, body } = document(asking(null))
    return [headers[1], headers[headers.indexOf('cache-control') + 1], body]
  })
  const type = 'application/json; charset=utf-8'
  expect(ages).toEqual([
    [type, 'public, max-age=300', bytesOf('{"a":1}')],
    [type, 'public, max-age=60', bytesOf('{"a":1}')],
  ])
})

it('is encoded once, not for each response', () => {
  const document = createDocument({ contentType: 'text/plain', text: 'é'.repeat(1000) })
  expect(document(asking(null)).body).toBe(document(asking(null)).body)
})
