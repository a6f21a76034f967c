import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { afterAll, describe, expect, it } from 'vitest'
import { ROOT } from '../support/source/root.js'
import { expectedOf } from './expected.js'
import { plansFor } from './plans.js'
import { RAN_FILE, type Ran, type RanPlan } from './ran.js'
import { startSchool } from './school.js'
import { openSuite } from './suite.js'

/** A plan has 62 modules at most, three of which wait for a minute. */
const MOST_MILLISECONDS = 60 * 60_000

// Without a suite nothing is run, and nothing is green.
const suite = await openSuite()
const ran: Record<string, RanPlan> = {}
let database = ''

const PLANS = plansFor(suite.origin)
describe.each(Object.entries(PLANS))('%s', (key, plan) => {
  it(
    'says of each module what is expected, and hallpass refuses for the reason that is expected',
    async () => {
      const school = await startSchool(plan)
      try {
        database = school.database
        const configuration = plan.configurationFor(school)
        const { id, modules } = await suite.createPlan(plan.name, plan.variant, configuration)
        expect(modules.length).toBeGreaterThan(0)
        const differing: object[] = []
        const rows: RanPlan['modules'][number][] = []
        for (const module of modules) {
          school.take()
          const { result, seconds, findings } = await suite.run(id, module)
          const { faults, reasons } = school.take()
          const name = module.testModule
          const expected = expectedOf(plan.expectations, name)
          const isExpected =
            JSON.stringify({ result, refusals: reasons }) === JSON.stringify(expected)
          process.stdout.write(`${key} ${name}: ${result}${isExpected ? '' : ', not expected'}\n`)
          if (!isExpected || faults.length > 0)
            differing.push({ name, expected, result, refusals: reasons, findings, faults })
          rows.push([name, result, seconds])
        }
        const archive = await suite.exportPlan(id)
        const folder = process.env['OPENID_EXPORTS']
        if (folder) {
          mkdirSync(folder, { recursive: true })
          writeFileSync(join(folder, `${key}.zip`), archive)
        }
        const digest = createHash('sha256').update(archive).digest('hex')
        expect(differing).toEqual([])
        ran[key] = { name: plan.name, modules: rows, digest, bytes: archive.length }
      } finally {
        await school.stop()
      }
    },
    MOST_MILLISECONDS,
  )
})

afterAll(async () => {
  const isWhole = Object.keys(ran).length === Object.keys(PLANS).length
  if (process.env['HALLPASS_OPENID_WRITE'] !== 'yes' || !isWhole) return
  const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: ROOT }).toString()
  const nginx = execFileSync('sh', ['-c', 'nginx -v 2>&1']).toString()
  const written: Ran = {
    // oxlint-disable-next-line no-restricted-properties -- the day of the run, for the page
    ranOn: new Date().toISOString().slice(0, 10),
    commit: commit.trim(),
    versions: {
      suite: suite.version,
      node: process.versions.node,
      postgresql: database,
      nginx: /nginx\/([\d.]+)/.exec(nginx)![1]!,
    },
    plans: ran,
  }
  const text = await format(JSON.stringify(written), {
    ...(await resolveConfig(RAN_FILE)),
    parser: 'json',
  })
  writeFileSync(RAN_FILE, text)
})
