import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PRESETS, type Preset, type Track } from '../../examples/school/src/playground/presets.js'
import { launchChromium, signIn } from '../support/browser/chromium.js'
import { type RunningExample, startExample } from '../support/processes/example.js'
import { waitFor } from '../support/processes/wait.js'

let school: RunningExample
let browser: Browser

beforeAll(async () => {
  ;[school, browser] = await Promise.all([
    startExample({ environment: { HALLPASS_RATE_LIMITS: 'off' } }),
    launchChromium(),
  ])
})
afterAll(async () => {
  await browser.close()
  await school.stop()
})

const PEOPLE = {
  'Lantern Street': { staff: 'ines.duarte@example.com', student: 'mei-ling.chou@example.com' },
  'Kiln & Coil': { staff: 'hao-yu.lin@example.com', student: 'mei-ling.chou@example.com' },
} as const
type SchoolName = keyof typeof PEOPLE

const breaksOn = (track: Track): readonly Preset[] =>
  PRESETS.filter(
    ({ refused, tracks }) => refused !== undefined && (tracks?.includes(track) ?? true),
  )

const open = async (name: SchoolName, track: Track): Promise<[BrowserContext, Page]> => {
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  const page = await context.newPage()
  const origin = name === 'Lantern Street' ? school.origin : school.kiln
  await page.goto(`${origin}/playground`)
  await begin(page, track)
  return [context, page]
}

const begin = async (page: Page, track: Track): Promise<void> => {
  await page.locator('#next[data-next=discover]').waitFor()
  await page.locator(`input[value=${track}]`).check()
}

const listItem = (page: Page, { id }: Preset) =>
  page.locator('.break', { has: page.locator(`[data-preset='${id}']`) })

/** The only school at which a break is refused for its reason; `null` = both. Kiln & Coil has no apps of members. */
const placeOf = ({ at, step }: Preset, track: Track): SchoolName | null =>
  at ?? (track === 'member' && step !== 'register' ? 'Lantern Street' : null)

const opened = (page: Page): Promise<void> =>
  page.locator('.breaks').evaluateAll((all) => all.forEach((one) => one.setAttribute('open', '')))

describe.concurrent.each(['Lantern Street', 'Kiln & Coil'] as const)('the breaks at %s', (name) => {
  it.each(['operator', 'member', 'mcp'] as const)(
    'are off in a session that has not begun, for a client as %s',
    async (track) => {
      const [context, page] = await open(name, track)
      await opened(page)
      for (const preset of breaksOn(track)) {
        const button = listItem(page, preset).locator('[data-preset]')
        expect(await button.isDisabled(), preset.id).toBe(true)
      }
      await context.close()
    },
  )

  // A session in which nothing has happened but what the breaks before it did.
  it.concurrent.each(['operator', 'member', 'mcp'] as const)(
    'are each refused for their own reason, once the page has done what they need, as %s',
    async (track) => {
      const [context, page] = await open(name, track)
      const wrong: Record<string, string> = {}
      for (const preset of breaksOn(track)) {
        const found = await tried(page, preset, { name, track })
        const isElsewhere = ![name, null].includes(placeOf(preset, track))
        if (found !== preset.refused!.reason && !(isElsewhere && found === 'disabled'))
          wrong[preset.id] = found
      }
      expect(wrong).toEqual({})
      await context.close()
    },
  )
})

/** An outcome, as the page keeps it to be shown again. */
interface Shown {
  readonly label: string
  readonly ok: boolean
  readonly error: string | null
  readonly why: { readonly reason: string } | null
}
/** The hook hears of this refusal once an hour for each client, and one client is that of each member's playground. */
const oncePerHour = (error: string | null): string =>
  error === 'invalid_grant' ? 'grant_revoked' : `${error} without a reason`
const outcomes = (page: Page): Promise<readonly Shown[]> =>
  page.evaluate(
    () =>
      (JSON.parse(sessionStorage.getItem('playground-shown') ?? '{}') as { outcomes?: Shown[] })
        .outcomes ?? [],
  )

/** Has the page do what a break needs, presses it, and returns the reason of what came. */
async function tried(
  page: Page,
  preset: Preset,
  { name, track }: { name: SchoolName; track: Track },
): Promise<string> {
  const item = listItem(page, preset)
  const button = item.locator('[data-preset]')
  await opened(page)
  const isElsewhere = ![name, null].includes(placeOf(preset, track))
  if (isElsewhere && (await button.isDisabled())) return 'disabled'
  const before = JSON.stringify(await outcomes(page))
  const isStudent = preset.refused!.reason === 'person_not_staff'
  if (isStudent) await page.context().clearCookies()
  const email = PEOPLE[name][isStudent ? 'student' : 'staff']
  const answer = preset.note?.includes('Cancel') === true ? 'Cancel' : 'Allow'
  const offer = item.locator('.break-first button')
  const first = page.locator(`#step-${preset.step} .breaks-first button`)
  if (await button.isEnabled()) await button.click()
  else if (await offer.isVisible()) await offer.click()
  else if (await first.isVisible()) await first.click()
  else await button.click()
  const last = await waitFor(
    async () => {
      if (new URL(page.url()).pathname === '/playground') {
        const all = await outcomes(page)
        const isNew = JSON.stringify(all) !== before
        if (isNew && all.at(-1)?.label === preset.label) return all.at(-1)
        // Where each break of the step needs the same, doing that presses none of them.
        await opened(page)
        const isIdle = (await page.locator('#playground:not([data-busy])').count()) === 1
        if (isIdle && isNew && (await button.isEnabled()) && !(await offer.isVisible()))
          await button.click()
      } else if (await page.getByLabel('Email').isVisible()) await signIn(page, email)
      else if (await page.getByRole('button', { name: answer }).isVisible())
        await page.getByRole('button', { name: answer }).click()
      return undefined
    },
    { what: preset.id, everyMilliseconds: 100, patienceMilliseconds: 150_000 },
  )
  if (isStudent) await page.context().clearCookies()
  // It may have led to the other school.
  if ((await page.locator('#server').inputValue()) !== new URL(page.url()).origin) {
    await page.evaluate(() => sessionStorage.clear())
    await page.reload()
    await begin(page, track)
  }
  if (last.why === null && preset.id === 'refresh.grant_revoked') return oncePerHour(last.error)
  return last.why?.reason ?? (last.ok ? 'passed' : 'refused')
}
