import { StorageFailure, withoutChange } from 'hallpass/store'
import { testSite } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import { type Answer, createEndpoint, failureOf } from '../../src/http/frame.js'
import type { Context } from '../../src/http/context.js'
import { json } from '../../src/http/respond.js'
import { createUses, wordsOf } from '../../src/http/uses.js'
import { refuse } from '../../src/policy/decision.js'

const NOW = 1000
const KEY = { key: 'k', until: NOW + 10 }
const failing = (fault: Error) => async (): Promise<never> => {
  throw fault
}

const none = (fault: unknown): void => expect.unreachable(String(fault))

/** A store of one key, which notes what it is asked. */
function opened({
  used = 'first',
  giveBack = async () => {},
}: { used?: 'first' | 'again'; giveBack?: () => Promise<void> } = {}) {
  const asked: unknown[] = []
  const uses = createUses({ newClaim: () => 'claim', now: () => NOW })
  const once = {
    useOnce: async (use: object) => (asked.push(use), used),
    giveBack: async (use: object) => (asked.push(use), giveBack()),
  }
  return { asked, uses, once }
}

describe('what a request uses up', () => {
  it('is kept a minute longer than it is used, and given back by its claim', async () => {
    const { asked, uses, once } = opened()
    expect(await uses.useOnce(once, KEY, 'proof')).toBe(true)
    expect(await uses.settle(false, none)).toEqual({ anew: [], doubtful: [] })
    expect(asked).toEqual([
      { key: 'k', until: NOW + 70, claim: 'claim' },
      { key: 'k', claim: 'claim' },
    ])
  })

  it('is not used if it was used before, or behind its time', async () => {
    const before = opened({ used: 'again' })
    expect(await before.uses.useOnce(before.once, KEY, 'proof')).toBe(false)
    expect(await before.uses.settle(true, none)).toEqual({ anew: [], doubtful: [] })
    const late = opened()
    expect(await late.uses.useOnce(late.once, { key: 'k', until: NOW }, 'proof')).toBe(false)
  })

  it('is to be fetched anew if the change may be stored, as what the change uses up', async () => {
    const { asked, uses, once } = opened()
    await uses.useOnce(once, KEY, 'proof')
    uses.useWithChange('code')
    expect(await uses.settle(true, none)).toEqual({ anew: ['proof'], doubtful: ['code'] }) // prettier-ignore
    expect(asked).toHaveLength(1)
  })

  it('is to be fetched anew if it cannot be given back, which is told', async () => {
    const fault = new Error('away')
    const { uses, once } = opened({ giveBack: failing(fault) })
    await uses.useOnce(once, KEY, 'proof')
    const told: unknown[] = []
    expect(await uses.settle(false, (one) => told.push(one))).toEqual({ anew: ['proof'], doubtful: [] }) // prettier-ignore
    expect(told).toEqual([fault])
  })

  it.each([
    [withoutChange(new Error('busy')), []],
    [new StorageFailure('away'), ['proof']],
  ] as readonly (readonly [Error, readonly string[]])[])(
    'may be stored later if the store failed with %s',
    async (fault, anew) => {
      const { uses, once } = opened()
      await expect(uses.useOnce({ ...once, useOnce: failing(fault) }, KEY, 'proof')).rejects.toBe(fault) // prettier-ignore
      expect(await uses.settle(false, none)).toEqual({ anew, doubtful: [] })
    },
  )
})

it.each([
  [[], [], ''],
  [['proof', 'assertion', 'proof'], [], ', with a new proof and a new assertion'],
  [[], ['code'], '; if that is refused, start again with a new code'],
  [['proof'], ['code'], ', with a new proof; if that is refused, start again with a new code'],
])('the words for %j and %j', (anew, doubtful, words) => {
  expect(wordsOf({ anew, doubtful })).toBe(words)
})

it('a proof of a key is never given back', () => {
  const said = (dpop: string | null): string =>
    failureOf(new StorageFailure('away'), { header: () => dpop }).description
  expect([said(null), said('x')]).toEqual([
    'the service is temporarily unavailable: try again shortly',
    'the service is temporarily unavailable: try again shortly, with a new DPoP proof',
  ])
})

describe('an answer to try again', () => {
  const answerOf = async (
    serve: (context: Context) => Promise<Answer>,
    giveBack = async () => {},
  ): Promise<{ said: unknown; claims: unknown[]; faults: unknown[] }> => {
    const [claims, faults]: unknown[][] = [[], []]
    const { site } = testSite({ onFault: ({ fault }) => faults!.push(fault) })
    const errors = { refusal: (refusal: object) => json(429, refusal), failure: ({ description }: object & { description: string }) => json(503, { description }) } // prettier-ignore
    const once = {
      useOnce: async ({ claim }: { claim?: string | null }) => (claims!.push(claim), 'first' as const),
      giveBack,
    } // prettier-ignore
    const endpoint = createEndpoint(site, { name: 'x', methods: ['GET'], cors: null, errors }, async (context) => {
      await context.uses.useOnce(once, { key: 'k', until: site.now() + 9 }, 'proof')
      return serve(context)
    }) // prettier-ignore
    const answer = await endpoint(new Request('https://school.example/x'))
    return { said: ((await answer.json()) as { description?: string }).description, claims: claims!, faults: faults! } // prettier-ignore
  }
  const paced = { ...refuse('temporarily_unavailable', 'code_paced', 'wait'), retryAfterSeconds: 3 }

  it('has used nothing up, by a claim of its own, or names what it has', async () => {
    const { said, claims } = await answerOf(async () => paced)
    expect([said, claims]).toEqual(['wait', [expect.stringMatching(/^[\w-]{43}$/)]])
    const fault = new Error('away')
    const kept = await answerOf(async () => paced, failing(fault))
    expect([kept.said, kept.faults]).toEqual(['wait, with a new proof', [fault]])
    const refused = { ...refuse('invalid_request', 'client_id_missing', 'no') }
    expect((await answerOf(async () => refused, failing(fault))).faults).toEqual([])
  })

  it('says what is doubtful once a change was told', async () => {
    const { said } = await answerOf(async (context) => {
      context.announce().tell(null as never)
      throw new StorageFailure('away')
    })
    expect(said).toBe('the service is temporarily unavailable: try again shortly, with a new proof')
    const before = await answerOf(async () => Promise.reject(new StorageFailure('away')))
    expect(before.said).toBe('the service is temporarily unavailable: try again shortly')
  })
})
