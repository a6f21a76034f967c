import { describe, expect, it } from 'vitest'
import { createSlots } from '../../src/node/slots.js'

const never = new AbortController().signal
const slots = () => createSlots({ total: 2, perKey: 1, waiting: 2 })

/** What has happened to a promise by now. */
async function stateOf(promise: Promise<unknown>): Promise<unknown> {
  await new Promise((resolve) => setImmediate(resolve))
  return Promise.race([promise.then(() => 'taken', String), Promise.resolve('waiting')])
}

describe('a slot', () => {
  it('is given to as many as there are, and to one of each key', async () => {
    const wait = slots()
    await wait('a', never)
    const second = wait('a', never)
    await wait('b', never)
    expect(await stateOf(second)).toBe('waiting')
  })

  it('is given in order when one is free, past those whose key has its own', async () => {
    const wait = slots()
    const [free] = [await wait('a', never), await wait('b', never)]
    const order: string[] = []
    const waiting = [
      wait('b', never).then(() => order.push('b')),
      wait('c', never).then(() => order.push('c')),
    ]
    free()
    await waiting[1]
    expect(order).toEqual(['c'])
  })

  it('is refused when too many wait', async () => {
    const wait = slots()
    await wait('a', never)
    void wait('a', never)
    void wait('a', never)
    await expect(wait('a', never)).rejects.toThrow('too many fetches are waiting')
  })

  it('is not waited for beyond the signal, and its place is free again', async () => {
    const wait = slots()
    await wait('a', never)
    const deadline = new AbortController()
    const both = [wait('a', deadline.signal), wait('a', deadline.signal)]
    deadline.abort(new Error('too late'))
    for (const one of both) await expect(one).rejects.toThrow('too late')
    expect(await stateOf(wait('a', never))).toBe('waiting')
  })

  it('is not waited for at all after the signal', async () => {
    const wait = slots()
    await wait('a', never)
    await expect(wait('a', AbortSignal.abort(new Error('over')))).rejects.toThrow('over')
  })
})
