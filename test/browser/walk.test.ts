import type { Browser, BrowserContext, Page, Request } from 'playwright-core'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
} from 'vitest'
import { axeViolations } from '../support/browser/axe.js'
import { launchChromium, signIn, watchPage } from '../support/browser/chromium.js'
import { shownOn } from '../support/browser/recording.js'
import { type RunningExample, startExample } from '../support/processes/example.js'
import { waitFor } from '../support/processes/wait.js'
import { startWebExample } from '../support/browser/web-example.js'

let school: RunningExample
let browser: Browser
let context: BrowserContext
let page: Page
let requested: Set<string>
let problems: readonly string[]

beforeAll(async () => {
  ;[school, browser] = await Promise.all([startExample(), launchChromium()])
})
afterAll(async () => {
  await browser.close()
  await school.stop()
})
beforeEach(() => visit())
afterEach(async () => {
  expect(problems).toEqual([])
  expect([...requested]).toEqual([school.origin])
  await context.close()
})

async function visit(options: Parameters<Browser['newContext']>[0] = {}): Promise<void> {
  context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  page = await context.newPage()
  // Chromium's word for an answer of 400 or 401, which is what some steps want.
  const isRefusal = (error: string) => /the server responded with a status of 40[01]/.test(error)
  ;({ requested, problems } = await watchPage(page, isRefusal))
  await page.goto(school.origin)
}

/** What an act came to, as the page says it. */
interface Came {
  readonly verdict: string
  /** The cause beside the verdict; `null` = let through. */
  readonly reason: string | null
  readonly statuses: readonly string[]
  /** Decisions with their answers. */
  readonly decisions: readonly string[]
}

const button = (act: string) => page.locator(`button[data-act='${act}']`)

async function came(act: string): Promise<Came> {
  const outcome = page.locator(`[data-outcome='${act}']`)
  await outcome.waitFor()
  const reasons = await outcome.locator(':scope > summary code').allInnerTexts()
  return {
    verdict: await outcome.locator(':scope > summary strong').innerText(),
    reason: reasons[0] ?? null,
    statuses: await outcome.locator('.status').allInnerTexts(),
    decisions: (await outcome.locator('.check-answer:has(.check-call)').allInnerTexts()).map(
      (text) =>
        text.replace(/ (?:RFC|OpenID|Client ID Metadata Document).*$/s, '').replace(/\s+/g, ' '),
    ),
  }
}

async function press(act: string): Promise<Came> {
  await button(act).click()
  return came(act)
}

/** A code, a token or a verifier. */
const SECRET = /hp[a-z]_[\w-]{20}|"verifier\W+[\w-]{43}/

/** Steps 1 to 3, as the owner. */
async function walkToCode(): Promise<Came> {
  await press('discover')
  await press('register')
  await button('authorize').click()
  await signIn(page, 'ines.duarte@example.com')
  await page.getByRole('button', { name: 'Allow' }).click()
  return came('authorize')
}

/** The buttons that can be pressed now. */
const openActs = (): Promise<readonly (string | undefined)[]> =>
  page
    .locator("button[data-act][aria-disabled='false']")
    .evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset['act']))

const checksOf = (act: string): Promise<readonly string[]> =>
  page.locator(`[data-outcome='${act}'] .check > p:first-child`).allTextContents()

const fieldOf = (request: Request, name: string): string =>
  new URLSearchParams(request.postData() ?? '').get(name) ?? ''

/** An ID token with another header and other claims, under the signature that it had. */
function forged(idToken: string): string {
  const [head = '', body = '', signature = ''] = idToken.split('.')
  const changed = (part: string, to: object): string => {
    const before = JSON.parse(Buffer.from(part, 'base64url').toString()) as object
    return Buffer.from(JSON.stringify({ ...before, ...to })).toString('base64url')
  }
  const claims = { iss: 'https://another-school.example', aud: 'another', nonce: 'another', exp: 1 }
  return [changed(head, { alg: 'none' }), changed(body, claims), signature].join('.')
}

const responseOf = (act: string, index = 0): Promise<string> =>
  page.locator(`[data-outcome='${act}'] .exchange`).nth(index).locator('pre').last().innerText()

/** The refusals that the server itself noted, the last one last. */
const noted = (): readonly { endpoint: string; reason: string }[] =>
  school
    .output()
    .split('\n')
    .filter((line) => line.includes('"type":"refused"'))
    .map((line) => JSON.parse(line) as { endpoint: string; reason: string })

const notedLast = (reason: string): Promise<unknown> =>
  waitFor(() => noted().at(-1)?.reason === reason)

const openAll = (): Promise<void> =>
  page
    .locator('#walk details')
    .evaluateAll((all) => all.forEach((one) => one.setAttribute('open', '')))

const overflow = (): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)

const ID_TOKEN_CHECKS = [
  'Algorithm of the id_token',
  'Signature of the id_token, with the key of its kid',
  'iss: issued by this school',
  'aud: issued to this client',
  'nonce: belongs to this request',
  'exp: not expired',
]

describe('the walk on the front page, in Chromium', () => {
  it('goes through all seven steps to the end', async () => {
    expect(await press('discover')).toEqual({
      verdict: 'Passed',
      reason: null,
      statuses: ['200', '200', '200'],
      decisions: [],
    })
    expect(await press('register')).toEqual({
      verdict: 'Passed',
      reason: null,
      statuses: ['201'],
      decisions: ["decideRegistration → { ok: true, registration: { kind: 'loopback' } }"],
    })
    await button('authorize').click()
    await signIn(page, 'amara.obi@example.com')
    await page.getByRole('button', { name: 'Allow' }).click()
    const authorized = await came('authorize')
    expect(authorized).toEqual({
      verdict: 'Passed',
      reason: null,
      statuses: ['303'],
      decisions: [
        'decideRedirectUri → { ok: true }',
        expect.stringMatching(
          /^decideCodeChallenge → \{ ok: true, codeChallenge: '[\w-]{10}…' \}$/,
        ),
        "decideScopes → { ok: true, scopes: ['openid', 'profile', 'email', 'courses:read'] }",
        `decideResource → { ok: true, resource: '${school.origin}' }`,
        'decideAuthorizationRequest → { ok: true }',
      ],
    })
    // Neither the code nor the verifier stays behind.
    expect(page.url()).toBe(`${school.origin}/`)
    const kept = await page.evaluate<string>('JSON.stringify([localStorage, sessionStorage])')
    expect(kept).not.toMatch(SECRET)

    const exchanging = page.waitForRequest('**/api/oauth/token')
    expect(await press('exchange')).toEqual({
      verdict: 'Passed',
      reason: null,
      statuses: ['200', '200'],
      decisions: [
        'verifyPkceS256 → { ok: true }',
        'decideRepeatedResource → { ok: true }',
        'decideRedemption → { ok: true }',
        'decideApprover → { ok: true }',
      ],
    })
    expect(await checksOf('exchange')).toEqual(
      expect.arrayContaining(ID_TOKEN_CHECKS.map((said) => `Passed: ${said}`)),
    )
    // The page asks as any app would: its cookie of the sign-in stays out of it.
    const exchanged = await exchanging
    expect(await exchanged.headerValue('cookie')).toBeNull()
    expect(await press('use')).toMatchObject({ reason: null, statuses: ['200', '200', '200'] })
    expect(await responseOf('use')).toContain('"name": "Amara Obi"')
    await page.locator("[data-outcome='use'] .exchange summary").nth(1).click()
    await page.locator("[data-outcome='use'] .exchange summary").nth(2).click()
    expect(await responseOf('use', 1)).toContain('"title": "Charcoal"')
    expect(await responseOf('use', 2)).toContain('"list_courses"')
    const renewing = page.waitForResponse('**/api/oauth/token')
    const revoking = page.waitForRequest('**/api/oauth/revoke')
    expect(await press('refresh')).toEqual({
      verdict: 'Passed',
      reason: null,
      statuses: ['200'],
      decisions: ["decideRefresh → { ok: true, outcome: 'rotate' }"],
    })
    expect(await press('revoke')).toEqual({
      verdict: 'Passed',
      reason: null,
      statuses: ['200', '401'],
      decisions: ["decideAccess → { ok: false, error: 'invalid_token', reason: 'grant_revoked' }"],
    })
    // What it gives back is the token that it got last.
    const renewed = (await (await renewing).json()) as { refresh_token: string }
    expect(fieldOf(await revoking, 'token')).toBe(renewed.refresh_token)
    await notedLast('grant_revoked')
    const states = await page
      .locator('.step')
      .evaluateAll((steps) => steps.map((step) => step.getAttribute('data-state')))
    expect(states).toEqual(Array.from({ length: 7 }, () => 'done'))
    // No secret is shown whole.
    const shown = await page.locator('#walk').textContent()
    expect(shown).not.toMatch(/hp[acr]_[\w-]{12}|eyJ[\w-]{12}/)
    const verifier = fieldOf(exchanged, 'code_verifier')
    expect(shown).toContain(`code_verifier=${verifier.slice(0, 10)}…`)
    expect(shown).not.toContain(verifier)
  })

  it('looks as in its recording on the site, which `npm run record:walk` makes anew', async () => {
    const { default: frames } = await import('../../docs/.vitepress/theme/walk/frames.json')
    const recorded = frames.flatMap(({ shown }) => (shown === undefined ? [] : [shown]))
    const shown: (readonly string[])[] = []
    await press('discover')
    shown.push(await shownOn(page))
    await press('register')
    await button('authorize').click()
    await page.getByLabel('Email').waitFor()
    shown.push(await shownOn(page))
    await signIn(page, 'ines.duarte@example.com')
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor()
    shown.push(await shownOn(page))
    expect(recorded.slice(0, 3)).toEqual(shown)
  })

  it('opens each button when its turn comes, and does nothing before', async () => {
    const asks = ['authorize', 'authorize.scope', 'authorize.resource']
    await button('register').dispatchEvent('click')
    expect(await page.locator('#walk-status').textContent()).toBe('')
    expect(await openActs()).toEqual(['discover'])
    await press('discover')
    expect(await openActs()).toEqual(['register', 'register.fixed'])
    await press('register')
    expect(await openActs()).toEqual(asks)
    await button('authorize').click()
    await signIn(page, 'ines.duarte@example.com')
    await page.getByRole('button', { name: 'Allow' }).click()
    await came('authorize')
    expect(await openActs()).toEqual([
      ...asks,
      'exchange',
      'exchange.verifier',
      'exchange.resource',
    ])
    await press('exchange')
    expect(await openActs()).toEqual([...asks, 'exchange.replay', 'use', 'refresh', 'revoke'])
    await press('revoke')
    expect(await openActs()).toEqual([...asks, 'use'])
  })

  it('stops at documents that do not fit together, and shows what they say as text', async () => {
    await page.route('**/.well-known/oauth-authorization-server', (route) =>
      route.fulfill({ json: { issuer: '<b>another school</b>' } }),
    )
    expect(await press('discover')).toMatchObject({ verdict: 'Refused', reason: null })
    expect(await responseOf('discover')).toContain('"issuer": "<b>another school</b>"')
    expect(await page.locator("[data-outcome='discover'] .check-refused").count()).toBe(3)
    expect(await page.locator('#walk b').count()).toBe(0)
    expect(await openActs()).toEqual(['discover'])
  })

  it('finds everything that is wrong with a forged ID token', async () => {
    await walkToCode()
    await page.route('**/api/oauth/token', async (route) => {
      const response = await route.fetch()
      const json = (await response.json()) as { id_token: string }
      await route.fulfill({ response, json: { ...json, id_token: forged(json.id_token) } })
    })
    expect(await press('exchange')).toMatchObject({ verdict: 'Refused' })
    expect((await checksOf('exchange')).filter((said) => said.startsWith('Refused'))).toEqual(
      ID_TOKEN_CHECKS.map((said) => `Refused: ${said}`),
    )
    expect(await openActs()).not.toContain('use')
  })

  it('does not go on without an ID token that the metadata promises', async () => {
    await walkToCode()
    await page.route('**/api/oauth/token', async (route) => {
      const response = await route.fetch()
      const { id_token: _, ...json } = (await response.json()) as Record<string, unknown>
      await route.fulfill({ response, json })
    })
    expect(await press('exchange')).toMatchObject({ verdict: 'Refused' })
    expect((await checksOf('exchange')).filter((said) => said.startsWith('Refused'))).toEqual([
      'Refused: Is there an id_token?',
    ])
  })

  it('does not call a token revoked that still opens UserInfo', async () => {
    await walkToCode()
    await press('exchange')
    await page.route('**/api/oauth/revoke', (route) => route.fulfill({ status: 200 }))
    expect(await press('revoke')).toMatchObject({ verdict: 'Refused', statuses: ['200', '200'] })
  })

  it('is refused an address on the web, and says with which reason', async () => {
    await press('discover')
    expect(await press('register.fixed')).toEqual({
      verdict: 'Refused',
      reason: 'redirect_uri_not_loopback',
      statuses: ['400'],
      decisions: [
        "decideRegistration → { ok: false, error: 'invalid_redirect_uri', reason: 'redirect_uri_not_loopback' }",
      ],
    })
    expect(await responseOf('register.fixed')).toContain('"error": "invalid_redirect_uri"')
    await notedLast('redirect_uri_not_loopback')
  })

  it.each([
    ['authorize.scope', 'invalid_scope', 'scope_unknown', 'decideScopes'],
    ['authorize.resource', 'invalid_target', 'resource_unknown', 'decideResource'],
  ])('comes back from %s with %s at once, without a sign-in', async (act, error, reason, part) => {
    await press('discover')
    await press('register')
    const refused = await press(act)
    expect({ ...refused, decisions: [] }).toEqual({
      verdict: 'Refused',
      reason,
      statuses: ['303'],
      decisions: [],
    })
    const answer = `{ ok: false, error: '${error}', reason: '${reason}' }`
    expect(refused.decisions.filter((text) => text.includes('ok: false'))).toEqual([
      `${part} → ${answer}`,
      `decideAuthorizationRequest → ${answer}`,
    ])
    expect(await responseOf(act)).toContain(`?error=${error}`)
    await notedLast(reason)
    // The client is still there, and the right request still works.
    expect(await button('authorize').getAttribute('aria-disabled')).toBe('false')
    expect(await button('exchange').getAttribute('aria-disabled')).toBe('true')
  })

  it.each([
    ['exchange.verifier', 'code_verifier_mismatch', 'verifyPkceS256'],
    ['exchange.resource', 'resource_mismatch', 'decideRepeatedResource'],
  ])('is refused %s, and the code stays alive for the right request', async (act, reason, part) => {
    await walkToCode()
    const refused = await press(act)
    expect({ ...refused, decisions: [] }).toEqual({
      verdict: 'Refused',
      reason,
      statuses: ['400'],
      decisions: [],
    })
    const answer = `{ ok: false, error: 'invalid_grant', reason: '${reason}' }`
    expect(refused.decisions.filter((text) => text.includes('ok: false'))).toEqual(
      expect.arrayContaining([`${part} → ${answer}`, `decideRedemption → ${answer}`]),
    )
    expect(await responseOf(act)).toContain('"error": "invalid_grant"')
    await notedLast(reason)
    expect(await press('exchange')).toMatchObject({ verdict: 'Passed', statuses: ['200', '200'] })
  })

  it('loses everything with a replayed code, and can begin again', async () => {
    await walkToCode()
    // Its own clock says nothing about the five seconds: here it stands still.
    // oxlint-disable-next-line no-restricted-properties -- by which the server runs as well
    await page.clock.setFixedTime(Date.now())
    await press('exchange')
    expect(await press('exchange.replay')).toMatchObject({
      verdict: 'Refused',
      reason: 'code_lost_race',
      statuses: ['400', '200'],
    })
    await notedLast('code_lost_race')
    // By the clock of the server it takes six seconds.
    const replay = async (): Promise<string | null> => {
      const isOpen = (await button('exchange.replay').getAttribute('aria-disabled')) === 'false'
      if (isOpen) await button('exchange.replay').click()
      return (await came('exchange.replay')).reason
    }
    await waitFor(async () => (await replay()) === 'code_replayed', { everyMilliseconds: 1000 })
    const refused = await came('exchange.replay')
    expect({ ...refused, decisions: refused.decisions.slice(-1) }).toEqual({
      verdict: 'Refused',
      reason: 'code_replayed',
      statuses: ['400', '401'],
      decisions: [
        "decideRedemption → { ok: false, error: 'invalid_grant', reason: 'code_replayed' }",
      ],
    })
    // The last one is the token at UserInfo.
    await notedLast('grant_revoked')
    expect(noted().at(-2)?.reason).toBe('code_replayed')
    const used = await press('use')
    expect(used).toEqual({
      verdict: 'Refused',
      reason: 'grant_revoked',
      statuses: ['401', '401', '401'],
      decisions: Array.from(
        { length: 3 },
        () => "decideAccess → { ok: false, error: 'invalid_token', reason: 'grant_revoked' }",
      ),
    })
    expect(await responseOf('use')).toContain('www-authenticate: Bearer error="invalid_token"')
    await notedLast('grant_revoked')
    await page.getByRole('button', { name: 'Start over' }).click()
    expect(await page.locator('[data-outcome]').count()).toBe(0)
    expect(await press('discover')).toMatchObject({ verdict: 'Passed' })
  })

  it('tells a student who cancels that nobody let the client in', async () => {
    await press('discover')
    await press('register')
    await button('authorize').click()
    await signIn(page, 'priya.nair@example.com')
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await came('authorize')).toMatchObject({ verdict: 'Refused', statuses: ['303'] })
    expect(await responseOf('authorize')).toContain('?error=access_denied')
    expect(await page.locator("[data-outcome='authorize']").innerText()).toContain(
      'person_not_staff',
    )
  })

  it.each([
    ['another state', 'state', 'foreign'],
    ['another iss', 'iss', 'https://another-school.example'],
  ])('does not take an answer with %s to its request', async (_, name, value) => {
    await press('discover')
    await press('register')
    const asking = page.waitForRequest(/\/oauth\/authorize\?/)
    await button('authorize').click()
    const sent = new URL((await asking).url()).searchParams
    const [state, nonce] = [sent.get('state')!, sent.get('nonce')!]
    for (const unguessable of [state, nonce]) expect(unguessable).toMatch(/^[\w-]{43}$/)
    expect(state).not.toBe(nonce)
    await page.getByLabel('Email').waitFor()
    const answer = new URLSearchParams({ code: 'hpc_stolen', state, iss: school.origin })
    answer.set(name, value)
    await page.goto(`${school.origin}/?${answer.toString()}`)
    expect(await came('authorize')).toMatchObject({ verdict: 'Refused', reason: null })
    const refused = page.locator("[data-outcome='authorize'] .check-refused")
    expect(await refused.locator('.check-answer').innerText()).toContain(value)
    expect(await refused.count()).toBe(1)
    expect(await button('exchange').getAttribute('aria-disabled')).toBe('true')
  })

  it('does not take an answer that this tab did not ask for', async () => {
    await page.goto(`${school.origin}/?code=stolen&state=foreign&iss=${school.origin}`)
    await page.getByText('This tab did not request this response.').waitFor()
    expect(page.url()).toBe(`${school.origin}/`)
    expect(await button('exchange').getAttribute('aria-disabled')).toBe('true')
  })
})

describe('the front page, in Chromium', () => {
  it('shows what came after it is loaded again, and keeps no secret', async () => {
    await walkToCode()
    await press('exchange')
    const shown = await page.locator('[data-outcome]').allInnerTexts()
    const kept = await page.evaluate(() => JSON.stringify(sessionStorage))
    expect(kept).not.toMatch(SECRET)
    await page.reload()
    expect(await page.locator('[data-outcome]').allInnerTexts()).toEqual(shown)
    expect(await page.locator('#walk-fault').innerText()).toContain('without its tokens')
    expect(await openActs()).toEqual(['authorize', 'authorize.scope', 'authorize.resource'])
    await page.getByRole('button', { name: 'Start over' }).click()
    await page.reload()
    expect(await page.locator('[data-outcome]').count()).toBe(0)
  })

  it('has nothing for axe to find, in light and dark, at its start and its end', async () => {
    expect(await axeViolations(page)).toEqual([])
    await walkToCode()
    await press('exchange.verifier')
    await press('exchange')
    await press('use')
    await press('revoke')
    await openAll()
    expect(await axeViolations(page)).toEqual([])
  })

  it('loads less than 64 KiB of script', async () => {
    const scripts: Promise<Buffer>[] = []
    page.on('response', (response) => {
      if (response.request().resourceType() === 'script') scripts.push(response.body())
    })
    await page.reload({ waitUntil: 'networkidle' })
    const bytes = (await Promise.all(scripts)).reduce((sum, { length }) => sum + length, 0)
    expect(scripts.length).toBe(1)
    expect(bytes).toBeGreaterThan(1000)
    expect(bytes).toBeLessThan(64 * 1024)
  })

  it('can be walked with the keyboard, which finds each button and the answer behind it', async () => {
    const focused = () =>
      page.evaluate(() => document.activeElement?.textContent?.replace(/\s+/g, ' ').trim() ?? '')
    const tabTo = async (label: string): Promise<void> => {
      for (let presses = 0; presses < 80; presses++) {
        await page.keyboard.press('Tab')
        if ((await focused()) === label) return
      }
      throw new Error(`the keyboard never came to ${label}`)
    }
    await tabTo('Read the documents')
    await page.keyboard.press('Enter')
    await came('discover')
    expect(await focused()).toBe('Read the documents')
    expect(await page.locator('#walk-status').textContent()).toMatch(/^Passed\. Three documents/)
    await tabTo('Register this page')
    await page.keyboard.press('Space')
    expect(await came('register')).toMatchObject({ verdict: 'Passed', statuses: ['201'] })
    await tabTo('Ask for access')
    expect(await button('authorize').getAttribute('aria-disabled')).toBe('false')
  })

  it('fits into 320 pixels at its start and with every answer open', async () => {
    await context.close()
    await visit({ viewport: { width: 320, height: 640 } })
    expect(await overflow()).toBeLessThanOrEqual(0)
    await walkToCode()
    await press('exchange')
    await press('use')
    await openAll()
    expect(await overflow()).toBeLessThanOrEqual(0)
  })

  it('lets somebody in with one press, and says who is here', async () => {
    await page.getByRole('button', { name: 'Sign in as Yuki' }).click()
    await page.getByRole('heading', { name: 'Hello, Yuki Tan' }).waitFor()
    expect(await page.locator('.person', { hasText: 'Yuki Tan' }).innerText()).toContain(
      'You’re signed in',
    )
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
  })
})

describe('the front page of a school that signs no ID tokens, in Chromium', () => {
  it('is walked to its end, and UserInfo says who it is', async () => {
    await page.goto(school.kiln)
    // The icon of the page before may have been asked for as it was left.
    requested.clear()
    await press('discover')
    await press('register')
    await button('authorize').click()
    await signIn(page, 'hao-yu.lin@example.com')
    await page.getByRole('button', { name: 'Allow' }).click()
    await came('authorize')
    expect(await press('exchange')).toMatchObject({ verdict: 'Passed', statuses: ['200'] })
    expect(await press('use')).toMatchObject({ verdict: 'Passed' })
    expect(await press('revoke')).toMatchObject({ verdict: 'Passed', statuses: ['200', '401'] })
    expect([...requested]).toEqual([school.kiln])
    requested.clear()
    requested.add(school.origin)
  })
})

describe('the walk on a page of the web, in Chromium', () => {
  it('goes through all steps with a client metadata document of its own', async () => {
    const before = page
    const web = await startWebExample()
    onTestFinished(() => {
      page = before
      return web.stop()
    })
    const { origin } = web
    ;({ page } = web)
    await page.goto(origin)
    expect(await page.locator('#step-register h3').innerText()).toBe('Introduce')
    await press('discover')
    const introduced = await press('register')
    expect(introduced).toEqual({
      verdict: 'Passed',
      reason: null,
      statuses: ['200'],
      decisions: [`decideDocument → { ok: true, document: { redirectUris: ['${origin}/'] } }`],
    })
    expect(await responseOf('register')).toContain(
      `"client_id": "${origin}/assets/walk-client.json"`,
    )
    await button('authorize').click()
    await signIn(page, 'ines.duarte@example.com')
    expect(await page.locator('main').innerText()).toMatch(/Identified by\s+school\.example/)
    await page.getByRole('button', { name: 'Allow' }).click()
    expect(await came('authorize')).toMatchObject({ verdict: 'Passed' })
    expect(await press('exchange')).toMatchObject({ verdict: 'Passed', statuses: ['200', '200'] })
    expect(await press('use')).toMatchObject({ verdict: 'Passed' })
    expect(await press('refresh')).toMatchObject({ verdict: 'Passed' })
    expect(await press('revoke')).toMatchObject({ verdict: 'Passed', statuses: ['200', '401'] })
  })
})

describe('the front page without script, in Chromium', () => {
  it('says what it would do, and lets somebody in', async () => {
    const still = await browser.newContext({ javaScriptEnabled: false })
    const tab = await still.newPage()
    await tab.goto(school.origin)
    expect(await tab.locator('#walk').innerText()).toContain('scripts are off in this browser')
    expect(await tab.locator('#walk button:visible').count()).toBe(0)
    expect(await tab.locator('.step h3').allInnerTexts()).toEqual([
      'Discover',
      'Register',
      'Authorize',
      'Exchange',
      'Use',
      'Refresh',
      'Revoke',
    ])
    await tab.getByRole('button', { name: 'Sign in as Ines' }).click()
    expect(await tab.locator('main').innerText()).toContain('Hello, Ines Duarte')
    await still.close()
  })
})
