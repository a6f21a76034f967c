import { describe, expect, it } from 'vitest'
import { waitFor } from './wait.js'

describe('waitFor', () => {
  it('returns what the condition gives once it holds, and takes a fault for not yet', async () => {
    const answers = [false, null, 'fault', 'here']
    const condition = async (): Promise<string | false | null> => {
      const answer = answers.shift() as string | false | null
      if (answer === 'fault') throw new Error('not yet')
      return answer
    }
    expect(await waitFor(condition)).toBe('here')
    expect(answers).toEqual([])
  })

  it('gives up with what was awaited, and with the last value or the last fault', async () => {
    const patience = { what: 'it is here', patienceMilliseconds: 1 }
    await expect(waitFor(() => null, patience)).rejects.toThrow(
      new Error('waited 1 ms until it is here: it was null'),
    )
    const cause = new Error('refused')
    await expect(waitFor(() => Promise.reject(cause), patience)).rejects.toMatchObject({
      message: 'waited 1 ms until it is here: it threw',
      cause,
    })
    await expect(waitFor(() => [].length > 1, { patienceMilliseconds: 1 })).rejects.toThrow(
      'waited 1 ms until () => [].length > 1: it was false',
    )
  })
})
