import { type Check } from '../check.js'
import { type Finding, held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import type { Audit } from '../engine/audit.js'
import type { Browser, JarEntry, Page } from '../engine/browser.js'
import type { Answer } from '../engine/http.js'
import { answerForms, type Credentials, decisionOf, signInFormOf } from '../sign-in.js'
import { CROSS_SITE, framing } from './expect.js'

/** A person who signed in with a browser that was never here before. */
interface Fresh {
  /** The page that asked for a password. */
  readonly page: Page
  /** The same browser as it was then, and as it is now. */
  readonly before: Browser
  readonly browser: Browser
  /** The page after the form, with the redirects to it. */
  readonly after: Page
}

/** The most pages of a sign-in: one for the name, one for the password, and a few more. */
const MOST_PAGES = 5

function personOf({ signIn }: Audit): Credentials {
  if (signIn === null) throw new Stop(notReached('no person signs in: give --sign-in'))
  return signIn.people[0]
}

/** Opens an authorization request, which shows a sign-in form unless a person is signed in. */
async function open(on: Audit, browser: Browser): Promise<Page> {
  const { url } = on.request(await on.client(), { prompt: 'consent' })
  return browser.open(url)
}

/** Fills in the forms that ask who the person is. */
async function enter(on: Audit, browser: Browser, page: Page): Promise<Page> {
  const person = personOf(on)
  const answer = on.signIn?.answer ?? answerForms
  let shown = page
  for (let pages = 0; pages < MOST_PAGES && signInFormOf(shown, person) !== null; pages++)
    shown = await answer({ browser, page: shown, person, allow: true })
  return shown
}

/** The form that asks for a password, or stops. */
function formOf(on: Audit, page: Page) {
  const filled = signInFormOf(page, personOf(on))
  if (filled === null)
    throw new Stop(notReached(`${page.url.pathname} (${page.status}) shows no form to sign in`))
  return filled
}

const freshOf = (on: Audit): Promise<Fresh> =>
  on.once('a fresh sign-in', async () => {
    const browser = on.browser(null)
    const page = await open(on, browser)
    formOf(on, page)
    const before = browser.copy()
    const after = await enter(on, browser, page)
    if (signInFormOf(after, personOf(on)) !== null)
      throw new Stop(notReached('the server did not accept the password'))
    return { page, before, browser, after }
  })

/** Whether a person is signed in with a browser: a request is then answered, or asks for consent. */
async function isSignedIn(on: Audit, browser: Browser): Promise<boolean> {
  const page = await open(on, browser)
  if (signInFormOf(page, personOf(on)) !== null) return false
  if (page.left !== null) return page.left.searchParams.has('code')
  try {
    decisionOf(page, true)
    return true
  } catch {
    return false
  }
}

/** The same, where the audit can tell that a person is signed in. */
const sessionOf = (on: Audit): Promise<Fresh> =>
  on.once('a session', async () => {
    const fresh = await freshOf(on)
    if (!(await isSignedIn(on, fresh.browser.copy())))
      throw new Stop(notReached('a further request does not show that the person is signed in'))
    return fresh
  })

/** The cookies whose line of Set-Cookie is so, if they are enough to be signed in; otherwise none. */
async function enoughOf(on: Audit, keep: (line: string) => boolean): Promise<readonly JarEntry[]> {
  const { browser } = await sessionOf(on)
  const copy = browser.copy(({ line }) => keep(line))
  const cookies = copy.cookies()
  return cookies.length > 0 && (await isSignedIn(on, copy)) ? cookies : []
}

const namesOf = (cookies: readonly JarEntry[]): string => cookies.map(({ name }) => name).join(', ')

/** Values that look like an address on this site, where the sign-in may lead back to. */
const isAddress = (value: string): boolean => /^(?:\/|https?:\/\/)/.test(value)
/** Parameters of an authorization request, which are checked as such. */
const OF_REQUEST = new Set(['redirect_uri', 'resource', 'client_id', 'request_uri'])

/** Puts another address in place of those in a query, and tells whether there was one. */
function replaceIn(url: URL, to: string): { readonly url: URL; readonly isReplaced: boolean } {
  const names = [...url.searchParams.keys()].filter(
    (name) => !OF_REQUEST.has(name) && isAddress(url.searchParams.get(name) ?? ''),
  )
  const changed = new URL(url)
  for (const name of names) changed.searchParams.set(name, to)
  return { url: changed, isReplaced: names.length > 0 }
}

/** Signs in with another address to return to. `null` if the form and its URL have none. */
async function returnTo(on: Audit, to: string): Promise<Page | null> {
  const browser = on.browser(null)
  const shown = await open(on, browser)
  formOf(on, shown)
  const address = replaceIn(shown.url, to)
  const page = address.isReplaced ? await browser.open(address.url) : shown
  const filled = signInFormOf(page, personOf(on))
  // The page refuses the address.
  if (filled === null) return page
  const { form, button, fields } = filled
  const action = replaceIn(form.action, to)
  const hidden = Object.keys(form.fields).filter((name) => isAddress(form.fields[name]!))
  if (!address.isReplaced && !action.isReplaced && hidden.length === 0) return null
  const changed = Object.fromEntries(hidden.map((name) => [name, to]))
  const next = await browser.submit(page, { ...form, action: action.url }, button, { ...fields, ...changed }) // prettier-ignore
  return enter(on, browser, next)
}

/** A message to `/mcp` with a token, or without one. */
const tell = (on: Audit, token: string | null, message: object): Promise<Answer> =>
  on.mcp({ ...(token !== null && { token }), message })

const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} }
const call = (name: string) => ({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name, arguments: {} } }) // prettier-ignore

interface Listed {
  readonly name: string
  readonly annotations?: { readonly readOnlyHint?: boolean }
  readonly inputSchema?: { readonly required?: readonly string[] }
}

const toolsOf = ({ json }: Answer): readonly Listed[] | null => {
  const { tools } = (json['result'] ?? {}) as { readonly tools?: readonly Listed[] }
  return Array.isArray(tools) ? tools : null
}

const resultOf = ({ status, json }: Answer): string => JSON.stringify([status, json['result']])

/** Whether a tool may be called to compare its results: it only reads, and needs no input. */
const isHarmless = ({ annotations, inputSchema }: Listed): boolean =>
  annotations?.readOnlyHint === true && (inputSchema?.required ?? []).length === 0

/** The most tools that are called. */
const MOST_CALLS = 5

/** Held if a token of a person changes something at `/mcp`; `null` if it changes nothing. */
async function compareMcp(on: Audit, token: string): Promise<Finding | null> {
  const without = toolsOf(await tell(on, null, LIST))
  const answer = await tell(on, token, LIST)
  const tools = toolsOf(answer)
  if (tools === null)
    return answer.status === 401 ? null : notReached(`/mcp answers tools/list by ${answer.status}`)
  if (without === null) return held(`/mcp lists ${tools.length} tools, and none without a token`)
  const names = (listed: readonly Listed[]): string => listed.map(({ name }) => name).sort().join() // prettier-ignore
  if (names(without) !== names(tools))
    return held(`/mcp lists ${tools.length} tools, and ${without.length} without a token`)
  const harmless = tools.filter(isHarmless).slice(0, MOST_CALLS)
  for (const { name } of harmless) {
    const once = resultOf(await tell(on, null, call(name)))
    // A result that changes by itself says nothing.
    const isSteady = once === resultOf(await tell(on, null, call(name)))
    if (isSteady && once !== resultOf(await tell(on, token, call(name))))
      return held(`the tool ${name} answers otherwise than without a token`)
  }
  return harmless.length === tools.length
    ? null
    : notReached(
        '/mcp lists the same tools with a token and without: name a path that requires one in `surfaces`',
      )
}

/** Held if it changes something at a path that the sign-in names. */
async function comparePaths(on: Audit, token: string): Promise<Finding | null> {
  for (const { path, method = 'GET', body } of on.signIn?.surfaces ?? []) {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const options = { method, ...(body !== undefined && { body }) }
    const url = new URL(path, on.origin)
    const stranger = await on.send(url, { ...options, headers })
    const authorization = `Bearer ${token}`
    const person = await on.send(url, { ...options, headers: { ...headers, authorization } })
    if (person.status < 400 && (stranger.status >= 400 || stranger.text !== person.text))
      return held(`${path} answers ${person.status}, and ${stranger.status} without a token`)
  }
  return null
}

const COOKIES = 'RFC 6265bis'

/** Sign-in at the host: the session, and what it leads to. */
export const signIn: readonly Check[] = [
  {
    id: 'sign-in/form',
    clause: {
      document: 'RFC 9110',
      section: '17.9',
      level: 'SHOULD NOT',
      says: 'A form with a password is not sent by GET, which writes the password into a URL.',
    },
    depth: 'people',
    change: 'Give the form method="post".',
    async run(on) {
      const { form } = formOf(on, (await freshOf(on)).page)
      return judge(form.method === 'POST', 'the form is sent by POST', `the form is sent by ${form.method} to ${form.action.pathname}`) // prettier-ignore
    },
  },
  {
    id: 'sign-in/redirect',
    clause: {
      document: 'RFC 9700',
      section: '4.12',
      level: 'MUST NOT',
      says: 'The form with the password is not answered by 307, with which browsers send it on to the next address.',
    },
    depth: 'people',
    change: 'Answer the form with 303 See Other.',
    async run(on) {
      const redirects = (await freshOf(on)).after.answers.filter(({ location }) => location !== null) // prettier-ignore
      if (redirects.length === 0) return held('the form is answered by a page')
      const wrong = redirects.find(({ status }) => status === 307 || status === 308)
      return judge(wrong === undefined, `the form is answered by ${redirects[0]!.status}`, `${wrong?.url.pathname} answers the form by ${wrong?.status}`) // prettier-ignore
    },
  },
  {
    id: 'sign-in/framed',
    clause: {
      document: 'RFC 9700',
      section: '4.16',
      level: 'MUST',
      says: 'No other site can show the sign-in page in a frame, and put a field of its own over it.',
    },
    depth: 'people',
    change: "Send Content-Security-Policy: frame-ancestors 'none' and X-Frame-Options: DENY.",
    run: async (on) => framing((await freshOf(on)).page, 'the sign-in page'),
  },
  {
    id: 'sign-in/cookie-http-only',
    clause: {
      document: COOKIES,
      section: '4.1.2.6',
      level: 'SHOULD',
      says: 'Scripts cannot read the cookie of the session.',
    },
    depth: 'people',
    change: 'Set the session cookie with HttpOnly.',
    async run(on) {
      const cookies = await enoughOf(on, (line) => !/;\s*httponly\b/i.test(line))
      return judge(cookies.length === 0, 'the cookies that scripts can read sign no one in', `a script can read ${namesOf(cookies)}, which is enough to be signed in`) // prettier-ignore
    },
  },
  {
    id: 'sign-in/cookie-same-site',
    clause: {
      document: COOKIES,
      section: '4.1.2.7',
      level: 'SHOULD NOT',
      says: 'The cookie of the session is not sent with the forms of other sites.',
    },
    depth: 'people',
    change: 'Set the session cookie with SameSite=Lax. Links from clients still carry it.',
    async run(on) {
      const cookies = await enoughOf(on, (line) => /;\s*samesite=none\b/i.test(line))
      return judge(cookies.length === 0, 'the cookies with SameSite=None sign no one in', `${namesOf(cookies)} has SameSite=None, and is enough to be signed in`) // prettier-ignore
    },
  },
  {
    id: 'sign-in/cookie-secure',
    clause: {
      document: COOKIES,
      section: '8.3',
      level: 'SHOULD',
      says: 'Where the site has TLS, the cookie of the session is never sent without it.',
    },
    depth: 'people',
    change: 'Set the session cookie with Secure, or with the prefix __Host- as well.',
    async run(on) {
      if (!on.origin.startsWith('https:')) return notApplicable('the site has no TLS')
      const cookies = await enoughOf(on, (line) => !/;\s*secure\b/i.test(line))
      return judge(cookies.length === 0, 'the cookies without Secure sign no one in', `${namesOf(cookies)} lacks Secure, and is enough to be signed in`) // prettier-ignore
    },
  },
  {
    id: 'sign-in/new-session',
    clause: {
      document: COOKIES,
      section: '8.4',
      level: 'SHOULD',
      says: 'A person who signs in gets a new session identifier, which no one can know from before.',
    },
    depth: 'people',
    change: 'Create a new session identifier when a person signs in, and end the old one.',
    async run(on) {
      const { before } = await sessionOf(on)
      const cookies = before.cookies()
      if (cookies.length === 0) return held('the browser has no cookie before the sign-in')
      const isFixed = await isSignedIn(on, before.copy())
      return judge(!isFixed, 'the cookies from before the sign-in are not signed in', `${namesOf(cookies)} from before the sign-in is signed in after it`) // prettier-ignore
    },
  },
  {
    id: 'sign-in/other-site',
    clause: {
      document: 'RFC 6749',
      section: '10.12',
      level: 'SHOULD NOT',
      says: 'Another site cannot sign a person in to an account of its own, to which they then connect clients.',
    },
    depth: 'people',
    change:
      'Refuse a sign-in form without a value from the session of this browser, or with Sec-Fetch-Site or Origin of another site.',
    async run(on) {
      await sessionOf(on)
      // The form comes from the browser of the attacker.
      const { form, fields, button } = formOf(on, await open(on, on.browser(null)))
      if (form.passwords.length === 0)
        return notReached('the first page of the sign-in asks for no password')
      const victim = on.browser(null)
      const sent = { ...form.fields, ...fields, ...(button?.name != null && { [button.name]: button.value }) } // prettier-ignore
      if (form.method === 'POST') await victim.post(form.action, sent, CROSS_SITE)
      else await victim.request(`${form.action.href.replace(/\?.*/, '')}?${new URLSearchParams(sent)}`, { headers: CROSS_SITE }) // prettier-ignore
      const isIn = await isSignedIn(on, victim)
      return judge(!isIn, 'the form of another site signs no one in', 'the form of another site signs a person in') // prettier-ignore
    },
  },
  {
    id: 'sign-in/return-address',
    clause: {
      document: 'RFC 9700',
      section: '2.1',
      level: 'MUST NOT',
      says: 'The sign-in does not send the browser to any site that a link has put into the address.',
    },
    depth: 'people',
    change:
      'Accept an address to return to only if it is a path of yours: not //, and no other origin.',
    async run(on) {
      await freshOf(on)
      for (const to of ['https://attacker.example/', '//attacker.example/']) {
        const page = await returnTo(on, to)
        if (page === null)
          return notApplicable('the sign-in form names no address to which it returns')
        if (page.left?.hostname === 'attacker.example')
          return violated(`the sign-in returns to ${to}`)
      }
      return held('the sign-in does not return to another site')
    },
  },
  {
    id: 'sign-in/grants-something',
    clause: {
      document: 'RFC 6749',
      section: '7',
      level: 'MUST',
      says: 'A resource server validates the token, and opens what its scope covers, which is more than without it.',
    },
    depth: 'people',
    change:
      'Read the token where requests are answered: a proxy may drop Authorization, the roles may be empty, or the tools may be made before anyone is known.',
    async run(on) {
      const { accessToken } = await on.sharedTokens()
      const hasMcp = await on.hasMcp()
      if (!hasMcp && (on.signIn?.surfaces ?? []).length === 0)
        return notApplicable('there is no /mcp, and the sign-in names no surfaces')
      const atMcp = hasMcp ? await compareMcp(on, accessToken) : null
      if (atMcp?.verdict === 'held') return atMcp
      const atPaths = await comparePaths(on, accessToken)
      const found = atPaths ?? atMcp
      if (found !== null) return found
      return violated('a person signed in and allowed, and their token changes no answer')
    },
  },
]
