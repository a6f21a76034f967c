import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminApi } from '../../attack/admin-api.js'
import { bearerHeaders } from '../../attack/bearer-headers.js'
import { bodies } from '../../attack/bodies.js'
import { graphql } from '../../attack/graphql.js'
import { limits } from '../../attack/limits.js'
import { mcp } from '../../attack/mcp.js'
import { payers } from '../../attack/payers.js'
import { metadataDocuments } from '../../attack/metadata-documents.js'
import { parameters } from '../../attack/parameters.js'
import { redirectUris } from '../../attack/redirect-uris.js'
import { sessions } from '../../attack/sessions.js'
import { sites } from '../../attack/sites.js'
import { xss } from '../../attack/xss.js'
import { launchChromium } from '../browser/chromium.js'
import { createJudge, type Judge } from './browser.js'
import { type AttackClass, type Outcome, runClass } from './run.js'
import { type Framework, type Service, startService } from './service.js'

/** Every class, in the order of the table. */
export const CLASSES: readonly AttackClass[] = [
  redirectUris, parameters, bearerHeaders, sites, sessions, xss, graphql, adminApi, mcp, metadataDocuments,
  bodies, limits, payers,
] // prettier-ignore

/**
 * Defines the tests that send every class to a framework. Each framework has a file of its own, so that two
 * workers attack both at the same time.
 *
 * @param options - `blocks`: those that are switched on, with the classes that attack them
 */
export function attackOn(
  framework: Framework,
  {
    name = framework,
    blocks = '',
    classes = CLASSES,
  }: { name?: string; blocks?: string; classes?: readonly AttackClass[] } = {},
): void {
  let browser: Browser
  let judge: Judge
  let service: Service | undefined
  const outcomes = new Map<string, Outcome>()

  beforeAll(async () => {
    const started = startService(framework, blocks)
    started.catch(() => {})
    browser = await launchChromium()
    judge = await createJudge(browser)
    service = await started
  })

  afterAll(async () => {
    await browser.close()
    await service?.stop()
    process.stdout.write(tableOf(name, outcomes))
  })

  describe(name, () => {
    it.each(classes)('withstands $name', async (attackClass) => {
      const outcome = await runClass(attackClass, service!, judge)
      outcomes.set(attackClass.name, outcome)
      expect(outcome.unexpected).toEqual([])
      expect(outcome.tried).toBeGreaterThanOrEqual(attackClass.least)
    })
  })
}

/** What was tried, as a table for people. A class that was not run has no row. */
function tableOf(name: string, outcomes: ReadonlyMap<string, Outcome>): string {
  const sum = (of: (outcome: Outcome) => number): number =>
    [...outcomes.values()].reduce((all, outcome) => all + of(outcome), 0)
  const rows: readonly (readonly [string, number | string, number | string])[] = [
    [name, 'tried', 'unexpected'],
    ...[...outcomes].map(
      ([name, { tried, unexpected }]) => [name, tried, unexpected.length] as const,
    ),
    ['all', sum(({ tried }) => tried), sum(({ unexpected }) => unexpected.length)],
  ]
  const line = ([name, tried, unexpected]: (typeof rows)[number]): string =>
    `${name.padEnd(20)}${String(tried).padStart(8)}${String(unexpected).padStart(12)}`
  return `\n${rows.map(line).join('\n')}\n`
}
