import { describe, expect, it } from 'vitest'
import { JSON_BODY, mediaTypeOf, queryOf, readForm, readText } from '../../src/http/body.js'
import type { Incoming } from '../../src/http/exchange.js'

const sent = (type: string | null, body: string | Uint8Array = ''): Incoming =>
  ({
    header: (name: string) => (name === 'content-type' ? type : null),
    async body(limitBytes: number) {
      const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
      return bytes.length > limitBytes ? null : bytes
    },
  }) as unknown as Incoming

const FORM = 'application/x-www-form-urlencoded'
const failure = (status: number, description: string, headers: readonly string[] = []) => ({
  ok: false,
  status,
  description,
  headers,
})

describe('the type of a body', () => {
  it.each([
    [null, ''],
    ['', ''],
    [' Application/JSON ; charset=utf-8', 'application/json'],
    ['a/b;c;d', 'a/b'],
  ])('of the header %j is %j', (header, type) => {
    expect(mediaTypeOf(header)).toBe(type)
  })
})

describe('a form', () => {
  it.each([FORM, `${FORM}; charset=utf-8`, ' Application/X-WWW-Form-URLencoded ;x'])(
    'is read where its media type is %j',
    async (type) => {
      const form = await readForm(sent(type, 'a=1&a=2&b=%C3%A9'))
      if (!form.ok) throw new Error(form.description)
      const { parameters } = form
      expect([parameters.all('a'), parameters.single('b')]).toEqual([['1', '2'], 'é'])
    },
  )

  it.each([null, '', 'application/json', `x${FORM}`])(
    'is not read where its media type is %j',
    async (type) => {
      expect(await readForm(sent(type))).toEqual(failure(415, `send Content-Type: ${FORM}`))
    },
  )

  it('may have a hundred parameters and 16 KiB', async () => {
    const parameters = (count: number): string => Array(count).fill('a=1').join('&')
    expect((await readForm(sent(FORM, parameters(100)))).ok).toBe(true)
    expect(await readForm(sent(FORM, parameters(101)))).toEqual(
      failure(400, 'the form has more than 100 parameters'),
    )
    expect((await readForm(sent(FORM, 'x'.repeat(16_384)))).ok).toBe(true)
    expect(await readForm(sent(FORM, 'x'.repeat(16_385)))).toEqual(
      failure(413, 'the body is larger than 16384 bytes', ['connection', 'close']),
    )
  })
})

describe('a text', () => {
  it('is refused where it is no UTF-8', async () => {
    expect(await readText(sent('application/json', new Uint8Array([0xff])), JSON_BODY)).toEqual(
      failure(400, 'the body is not valid UTF-8'),
    )
  })

  it('that its client did not send to its end is a failure of nobody else', async () => {
    const broken = (isGone: boolean): Incoming => ({
      ...sent('application/json'),
      body: () => Promise.reject(new Error('away')),
      signal: isGone ? AbortSignal.abort() : new AbortController().signal,
    })
    expect(await readText(broken(true), JSON_BODY)).toEqual(
      failure(400, 'the connection closed before the end of the body'),
    )
    await expect(readText(broken(false), JSON_BODY)).rejects.toThrow('away')
  })

  it('keeps a byte order mark, so that a parser refuses it', async () => {
    for (const text of ['\ufeff{}', '\ufeff'])
      expect(await readText(sent('application/json', text), JSON_BODY)).toEqual({ ok: true, text })
    const form = await readForm(sent(FORM, '\ufeffa=1'))
    expect(form.ok && form.parameters.single('a')).toBe(null)
  })

  it('of JSON may have 256 KiB', () => {
    expect(JSON_BODY).toEqual({ mediaType: 'application/json', limitBytes: 262_144 })
  })
})

it.each([
  ['/a?b=1&c=2', '1'],
  ['/a?', null],
  ['/a', null],
  ['b=1', null],
])('the query of %j has b = %j', (target, value) => {
  expect(queryOf(target).single('b')).toBe(value)
})
