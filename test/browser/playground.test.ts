import { execFile } from 'node:child_process'
import { createServer, type RequestListener } from 'node:http'
import { promisify } from 'node:util'
import type { Browser, BrowserContext, Page } from 'playwright-core'
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
import {
  type Preset,
  PRESETS,
  type StepId,
  STEPS,
  type Track,
} from '../../examples/school/testing.js'
import { axeViolations } from '../support/browser/axe.js'
import { launchChromium, signIn, watchPage } from '../support/browser/chromium.js'
import { type RunningExample, startExample } from '../support/processes/example.js'
import { startOidcProvider } from '../support/processes/oidc-provider.js'
import { openPort } from '../support/processes/ports.js'
import { waitFor } from '../support/processes/wait.js'
import { startWebExample } from '../support/browser/web-example.js'

let school: RunningExample
let browser: Browser
let context: BrowserContext
let page: Page
let requested: Set<string>
let problems: readonly string[]

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
beforeEach(() => visit())
afterEach(() => context.close())

const INES = 'ines.duarte@example.com'
const MEI = 'mei-ling.chou@example.com'

async function visit(options: Parameters<Browser['newContext']>[0] = {}): Promise<void> {
  context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  page = await context.newPage()
  // Chromium's word for what many presets want.
  const isRefusal = (error: string) => /responded with a status of 4\d\d/.test(error)
  ;({ requested, problems } = await watchPage(page, isRefusal))
  await open()
}

const open = async (fragment = ''): Promise<void> => {
  await page.goto(`${school.origin}/playground${fragment}`)
  await page.locator('#next').waitFor()
}

const idle = (): Promise<void> => page.locator('#playground:not([data-busy])').waitFor()
const outcomes = (step: StepId) => page.locator(`#step-${step} .outcome`)
const fault = (): Promise<string> => page.locator('#playground-fault').innerText()

/** The summary of the last outcome of a step: verdict, label and reason. */
async function last(step: StepId): Promise<string> {
  await idle()
  const summary = await outcomes(step).last().locator(':scope > summary').innerText()
  return summary.replace(/\s+/g, ' ').trim()
}

/** Sends the request of a step as a well-behaved client does. */
async function send(step: Exclude<StepId, 'authorize'>): Promise<string> {
  const reset = page.locator(`#step-${step} [data-reset]`)
  if (await reset.isVisible()) await reset.click()
  await page.locator(`#step-${step} [data-send]`).click()
  return last(step)
}

const named = (id: string, track: Track): Preset =>
  PRESETS.find((one) => one.id === id && isOn(one, track))!
const isOn = ({ tracks }: Preset, track: Track): boolean => tracks?.includes(track) ?? true

async function press({ id, step }: Preset): Promise<void> {
  const button = page.locator(`.step :is(.break, .other):not([hidden]) [data-preset='${id}']`)
  await page
    .locator(`#step-${step} .breaks`)
    .evaluateAll((all) => all.forEach((one) => one.setAttribute('open', '')))
  await button.click()
}

const breakOf = (id: string) =>
  page.locator('.break:not([hidden])', { has: page.locator(`[data-preset='${id}']`) })

/** Presses a preset, and returns what its step says after it: the reason, or the verdict. */
async function broken(preset: Preset): Promise<string> {
  await press(preset)
  await idle()
  const { step } = preset
  const [reason] = await outcomes(step).last().locator(':scope > summary code').allInnerTexts()
  return `${preset.id}: ${reason ?? (await last(step)).split(' ', 1)[0]}`
}

/** Serves on this computer until the test has finished. */
async function serve(listener: RequestListener): Promise<{ origin: string; close: () => void }> {
  const server = createServer(listener)
  const port = await openPort(server)
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  onTestFinished(close)
  return { origin: `http://127.0.0.1:${port}`, close }
}

/** Waits until the browser has come back to the playground from a request, and returns what the step says. */
const returned = async (
  { label }: { label: string } = { label: 'as it should be' },
): Promise<string> => {
  await outcomes('authorize').last().locator(':scope > summary', { hasText: label }).waitFor()
  return last('authorize')
}

/** Goes to the authorization endpoint with a preset, and returns what the step says after that. */
async function away(
  id: string,
  act: () => Promise<void> = () => Promise.resolve(),
): Promise<string> {
  const preset = named(`authorize.${id}`, 'operator')
  await press(preset)
  await act()
  return returned(preset)
}

/** Goes to the authorization endpoint and comes back with a code. */
async function authorize(email: string): Promise<string> {
  const reset = page.locator('#step-authorize [data-reset]')
  if (await reset.isVisible()) await reset.click()
  await page.locator('#step-authorize [data-send]').click()
  await signIn(page, email)
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  return returned()
}

const choose = async (track: Track): Promise<void> => {
  await page.locator(`input[value=${track}]`).check()
  await page.getByText('Nothing has been sent.').first().waitFor({ state: 'attached' })
}

/** Steps 1 to 4. */
async function getTokens(email: string): Promise<void> {
  await send('discover')
  await send('register')
  await authorize(email)
  expect(await send('exchange')).toBe('Passed as it should be')
}

const SECRET = /hp[acr]_[\w-]{14}|eyJ[\w-]{14}/
const everything = (): Promise<string> =>
  page.evaluate(
    () =>
      document.documentElement.outerHTML +
      JSON.stringify([localStorage, sessionStorage]) +
      [...document.querySelectorAll('input, textarea')]
        .map((one) => (one as HTMLInputElement).value)
        .join(' '),
  )

describe('the playground, in Chromium', () => {
  it('goes through the flow with the one button that is always in sight', async () => {
    const next = page.locator('#next')
    for (const step of ['discover', 'register'] as const) {
      await next.click()
      expect(await last(step)).toBe('Passed as it should be')
      expect(await next.evaluate((one) => one.getBoundingClientRect().bottom)).toBeLessThanOrEqual(
        await page.evaluate(() => innerHeight),
      )
    }
    expect(await next.innerText()).toBe('Next: Authorize')
    await next.click()
    await signIn(page, INES)
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    expect(await returned()).toBe('Passed as it should be')
    expect(page.url()).toBe(`${school.origin}/playground`)
    expect(await page.locator('#code-age').innerText()).toMatch(/for (?:60|5\d) more seconds/)
    for (const step of ['exchange', 'use', 'refresh', 'revoke'] as const) {
      await next.click()
      expect(await last(step)).toBe('Passed as it should be')
    }
    expect(await next.innerText()).toBe('Start over')
    expect(await page.locator('#code-age').isHidden()).toBe(true)
    const claims = page.locator('#step-exchange .exchange', { hasText: 'id_token' }).last()
    expect(await claims.textContent()).toContain('"name": "Ines Duarte"')
    const drawn = await page.locator('.hop .hop-label').allInnerTexts()
    expect(drawn.slice(-5)).toEqual([
      'POST /api/oauth/token',
      'GET /.well-known/jwks.json',
      'GET /api/oauth/userinfo',
      'POST /api/oauth/token',
      'POST /api/oauth/revoke',
    ])
    expect(await page.locator('.hop-says').allInnerTexts()).toEqual(['Allow'])
    expect(await page.locator('.hop-back').last().innerText()).toBe('200')
    expect(await page.locator('main .button-main:visible').count()).toBe(1)
    expect(await everything()).not.toMatch(SECRET)
    expect(problems).toEqual([])
    expect([...requested]).toEqual([school.origin])
  })

  it('is an app for members', async () => {
    await choose('member')
    await getTokens(MEI)
    await press(named('use.account', 'member'))
    expect(await last('use')).toContain('Passed')
    expect(await outcomes('use').last().innerText()).toContain('"name": "Mei-Ling Chou"')
  })

  it('is an agent at /mcp', async () => {
    await choose('mcp')
    await getTokens(INES)
    expect(await send('use')).toBe('Passed as it should be')
    expect(await outcomes('use').last().innerText()).toContain('"list_courses"')
    expect(await broken(named('use.call', 'mcp'))).toBe('use.call: Passed')
    expect(await outcomes('use').last().innerText()).toContain('Charcoal')
  })

  it('comes back from a person who is no staff', async () => {
    await send('discover')
    await send('register')
    const asStudent = async (): Promise<void> => {
      await signIn(page, MEI)
      await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    }
    expect(await away('person_not_staff', asStudent)).toContain('person_not_staff')
  })

  it('discards a response to another request, of another server, and of another sign-in', async () => {
    await send('discover')
    await send('register')
    const allow = (): Promise<void> =>
      page.getByRole('button', { name: 'Allow', exact: true }).click()
    const signInAndAllow = async (): Promise<void> => {
      await signIn(page, INES)
      await allow()
    }
    expect(await away('wrong_state', signInAndAllow)).toBe('Refused A response to another request')
    expect(await outcomes('authorize').last().innerText()).toContain('state: the response belongs')
    expect(await page.locator('#step-exchange [data-send]').getAttribute('aria-disabled')).toBe(
      'true',
    )
    expect(await away('mixed_up_iss', allow)).toBe('Refused A response of another server')
    expect(await away('wrong_nonce', allow)).toBe('Passed Another nonce, which the exchange finds')
    expect(await send('exchange')).toBe('Refused as it should be')
    expect(
      await outcomes('exchange').last().locator('.check-refused > p:first-child').allTextContents(),
    ).toEqual(['Refused: nonce: belongs to this request'])
    expect(await page.locator('#step-use [data-send]').getAttribute('aria-disabled')).toBe('true')
  })

  it('counts down while a code can be exchanged, and says what a break is not for', async () => {
    await send('discover')
    await send('register')
    await authorize(INES)
    await page.locator('#step-exchange .breaks > summary').click()
    const expired = breakOf('exchange.code_expired')
    expect(await expired.locator('[data-preset]').isDisabled()).toBe(true)
    expect(await expired.locator('.break-first').innerText()).toMatch(/^It waits for a code that/)
    // The page believes that a minute has passed. The school does not.
    await page.clock.install()
    await page.clock.fastForward(61_000)
    await page.locator('#code-age', { hasText: 'The code has expired.' }).waitFor()
    await expired.locator('[data-preset]:enabled').click()
    expect(await last('exchange')).toBe('Not this one A code older than 60 seconds')
    expect(await outcomes('exchange').last().locator('.outcome-said').first().innerText()).toBe(
      'Not what this break is for: code_expired. It needs: a code that is older than 60 seconds, and was not exchanged.',
    )
  })

  it('leaves once for what a break needs, however slow the next page is', async () => {
    await send('discover')
    await send('register')
    let asked = 0
    // With this response a browser stays where it is, as it does while the next page is slow.
    await page.route('**/oauth/authorize?*', (route) => {
      asked++
      return route.fulfill({ status: 204 })
    })
    await page.clock.install()
    await page.locator('#step-exchange .breaks > summary').click()
    await page
      .locator('#step-exchange .breaks-first button')
      .evaluate((one: HTMLButtonElement) => one.click())
    await waitFor(() => asked > 0, { what: 'the browser leaves' })
    await page.clock.runFor(5000)
    expect(asked).toBe(1)
  })

  it('leads to the school at which a break is refused, on its own page', async () => {
    await page.locator('#step-refresh .breaks > summary').click()
    const reused = breakOf('refresh.refresh_token_reused')
    await reused.getByRole('button', { name: 'Open that page' }).click()
    await page.getByText('and about “A refresh token that was used before”').waitFor()
    expect(new URL(page.url()).origin).toBe(school.kiln)
    expect(await page.locator('.outcome, .hop').count()).toBe(0)
    await reused.getByRole('button', { name: 'Do that first' }).click()
    await signIn(page, 'hao-yu.lin@example.com')
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await outcomes('refresh').last().getByText('refresh_token_reused').first().waitFor()
    expect(await last('refresh')).toBe(
      'Refused A refresh token that was used before refresh_token_reused',
    )
    await press(named('use.grant_revoked', 'operator'))
    expect(await last('use')).toContain('grant_revoked')
  })
})

describe('the playground and two schools, in Chromium', () => {
  it('shows that the token of one means nothing to the other', async () => {
    await page.locator('#step-use .breaks > summary').click()
    const other = breakOf('use.token_of_other_school')
    await other.getByRole('button', { name: 'Do that first' }).click()
    await signIn(page, INES)
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await outcomes('use').last().waitFor()
    expect(await last('use')).toContain('The token of the other school access_token_unknown')
    expect(await page.getByLabel('Server').inputValue()).toBe(school.kiln)
    expect([...requested].toSorted()).toEqual([school.origin, school.kiln].toSorted())
  })
})

describe('the playground and other servers, in Chromium', () => {
  const use = async (address: string): Promise<void> => {
    await page.getByLabel('Server').fill(address)
    await page.getByRole('button', { name: 'Use this server' }).click()
  }

  it('goes through the flow of oidc-provider, and says what it lacks', async () => {
    const other = await startOidcProvider({ redirectUris: [`${school.origin}/playground`] })
    onTestFinished(other.close)
    await use(other.origin)
    expect(await send('discover')).toBe('Passed as it should be')
    const lacks = await outcomes('discover')
      .locator('.check-refused > p:first-child')
      .allTextContents()
    expect(lacks).toEqual([
      'Refused: The resource describes itself, and names its authorization server',
      'Refused: Clients can have a metadata document',
    ])
    // It lets no page register, and says so only by saying nothing.
    await page.locator('#step-register [data-send]').click()
    await page.getByText('enter its client_id').waitFor()
    await page.getByText('Use a client that the server knows').click()
    await page.getByLabel('client_id', { exact: true }).fill('known')
    await page.getByRole('button', { name: 'Use this client' }).click()
    await page.locator('#step-authorize [data-send]').click()
    await page.locator('input[name=login]').fill('mei')
    await page.locator('input[name=password]').fill('anything')
    await page.locator('button[type=submit]').click()
    await page.getByText('Authorize', { exact: true }).waitFor()
    await page.locator('button[type=submit]').click()
    expect(await returned()).toBe('Passed as it should be')
    expect(await send('exchange')).toBe('Passed as it should be')
    expect(await outcomes('exchange').last().innerText()).toContain('"alg": "RS256"')
    expect(await send('use')).toBe('Passed as it should be')
    expect(await outcomes('use').last().innerText()).toContain('"sub": "mei"')
    await press(named('exchange.code_verifier_mismatch', 'operator'))
    expect(await last('exchange')).toBe('Refused A verifier that was guessed invalid_grant')
    await press(named('use.access_token_unknown', 'operator'))
    expect(await last('use')).toContain('invalid_token')
  })

  it('tells a server that no page may read from one that is not there', async () => {
    const silent = await serve((_, response) => response.end('{}'))
    await use(silent.origin)
    await page.locator('#step-discover [data-send]').click()
    await page.getByText('lets no page of another origin read its metadata (CORS)').waitFor()
    silent.close()
    await page.locator('#step-discover [data-send]').click()
    await page.getByText('Nothing responds at this address.').waitFor()
    await use('http://school.example')
    expect(await fault()).toContain('https, or http on this computer')
  })

  it.each([
    ['another server', () => ({ issuer: school.origin })],
    // Its code would come from the school and go to the server of the attacker (RFC 9700, section 4.4).
    ['an attacker in between', (own: string) => ({ issuer: own, token_endpoint: `${own}/token` })],
    ['a script', (own: string) => ({ issuer: own, authorization_endpoint: 'javascript:alert(1)' })],
  ])('stops at metadata of %s', async (_, membersOf) => {
    const { origin: own } = await serve((_request, response) => {
      response.setHeader('access-control-allow-origin', '*')
      const endpoints = {
        authorization_endpoint: `${school.origin}/oauth/authorize`,
        token_endpoint: `${school.origin}/api/oauth/token`,
      }
      response.end(JSON.stringify({ ...endpoints, ...membersOf(own) }))
    })
    await use(own)
    expect(await send('discover')).toBe('Refused as it should be')
    expect(await page.locator('#step-register [data-send]').getAttribute('aria-disabled')).toBe(
      'true',
    )
  })

  it('is on the web a client with a metadata document, which needs no registration', async () => {
    const before = page
    const web = await startWebExample()
    onTestFinished(() => {
      page = before
      return web.stop()
    })
    const { origin } = web
    ;({ page } = web)
    await page.goto(`${origin}/playground`)
    await page.locator('#next').waitFor()
    await getTokens(INES)
    expect(await outcomes('register').last().textContent()).toContain(
      `"client_id": "${origin}/playground/client.json"`,
    )
    expect(await send('use')).toBe('Passed as it should be')
  })
})

describe('a link to the playground, in Chromium', () => {
  const link = (fields: Record<string, string>): string =>
    `#${new URLSearchParams(fields).toString()}`

  it('sends nothing, names its server, and has the request of whoever copied it', async () => {
    await getTokens(INES)
    await broken(named('exchange.code_verifier_mismatch', 'operator'))
    await outcomes('exchange').last().getByRole('button', { name: 'Copy link' }).click()
    await page.getByText('Copied. It contains no secret.').waitFor({ state: 'attached' })
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(decodeURIComponent(copied)).toContain('p.code={code}')
    expect(copied).not.toMatch(SECRET)

    await context.close()
    await visit()
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto('about:blank')
    await page.goto(copied)
    await page.getByText(`This link is about ${school.origin}`).waitFor()
    expect(asked.filter((path) => !/^\/playground|^\/assets|^blank$/.test(path))).toEqual([])
    expect(await page.getByLabel('Value of code_verifier').inputValue()).toBe('{random}')
    expect(await outcomes('exchange').count()).toBe(0)
  })

  it('cannot have a token sent to somebody else', async () => {
    const taken: string[] = []
    const thief = await serve((_, response) => {
      response.setHeader('access-control-allow-origin', '*')
      response.setHeader('access-control-allow-headers', '*')
      taken.push('something')
      response.end('{}')
    })
    await open(
      link({
        to: school.origin,
        step: 'use',
        send: `GET ${thief.origin}/`,
        'h.authorization': 'Bearer {access_token}',
      }),
    )
    // The request of the link stays while the person goes through the steps before it.
    await getTokens(INES)
    expect(await page.getByLabel('Address of step use').inputValue()).toBe(`${thief.origin}/`)
    await page.locator('#step-use [data-send]').click()
    await page.getByText(`it would give {access_token} to ${thief.origin}`).waitFor()
    expect(taken).toEqual([])
  })

  it.each([
    ['javascript:document.body.remove()//', 'javascript:'],
    ['https://evil.example/sign-in', 'https://evil.example'],
  ])('cannot have the browser go to %s', async (address, where) => {
    await open(link({ to: school.origin, step: 'authorize', send: `GET ${address}` }))
    await page.locator('#step-authorize [data-send]').click()
    await page.getByText(`This request was not sent: it would go to ${where}`).waitFor()
    expect(new URL(page.url()).pathname).toBe('/playground')
  })

  it.each([
    '#to=javascript:alert(1)',
    '#to=http://school.example',
    '#to=https://a:b@school.example',
    '#nothing',
  ])('is ignored if it is %s', async (fragment) => {
    await open(fragment)
    expect(await page.locator('#playground-link').isHidden()).toBe(true)
    expect(await page.getByLabel('Server').inputValue()).toBe(school.origin)
  })

  it('does not look at a response that this tab did not ask for', async () => {
    await page.goto(`${school.origin}/playground?code=stolen&state=x&iss=${school.origin}`)
    await page.getByText('This tab did not request this response').waitFor()
    expect(page.url()).toBe(`${school.origin}/playground`)
    expect(await everything()).not.toContain('stolen')
  })
})

describe('the page of the playground, in Chromium', () => {
  it('copies requests that run: as curl and as TypeScript, without secrets', async () => {
    await getTokens(INES)
    const used = page.waitForRequest('**/api/oauth/userinfo')
    await send('use')
    const token = (await (await used).headerValue('authorization'))!.slice('Bearer '.length)
    const copy = async (label: string): Promise<string> => {
      await outcomes('use').last().getByRole('button', { name: label }).click()
      await page.getByText('Secrets are variables').waitFor({ state: 'attached' })
      return page.evaluate(() => navigator.clipboard.readText())
    }
    const env = { ...process.env, ACCESS_TOKEN: token }
    const run = promisify(execFile)
    const curl = await copy('Copy as curl')
    expect(curl).toContain('"$ACCESS_TOKEN"')
    expect(curl).not.toMatch(SECRET)
    expect((await run('bash', ['-c', `${curl} -s`], { env })).stdout).toContain('Ines Duarte')
    const typescript = await copy('Copy as TypeScript')
    expect(typescript).not.toMatch(SECRET)
    const javascript = typescript.replaceAll(/(process\.env\.\w+)!/g, '$1')
    const ran = await run('node', ['--input-type=module', '-e', javascript], { env })
    expect(ran.stdout).toContain('Ines Duarte')
  })

  it('lets each part of a request be changed, and says what it still needs', async () => {
    await send('discover')
    expect(await page.locator('#step-exchange .draft-missing').innerText()).toContain('step 2')
    await send('register')
    await page.locator('#step-authorize .draft-edit summary').click()
    await page.getByLabel('Value of scope').fill('openid homework:read')
    await page.getByLabel('Value of scope').blur()
    await page.getByRole('button', { name: 'Remove nonce' }).click()
    const asked = page.waitForRequest('**/oauth/authorize?*')
    await page.locator('#step-authorize [data-send]').click()
    const { searchParams } = new URL((await asked).url())
    expect([searchParams.get('scope'), searchParams.has('nonce')]).toEqual([
      'openid homework:read',
      false,
    ])
    expect(await returned({ label: 'edited' })).toBe('Refused edited scope_unknown')
    await page.locator('#step-authorize [data-reset]').click()
    expect(await page.getByLabel('Value of scope').inputValue()).toBe('{scope}')
  })

  it('makes the challenge of the verifier that somebody types', async () => {
    await page.getByText('How a challenge is made').click()
    // RFC 7636, appendix B.
    await page.getByText('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM').waitFor()
  })

  it('leaves with every parameter for a request that was changed to POST, as the browser can: with GET', async () => {
    await send('discover')
    await send('register')
    await page.locator('#step-authorize .draft-edit > summary').click()
    await page.locator('#step-authorize .draft select').selectOption('POST')
    await page.locator('#step-authorize [data-send]').click()
    await signIn(page, INES)
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    expect(await returned({ label: 'edited' })).toBe('Passed edited')
  })

  it('moves while a request is on its way, and says what comes of none', async () => {
    await page.route('**/.well-known/oauth-protected-resource', async (route) => {
      await page.locator('.hop-moving').waitFor()
      await route.continue()
    })
    expect(await send('discover')).toBe('Passed as it should be')
    expect(await page.locator('.hop-moving').count()).toBe(0)
    await page.route('**/api/oauth/register', (route) => route.abort())
    await page.locator('#step-register [data-send]').click()
    await page.getByText('There was no response that this page may read.').waitFor()
    expect(await page.locator('.hop-moving').count()).toBe(0)
  })

  it('shows what came after it is loaded again, and keeps no secret', async () => {
    await getTokens(INES)
    const shown = await page.locator('.outcome > summary').allInnerTexts()
    expect(await everything()).not.toMatch(SECRET)
    await page.reload()
    await page.locator('#next').waitFor()
    expect(await page.locator('.outcome > summary').allInnerTexts()).toEqual(shown)
    expect(await fault()).toContain('without its tokens')
    expect(await page.locator('#step-use [data-send]').getAttribute('aria-disabled')).toBe('true')
  })

  it('loads less than 60 kB of script, and runs none that is made of text', async () => {
    const scripts: Promise<Buffer>[] = []
    page.on('response', (response) => {
      if (response.request().resourceType() === 'script') scripts.push(response.body())
    })
    await page.reload({ waitUntil: 'networkidle' })
    const bytes = (await Promise.all(scripts)).reduce((sum, { length }) => sum + length, 0)
    expect(scripts.length).toBe(1)
    expect(bytes).toBeGreaterThan(1000)
    expect(bytes).toBeLessThan(60_000)
    const { headers } = await fetch(`${school.origin}/playground`)
    expect(headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'")
    const front = (await fetch(school.origin)).headers.get('content-security-policy')
    expect(front).toContain("connect-src 'self';")
  })

  it('moves nothing while it loads', async () => {
    for (const width of [390, 1280, 1440]) {
      const own = await browser.newContext({ viewport: { width, height: 900 } })
      const tab = await own.newPage()
      await tab.addInitScript(() => {
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[])
            document.documentElement.dataset['shift'] = String(
              Number(document.documentElement.dataset['shift'] ?? 0) + entry.value,
            )
        }).observe({ type: 'layout-shift', buffered: true })
      })
      await tab.goto(`${school.origin}/playground`)
      await tab.locator('#next[data-next=discover]').waitFor()
      // A frame is drawn, and the observer hears of it.
      await tab.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      )
      expect(await tab.evaluate(() => document.documentElement.dataset['shift'] ?? '0')).toBe('0')
      await own.close()
    }
  })

  it('shows in “What was sent” each response with its reason, and leads to its outcome', async () => {
    await page.setViewportSize({ width: 1280, height: 500 })
    await getTokens(INES)
    await broken(named('exchange.code_verifier_mismatch', 'operator'))
    await send('use')
    expect(await page.locator('#step-exchange .draft-edit').getAttribute('open')).toBeNull()
    const isInSight = (): Promise<boolean> =>
      page.locator('#sequence').evaluate((list) => {
        const { top, bottom } = list.getBoundingClientRect()
        const last = list.lastElementChild!.getBoundingClientRect()
        return list.scrollHeight > list.clientHeight && last.top >= top && last.bottom <= bottom + 1
      })
    expect(await isInSight()).toBe(true)
    const hop = page.locator('.hop', { hasText: 'code_verifier_mismatch' })
    expect((await hop.locator('.hop-back').innerText()).split(/\s+/)).toEqual([
      '400',
      'code_verifier_mismatch',
    ])
    expect(
      await hop.locator('.hop-back').evaluate((one) => getComputedStyle(one).borderBottomStyle),
    ).toBe('dashed')
    // The page has the reasons from the log, not from a table of its own.
    expect(school.output()).toContain('"reason":"code_verifier_mismatch"')
    const source = outcomes('exchange').locator('.why a').last()
    expect(await source.getAttribute('href')).toMatch(
      /^https:\/\/www\.rfc-editor\.org\/rfc\/rfc\d+#section-/,
    )
    await hop.getByRole('button').click()
    const { line, isOpen } = await page.evaluate(() => ({
      line: document.activeElement?.textContent ?? '',
      isOpen: document.activeElement?.parentElement?.hasAttribute('open'),
    }))
    expect([isOpen, line]).toEqual([true, expect.stringContaining('A verifier that was guessed')])
  })

  it('can be told apart in forced colours: the page that is open, the lanes and the bar', async () => {
    await send('discover')
    await page.emulateMedia({ forcedColors: 'active' })
    const seen = await page.evaluate(() => {
      const style = (selector: string, pseudo?: string): CSSStyleDeclaration =>
        getComputedStyle(document.querySelector(selector)!, pseudo)
      return {
        places: ['.places [aria-current]', '.places a:not([aria-current])'].map(
          (one) => style(one).borderBottomColor,
        ),
        lanes: ['::before', '::after'].map((one) => style('.hop', one).borderLeftWidth),
        page: style('body').backgroundColor,
        bar: [style('.next-bar').backgroundColor, style('.next-bar').borderTopWidth],
      }
    })
    expect(seen.places[0]).not.toBe(seen.places[1])
    expect(seen.places[1]).toBe(seen.page)
    expect(seen.lanes).toEqual(['2px', '2px'])
    expect(seen.bar).toEqual([seen.page, '2px'])
  })

  it('has nothing for axe to find, in light and dark, with everything open, and fits 320 pixels', async () => {
    await getTokens(INES)
    await broken(named('use.access_token_unknown', 'operator'))
    await broken(named('exchange.code_verifier_mismatch', 'operator'))
    await page
      .locator('main details')
      .evaluateAll((all) => all.forEach((one) => one.setAttribute('open', '')))
    expect(await axeViolations(page)).toEqual([])
    await page.setViewportSize({ width: 320, height: 700 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320)
  })

  it('can be read without script: each reason with what it means', async () => {
    const still = await browser.newContext({ javaScriptEnabled: false })
    const tab = await still.newPage()
    await tab.goto(`${school.origin}/playground`)
    expect(await tab.locator('main button:visible, main input:visible').count()).toBe(0)
    expect(await tab.locator('.step h3').count()).toBe(STEPS.length)
    await tab.getByText('Break it:').nth(2).click()
    await tab.getByText('The code verifier does not match the code challenge.').waitFor()
    await still.close()
  })
})
