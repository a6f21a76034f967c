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
} from '../../examples/school/src/playground/presets.js'
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

/** Presses a preset, and returns what its step says after it: the reason, or the verdict. */
async function broken(preset: Preset): Promise<string> {
  await press(preset)
  await idle()
  const { step } = preset
  const [reason] = await outcomes(step).last().locator(':scope > summary code').allInnerTexts()
  return `${preset.id}: ${reason ?? (await last(step)).split(' ', 1)[0]}`
}

/** Presses each of these presets, and finds that the school refused each for its own reason. */
async function breakAll(presets: readonly Preset[]): Promise<void> {
  const found: string[] = []
  for (const preset of presets) found.push(await broken(preset))
  expect(found).toEqual(presets.map(({ id, refused }) => `${id}: ${refused?.reason ?? 'Passed'}`))
}

/** The presets of a step on a track that need nothing but the steps before it. */
const presetsOf = (step: StepId, track: Track): readonly Preset[] =>
  PRESETS.filter(
    (one) =>
      one.step === step &&
      isOn(one, track) &&
      one.refused !== undefined &&
      one.at !== 'Kiln & Coil' &&
      one.needs === undefined &&
      !one.note?.startsWith('Then'),
  )

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
  await page.getByRole('button', { name: 'Allow' }).click()
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
    await page.getByRole('button', { name: 'Allow' }).click()
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
    expect(await everything()).not.toMatch(SECRET)
    expect(problems).toEqual([])
    expect([...requested]).toEqual([school.origin])
  })

  it('is refused for each reason that staff’s apps can cause', async () => {
    await send('discover')
    await send('register')
    await breakAll(presetsOf('register', 'operator'))
    await send('register')
    await breakAll(
      presetsOf('authorize', 'operator').filter(({ id }) => id !== 'authorize.person_signed_out'),
    )
    await authorize(INES)
    await breakAll(presetsOf('exchange', 'operator'))
    await send('exchange')
    await breakAll(presetsOf('use', 'operator'))
    expect(await broken(named('use.scope_not_granted', 'operator'))).toBe(
      'use.scope_not_granted: scope_not_granted',
    )
    await breakAll(presetsOf('refresh', 'operator'))
    await send('refresh')
    expect(await broken(named('refresh.refresh_retry_differs', 'operator'))).toBe(
      'refresh.refresh_retry_differs: refresh_retry_differs',
    )
    await breakAll(presetsOf('revoke', 'operator'))
    expect(await send('revoke')).toBe('Passed as it should be')
    await breakAll([
      named('use.grant_revoked', 'operator'),
      named('refresh.grant_revoked', 'operator'),
    ])
    const source = outcomes('exchange').locator('.why a').last()
    expect(await source.getAttribute('href')).toMatch(
      /^https:\/\/www\.rfc-editor\.org\/rfc\/rfc\d+#section-/,
    )
    // The page has the reasons from the log, not from a table of its own.
    expect(school.output()).toContain('"reason":"code_verifier_mismatch"')
    expect(problems).toEqual([])
  })

  it('is refused for each reason that members’ apps can cause', async () => {
    await choose('member')
    await send('discover')
    expect(await send('register')).toBe('Passed as it should be')
    await breakAll(
      ['authorize.scope_for_staff', 'authorize.resource_missing'].map((id) => named(id, 'member')),
    )
    await authorize(MEI)
    await send('exchange')
    await breakAll(presetsOf('use', 'member'))
    expect(await broken(named('use.account', 'member'))).toBe('use.account: Passed')
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

  it('comes back from a person who cancels, who is no staff, and from one who is not asked', async () => {
    await send('discover')
    await send('register')
    expect(await away('person_signed_out')).toContain('person_signed_out')
    const cancel = async (): Promise<void> => {
      await signIn(page, INES)
      await page.getByRole('button', { name: 'Cancel' }).click()
    }
    expect(await away('person_denied', cancel)).toContain('person_denied')
    expect(await away('consent_missing')).toContain('consent_missing')
    // An age of 0 is more than a second, because times are in seconds.
    await waitFor(async () => (await away('sign_in_not_fresh')).includes('sign_in_not_fresh'))

    await context.clearCookies()
    const asStudent = async (): Promise<void> => {
      await signIn(page, MEI)
      await page.getByRole('button', { name: 'Cancel' }).click()
    }
    expect(await away('person_not_staff', asStudent)).toContain('person_not_staff')
  })

  it('discards a response to another request, of another server, and of another sign-in', async () => {
    await send('discover')
    await send('register')
    const allow = (): Promise<void> => page.getByRole('button', { name: 'Allow' }).click()
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

  it('shows a code that is used again, at once and later, and what that ends', async () => {
    await getTokens(INES)
    expect(await broken(named('exchange.code_lost_race', 'operator'))).toMatch(/code_lost_race$/)
    const isReplayed = async (): Promise<boolean> =>
      (await broken(named('exchange.code_replayed', 'operator'))).endsWith('code_replayed')
    await waitFor(isReplayed, {
      what: 'the code is too old to have lost a race',
      everyMilliseconds: 1000,
    })
    expect(await broken(named('use.grant_revoked', 'operator'))).toMatch(/grant_revoked$/)
  })

  it('shows a code that expires, with the seconds that it still has', async () => {
    await send('discover')
    await send('register')
    await authorize(INES)
    await page.locator('#code-age', { hasText: 'The code has expired.' }).waitFor()
    const isExpired = async (): Promise<boolean> =>
      (await broken(named('exchange.code_expired', 'operator'))).endsWith('code_expired')
    await waitFor(isExpired, {
      what: 'the code has expired at the server',
      everyMilliseconds: 1000,
    })
  })

  it('shows a stolen refresh token at the other school, which allows no second use', async () => {
    await page.getByLabel('Server').fill(school.kiln)
    await page.getByRole('button', { name: 'Use this server' }).click()
    await getTokens('hao-yu.lin@example.com')
    await send('refresh')
    await send('refresh')
    expect(await broken(named('refresh.refresh_token_reused', 'operator'))).toMatch(
      /refresh_token_reused$/,
    )
    expect(await broken(named('use.grant_revoked', 'operator'))).toMatch(/grant_revoked$/)
    expect([...requested].toSorted()).toEqual([school.origin, school.kiln].toSorted())
  })
})

describe('the playground and two schools, in Chromium', () => {
  it('shows that the token of one means nothing to the other', async () => {
    await getTokens(INES)
    await page.getByLabel('Server').fill(school.kiln)
    await page.getByRole('button', { name: 'Use this server' }).click()
    await send('discover')
    expect(await broken(named('use.token_of_other_school', 'operator'))).toBe(
      'use.token_of_other_school: access_token_unknown',
    )
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
    await page.getByRole('button', { name: 'Allow' }).click()
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

  it('has nothing for axe to find, in light and dark, with everything open, and fits 320 pixels', async () => {
    await getTokens(INES)
    await broken(named('use.grant_revoked', 'operator'))
    await broken(named('exchange.code_lost_race', 'operator'))
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
