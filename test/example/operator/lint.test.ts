import { createRequire } from 'node:module'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import { defineOperations, openapiOf } from 'hallpass/operator'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import type { Kit } from '../../../examples/school/src/operator/kit.js'
import { schoolOperations } from '../../../examples/school/src/operator/operations.js'
import { LANTERN_SITE } from '../../support/operator-school.js'

// Its own ES module does not load: it imports names that a CommonJS module does not have.
const require = createRequire(import.meta.url)
const owasp = require('@stoplight/spectral-owasp-ruleset') as RulesetDefinition

const KEYS = { signingKey: 'a key for tests' }
// What an operation is like does not depend on the kit that it runs with.
const ISSUER = 'https://site-lantern.example'
const kit = { site: LANTERN_SITE, origin: ISSUER } as Kit
// Whom to ask and on which terms is up to whoever runs the service, so it is made up here.
const document = JSON.stringify(
  openapiOf({
    registry: defineOperations(schoolOperations(kit, KEYS), {
      scopes: schoolScopes,
      roles: schoolRoles,
    }),
    scopes: schoolScopes,
    issuer: ISSUER,
    siteName: 'Lantern Street',
    info: {
      title: 'Lantern Street: admin API',
      version: '1.0.0',
      description: 'What staff and their tools do at the school.',
      contact: { name: 'Ines Duarte', url: `${ISSUER}/help`, email: 'ines.duarte@example.com' },
      license: { name: 'As agreed', url: `${ISSUER}/terms` },
    },
  }),
)

/** Rules that do not fit, and why. */
const WAIVED: Readonly<Record<string, string>> = {
  'owasp:api2:2023-jwt-best-practices': 'access tokens are opaque',
  'owasp:api4:2023-string-restricted': 'titles and other free text have no format',
  'owasp:api8:2023-define-cors-origin':
    'it does not follow references; router.test.ts has the header',
  'owasp:api9:2023-inventory-access': 'x-internal is of one vendor, and there is one server',
}

describe('strangers find nothing wrong with the whole admin API:', () => {
  it('Redocly, by its strict rules', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] })
    const problems = await lintFromString({ source: document, config })
    expect(problems.map(({ ruleId, message }) => [ruleId, message])).toEqual([])
  })

  it('Spectral, by every rule for OpenAPI and of OWASP', async () => {
    const { Spectral } = spectralCore
    const spectral = new Spectral()
    spectral.setRuleset({
      extends: [
        [rulesets.oas as RulesetDefinition, 'all'],
        [owasp, 'all'],
      ],
    })
    const found = await spectral.run(document)
    const problems = found.map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`)
    expect(
      problems.filter((one) => !Object.keys(WAIVED).some((rule) => one.startsWith(rule))),
    ).toEqual([])
    const codes = new Set(found.map(({ code }) => String(code)))
    expect([...codes].sort()).toEqual(Object.keys(WAIVED))
  }, 300_000)
})
