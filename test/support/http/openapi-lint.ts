import { createRequire } from 'node:module'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import { expect, it } from 'vitest'

// Its own ES module does not load: it imports names that a CommonJS module does not have.
const require = createRequire(import.meta.url)
const owasp = require('@stoplight/spectral-owasp-ruleset') as RulesetDefinition

/** Rules that do not fit, and why. */
const WAIVED: Readonly<Record<string, string>> = {
  'owasp:api2:2023-jwt-best-practices': 'access tokens are opaque',
  'owasp:api4:2023-string-restricted': 'titles and other free text have no format',
  'owasp:api8:2023-define-cors-origin':
    'it does not follow references; router.test.ts has the header',
  'owasp:api9:2023-inventory-access': 'x-internal is of one vendor, and there is one server',
}

/** Rules that do not fit the endpoints beside the admin API, and why. */
const WAIVED_ELSEWHERE: Readonly<Record<string, string>> = {
  'owasp:api2:2023-read-restricted': 'metadata and authorization requests are for everybody',
  'owasp:api2:2023-write-restricted':
    'a client authenticates in the form, for which OpenAPI has no scheme',
  'owasp:api4:2023-rate-limit': 'whoever runs them limits them: a 429 has Retry-After',
  'owasp:api8:2023-define-error-responses-401': 'what is for everybody, and a page, has no 401',
  'owasp:api8:2023-define-error-validation': 'a metadata document has no invalid request',
}
const OPERATION = /^\/api\/v1\//

/** Tests that Redocly's linter finds nothing wrong with an OpenAPI document. */
export function testByRedocly(documentOf: () => object): void {
  it('Redocly, by its strict rules', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] })
    const problems = await lintFromString({ source: JSON.stringify(documentOf()), config })
    expect(problems.map(({ ruleId, message }) => [ruleId, message])).toEqual([])
  })
}

/**
 * Tests that Spectral finds nothing wrong with it, and that each waiver is needed. It takes seconds.
 *
 * @param isWhole - whether the document has endpoints beside the admin API
 */
export function testBySpectral(
  documentOf: () => object,
  { isWhole = false }: { isWhole?: boolean } = {},
): void {
  it('Spectral, by every rule for OpenAPI and of OWASP', async () => {
    const { Spectral } = spectralCore
    const spectral = new Spectral()
    spectral.setRuleset({
      extends: [
        [rulesets.oas as RulesetDefinition, 'all'],
        [owasp, 'all'],
      ],
    })
    const found = await spectral.run(JSON.stringify(documentOf()))
    const isWaived = (code: string, path: string): boolean =>
      code in WAIVED || (code in WAIVED_ELSEWHERE && !OPERATION.test(path))
    const problems = found
      .filter(({ code, path }) => !isWaived(String(code), String(path[1])))
      .map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`)
    expect(problems).toEqual([])
    const codes = new Set(found.map(({ code }) => String(code)))
    const needed = { ...WAIVED, ...(isWhole && WAIVED_ELSEWHERE) }
    expect([...codes].sort()).toEqual(Object.keys(needed).sort())
  }, 300_000)
}
