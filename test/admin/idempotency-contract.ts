import type { IdempotencyStore } from 'hallpass/admin'
import { expect } from 'vitest'
import type { StoredResponse } from '../../src/admin/idempotency.js'

const ANSWER: StoredResponse = {
  status: 201,
  headers: ['content-type', 'application/json', 'etag', '"a"'],
  body: '{ "title":"\\u0000 Łódź 😀",\n"b":1,"a":2 }',
}
const entry = (keyHash = 'key', changes: { requestHash?: string; now?: number } = {}) => {
  const { requestHash = 'request', now = 100 } = changes
  return { keyHash, requestHash, now, expiresAt: now + 50 }
}

/**
 * What every {@link IdempotencyStore} promises.
 *
 * @param create - makes an empty store of its own
 */
export function idempotencyContract(
  create: () => IdempotencyStore,
): readonly { readonly name: string; readonly run: () => Promise<void> }[] {
  const check = (name: string, run: (store: IdempotencyStore) => Promise<void>) => ({
    name,
    run: () => run(create()),
  })
  return [
    check('takes a key that nobody used', async (store) => {
      expect(await store.begin(entry())).toEqual({ state: 'new' })
      expect(await store.begin(entry('other'))).toEqual({ state: 'new' })
    }),
    check('says what the first request was while it runs', async (store) => {
      await store.begin(entry())
      expect(await store.begin(entry('key', { requestHash: 'other' }))).toEqual({
        state: 'running',
        requestHash: 'request',
        expiresAt: 150,
      })
    }),
    check('keeps the answer as it was, whatever is asked later', async (store) => {
      await store.begin(entry())
      await store.finish({ keyHash: 'key', answer: ANSWER })
      const done = { state: 'done', requestHash: 'request', answer: ANSWER }
      expect(await store.begin(entry())).toEqual(done)
      expect(await store.begin(entry('key', { requestHash: 'other' }))).toEqual(done)
    }),
    check('keeps an answer without a body', async (store) => {
      const answer = { status: 204, headers: [], body: null }
      await store.begin(entry())
      await store.finish({ keyHash: 'key', answer })
      expect(await store.begin(entry())).toMatchObject({ answer })
    }),
    check('frees a key that was abandoned', async (store) => {
      await store.begin(entry())
      await store.begin(entry('other'))
      await store.abandon('key')
      expect(await store.begin(entry('key', { requestHash: 'next' }))).toEqual({ state: 'new' })
      expect(await store.begin(entry())).toEqual({
        state: 'running',
        requestHash: 'next',
        expiresAt: 150,
      })
      expect(await store.begin(entry('other'))).toMatchObject({ state: 'running' })
    }),
    check('keeps the first answer, and frees no key that has one', async (store) => {
      await store.begin(entry())
      await store.finish({ keyHash: 'key', answer: ANSWER })
      await store.finish({ keyHash: 'key', answer: { ...ANSWER, status: 500 } })
      await store.abandon('key')
      expect(await store.begin(entry())).toMatchObject({ state: 'done', answer: ANSWER })
    }),
    check('makes nothing of a key that is not there', async (store) => {
      await store.abandon('key')
      await store.finish({ keyHash: 'key', answer: ANSWER })
      expect(await store.begin(entry())).toEqual({ state: 'new' })
    }),
    check('forgets a key at the moment it expires, whatever became of it', async (store) => {
      const begin = (now: number, requestHash: string) =>
        Promise.all(['done', 'running'].map((key) => store.begin(entry(key, { now, requestHash }))))
      await begin(100, 'request')
      await store.finish({ keyHash: 'done', answer: ANSWER })
      expect(await begin(149, 'next')).toMatchObject([{ state: 'done' }, { state: 'running' }])
      expect(await begin(150, 'next')).toEqual([{ state: 'new' }, { state: 'new' }])
      const running = { state: 'running', requestHash: 'next', expiresAt: 200 }
      expect(await begin(199, 'last')).toEqual([running, running])
    }),
    check('forgets a short-lived key behind a long-lived one', async (store) => {
      await store.begin({ ...entry('long'), expiresAt: 1000 })
      await store.begin(entry('short'))
      expect(await store.begin(entry('short', { now: 150 }))).toEqual({ state: 'new' })
      expect(await store.begin(entry('long', { now: 150 }))).toMatchObject({ state: 'running' })
    }),
    check('gives a key to exactly one of a hundred', async (store) => {
      const states = await Promise.all(Array.from({ length: 100 }, () => store.begin(entry())))
      expect(states.filter(({ state }) => state === 'new')).toHaveLength(1)
      expect(states.filter(({ state }) => state === 'running')).toHaveLength(99)
    }),
    check('gives an expired key to exactly one of a hundred', async (store) => {
      await store.begin(entry())
      const states = await Promise.all(
        Array.from({ length: 100 }, () => store.begin(entry('key', { now: 150 }))),
      )
      expect(states.filter(({ state }) => state === 'new')).toHaveLength(1)
    }),
    check('gives a key to one at a time, however often it is given up', async (store) => {
      let holders = 0
      let most = 0
      let turns = 0
      const worker = async (): Promise<void> => {
        for (let round = 0; round < 20; round++) {
          if ((await store.begin(entry())).state !== 'new') continue
          most = Math.max(most, ++holders)
          turns++
          await Promise.resolve()
          holders--
          await store.abandon('key')
        }
      }
      await Promise.all(Array.from({ length: 8 }, worker))
      expect([most, turns > 1]).toEqual([1, true])
    }),
  ]
}
