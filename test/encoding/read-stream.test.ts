import { describe, expect, it } from 'vitest'
import { readStream } from '../../src/encoding/read-stream.js'

const streamOf = (
  chunks: readonly string[],
  cancel?: () => Promise<void>,
): ReadableStream<Uint8Array<ArrayBuffer>> => {
  const bytes = chunks.map((chunk) => new TextEncoder().encode(chunk)).values()
  return new ReadableStream(
    {
      pull(controller) {
        const { done, value } = bytes.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      ...(cancel && { cancel }),
    },
    { highWaterMark: 0 },
  )
}
const read = async (chunks: readonly string[], limitBytes: number): Promise<string | null> => {
  const bytes = await readStream(streamOf(chunks), limitBytes)
  return bytes && new TextDecoder().decode(bytes)
}

describe('readStream', () => {
  it.each([
    [[], 0, ''],
    [['abc'], 3, 'abc'],
    [['abc'], 2, null],
    [['a', '', 'bc', 'd'], 4, 'abcd'],
    [['a', '', 'bc', 'd'], 3, null],
  ] as const)('reads %j with a limit of %i as %j', async (chunks, limitBytes, wanted) => {
    expect(await read(chunks, limitBytes)).toBe(wanted)
  })

  it('reads no body as no bytes', async () => {
    expect(await readStream(null, 0)).toEqual(new Uint8Array(0))
  })

  it('rejects with the error of the stream', async () => {
    const broken = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull() {
        throw new Error('the line is cut')
      },
    })
    await expect(readStream(broken, 9)).rejects.toThrow('the line is cut')
  })

  it.each([
    ['never ends', () => new Promise<void>(() => {})],
    ['fails', () => Promise.reject(new Error('no'))],
  ])('stops reading at the limit, also if stopping %s', async (_, cancel) => {
    const asked: string[] = []
    const stop = (): Promise<void> => (asked.push('stop'), cancel())
    expect(await readStream(streamOf(['abc', 'def', 'never read'], stop), 4)).toBeNull()
    expect(asked).toEqual(['stop'])
  })
})
