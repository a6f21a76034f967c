import type { Browser, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerCopyScript, iconOf, pageResponse, schoolCss } from '../../examples/school/testing.js'
import { axeViolations } from '../support/browser/axe.js'
import { launchChromium } from '../support/browser/chromium.js'
import { GALLERY_LOGO } from '../example/support/gallery/applications.js'
import { galleryPages } from '../example/support/gallery/pages.js'

const ORIGIN = 'https://school.test'
const COPY = '/assets/copy.js'
const gallery = galleryPages()
const pages = new Map(gallery.map(({ name, html }) => [`/${name}`, html]))

/** What a form of the page in front sent, as the server would read it. */
interface Sent {
  readonly method: string
  readonly path: string
  readonly fields: readonly (readonly [name: string, value: string])[]
}

let browser: Browser
/** Where pages are opened, as a server sends them. */
let tab: Page
let keyboard: CDPSession
/** Where one page after another is put for axe. */
let reader: Page
let problems: string[] = []
let sent: Sent[] = []

beforeAll(async () => {
  browser = await launchChromium()
  const context = await browser.newContext({ viewport: { width: 320, height: 800 } })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: ORIGIN })
  await context.route('**/*', async (route) => {
    const request = route.request()
    const url = new URL(request.url())
    const page = pages.get(url.pathname)
    if (page !== undefined && request.method() === 'GET') {
      const hasScript = page.toString().includes(COPY)
      const script = hasScript && ('without calls' as const)
      const response = pageResponse(page, { origin: ORIGIN, script })
      const headers = Object.fromEntries(response.headers)
      return route.fulfill({ headers, body: await response.text() })
    }
    if (url.pathname === '/assets/school.css')
      return route.fulfill({ contentType: 'text/css', body: schoolCss })
    if (url.pathname === COPY) {
      const response = answerCopyScript()
      const headers = Object.fromEntries(response.headers)
      return route.fulfill({ headers, body: await response.text() })
    }
    if (url.pathname === '/assets/mark.svg')
      return route.fulfill({ contentType: 'image/svg+xml', body: iconOf('lantern') })
    if (url.pathname === GALLERY_LOGO.path)
      return route.fulfill({ contentType: 'image/png', body: GALLERY_LOGO.bytes })
    const fields = new URLSearchParams(request.postData() ?? url.search)
    if (request.resourceType() === 'document')
      sent.push({ method: request.method(), path: url.pathname, fields: [...fields] })
    return route.fulfill({ status: 404, body: '' })
  })
  tab = await context.newPage()
  keyboard = await context.newCDPSession(tab)
  reader = await context.newPage()
  // For its origin, where the style sheet is, and for its content policy, which lets the one script run.
  await reader.goto(`${ORIGIN}/application-made-public`)
  for (const one of [tab, reader]) one.on('console', (message) => problems.push(message.text()))
})
afterAll(() => browser.close())

async function open(name: string): Promise<void> {
  problems = []
  sent = []
  await tab.goto(`${ORIGIN}/${name}`)
}

/** Does something that sends a form, and waits for the page that follows. */
async function send(act: () => Promise<void>): Promise<void> {
  await Promise.all([tab.waitForEvent('load'), act()])
}

const press = (key: string): Promise<void> => tab.keyboard.press(key)

/** Presses Tab so many times, without a wait for each press to be answered. */
async function pressTab(times: number): Promise<void> {
  const tabKey = { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 }
  const strokes = Array.from({ length: times }, () => ['rawKeyDown', 'keyUp'] as const).flat()
  await Promise.all(
    strokes.map((type) => keyboard.send('Input.dispatchKeyEvent', { type, ...tabKey })),
  )
}

const pressButton = (name: string): Promise<void> =>
  send(() => tab.getByRole('button', { name }).click())

/** Every control and link that can be seen, a group of radio buttons once: the chosen one, or else the first. */
const reachable = (): string[] => {
  const nameOf = (element: Element): string =>
    [element.tagName, element.id, element.getAttribute('href'), element.textContent?.trim()].join()
  const controls = [
    ...document.querySelectorAll('a[href], button, input, select, textarea, summary'),
  ].filter((element) => element.checkVisibility() && !element.matches(':disabled, [type=hidden]'))
  return controls
    .filter(
      (element) =>
        !(element instanceof HTMLInputElement) ||
        element.type !== 'radio' ||
        element ===
          (document.querySelector(`input[name='${element.name}']:checked`) ??
            document.querySelector(`input[name='${element.name}']`)),
    )
    .map(nameOf)
}

interface Watching {
  /** What has had the focus, in order, and whether that could be seen on it or on its label. */
  reached: { name: string; shown: boolean }[]
}

/** Notes each element that gets the focus from now on. */
const watchFocus = (): void => {
  const watching = window as unknown as Watching
  watching.reached = []
  document.addEventListener('focusin', ({ target }) => {
    const element = target as Element
    const name = [
      element.tagName,
      element.id,
      element.getAttribute('href'),
      element.textContent?.trim(),
    ].join()
    const rings = [element, ...((element as HTMLInputElement).labels ?? [])]
    const shown = rings.some((one) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(one)
      const { width } = one.getBoundingClientRect()
      return outlineStyle === 'solid' && outlineWidth !== '0px' && width > 8
    })
    watching.reached.push({ name, shown })
  })
}

describe.each(gallery)('page $name', ({ name, html }) => {
  beforeAll(() => open(name))

  it('has nothing for axe to find in light or dark, and stops nothing of its own', async () => {
    await reader.setContent(html.toString())
    expect(await axeViolations(reader)).toEqual([])
    expect(problems).toEqual([])
  })

  it('fits into 320 pixels, and the keyboard reaches all of it and shows where it is', async () => {
    expect(
      await tab.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
    ).toBeLessThanOrEqual(0)
    const wanted = await tab.evaluate(reachable)
    // The errors of a form have the focus. Tab begins where a focused element was removed.
    await tab.evaluate(() => {
      const top = Object.assign(document.createElement('a'), { tabIndex: 0 })
      document.body.prepend(top)
      top.focus()
      top.remove()
    })
    await tab.evaluate(watchFocus)
    await pressTab(wanted.length)
    const reached = await tab.evaluate(() => (window as unknown as Watching).reached)
    expect(reached.filter(({ shown }) => !shown)).toEqual([])
    expect(reached.map(({ name }) => name)).toEqual(wanted)
  })
})

describe('the consent page', () => {
  it('sends nothing on Enter, wherever the focus is but on a button', async () => {
    await open('consent-loopback')
    await press('Enter')
    await tab.getByLabel('Read only').focus()
    await press('Enter')
    await tab.getByLabel('Let me choose').check()
    await tab.getByLabel('See courses, drafts included').focus()
    await press('Enter')
    expect(sent).toEqual([])
    await tab.getByRole('button', { name: 'Cancel' }).focus()
    await send(() => press('Enter'))
    expect(sent).toMatchObject([{ path: '/oauth/interaction/Hn4Zc0' }])
    expect(sent[0]?.fields).toContainEqual(['decision', 'deny'])
  })

  it('shows boxes only to those who choose, and sends the ones that are ticked', async () => {
    await open('consent-member')
    const box = tab.getByRole('checkbox')
    expect(await box.count()).toBe(0)
    await tab.getByLabel('Let me choose').check()
    expect(await box.count()).toBe(2)
    await tab.getByRole('checkbox', { name: /^Change your name/ }).uncheck()
    await pressButton('Allow')
    expect(sent).toEqual([
      {
        method: 'POST',
        path: '/oauth/interaction/Hn4Zc0',
        fields: [
          ['csrf_token', 'csrf-token'],
          ['access', 'choose'],
          ['scope', 'account:read'],
          ['until', ''],
          ['decision', 'allow'],
        ],
      },
    ])
  })

  it('strikes out what Read only leaves out', async () => {
    await open('consent-member')
    const line = (text: RegExp): Promise<string> =>
      tab.getByText(text).evaluate((element) => getComputedStyle(element).textDecorationLine)
    expect(await line(/^Change your name/)).toBe('none')
    await tab.getByLabel('Read only').check()
    expect(await line(/^Change your name/)).toBe('line-through')
    expect(await line(/^See your courses/)).toBe('none')
    await pressButton('Allow')
    expect(sent[0]?.fields).toContainEqual(['access', 'read'])
  })

  it.each([
    [1440, 900],
    [390, 844],
  ])(
    'keeps what is sensitive and the decision of a long list in sight at %i × %i [UX-20]',
    async (width, height) => {
      await tab.setViewportSize({ width, height })
      await open('consent-everything')
      const allow = tab.getByRole('button', { name: 'Allow' })
      const bottom = (): Promise<number> =>
        allow.evaluate((button) => button.getBoundingClientRect().bottom)
      await tab.locator('#may').evaluate((heading) => heading.scrollIntoView())
      expect(await bottom()).toBeLessThanOrEqual(height)
      const grave = await tab.locator('.badge-stop').all()
      expect(grave.length).toBeGreaterThan(1)
      expect(await Promise.all(grave.map((badge) => badge.isVisible()))).not.toContain(false)
      const folded = tab.getByText('See courses, drafts included')
      expect(await folded.isVisible()).toBe(false)
      await tab.locator('details', { has: folded }).locator('summary').click()
      expect(await folded.isVisible()).toBe(true)
      expect(await bottom()).toBeLessThanOrEqual(height)
      await pressButton('Allow')
      expect(sent[0]?.fields).toContainEqual(['access', 'all'])
    },
  )

  it('asks again when nothing was left, with nothing ticked', async () => {
    await open('consent-nothing-left')
    expect(await tab.getByRole('alert').textContent()).toContain('There’s nothing left to allow.')
    expect(await tab.getByLabel('Let me choose').isChecked()).toBe(true)
    expect(await tab.getByRole('checkbox', { checked: false }).count()).toBe(2)
  })
})

describe('the forms of the admin area', () => {
  it('send a new application on Enter, and a preset only by its own button', async () => {
    await open('application-new')
    await tab.getByLabel('Redirect addresses').fill('https://a.example/cb\nhttps://b.example/cb')
    await tab.getByLabel('Name', { exact: true }).fill('Study Buddy')
    await send(() => press('Enter'))
    const fields = [
      ['csrf_token', 'csrf-token'],
      ['name', 'Study Buddy'],
      ['description', ''],
      ['icon', ''],
      ['auth_method', 'none'],
      ['redirect_uris', 'https://a.example/cb\r\nhttps://b.example/cb'],
      ['scope', 'account:read'],
    ]
    expect(sent).toEqual([{ method: 'POST', path: '/oauth/applications/new', fields }])
    await open('application-new')
    await pressButton('ChatGPT')
    expect(sent[0]?.fields).toContainEqual(['preset', 'chatgpt'])
    expect(sent[0]?.path).toBe('/oauth/applications/new')
  })

  it('keep every line that was typed', async () => {
    await open('application-new-faults')
    const typed = await tab.getByLabel('Redirect addresses', { exact: true }).inputValue()
    expect(typed.split('\n').slice(0, 3)).toEqual([
      'https://study-buddy.example/callback',
      '',
      'http://study-buddy.example/cb',
    ])
    await tab.getByRole('link', { name: 'What it can ask for' }).click()
    expect(await tab.locator('#scopes').evaluate((one) => one.matches(':target'))).toBe(true)
  })

  it('warn as soon as a scope is taken away, and only then', async () => {
    await open('application-edit')
    const warning = tab.getByText('You’re removing something.')
    expect(await warning.isVisible()).toBe(false)
    await tab.getByLabel('Change your name').uncheck()
    expect(await warning.isVisible()).toBe(true)
    await tab.getByLabel('Change your name').check()
    expect(await warning.isVisible()).toBe(false)
    await pressButton('Save changes')
    expect(sent[0]).toMatchObject({ path: '/oauth/applications/cl_3v9KqT0aXw/edit' })
    expect(sent[0]?.fields).toContainEqual(['revision', '4'])
    expect(sent[0]?.fields.filter(([name]) => name === 'auth_method')).toEqual([])
  })

  it('delete only by the button, with the name that was typed', async () => {
    await open('confirm-delete')
    await tab.getByLabel('Type the name').fill('Study Buddy')
    await press('Enter')
    expect(sent).toEqual([])
    await pressButton('Delete for good')
    expect(sent).toEqual([
      {
        method: 'POST',
        path: '/oauth/applications/cl_3v9KqT0aXw/delete',
        fields: [
          ['csrf_token', 'csrf-token'],
          ['name', 'Study Buddy'],
        ],
      },
    ])
  })

  it('filter on Enter, with an address that can be kept', async () => {
    await open('applications')
    await tab.getByLabel('State').selectOption('Not reviewed')
    await tab.getByLabel('Name').fill('no tes')
    await send(() => press('Enter'))
    expect(sent).toEqual([
      {
        method: 'GET',
        path: '/oauth/applications',
        fields: [
          ['search', 'no tes'],
          ['kind', ''],
          ['state', 'unreviewed'],
          ['sort', 'newest'],
        ],
      },
    ])
  })

  it('send a review with what was read, and no box that the reviewer may not tick', async () => {
    await open('application-document-unreviewed')
    expect(await tab.getByLabel('Invite, edit and suspend members').isDisabled()).toBe(true)
    await tab.getByLabel('Create, edit, publish').check()
    await press('Enter')
    expect(sent).toEqual([])
    await pressButton('Mark as reviewed')
    expect(sent).toEqual([
      {
        method: 'POST',
        path: '/oauth/applications/https%3A%2F%2Fdesk.example%2Fclient.json/review',
        fields: [
          ['csrf_token', 'csrf-token'],
          ['digest', 'digest-1'],
          ['scope', 'courses:write'],
        ],
      },
    ])
  })

  it('copy the whole of a field with its button, and say so', async () => {
    await open('application-made-confidential')
    await tab.getByRole('button', { name: 'Copy Client secret' }).click()
    await tab.getByText('Copied.').waitFor()
    expect(await tab.evaluate(() => navigator.clipboard.readText())).toBe(
      'hps_Zk3pQ9vT1sWm7bXe4RcUj0LyN6aHfGdI2oKtSxB5Cw8',
    )
    await tab.getByRole('button', { name: 'Copy How to connect' }).click()
    const copied = await tab.evaluate(() => navigator.clipboard.readText())
    expect(copied).toMatch(/^Connect Study Buddy to Kiln & Coil Pottery\n/)
    expect([problems, sent]).toEqual([[], []])
  })

  it('give the whole secret to whoever selects all of its field', async () => {
    await open('application-made-confidential')
    await tab.getByLabel('Client secret').focus()
    await tab.keyboard.press('ControlOrMeta+A')
    const secret = await tab.getByLabel('Client secret').evaluate((field) => {
      const { value, selectionStart, selectionEnd, readOnly } = field as HTMLTextAreaElement
      return { selected: value.slice(selectionStart, selectionEnd), readOnly }
    })
    expect(secret).toEqual({
      selected: 'hps_Zk3pQ9vT1sWm7bXe4RcUj0LyN6aHfGdI2oKtSxB5Cw8',
      readOnly: true,
    })
  })
})
