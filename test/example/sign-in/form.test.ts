import { describe, expect, it } from 'vitest'
import { readForm } from '../../../examples/school/src/sign-in/form.js'

const URLENCODED = 'application/x-www-form-urlencoded'

function post(body: BodyInit | null, type: string | null = URLENCODED): Request {
  const request = new Request('https://lantern.example/', { method: 'POST', body })
  if (type === null) request.headers.delete('content-type')
  else request.headers.set('content-type', type)
  return request
}
const fieldsOf = async (request: Request): Promise<unknown> => {
  const form = await readForm(request)
  return form === null ? null : [...form]
}

describe('readForm', () => {
  it.each([
    URLENCODED,
    `${URLENCODED};charset=UTF-8`,
    `${URLENCODED}  ; charset=utf-8`,
    'Application/X-WWW-Form-Urlencoded',
  ])('reads %j', async (type) => {
    expect(await fieldsOf(post('a=1&b=%C3%A9&a=+', type))).toEqual([
      ['a', '1'],
      ['b', 'é'],
      ['a', ' '],
    ])
  })

  it('reads characters that were cut in two on their way', async () => {
    const bytes = new TextEncoder().encode('name=Zoë')
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(bytes.slice(0, -1))
        controller.enqueue(bytes.slice(-1))
        controller.close()
      },
    })
    const request = new Request('https://lantern.example/', {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { 'content-type': URLENCODED },
    } as RequestInit)
    expect(await fieldsOf(request)).toEqual([['name', 'Zoë']])
  })

  it.each([null, 'text/plain', 'multipart/form-data', `${URLENCODED}2`, `x${URLENCODED}`])(
    'does not read %j',
    async (type) => {
      expect(await readForm(post('a=1', type))).toBeNull()
    },
  )

  it('reads nothing of a browser that hung up, and hides no other failure', async () => {
    const broken = (signal: AbortSignal): Request =>
      new Request('https://lantern.example/', {
        method: 'POST',
        body: new ReadableStream({ pull: () => Promise.reject(new Error('away')) }),
        duplex: 'half',
        headers: { 'content-type': URLENCODED },
        signal,
      } as RequestInit)
    expect(await readForm(broken(AbortSignal.abort()))).toBeNull()
    await expect(readForm(broken(new AbortController().signal))).rejects.toThrow('away')
  })

  it('reads nothing where there is no body', async () => {
    expect(await readForm(post(null))).toBeNull()
  })

  it('reads 16 KiB and not a byte more', async () => {
    expect(await fieldsOf(post(`a=${'x'.repeat(16 * 1024 - 2)}`))).toHaveLength(1)
    expect(await readForm(post(`a=${'x'.repeat(16 * 1024 - 1)}`))).toBeNull()
  })
})
