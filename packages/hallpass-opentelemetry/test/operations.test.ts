import { describe, expect, it } from 'vitest'
import { ALARMING, ATTRIBUTES, METRICS } from '../src/names.js'
import { readSource } from '../../../test/support/source/compile.js'
import { anchorsOf, PAGES, rowsOf } from '../../../test/support/docs/pages.js'

/** The kinds of the metrics, as `docs/operations/telemetry.md` has them: another test compares it with OTLP. */
const KINDS = new Map(
  rowsOf(readSource('docs/operations/telemetry.md')).map(([name = '', kind = '']) => [
    name.replaceAll('`', ''),
    kind,
  ]),
)

/** The series of a metric, by the rule with which Prometheus names what arrives by OTLP. */
function seriesOf({ name, unit }: { name: string; unit: string }): readonly string[] {
  const base = name.replaceAll('.', '_') + (unit === 's' ? '_seconds' : '')
  if (KINDS.get(name) === 'histogram')
    return ['bucket', 'count', 'sum'].map((of) => `${base}_${of}`)
  return [KINDS.get(name) === 'counter' ? `${base}_total` : base]
}

const board = JSON.parse(readSource('examples/operations/board.json')) as {
  panels: { title: string; targets: { expr: string }[] }[]
}
const rules = readSource('examples/operations/alerts.yaml')
const queries = board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
const LABELS = Object.values(ATTRIBUTES).map((name) => name.replaceAll('.', '_'))
const known = new Set([...Object.values(METRICS).flatMap(seriesOf), ...LABELS])
const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(/\b(?:hallpass|http|error)_\w+/g)].map(([name]) => name)

describe('the board and the alert rules', () => {
  it.each([
    ['the board', queries.join('\n')],
    ['the rules', rules],
    ['the tests of the rules', readSource('examples/operations/alerts.test.yaml')],
  ])('name what is sent, and nothing else: %s [TEL-05]', (_, text) => {
    expect(namesIn(text).length).toBeGreaterThan(10)
    expect(namesIn(text).filter((name) => !known.has(name))).toEqual([])
  })

  it('show each metric [TEL-05]', () => {
    const shown = new Set(queries.flatMap(namesIn))
    const missing = Object.values(METRICS).filter((metric) =>
      seriesOf(metric).every((series) => !shown.has(series)),
    )
    expect(missing).toEqual([])
  })

  it('name events that begin at zero, because the first is an increase then [TEL-05]', () => {
    const texts = [...rules.matchAll(/increase\(hallpass_events_total\{hallpass_event=~?"(.+?)"/g)]
    const named = texts.map(([, text]) => new RegExp(`^(?:${text})$`))
    expect(named).toHaveLength(3)
    for (const event of named) expect(ALARMING.some((type) => event.test(type))).toBe(true)
    for (const type of ALARMING) expect(named.some((event) => event.test(type))).toBe(true)
  })

  it('have a test for each alert, a row in the page, and a part of a page to read [TEL-05]', () => {
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!)
    const documented = rowsOf(readSource('docs/operations/telemetry.md')).map(([first = '']) =>
      first.replaceAll('`', ''),
    )
    expect(documented.filter((name) => name.startsWith('Hallpass'))).toEqual(alerts)
    const raised = readSource('examples/operations/alerts.test.yaml').split(/(?=eval_time)/)
    for (const alert of alerts) {
      const about = raised.filter((one) => new RegExp(`alertname: ${alert}\\b`).test(one))
      expect(
        about.some((one) => one.includes('exp_alerts')),
        alert,
      ).toBe(true)
      expect(
        about.some((one) => !one.includes('exp_alerts')),
        alert,
      ).toBe(true)
    }
    for (const [, path, anchor] of rules.matchAll(/runbook: ([\w/.-]+)#([\w-]+)/g)) {
      const page = PAGES.find((one) => one.path === path)!
      expect([...anchorsOf(page)], `${path}#${anchor}`).toContain(anchor)
    }
  })
})
