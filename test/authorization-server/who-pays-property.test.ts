import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rounds } from '../support/run/rounds.js'
import { NOTES_CALLBACK } from '../support/school/metadata-documents.js'
import { register } from '../support/school/networks.js'
import { type School, T } from '../support/school/school.js'
import {
  ask,
  createNotesSchool,
  FRAME,
  IMAGE,
  registerFrom,
  WINDOW,
  WITHDRAWN,
} from '../support/school/senders.js'

describe('whatever others do', () => {
  /** So few that a short trace spends them. The proportions are those of the default. */
  const allowances = {
    fetchesOfNetwork: { amount: 2, seconds: 60 },
    fetchesOfDocument: { amount: 3, seconds: 60 },
    fetchesOfHost: { amount: 8, seconds: 60 },
    fetchesOfSite: { amount: 36, seconds: 60 },
    newDocumentsOfNetwork: { amount: 20, seconds: 86_400 },
    registrationsOfNetwork: { amount: 12, seconds: 86_400 },
    requestsOfNetwork: { amount: 24, seconds: 600 },
  }
  const documents = [0, 1, 2].map((index) => `https://notes.example/${index}`)
  const document = fc.constantFrom(...documents)
  const redirectUri = fc.constantFrom(NOTES_CALLBACK, WITHDRAWN)

  /** `index`: how often it was done before, one after another. */
  type Act = (school: School, index: number) => Promise<Response>
  const honest: fc.Arbitrary<Act> = fc.oneof(
    fc.constant<Act>((school) => ask(school, { network: 'h', headers: WINDOW })),
    fc.constant<Act>((school) => register(school, 'h')),
    fc.record({ client: document, redirectUri }).map(
      (asked): Act =>
        (school) =>
          ask(school, { network: 'h', ...asked, headers: WINDOW }),
    ),
  )
  const other = fc.constantFrom('a', 'b', 'c')
  const junk = fc.constantFrom('https://junk.example/1', 'https://notes.example/9')
  const hostile: fc.Arbitrary<Act> = fc.oneof(
    fc.record({ network: other, client: fc.oneof(document, junk), redirectUri })
      .map((asked): Act => (school) => ask(school, asked)),
    // A sender that has nothing left goes on to name what somebody else publishes.
    fc.record({ network: other, client: document })
      .map(({ network, client }): Act => (school, index) =>
        ask(school, { network, client: index < 4 ? `https://junk${index}.example/` : client })),
    other.map((network): Act => (school) => ask(school, { network })),
    other.map((network): Act => (school) => register(school, network)),
    fc.record({ client: fc.oneof(document, junk), headers: fc.constantFrom(IMAGE, FRAME), prompt: fc.constantFrom('none', 'login') })
      .map((asked): Act => (school) => ask(school, { network: 'h', ...asked })),
    fc.constant<Act>((school) => ask(school, { network: 'h', headers: IMAGE })),
    fc.constantFrom('https://evil.example', 'null').map((origin): Act => (school) => registerFrom(school, 'h', origin)),
  ) // prettier-ignore
  const burst = fc.record({ act: hostile, times: fc.integer({ min: 1, max: 40 }) })
  /** Rounds of a minute, so that no copy of a document is older than the last change of its publisher. */
  const trace = fc.array(
    fc.record({
      bursts: fc.array(burst, { maxLength: 3 }),
      acts: fc.array(honest, { minLength: 1, maxLength: 2 }),
    }),
    { minLength: 1, maxLength: 5 },
  )

  it('an honest network, reader and client see the same [LIM-09]', async () => {
    await fc.assert(
      fc.asyncProperty(trace, fc.nat({ max: 5 }), async (steps, withdrawn) => {
        const seen = async (isAttacked: boolean): Promise<readonly unknown[]> => {
          const { school, withdrawal } = await createNotesSchool({ allowances })
          withdrawal.at = T + 61 * withdrawn
          const outcomes: unknown[] = []
          for (const [round, { bursts, acts }] of steps.entries()) {
            school.clock.now = T + 61 * round
            for (const { act, times } of isAttacked ? bursts : [])
              for (let index = 0; index < times; index++) await act(school, index)
            for (const act of acts) {
              const { status, headers } = await act(school, 0)
              const to = headers.get('location')?.replace(/(interaction\/|state=).*/, '$1')
              outcomes.push([status, to])
            }
          }
          return outcomes
        }
        expect(await seen(true)).toEqual(await seen(false))
      }),
      { seed: 33, numRuns: rounds(60, { soak: 10_000 }) },
    )
  })
})
