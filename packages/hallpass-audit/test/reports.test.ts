import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { type AuditReport, FORMATS, renderReport } from 'hallpass-audit'
import { createMarkdownRenderer } from 'vitepress'
import { describe, expect, it } from 'vitest'
import config from '../../../docs/.vitepress/config.js'
import { fixedReport, hostileReport, reportOf, row } from './fixed-report.js'
import { SARIF_SHAPE } from './sarif-shape.js'

const ACCEPTED = { accepted: { 'code/lifetime': 'Codes live for ten minutes.' } }
const ajv = new Ajv({ strict: false, allErrors: true })
addFormats.default(ajv)
const hasShape = ajv.compile(SARIF_SHAPE)
/** The faults of a SARIF file; `null` if it has none. */
function faultsOf(text: string): typeof hasShape.errors {
  hasShape(JSON.parse(text))
  return hasShape.errors ?? null
}
/** Everything that is not seen, but for the end of a line. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/u
const unseenIn = (text: string): readonly string[] =>
  [...text.replaceAll('\n', '')].filter((character) => UNSEEN.test(character))
const colours = (text: string): string =>
  text.replaceAll('\u001b[', '<').replaceAll(/<(\d+)m/g, '<$1>')

describe('a report', () => {
  it.each(FORMATS)('passes on no character that moves a cursor or hides: %s', (format) => {
    const rendered = renderReport(hostileReport, format)
    expect(unseenIn(rendered)).toEqual([])
    // It is there, in a form that is seen.
    expect(rendered).toMatch(/\\x9b31m|\\u009b31m/)
    expect(rendered).toMatch(/\\u\{202e\}|\\u202e/)
    // The log of a CI service takes such a line for a command.
    expect(rendered).not.toMatch(/^\s*::(?:add-mask|error)|##\[error\]/m)
  })

  it.each([
    [{ counts: [487, 2, 5, 1], beyond: 40 }, '487 held, 2 violated, 5 not applicable, 1 not reached; 40 checks need --sign-in'],
    [{ counts: [1, 0, 0, 0], beyond: 1 }, '1 held, 0 violated, 0 not applicable, 0 not reached; 1 check needs --sign-in'],
    [{ counts: [1, 0, 0, 0], beyond: 2, depth: 'passive' }, '1 held, 0 violated, 0 not applicable, 0 not reached; 2 checks need a greater --depth'],
    [{ counts: [1, 0, 0, 0], beyond: 0 }, '1 held, 0 violated, 0 not applicable, 0 not reached'],
  ] as const)('ends with what was found out and what was not: %j', ({ counts, beyond, depth = 'anonymous' }: { counts: readonly number[]; beyond: number; depth?: AuditReport['depth'] }, line) => {
    const verdicts = ['held', 'violated', 'not applicable', 'not reached'] as const
    const rows = verdicts.flatMap((verdict, at) => Array.from({ length: counts[at]! }, (_, number) => row(`a/${verdict}-${number}`, verdict)))
    const rendered = renderReport(reportOf(rows, { beyond, depth }), 'terminal', { columns: 120 })
    expect(rendered.trimEnd().split('\n').at(-1)).toBe(line)
    expect(renderReport(reportOf(rows, { beyond, depth }), 'markdown')).toContain(`\n**${line}**\n`)
  }) // prettier-ignore

  it.each([
    [[row('a/a', 'violated'), row('a/b', 'violated')], '2 requirements are violated'],
    [[row('a/a', 'violated'), row('a/b', 'not reached')], 'One requirement is violated'],
    [
      [row('a/a', 'held'), row('a/b', 'not reached')],
      'No requirement is violated. One was not reached',
    ],
    [[row('a/a', 'held')], 'Every MUST holds'],
    [
      [row('a/a', 'violated', { clause: { level: 'SHOULD' } })],
      'Every MUST holds. One recommendation does not',
    ],
    [
      [row('a/a', 'violated'), row('a/b', 'violated', { clause: { level: 'SHOULD' } })],
      'One requirement is violated, and one recommendation',
    ],
  ])('has a headline that promises nothing more: %#', (rows, headline) => {
    for (const format of ['terminal', 'markdown', 'html'] as const)
      expect(renderReport(reportOf(rows), format)).toContain(headline)
  })
})

describe('a clause whose document has no address', () => {
  const report = reportOf([row('a/a', 'violated', { url: '' }), row('a/b', 'not reached', { url: '' })]) // prettier-ignore

  it('is named without a link', () => {
    expect(renderReport(report, 'terminal')).not.toContain('Read')
    expect(renderReport(report, 'markdown')).toContain('\nMUST, RFC 7636 §4.6: If the values')
    expect(renderReport(report, 'html')).not.toMatch(/ href=|<dt>Read/)
    expect(faultsOf(renderReport(report, 'sarif'))).toBeNull()
    expect(renderReport(report, 'sarif')).not.toMatch(/helpUri|See /)
  })
})

describe('the report of a terminal', () => {
  const at80 = renderReport(fixedReport, 'terminal', ACCEPTED)

  it('shows the clause, what was found, what to change, the request and the answer', () => {
    expect(at80).toContain(
      `
✗ pkce/wrong-verifier                                        MUST  RFC 7636 §4.6
  If the values are not equal, an error response indicating "invalid_grant" as
  described in Section 5.2 of [RFC6749] MUST be returned.

  Found   a wrong verifier is answered by 200 without an error, not by
          invalid_grant
  Change  Store the challenge with the code, and compare the SHA-256 of the
          verifier with it in constant time.
  Read    https://www.rfc-editor.org/rfc/rfc7636#section-4.6

  > POST /oauth/token
  > content-type: application/x-www-form-urlencoded
  > grant_type=authorization_code&code=Ab12…&client_id=first
  < 200
  < content-type: application/json
  < cache-control: no-store
  < pragma: no-cache
  < x-powered-by: a server
  < … 2 more lines
  < {"access_token":"eyJh…","token_type":"Bearer","expires_in":3600}

✗ pkce/plain-not-named `.slice(1),
    )
  })

  it('says once why several rows were not reached, and lists what is accepted', () => {
    expect(at80).toContain(`
? not reached: no client could be registered (403): give \`clients\` in the file
  of --sign-in
  pkce/missing-verifier                                      MUST  RFC 7636 §4.6
  code/used-twice                                      MUST NOT  RFC 6749 §4.1.2

  > POST /oauth/register
`)
    expect(at80).toContain(`
Accepted
  code/lifetime                                            SHOULD  RFC 7636 §4.6
  the check took too long. Codes live for ten minutes.
`)
  })

  it('counts by subject', () => {
    expect(at80).toContain(`
subject        held  violated  advice  accepted  not applicable  not reached
metadata          2         ·       ·         ·               ·            ·
pkce              ·         2       1         ·               ·            1
code              ·         ·       ·         1               ·            1
introspection     ·         ·       ·         ·               1            ·
headers           1         ·       ·         ·               ·            ·
────────────────────────────────────────────────────────────────────────────
all               3         2       1         1               1            2
`)
    // No column is empty but for the usual ones.
    expect(renderReport(fixedReport, 'terminal')).not.toContain('accepted')
  })

  it.each([40, 80, 100, 120])('keeps within %i columns', (columns) => {
    for (const report of [fixedReport, hostileReport]) {
      const lines = renderReport(report, 'terminal', { ...ACCEPTED, columns }).split('\n')
      // The table is as wide as its heads.
      const wide = lines.filter((line) => [...line].length > columns && !/ not reached$|[·\d]$|^─+$/.test(line)) // prettier-ignore
      expect(wide).toEqual([])
      if (columns >= 80) expect(lines.every((line) => [...line].length <= columns)).toBe(true)
    }
  })

  it('is no wider than 120 columns, and no narrower than 40', () => {
    const at = (columns: number): string => renderReport(fixedReport, 'terminal', { columns })
    expect(at(300)).toBe(at(120))
    expect(at(5)).toBe(at(40))
  })

  it('has colours only if they are asked for', () => {
    expect(at80).not.toContain('\u001b')
    const coloured = colours(renderReport(fixedReport, 'terminal', { colour: true }))
    expect(coloured).toContain('<31>✗<39> <31>pkce/wrong-verifier<39>')
    expect(coloured).toMatch(/<31>3 held, 2 violated/)
    const green = renderReport(reportOf([row('a/a', 'held')]), 'terminal', { colour: true })
    expect(colours(green)).toMatch(/<32>1 held, 0 violated, 0 not applicable, 0 not reached/)
    // What was not found out is never green.
    for (const report of [
      reportOf([row('a/a', 'not reached')]),
      reportOf([row('a/a', 'held')], { beyond: 1 }),
    ])
      // prettier-ignore
      expect(colours(renderReport(report, 'terminal', { colour: true }))).toMatch(/<33>\d held/)
  })

  it('shows nothing of a server as a colour', () => {
    const coloured = renderReport(hostileReport, 'terminal', { colour: true })
    // oxlint-disable-next-line no-control-regex -- that is what a terminal understands
    expect(unseenIn(coloured.replaceAll(/\u001b\[\d+m/g, ''))).toEqual([])
  })

  it('breaks a word that is longer than a line', () => {
    const found = `code=${'x'.repeat(200)}`
    const rendered = renderReport(reportOf([row('a/a', 'violated', { found })]), 'terminal')
    expect(rendered.match(/x+/g)!.join('').startsWith('x'.repeat(200))).toBe(true)
  })

  it('puts the clause below a check that is too long for both', () => {
    const check = `subject/${'a'.repeat(60)}`
    const rendered = renderReport(reportOf([row(check, 'violated')]), 'terminal')
    expect(rendered).toContain(`✗ ${check}\n  MUST  RFC 7636 §4.6\n`)
  })
})

describe('the report as Markdown', () => {
  const markdown = renderReport(fixedReport, 'markdown', ACCEPTED)

  it('begins with the result and the subjects', () => {
    expect(markdown).toMatch(
      /^# One requirement is violated, and one recommendation\n\n\*\*3 held, 2 violated, 1 advice, 1 accepted,/,
    )
    expect(markdown).toContain(`
| subject | held | violated | advice | accepted | not applicable | not reached |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
| \`metadata\` | 2 | 0 | 0 | 0 | 0 | 0 |
| \`pkce\` | 0 | 2 | 1 | 0 | 0 | 1 |
`)
  })

  it('has each row that is not held, those of a MUST first', () => {
    const heads = [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, head]) => head)
    expect(heads.slice(1)).toEqual([
      'Violated',
      '`pkce/wrong-verifier`',
      '`pkce/plain-not-named`',
      'Not reached',
      'Accepted',
      'Advice',
      'Clients left there',
    ])
    expect(markdown).toContain('- Left there: 1 client and 2 grants that could not be revoked\n')
    expect(markdown).toContain(`
- Found: \`it lists plain\`
- Change: Remove "plain" from code\\_challenge\\_methods\\_supported, and refuse it.
`)
    expect(markdown).toContain('\n- `code/used-twice`, MUST NOT, [RFC 6749 §4.1.2](https://')
    expect(markdown).toContain('\n- `code/lifetime`, SHOULD, [RFC 7636 §4.6](https://')
  })

  it('makes nothing of what a server says', async () => {
    // VitePress keeps the first one for all files of a worker, so it must be that of the site.
    const renderer = await createMarkdownRenderer('docs', config.markdown)
    const html = renderer.render(renderReport(hostileReport, 'markdown'), { path: 'docs/a.md' })
    expect(html).not.toMatch(/<(?:script|img)\b/)
    const links = [...html.matchAll(/ href="([^"]*)"/g)].map(([, href]) => href!)
    expect(
      links.filter(
        (href) => !/^(?:#|http:\/\/127\.0\.0\.1:3000$|https:\/\/www\.rfc-editor\.org\/)/.test(href),
      ),
    ).toEqual([])
    expect(html.match(/<h1/g)).toHaveLength(1)
    expect(html.match(/<table/g)).toHaveLength(1)
    // A person whose name a server writes is not called.
    expect(html.replaceAll(/<(code|pre)\b[^]*?<\/\1>/g, '')).not.toContain('@someone')
  })
})

describe('the report as JSON', () => {
  it('is the report, with what the baseline accepts', () => {
    const parsed = JSON.parse(renderReport(fixedReport, 'json', ACCEPTED)) as AuditReport
    expect(parsed).toEqual({
      ...fixedReport,
      rows: fixedReport.rows.map((one) => ({
        ...one,
        accepted: one.check === 'code/lifetime' ? 'Codes live for ten minutes.' : null,
      })),
    })
    const hostile = JSON.parse(renderReport(hostileReport, 'json')) as AuditReport
    expect(hostile.rows[0]!.found).toBe(hostileReport.rows[0]!.found)
  })
})

interface SarifResult {
  readonly ruleId: string
  readonly ruleIndex: number
  readonly level: string
  readonly message: { readonly text: string }
  readonly locations: readonly { readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } } }[] // prettier-ignore
  readonly suppressions?: readonly object[]
}
interface SarifRun {
  readonly tool: {
    readonly driver: {
      readonly rules: readonly {
        readonly id: string
        readonly defaultConfiguration: { readonly level: string }
      }[]
    }
  }
  readonly results: readonly SarifResult[]
}
const runOf = (sarif: string): SarifRun =>
  (JSON.parse(sarif) as { readonly runs: readonly [SarifRun] }).runs[0]

describe('the report as SARIF', () => {
  const sarif = renderReport(fixedReport, 'sarif', ACCEPTED)
  const { tool, results } = runOf(sarif)

  it.each([
    ['fixed', sarif],
    ['hostile', renderReport(hostileReport, 'sarif')],
    ['empty', renderReport(reportOf([]), 'sarif')],
  ])('has the shape of SARIF 2.1.0: %s', (_, text) => {
    expect(faultsOf(text)).toBeNull()
  })

  it('has a rule for each check, and a result for each row that is not held', () => {
    expect(tool.driver.rules.map(({ id }) => id)).toEqual(fixedReport.rows.map(({ check }) => check)) // prettier-ignore
    for (const { ruleId, ruleIndex } of results)
      expect(tool.driver.rules[ruleIndex]!.id).toBe(ruleId)
    expect(results.map(({ ruleId, level }) => [ruleId, level])).toEqual([
      ['pkce/plain-not-named', 'warning'],
      ['pkce/wrong-verifier', 'error'],
      ['pkce/missing-verifier', 'none'],
      ['code/used-twice', 'none'],
      ['code/lifetime', 'none'],
    ])
    const level = (check: string): string => tool.driver.rules.find(({ id }) => id === check)!.defaultConfiguration.level // prettier-ignore
    expect(['metadata/issuer', 'code/used-twice', 'code/lifetime', 'headers/cors'].map(level)).toEqual(['error', 'error', 'warning', 'warning']) // prettier-ignore
  })

  it('suppresses what the baseline accepts', () => {
    const suppressed = results.filter(({ suppressions }) => suppressions !== undefined)
    expect(suppressed.map(({ ruleId }) => ruleId)).toEqual(['code/lifetime'])
  })

  it('says what to change, and never that an unknown answer is one', () => {
    const text = (check: string): string => results.find(({ ruleId }) => ruleId === check)!.message.text // prettier-ignore
    expect(text('pkce/plain-not-named')).toBe('it lists plain. Remove "plain" from code_challenge_methods_supported, and refuse it.') // prettier-ignore
    expect(text('code/lifetime')).toBe('Not reached, so it is unknown whether the requirement holds: the check took too long') // prettier-ignore
  })

  it('places a result at a path, which no service takes for an address', () => {
    const uris = (of: SarifRun): readonly string[] => of.results.map(({ locations }) => locations[0]!.physicalLocation.artifactLocation.uri) // prettier-ignore
    expect(uris({ tool, results })).toEqual([
      '.well-known/oauth-authorization-server',
      'oauth/token',
      'oauth/register',
      'oauth/token',
      '.well-known/oauth-authorization-server',
    ])
    const path = row('a/a', 'violated', { request: 'GET //evil.example/a%zz?b\n' })
    const hostile = [...uris(runOf(renderReport(hostileReport, 'sarif'))), ...uris(runOf(renderReport(reportOf([path]), 'sarif')))] // prettier-ignore
    expect(hostile.filter((uri) => !/^[\w.-][\w./-]*$/.test(uri))).toEqual([])
  })

  it('makes no link of what a server says', () => {
    for (const { message } of runOf(renderReport(hostileReport, 'sarif')).results)
      expect(message.text).not.toContain('](')
  })
})
