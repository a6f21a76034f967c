import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createOutput } from '../../../examples/school/src/platform/output.js'

const LIMIT = 1_048_576

/** An output to something that takes as many bytes as it has room for, and then fails. */
function narrow({ room = Infinity }: { room?: number } = {}) {
  const disk = { room, tries: 0 }
  let text = ''
  const stops: string[] = []
  const output = createOutput({
    write(bytes) {
      disk.tries += 1
      const taken = bytes.subarray(0, disk.room)
      if (taken.length === 0) throw new Error('ENOSPC')
      disk.room -= taken.length
      text += Buffer.from(taken).toString()
      return taken.length
    },
    onStop: ({ message }) => stops.push(message),
    onLost: (lines) => output.write(`${lines} lost\n`),
  })
  return { output, disk, written: () => text, stops }
}

describe('an output that nobody waits for', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('writes each line before the call returns', () => {
    const { output, disk, written, stops } = narrow()
    output.write('one\n')
    expect(written()).toBe('one\n')
    output.write('né\n')
    expect([written(), disk.tries, stops]).toEqual(['one\nné\n', 2, []])
  })

  it('keeps what cannot be written, in order and whole, and writes it later [LOG-12]', () => {
    const { output, disk, written, stops } = narrow({ room: 6 })
    output.write('one\n')
    output.write('two\n')
    output.write('three\n')
    // It has stopped: a request does not try again.
    expect([written(), disk.tries, stops]).toEqual(['one\ntw', 3, ['ENOSPC']])
    vi.advanceTimersByTime(1000)
    expect([written(), stops]).toEqual(['one\ntw', ['ENOSPC']])
    disk.room = Infinity
    vi.advanceTimersByTime(250)
    output.write('four\n')
    expect(written()).toBe('one\ntwo\nthree\nfour\n')
    expect(vi.getTimerCount()).toBe(0)

    disk.room = 0
    output.write('five\n')
    expect(stops).toEqual(['ENOSPC', 'ENOSPC'])
  })

  it('loses lines when it keeps a mebibyte, and says how many before the next one [LOG-12]', () => {
    const { output, disk, written } = narrow({ room: 0 })
    const line = `${'x'.repeat(1023)}\n`
    for (let count = 0; count < 1030; count++) output.write(line)
    output.write('short\n')
    disk.room = 2048
    vi.advanceTimersByTime(250)
    // There is room again, but a gap has one place.
    output.write('in the gap\n')
    disk.room = Infinity
    vi.advanceTimersByTime(250)
    output.write('next\n')
    expect(written()).toBe(`${line.repeat(LIMIT / 1024)}8 lost\nnext\n`)
  })

  it('takes a line that is longer than that', () => {
    const { output, written } = narrow()
    output.write('x'.repeat(LIMIT + 1))
    output.write('\n')
    expect(written()).toHaveLength(LIMIT + 2)
  })

  it('tries once at the end [LOG-12]', () => {
    const { output, disk, written } = narrow({ room: 0 })
    output.write('one\n')
    const { tries } = disk
    output.flush()
    expect(disk.tries).toBe(tries + 1)
    disk.room = Infinity
    output.flush()
    expect(written()).toBe('one\n')
  })
})
