import type { Check } from './checks.js'

/** Runs checks where there is no Vitest: how many there were, and what failed. */
export async function failuresOf(
  checks: readonly Check[],
): Promise<{ readonly checks: number; readonly failures: readonly string[] }> {
  const failures: string[] = []
  for (const { name, run } of checks)
    await run().catch((fault: unknown) => {
      failures.push(`${name}: ${String(fault)}`)
    })
  return { checks: checks.length, failures }
}
