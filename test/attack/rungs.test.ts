import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exampleFor, FRAMEWORKS, SERVICES } from '../../packages/create-hallpass/project.mjs'
import { createJudge, type Judge } from '../support/attack/browser.js'
import { type Outcome, runClass } from '../support/attack/run.js'
import { type RungClass, startRung } from '../support/attack/rungs.js'
import { CLASSES } from '../support/attack/suite.js'
import { launchChromium } from '../support/browser/chromium.js'
import { sharedService } from '../support/run/shared-service.js'
import { bearerHeadersOfRung } from './bearer-headers.js'
import { bodiesOfRung } from './bodies.js'
import { graphqlOfRung } from './graphql.js'
import { limitsOfRung } from './limits.js'
import { payersOfRung } from './payers.js'
import { mcpOfRung } from './mcp.js'
import { metadataDocumentsOfRung } from './metadata-documents.js'
import { parametersOfRung } from './parameters.js'
import { redirectUrisOfRung } from './redirect-uris.js'
import { sessionsOfRung } from './sessions.js'
import { sitesOfRung } from './sites.js'
import { xssOfRung } from './xss.js'

const EVERY = ['registration', 'courses', 'home', 'sign-in by address'] as const
/** The small examples, each with what it serves: its classes are chosen by that. A new one is a line here. */
const RUNGS = [
  ['minimal', ['registration', 'home']],
  ['server', [...EVERY, 'member apps']],
  ['fastify', [...EVERY, 'member apps']],
  ['hono', [...EVERY, 'member apps']],
  ['members', [...EVERY, 'member apps', 'Account API']],
  ['agents', [...EVERY, 'member apps', 'Account API', 'MCP']],
  ['workers', [...EVERY, 'metadata documents']],
] as const

const OF_RUNGS: readonly RungClass[] = [
  redirectUrisOfRung, parametersOfRung, bearerHeadersOfRung, sitesOfRung, sessionsOfRung, xssOfRung, graphqlOfRung,
  mcpOfRung, metadataDocumentsOfRung, bodiesOfRung, limitsOfRung, payersOfRung,
] // prettier-ignore

const outcomes = new Map<string, ReadonlyMap<string, Outcome>>()
let browser: Browser
let judge: Judge
beforeAll(async () => {
  const built = sharedService('express')
  built.catch(() => {})
  browser = await launchChromium()
  judge = await createJudge(browser)
  // They run on hallpass's `dist`.
  await built
})
afterAll(async () => {
  await browser.close()
  process.stdout.write(tableOf())
})

describe('a rung', () => {
  it('that a project can begin as is attacked', () => {
    const begun = Object.keys(FRAMEWORKS).flatMap((framework) =>
      Object.keys(SERVICES).map((serve) => exampleFor({ framework, serve })),
    )
    expect(new Set(RUNGS.map(([name]) => name))).toEqual(new Set(begun))
  })

  it.concurrent.each(RUNGS)('examples/%s withstands what applies to it', async (name, served) => {
    const rung = await startRung(name)
    try {
      expect(rung.serves).toEqual(new Set<string>(served))
      const faults: string[] = []
      const tried = new Map<string, Outcome>()
      outcomes.set(name, tried)
      for (const one of OF_RUNGS.filter(({ needs }) =>
        needs.every((need) => rung.serves.has(need)),
      )) {
        const outcome = await runClass(one, rung, judge)
        tried.set(one.name, outcome)
        faults.push(...outcome.unexpected.map((fault) => `${one.name}: ${fault}`))
        if (outcome.tried < one.least) faults.push(`${one.name}: only ${outcome.tried} inputs`)
      }
      expect(faults).toEqual([])
    } finally {
      await rung.stop()
    }
  })
})

/** The inputs of each class on each rung, as a table for people. A class that does not apply has a dash. */
function tableOf(): string {
  const names = RUNGS.map(([name]) => name)
  const cell = (name: string, one: string): string => {
    const outcome = outcomes.get(name)?.get(one)
    if (outcome === undefined) return '-'
    const wrong = outcome.unexpected.length
    return `${outcome.tried}${wrong === 0 ? '' : ` (${wrong} unexpected)`}`
  }
  const rows = [
    ['', ...names],
    // Also the classes that no rung serves anything for.
    ...CLASSES.map(({ name: one }) => [one, ...names.map((name) => cell(name, one))]),
  ]
  return `\n${rows.map(([one, ...cells]) => one!.padEnd(20) + cells.map((text) => ` ${text}`.padStart(9)).join('')).join('\n')}\n`
}
