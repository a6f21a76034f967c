import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Preset, PRESETS, type Track } from '../../examples/school/testing.js'
import { launchChromium, watchPage } from '../support/browser/chromium.js'
import { type SharedExample, sharedExample } from '../support/processes/example.js'

let school: SharedExample
let browser: Browser
let page: Page
let problems: readonly string[]

beforeAll(async () => {
  ;[school, browser] = await Promise.all([sharedExample(), launchChromium()])
  page = await browser.newPage({ reducedMotion: 'reduce' })
  // Chromium's word for what many breaks want.
  const isRefusal = (error: string) => /responded with a status of 4\d\d/.test(error)
  ;({ problems } = await watchPage(page, isRefusal))
})
afterAll(async () => {
  await browser.close()
  await school.stop()
})

/** The breaks of a track but those that need a minute, the other school, or another person. */
const breaksOn = (track: Track): readonly Preset[] =>
  PRESETS.filter(
    (one) =>
      one.refused !== undefined &&
      (one.tracks?.includes(track) ?? true) &&
      one.at !== 'Kiln & Coil' &&
      ![
        'exchange.code_expired',
        'use.token_of_other_school',
        'authorize.person_not_staff',
      ].includes(one.id),
  )

/**
 * Has the page press breaks one after the other, with what each offers first. The page does so by itself, also where
 * the school asks the person: a round trip for each press would cost more than the press.
 *
 * @returns the reason that the outcome of each has, or its verdict
 */
async function pressAll(presets: readonly Preset[], email: string): Promise<readonly string[]> {
  const queue = presets.map(({ id, step, label, note }) => ({
    id,
    step,
    label,
    button: note?.includes('Cancel') === true ? 'Cancel' : 'Allow',
  }))
  await page.addInitScript(
    async ({ queue, email }) => {
      const found = (): string[] => JSON.parse(sessionStorage.getItem('found') ?? '[]') as string[]
      const outcomes = (): number =>
        (
          JSON.parse(sessionStorage.getItem('playground-shown') ?? '{"outcomes":[]}') as {
            outcomes: unknown[]
          }
        ).outcomes.length
      const until = async <Found>(look: () => Found | null | false): Promise<Found> => {
        for (;;) {
          const seen = look()
          if (seen !== null && seen !== false) return seen
          await new Promise((resolve) => requestAnimationFrame(resolve))
        }
      }
      const named = (text: string): HTMLButtonElement | null =>
        [...document.querySelectorAll('button')].find((one) => one.textContent?.trim() === text) ??
        null
      await until(() => document.readyState === 'complete')
      if (location.pathname !== '/playground') {
        const field = document.querySelector<HTMLInputElement>('input[name=email]')
        if (field !== null) {
          field.value = email
          document.querySelector<HTMLInputElement>('input[name=password]')!.value = 'hallpass-demo'
          named('Sign in')!.click()
        } else named(queue[found().length]!.button)?.click()
        return
      }
      const root = await until(() => document.querySelector('#next[data-next]'))
      for (const one of queue.slice(found().length)) {
        const { id, step, label } = one
        const before = Number(sessionStorage.getItem('before') ?? outcomes())
        sessionStorage.setItem('before', String(before))
        const item = document
          .querySelector(`.break:not([hidden]) [data-preset='${id}']`)!
          .closest('.break')!
        const button = item.querySelector<HTMLButtonElement>('[data-preset]')!
        const offers = [item, document.querySelector(`#step-${step} .breaks`)!].map((place) =>
          place.querySelector<HTMLButtonElement>(':is(.break-first, .breaks-first) button'),
        )
        const isIdle = (): boolean => document.querySelector('#playground[data-busy]') === null
        const last = (): Element | null =>
          document.querySelector(`#step-${step} .outcome:last-child > summary`)
        const isThere = (): boolean =>
          isIdle() && outcomes() > before && last()?.children[1]?.textContent === label
        if (!isThere()) {
          // Where each break of a step needs the same, one offer is for all of them.
          if (sessionStorage.getItem('playground') === null && root.isConnected) {
            const offer = offers.find((one) => one !== null)
            if (button.disabled && offer !== undefined) offer.click()
            await until(() => isIdle() && (!button.disabled || isThere()))
            if (!isThere()) button.click()
          }
          await until(isThere)
        }
        const [verdict, , reason] = last()!.children
        sessionStorage.setItem(
          'found',
          JSON.stringify([...found(), reason?.textContent ?? verdict!.textContent]),
        )
        sessionStorage.removeItem('before')
      }
    },
    { queue, email },
  )
  await page.goto(`${school.origin}/playground`)
  const text = await page.waitForFunction(
    (count) => {
      const found = sessionStorage.getItem('found')
      return found !== null && (JSON.parse(found) as string[]).length === count ? found : null
    },
    queue.length,
    { polling: 1000, timeout: 200_000 },
  )
  return JSON.parse((await text.jsonValue())!) as string[]
}

describe('the breaks of the playground, in Chromium', () => {
  it('has each break off at both schools before anything was sent, with an offer', async () => {
    for (const origin of [school.origin, school.kiln]) {
      await page.goto(`${origin}/playground`)
      await page.locator('#next[data-next=discover]').waitFor()
      for (const track of ['member', 'mcp', 'operator'] as const) {
        await page.locator(`input[value=${track}]`).check()
        const wrong = await page
          .locator('.breaks')
          .evaluateAll((lists) =>
            lists.flatMap((list) =>
              [...list.querySelectorAll<HTMLButtonElement>('.break:not([hidden]) [data-preset]')]
                .filter(
                  (one) =>
                    !one.disabled ||
                    (list.querySelector('.breaks-first button') === null &&
                      one.closest('.break')!.querySelector('.break-first button') === null),
                )
                .map((one) => one.dataset['preset']),
            ),
          )
        expect(wrong).toEqual([])
      }
    }
  })

  it('presses each break for its own reason, after what it offers [DISC-27]', async () => {
    const presets = breaksOn('operator')
    const found = await pressAll(presets, 'ines.duarte@example.com')
    expect(presets.map(({ id }, index) => `${id}: ${found[index]}`)).toEqual(
      presets.map(({ id, refused }) => `${id}: ${refused!.reason}`),
    )
    expect(problems).toEqual([])
  })
})
