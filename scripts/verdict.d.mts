interface Outcome {
  readonly fault: string | null
  readonly passed: number
  readonly failed: number
}
export const MOST_FLAKY: number
export function outcomeOf(part: {
  readonly ended: number | string
  readonly report: unknown
  readonly hasTests: boolean
}): Outcome
export function verdictOn(
  results: readonly (Outcome & { readonly name: string; readonly seconds: number })[],
  run: {
    readonly flaky: readonly { readonly name: string; readonly error: string }[]
    readonly seconds: number
  },
): { readonly isGood: boolean; readonly lines: readonly string[] }
