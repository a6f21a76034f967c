import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createJudge, type Judge } from '../support/attack/browser.js'
import { type AttackClass, type Outcome, runClass } from '../support/attack/run.js'
import { type Framework, type Service, startService } from '../support/attack/service.js'
import { launchChromium } from '../support/chromium.js'
import { adminApi } from './admin-api.js'
import { bearerHeaders } from './bearer-headers.js'
import { bodies } from './bodies.js'
import { graphql } from './graphql.js'
import { limits } from './limits.js'
import { mcp } from './mcp.js'
import { metadataDocuments } from './metadata-documents.js'
import { parameters } from './parameters.js'
import { redirectUris } from './redirect-uris.js'
import { sessions } from './sessions.js'
import { sites } from './sites.js'
import { xss } from './xss.js'

const CLASSES: readonly AttackClass[] = [
  redirectUris, parameters, bearerHeaders, sites, sessions, xss, graphql, adminApi, mcp, metadataDocuments,
  bodies, limits,
] // prettier-ignore
const FRAMEWORKS: readonly Framework[] = ['Express', 'Next.js']

let browser: Browser
let judge: Judge
let services: Readonly<Record<Framework, Promise<Service>>>
const outcomes = new Map<string, Outcome>()

beforeAll(async () => {
  // Next.js is built while Express is attacked.
  services = { Express: startService('Express'), 'Next.js': startService('Next.js') }
  services['Next.js'].catch(() => {})
  browser = await launchChromium()
  judge = await createJudge(browser)
  await services.Express
})

afterAll(async () => {
  await browser.close()
  for (const service of await Promise.allSettled(Object.values(services)))
    if (service.status === 'fulfilled') await service.value.stop()
  process.stdout.write(tableOf(outcomes))
})

describe.each(FRAMEWORKS)('%s', (framework) => {
  it.each(CLASSES)('withstands $name', async (attackClass) => {
    const outcome = await runClass(attackClass, await services[framework], judge)
    outcomes.set(`${framework} ${attackClass.name}`, outcome)
    expect(outcome.unexpected).toEqual([])
    expect(outcome.tried).toBeGreaterThanOrEqual(attackClass.least)
  })
})

/** What was tried, as a table for people. A class that was not run has no row. */
function tableOf(all: ReadonlyMap<string, Outcome>): string {
  const cell = (framework: Framework, name: string): string => {
    const outcome = all.get(`${framework} ${name}`)
    return outcome === undefined ? '-' : `${outcome.tried} / ${outcome.unexpected.length}`
  }
  const rows = [
    ['class', ...FRAMEWORKS.map((framework) => `${framework}: tried / unexpected`)],
    ...CLASSES.map(({ name }) => [name, ...FRAMEWORKS.map((framework) => cell(framework, name))]),
    ['all', ...FRAMEWORKS.map((framework) => total(all, framework))],
  ]
  const width = Math.max(...CLASSES.map(({ name }) => name.length)) + 2
  return `\n${rows.map(([first, ...rest]) => first!.padEnd(width) + rest.map((one) => one.padEnd(30)).join('')).join('\n')}\n`
}

function total(all: ReadonlyMap<string, Outcome>, framework: Framework): string {
  const own = [...all].filter(([key]) => key.startsWith(framework)).map(([, outcome]) => outcome)
  const sum = (of: (outcome: Outcome) => number): number =>
    own.reduce((all, outcome) => all + of(outcome), 0)
  return `${sum(({ tried }) => tried)} / ${sum(({ unexpected }) => unexpected.length)}`
}
