import { CHECKS, renderReport, selectChecks } from 'hallpass-audit'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { againstOf, idsOf, PLANS, type PlanName } from '../src/against.js'
import { fixedReport, row } from './fixed-report.js'

const plans = Object.keys(PLANS) as readonly PlanName[]
/** The modules of the official plans, as the suite ran them against this repository's server. */
const ran = JSON.parse(
  readFileSync(new URL('../../../test/openid/ran.json', import.meta.url), 'utf8'),
) as { plans: Readonly<Record<string, { modules: readonly (readonly [string, ...unknown[]])[] }>> }

describe('a plan of others', () => {
  it.each(plans)('names checks that there are: %s', (plan) => {
    const known = new Set(CHECKS.map(({ id }) => id))
    expect(idsOf(plan).filter((id) => !known.has(id))).toEqual([])
  })

  it.each([
    ['oidc-basic', 'basic'],
    ['oidc-config', 'config'],
    ['fapi2', 'fapi2'],
  ] as const)('has every module of its owner: %s', (plan, name) => {
    const modules = againstOf([], plan).modules.map(({ module }) => module)
    expect(modules).toEqual(ran.plans[name]!.modules.map(([module]) => module))
  })

  it('selects its checks, and no other names beside it', () => {
    const { checks } = selectChecks({ against: 'oidc-config', patient: 1 }, 'people')
    expect(checks.map(({ id }) => id).toSorted()).toEqual(idsOf('oidc-config').toSorted())
    expect(() => selectChecks({ against: 'oidc' as PlanName }, 'people')).toThrow('there is no plan oidc: oidc-basic, oidc-config, fapi2, mcp') // prettier-ignore
    expect(() => selectChecks({ against: 'mcp', only: ['pkce'] }, 'people')).toThrow('not both')
  })

  it('says of each module whether all of its checks hold, and which has none', () => {
    const held = row('refresh/works', 'held')
    const outcomes = (rows: Parameters<typeof againstOf>[0]): Record<string, string> =>
      Object.fromEntries(
        againstOf(rows, 'oidc-basic').modules.map(({ module, outcome }) => [module, outcome]),
      )
    expect(outcomes([held])['oidcc-refresh-token']).toBe('held')
    // A check that needs --sign-in or --patient did not run.
    expect(outcomes([])['oidcc-refresh-token']).toBe('not reached')
    const others = ['not applicable', 'not reached', 'violated'] as const
    expect(
      others.map((verdict) => outcomes([held, row('refresh/id-token', verdict)])['oidcc-refresh-token']), // prettier-ignore
    ).toEqual(['held', 'not reached', 'violated'])
  })

  it('is shown in every report that people read', () => {
    const rows = CHECKS.filter(({ id }) => idsOf('oidc-basic').includes(id)).map(({ id }) => row(id, id === 'code/used-twice' ? 'violated' : 'held')) // prettier-ignore
    const report = { ...fixedReport, against: againstOf(rows, 'oidc-basic') }
    const total = ran.plans['basic']!.modules.length
    const holding = report.against.modules.filter(({ outcome }) => outcome === 'held').length
    for (const format of ['terminal', 'markdown', 'html'] as const) {
      const rendered = renderReport(report, format)
      expect(rendered).toContain(`${holding} of ${total} modules hold`)
      expect(rendered).toMatch(/oidcc-codereuse\b(?!-)/)
      expect(rendered).toContain('violated: code/used-twice')
    }
  })
})
