import { OptionsError } from 'hallpass'
import { endSchool, moveSchool } from 'hallpass/platform'
import { createMemoryStorage } from 'hallpass/store'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Row, rowOf } from './platform-of.js'

const ISSUER = 'https://art.example'
const PAUSED = rowOf('art.example', { paused: true })

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Moves a school whose rows are these, before and after `arrive`, and counts what was erased. */
async function move(before: Row | null, after: Row | null = null) {
  let row = before
  const erased: string[] = []
  const end = moveSchool({
    issuer: ISSUER,
    find: async () => row,
    from: {
      ...createMemoryStorage(),
      eraseSite: async (site) => ({ rows: erased.push(site) }),
    },
    to: createMemoryStorage(),
    arrive: async () => {
      row = after
    },
    waitSeconds: 0,
  }).then(
    () => 'moved',
    (fault: Error) => fault.message,
  )
  await vi.advanceTimersByTimeAsync(1)
  return { end: await end, erased }
}

describe('moveSchool', () => {
  it.each([
    ['there is none', null],
    ['its school is another', { ...PAUSED, issuer: 'https://music.example' }],
    ['it is not paused', rowOf('art.example')],
  ])('copies nothing if, of the row before, %s', async (_, row) => {
    expect(await move(row)).toEqual({
      end: 'https://art.example is not paused: set paused in its row before it is moved',
      erased: [],
    })
  })

  it.each([
    ['there is none', null],
    ['its school is another', rowOf('music.example', { revision: 2 })],
    ['it is paused', { ...PAUSED, revision: 2 }],
    ['it has the same revision', rowOf('art.example')],
  ])('erases nothing if, of the row after, %s', async (_, row) => {
    const { end, erased } = await move(PAUSED, row)
    expect(end).toContain('arrive must end the pause of https://art.example with a new revision')
    expect(erased).toEqual([])
  })

  it('erases what it left behind', async () => {
    expect(await move(PAUSED, rowOf('art.example', { revision: 2 }))).toEqual({
      end: 'moved',
      erased: [ISSUER],
    })
  })
})

describe('endSchool', () => {
  const ofNothing = { find: async () => null, storage: createMemoryStorage() }

  it('waits two minutes, in which every process has seen that the row is gone', async () => {
    let isOver = false
    const end = endSchool({ issuer: ISSUER, ...ofNothing }).then(() => (isOver = true))
    await vi.advanceTimersByTimeAsync(119_999)
    expect(isOver).toBe(false)
    await vi.advanceTimersByTimeAsync(2)
    await end
  })

  it.each(['art.example', `${ISSUER}/path`, `a ${ISSUER}`, 'ftp://art.example'])(
    'refuses the issuer %j',
    async (issuer) => {
      await expect(endSchool({ issuer, ...ofNothing, waitSeconds: 0 })).rejects.toThrow(
        OptionsError,
      )
    },
  )

  it('takes the issuer of a computer of its own', async () => {
    const end = endSchool({ issuer: 'http://localhost:3000', ...ofNothing, waitSeconds: 0 })
    await vi.advanceTimersByTimeAsync(1)
    expect(await end).toEqual({ rows: 0 })
  })
})
