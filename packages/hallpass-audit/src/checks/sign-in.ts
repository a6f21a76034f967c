import { type Check } from '../check.js'
import { ADVICE, AS, MUST, MUST_NOT, oidcCore, rfc6265bis, rfc6749, rfc9110, rfc9700, RS, SHOULD, WEB } from '../clause.js' // prettier-ignore
import { type Finding, held, judge, notApplicable, notReached, Stop, violated } from '../finding.js'
import { type Audit, isTaken } from '../engine/audit.js'
import type { Browser, Page } from '../engine/browser.js'
import type { Cookie } from '../engine/cookies.js'
import { hasPassword, namesOf } from '../engine/form.js'
import { answerForms, type Credentials, decisionOf, signInFormOf } from '../sign-in.js'
import { CROSS_SITE } from './expect.js'

// prettier-ignore
const TEXT = {
  form: rfc9110('17.9', ADVICE, WEB, 'A form that is sent by GET writes its fields into a URL, which is stored, shared and logged. It is unwise for a password.'),
  forwarded: rfc9700('2.1', MUST, AS, 'An authorization server that redirects a request potentially containing user credentials MUST avoid forwarding these user credentials accidentally (see Section 4.12 for details).'),
  httpOnly: rfc6265bis('4.1.2.6', ADVICE, WEB, 'A cookie of a session that scripts cannot read is not stolen by one.'),
  sameSite: rfc6265bis('4.1.2.7', ADVICE, WEB, 'A cookie of a session that is not sent with the forms of other sites keeps their forms out. A server that takes authorization requests by POST needs another protection.'),
  secure: rfc6265bis('8.3', SHOULD, WEB, 'When using cookies over a secure channel, servers SHOULD set the Secure attribute (see Section 4.1.2.5) for every cookie.'),
  fixation: rfc6265bis('8.4', SHOULD, WEB, 'For example, the server SHOULD take care to avoid "session fixation" vulnerabilities.'),
  csrf: oidcCore('3.1.2.3', MUST, AS, 'When interacting with the End-User, the Authorization Server MUST employ appropriate measures against Cross-Site Request Forgery and Clickjacking as, described in Sections 10.12 and 10.13 of OAuth 2.0 [RFC6749].'),
  redirectors: rfc9700('2.1', MUST_NOT, AS, "Clients and authorization servers MUST NOT expose URLs that forward the user's browser to arbitrary URIs obtained from a query parameter (open redirectors) as described in Section 4.11."),
  field: rfc9700('4.11', ADVICE, AS, 'A field of the sign-in form that names where to return to is a path of this site, too: another site may send the form.'),
  grants: rfc6749('7', ADVICE, RS, 'A token that changes no answer is of no use: a proxy may drop it, or the API does not read it.'),
}

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
    throw new Stop(
      notReached(`${page.url.pathname} (${page.status}) shows no form to sign in`, page),
    )
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
      throw new Stop(notReached('the server did not accept the password', after))
    return { page, before, browser, after }
  })

/** Whether a person is signed in with a browser: a request is then answered, or asks for consent. */
async function isSignedIn(on: Audit, browser: Browser): Promise<boolean> {
  const page = await open(on, browser)
  if (signInFormOf(page, personOf(on)) !== null) return false
  if (page.left !== null) return page.left.searchParams.has('code')
  try {
    decisionOf(page, true, on.signIn?.buttons)
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
      throw new Stop(notReached('a further request does not show that the person is signed in', fresh.after)) // prettier-ignore
    return fresh
  })

/** Held unless the cookies of this kind are enough to be signed in. */
async function notEnough(
  on: Audit,
  what: string,
  keep: (cookie: Cookie) => boolean,
): Promise<Finding> {
  // prettier-ignore
  const { browser, after } = await sessionOf(on)
  const copy = browser.copy(keep)
  const isIn = copy.cookies().length > 0 && (await isSignedIn(on, copy))
  return judge(after, !isIn, `the cookies ${what} sign no one in`, `${namesOf(copy.cookies()).join(', ')} ${what} is enough to be signed in`) // prettier-ignore
}

/** Values that look like an address on this site, where the sign-in may lead back to. */
const isAddress = (value: string): boolean => /^(?:\/|https?:\/\/)/.test(value)
/** Parameters of an authorization request, which are checked as such. */
const OF_REQUEST = new Set(['redirect_uri', 'resource', 'client_id', 'request_uri'])

/** Puts another address in place of those in a query; `null` if there is none. */
function replaceIn(url: URL, to: string): URL | null {
  const changed = new URL(url)
  const names = [...url.searchParams.keys()].filter((name) => !OF_REQUEST.has(name) && isAddress(url.searchParams.get(name) ?? '')) // prettier-ignore
  for (const name of names) changed.searchParams.set(name, to)
  return names.length > 0 ? changed : null
}

/** Signs in with another address to return to in the URL of the page or of its form; `null` if they have none. */
async function returnByUrl(on: Audit, to: string): Promise<Page | null> {
  const browser = on.browser(null)
  const shown = await open(on, browser)
  formOf(on, shown)
  const address = replaceIn(shown.url, to)
  const page = address === null ? shown : await browser.open(address)
  const filled = signInFormOf(page, personOf(on))
  // The page refuses the address.
  if (filled === null) return page
  const action = replaceIn(filled.form.action, to)
  if (address === null && action === null) return null
  const form = { ...filled.form, action: action ?? filled.form.action }
  return enter(on, browser, await browser.submit(page, form, filled.button, filled.fields))
}

/** Signs in with another address to return to in a field that people do not see; `null` if there is none. */
async function returnByField(on: Audit, to: string): Promise<Page | null> {
  const browser = on.browser(null)
  const page = await open(on, browser)
  const { form, button, fields } = formOf(on, page)
  const names = namesOf(form.fields.filter(({ value }) => isAddress(value)))
  if (names.length === 0) return null
  const changed = Object.fromEntries(names.map((name) => [name, to]))
  return enter(on, browser, await browser.submit(page, form, button, { ...fields, ...changed }))
}

/** Held if the sign-in does not return to another site. */
async function staying(on: Audit, where: string, sign: typeof returnByUrl): Promise<Finding> {
  await freshOf(on)
  let page: Page | null = null
  for (const to of ['https://attacker.example/', '//attacker.example/']) {
    page = await sign(on, to)
    if (page === null) return notApplicable(`${where} of the sign-in names no address to which it returns`) // prettier-ignore
    if (page.left?.hostname === 'attacker.example')
      return violated(page, `the sign-in returns to ${to} of ${where}`)
  }
  return held(page!, `the sign-in does not return to another site that ${where} names`)
}

/** Sign-in at the host: the session, and what it leads to. */
export const signIn: readonly Check[] = [
  {
    id: 'sign-in/form',
    clause: TEXT.form,
    depth: 'people',
    change: 'Give the form method="post".',
    async run(on) {
      const { page } = await freshOf(on)
      const { form } = formOf(on, page)
      const where = `the form is sent by ${form.method} to ${form.action.pathname}`
      return judge(page, form.method === 'POST', where, where)
    },
  },
  {
    id: 'sign-in/redirect',
    clause: TEXT.forwarded,
    depth: 'people',
    change: 'Answer the form with 303 See Other: browsers repeat a password after 307 and 308.',
    async run(on) {
      const { after } = await freshOf(on)
      const wrong = after.answers.find(({ status }) => status === 307 || status === 308)
      return wrong === undefined
        ? held(after.answers[0] ?? after, `the form is answered by ${after.answers[0]?.status}`)
        : violated(wrong, `${wrong.url.pathname} answers the form by ${wrong.status}`)
    },
  },
  {
    id: 'sign-in/cookie-http-only',
    clause: TEXT.httpOnly,
    depth: 'people',
    change: 'Set the session cookie with HttpOnly.',
    run: (on) => notEnough(on, 'that scripts can read', ({ httpOnly }) => !httpOnly),
  },
  {
    id: 'sign-in/cookie-same-site',
    clause: TEXT.sameSite,
    depth: 'people',
    change: 'Set the session cookie with SameSite=Lax. Links from clients still carry it.',
    run: (on) => notEnough(on, 'with SameSite=None', ({ sameSite }) => sameSite === 'None'),
  },
  {
    id: 'sign-in/cookie-secure',
    clause: TEXT.secure,
    depth: 'people',
    change: 'Set the session cookie with Secure, or with the prefix __Host- as well.',
    async run(on) {
      if (!on.origin.startsWith('https:')) return notApplicable('the site has no TLS')
      return notEnough(on, 'without Secure', ({ secure }) => !secure)
    },
  },
  {
    id: 'sign-in/new-session',
    clause: TEXT.fixation,
    depth: 'people',
    change: 'Create a new session identifier when a person signs in, and end the old one.',
    async run(on) {
      const { before, after } = await sessionOf(on)
      const names = namesOf(before.cookies()).join(', ')
      const isFixed = names !== '' && (await isSignedIn(on, before.copy()))
      return judge(after, !isFixed, `what the browser had before the sign-in is not signed in: ${names || 'no cookie'}`, `${names} from before the sign-in is signed in after it`) // prettier-ignore
    },
  },
  {
    id: 'sign-in/other-site',
    clause: TEXT.csrf,
    depth: 'people',
    change:
      'Refuse a sign-in form without a value from the session of this browser, or with Sec-Fetch-Site or Origin of another site: it signs a person in to an account of someone else.',
    async run(on) {
      await on.openid()
      await sessionOf(on)
      // The form comes from the browser of the attacker.
      const page = await open(on, on.browser(null))
      const { form, fields, button } = formOf(on, page)
      if (!hasPassword(form))
        return notReached('the first page of the sign-in asks for no password')
      const victim = on.browser(null)
      const answer = await victim.submit(page, form, button, fields, CROSS_SITE)
      const isIn = await isSignedIn(on, victim)
      return judge(answer, !isIn, 'the form of another site signs no one in', 'the form of another site signs a person in') // prettier-ignore
    },
  },
  {
    id: 'sign-in/return-address',
    clause: TEXT.redirectors,
    depth: 'people',
    change:
      'Accept an address to return to only if it is a path of yours: not //, and no other origin.',
    run: (on) => staying(on, 'the URL', returnByUrl),
  },
  {
    id: 'sign-in/return-field',
    clause: TEXT.field,
    depth: 'people',
    change:
      'Accept an address to return to only if it is a path of yours: not //, and no other origin.',
    run: (on) => staying(on, 'the form', returnByField),
  },
  {
    id: 'sign-in/grants-something',
    clause: TEXT.grants,
    depth: 'people',
    change:
      'Read the token where requests are answered: a proxy may drop Authorization, the roles may be empty, or the tools may be made before anyone is known.',
    async run(on) {
      const { accessToken } = await on.sharedTokens()
      const authorization = `Bearer ${accessToken}`
      const places = (await on.places()).filter(({ surface }) => surface !== 'UserInfo')
      let last: Finding['exchange'] = null
      for (const { surface, send } of places) {
        const without = await send({})
        const answer = await send({ headers: { authorization }, session: accessToken })
        if (isTaken(answer) && (!isTaken(without) || answer.text !== without.text))
          return held(answer, `${surface} answers ${answer.status}, and otherwise without a token`)
        last = answer.exchange
      }
      return last === null
        ? notApplicable('there is no /mcp, and the sign-in names no surfaces')
        : violated({ exchange: last }, 'a person signed in and allowed, and their token changes no answer') // prettier-ignore
    },
  },
]
