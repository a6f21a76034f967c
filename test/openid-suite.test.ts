import { format, resolveConfig } from 'prettier'
import { describe, expect, it } from 'vitest'
import { expectedOf } from './openid/expected.js'
import { suitePage } from './openid/page.js'
import { plansFor } from './openid/plans.js'
import { ran } from './openid/ran.js'
import { ROOT } from './support/source/root.js'
import { BASIC_OP_MODULES } from './vectors/oidcc-basic-plan.js'

const PAGE = `${ROOT}docs/look-up/openid-suite.md`
const PLANS = plansFor('https://localhost:8443')

// `npm run test:openid -- --write` runs the suite and writes down what it said;
// `npx vitest run test/openid-suite.test.ts -u` writes the page anew.
describe('the last run of the suite', () => {
  it('was of every plan', () => {
    expect(Object.entries(ran().plans).map(([key, { name }]) => [key, name])).toEqual(
      Object.entries(PLANS).map(([key, { name }]) => [key, name]),
    )
  })

  it.each(Object.entries(PLANS))(
    'said of each module of %s what is expected today',
    (key, plan) => {
      const { modules } = ran().plans[key]!
      expect(modules.map(([name, result]) => [name, result])).toEqual(
        modules.map(([name]) => [name, expectedOf(plan.expectations, name).result]),
      )
      const names = new Set(modules.map(([name]) => name))
      expect(Object.keys(plan.expectations.rows).filter((name) => !names.has(name))).toEqual([])
    },
  )

  it('had the modules that the retold tests have', () => {
    const { modules } = ran().plans['basic']!
    const names = modules.map(([name]) => name)
    expect(BASIC_OP_MODULES.filter((name) => names.includes(name))).toEqual(names)
  })

  it('is what docs/look-up/openid-suite.md says', async () => {
    const options = { ...(await resolveConfig(PAGE)), parser: 'markdown' } as const
    await expect(await format(suitePage(), options)).toMatchFileSnapshot(PAGE)
  })
})
