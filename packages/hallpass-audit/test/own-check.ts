import type { Check, Finding } from 'hallpass-audit'

type Run = Check['run']

/** A check of a test: what its finding has of no server is empty. */
export const ownCheck = (id: string, run: (on: Parameters<Run>[0]) => Promise<unknown>, more: Partial<Check> = {}): Check => ({
  id: `own/${id}`,
  clause: { document: 'RFC 6749', section: '1', level: 'MUST', subject: 'authorization server', quote: 'A check of this test MUST hold.' },
  depth: 'people',
  change: 'Nothing.',
  run: async (on) => ({ ...HELD, ...((await run(on)) as Partial<Finding> | null | undefined) }) as Finding,
  ...more,
}) // prettier-ignore

/** Spread by a check whose finding says more. */
const HELD: Finding = { verdict: 'held', found: '', exchange: { request: '', answer: '' } }
