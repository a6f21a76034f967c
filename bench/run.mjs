import { parseArgs } from 'node:util'

/**
 * Compares servers over TCP, or with `--gate` holds hallpass to the figures that it has reached, or with `--instructions`
 * to those that load does not move. With `--prices` it says what the parts of one query cost.
 */
const { values } = parseArgs({
  options: {
    gate: { type: 'boolean' },
    instructions: { type: 'boolean' },
    prices: { type: 'boolean' },
  },
  strict: false,
})
if (values.instructions) {
  const { countInstructions } = await import('./instructions.mjs')
  const { report, faults } = await countInstructions()
  console.log(report)
  for (const fault of faults) console.error(`FAILED: ${fault}`)
  process.exitCode = faults.length === 0 ? 0 : 1
} else if (values.prices) await import('./prices.mjs')
else await import(values.gate ? './gate.mjs' : './compare.mjs')
