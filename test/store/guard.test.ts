import { describe, expect, it } from 'vitest'
import { TEXT } from '../../src/options/wanted.js'
import { guarded, guardStorage, StorageFailure } from '../../src/store/guard.js'

const FAULT_TEXT = 'connection to 10.0.0.5 refused'

describe('the guard of a storage', () => {
  it.each([
    ['throws', () => { throw new Error(FAULT_TEXT) }],
    ['rejects', () => Promise.reject(new Error(FAULT_TEXT))],
  ])('knows a storage that %s', async (_, find) => {
    const failure = await guarded('find', find)().catch((fault: unknown) => fault)
    expect(failure).toBeInstanceOf(StorageFailure)
    expect((failure as StorageFailure).cause).toEqual(new Error(FAULT_TEXT))
    expect(String(failure)).not.toContain(FAULT_TEXT)
  }) // prettier-ignore

  it('wraps a failure once, and leaves arguments and results alone', async () => {
    const failure = new StorageFailure('x')
    await expect(guarded('find', () => Promise.reject(failure))()).rejects.toBe(failure)
    const found = {}
    const find = guarded('find', async (...all: unknown[]) => [found, ...all])
    expect(await find(1, 'two')).toEqual([found, 1, 'two'])
    expect((await find())[0]).toBe(found)
  })

  it('guards a store that is an instance of a class', async () => {
    class ClassStore {
      readonly #clients = new Map([['a', 1]])
      async findClient(id: string): Promise<number | undefined> {
        return this.#clients.get(id)
      }
    }
    expect(await guardStorage(new ClassStore(), { findClient: [TEXT] }).findClient('a')).toBe(1)
  })
})
