// `npm run audit:mutants`: audits the demo school through a proxy that breaks one thing at a time, and prints which of
// these faults the audit sees. Names of faults run only these. `--whole` runs all checks, not only the subjects that
// could see a fault; `--json FILE` writes what was found.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import 'tsx'
import { buildExpressExample } from '../../scripts/build-express.mjs'
import signIn from '../../packages/hallpass-audit/sign-in/demo.mjs'
import { REQUESTS } from './new-requests.mjs'
import { TOKENS } from './new-tokens.mjs'
import { startProxy } from './proxy.mjs'
import { MISSED } from './review-missed.mjs'
import { SEEN } from './review-seen.mjs'

const { expressExample, running } = await import('../../test/support/processes/example-process.ts')
const { freePorts } = await import('../../test/support/processes/ports.ts')
const { auditServer } = await import('../../packages/hallpass-audit/src/index.ts')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { whole: { type: 'boolean' }, json: { type: 'string' } },
})
const TABLES = { review: [...SEEN, ...MISSED], new: [...REQUESTS, ...TOKENS] }
const wanted = Object.entries(TABLES).flatMap(([table, faults]) =>
  faults
    .filter(({ name }) => positionals.length === 0 || positionals.some((one) => one === name || one === table))
    .map((fault) => ({ table, ...fault })),
) // prettier-ignore
for (const name of positionals)
  if (!wanted.some((one) => one.name === name || one.table === name))
    throw new Error(`no fault is named ${name}`)

const { program } = await buildExpressExample()
const [port, school] = [await freePorts(), await freePorts()]
const origin = `http://127.0.0.1:${port}`
const proxy = await startProxy({ port, school })
const startDemo = () =>
  running(expressExample(program), {
    port: school,
    database: null,
    environment: {
      LANTERN_ORIGIN: origin,
      HALLPASS_RATE_LIMITS: 'off',
      SCHOOL_BLOCKS: 'client-credentials,client-secret-basic,device,dpop,par,private-key-jwt',
    },
  })
let demo = await startDemo()

/** A person may enter twenty codes of devices in ten minutes, so a school takes part in a few audits only. */
const MOST_DEVICE_AUDITS = 3
let deviceAudits = 0

/** Audits the school with a fault. */
async function audit({ only: some, ...fault }) {
  const only = values.whole ? undefined : some
  if ((only ?? ['device']).includes('device') && ++deviceAudits > MOST_DEVICE_AUDITS) {
    await demo.stop('SIGTERM')
    demo = await startDemo()
    deviceAudits = 1
  }
  proxy.use(fault)
  const began = performance.now()
  const { rows } = await auditServer(origin, { signIn, ...(only && { only }) })
  for (const error of proxy.errors()) console.error(error)
  const idsOf = (...verdicts) =>
    rows.filter(({ verdict }) => verdicts.includes(verdict)).map(({ check }) => check)
  return {
    found: idsOf('violated', 'advice'),
    notReached: idsOf('not reached'),
    acted: proxy.acted(),
    errors: proxy.errors().length,
    seconds: Math.round((performance.now() - began) / 100) / 10,
  }
}

const results = []
try {
  const untouched = await audit({})
  console.log(`untouched: ${untouched.found.join(', ') || 'nothing'} violated, ${untouched.notReached.length} not reached, ${untouched.seconds} s`) // prettier-ignore
  for (const { table, name, breaks, ...fault } of wanted) {
    const { found, notReached, acted, errors, seconds } = await audit(fault)
    const by = found.filter((id) => !untouched.found.includes(id))
    const lost = notReached.filter((id) => !untouched.notReached.includes(id))
    const isUnclear = errors > 0 || (by.length === 0 && lost.length > 0)
    const result = isUnclear ? 'unclear' : by.length > 0 ? 'caught' : 'missed'
    results.push({ table, name, breaks, result, by, notReached: lost, acted, seconds })
    if (values.json !== undefined)
      writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`)
    console.log(`${result.padEnd(8)} ${table} ${name} (${breaks})${by.length > 0 ? `: ${by.join(', ')}` : ''}${lost.length > 0 ? `; ${lost.length} not reached` : ''}; acted ${acted} times, ${seconds} s`) // prettier-ignore
  }
} finally {
  await demo.stop('SIGTERM')
  await proxy.stop()
}
for (const table of Object.keys(TABLES)) {
  const rows = results.filter((one) => one.table === table)
  const count = (result) => `${rows.filter((one) => one.result === result).length} ${result}`
  if (rows.length > 0) console.log(`${table}: ${['caught', 'missed', 'unclear'].map(count).join(', ')} of ${rows.length}`) // prettier-ignore
}
