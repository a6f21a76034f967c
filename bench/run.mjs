import { parseArgs } from 'node:util'

/** Compares servers over TCP, or with `--gate` holds hallpass to the figures that it has reached. */
const { values } = parseArgs({
  options: { gate: { type: 'boolean', default: false } },
  strict: false,
})
await import(values.gate ? './gate.mjs' : './compare.mjs')
