import { parse } from 'node-html-parser'
import { type Check } from '../check.js'
import { held, judge, notApplicable, notReached, violated } from '../finding.js'
import {
  type Audit,
  type Client,
  describe,
  type Ended,
  isPublic,
  REDIRECT_URI,
} from '../engine/audit.js'
import type { Form, Page } from '../engine/browser.js'
import { matches, policiesOf, sourceLists } from '../engine/content-policy.js'
import { decisionOf, signInFormOf } from '../sign-in.js'
import { CROSS_SITE, framing, referring } from './expect.js'

/** A consent page that is looked at, and denied at last. */
const PAGE = 'a consent page'
const OF_PAGE = { depth: 'people', shares: [{ name: PAGE, authorizations: 1 }] } as const
/** Asks also where the person allowed the client before. A server without OpenID ignores it. */
const ASKING = { prompt: 'consent' }

const shown = (on: Audit): Promise<Ended> =>
  on.once(PAGE, () => on.consentPage({ person: 0, changes: ASKING }))

const denied = (on: Audit): Promise<Ended> =>
  on.once('a denied request', async () => on.decide(await shown(on), false))

const pageOf = async (on: Audit): Promise<Page> => (await shown(on)).page

/** A page that a check spends, and the form that allows, with all its boxes checked. Elsewhere a decision has led to a code. */
async function formOf(on: Audit, person: 0 | 1) {
  await on.sharedTokens()
  const at = await on.consentPage({ person, changes: ASKING })
  const { form, button } = decisionOf(at.page, true)
  const boxes = Object.fromEntries(form.boxes.map((name) => [name, form.fields[name] ?? 'on']))
  return { at, form: { ...form, fields: { ...form.fields, ...boxes } }, button }
}

/** A form that was sent once, to allow. */
const SENT = 'a request that is allowed'
const OF_SENT = { depth: 'people', shares: [{ name: SENT, authorizations: 1 }] } as const
const sent = (on: Audit) =>
  on.once(SENT, async () => {
    const filled = await formOf(on, 0)
    return {
      ...filled,
      page: await on.browser(0).submit(filled.at.page, filled.form, filled.button),
    }
  })

const codeAt = ({ left }: Page): string | null => left?.searchParams.get('code') ?? null

/** Describes in words where a browser is. */
const ending = (page: Page): string =>
  describe({ page, parameters: page.left?.searchParams ?? null })

/** Names of fields that only this page knows: long texts that are not from the request. */
function secretFields({ fields, boxes }: Form, { url }: Ended): readonly string[] {
  const sent = new Set(url.searchParams.values())
  const names = Object.keys(fields).filter((name) => {
    const value = fields[name] ?? ''
    return /^[^\s:/]{16,}$/.test(value) && !sent.has(value) && !boxes.includes(name)
  })
  // Another one may name the request, which is refused without it for another reason.
  const tokens = names.filter((name) => /csrf|xsrf|token|forgery/i.test(name))
  return tokens.length > 0 ? tokens : names
}

const without = (fields: Form['fields'], names: readonly string[]): Form['fields'] =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

const CSRF = 'Put a random value of the session into the form, and refuse a decision without it.'
const BOUND =
  'Keep the request with the session of the browser that started it, and refuse decisions from another.'

/** The page on which a person decides. */
export const consent: readonly Check[] = [
  {
    id: 'consent/denied',
    clause: {
      document: 'RFC 6749',
      section: '4.1.2.1',
      level: 'MUST',
      says: 'If the person denies, the client receives access_denied at its redirect URI.',
    },
    ...OF_PAGE,
    change: 'Redirect to the redirect URI with error=access_denied and the state.',
    async run(on) {
      const ended = await denied(on)
      const error = ended.parameters?.get('error')
      return judge(error === 'access_denied', describe(ended), `the person denied: ${describe(ended)}`) // prettier-ignore
    },
  },
  {
    id: 'consent/asked-again',
    clause: {
      document: 'RFC 6749',
      section: '10.2',
      level: 'SHOULD NOT',
      says: 'A public client gets no code without the person, since any program can send its request.',
    },
    depth: 'people',
    change: 'Remember consent for clients only that authenticate, and ask again for all others.',
    async run(on) {
      const { client } = (await on.sharedTokens()).code
      if (!isPublic(client)) return notApplicable('the client authenticates')
      const page = await on.browser(0).open(on.request(client).url)
      if (codeAt(page) !== null)
        return violated('a second request of a public client got a code without a page')
      if (page.left !== null || page.status >= 400)
        return notReached(`the second request failed with ${page.status}`)
      if (signInFormOf(page, on.signIn!.people[0]) === null) decisionOf(page, true)
      return held(`a second request shows ${page.url.pathname}`)
    },
  },
  {
    id: 'consent/framed',
    clause: {
      document: 'RFC 9700',
      section: '4.16',
      level: 'MUST',
      says: 'No other site can show the consent page in a frame, and lead a click to it.',
    },
    ...OF_PAGE,
    change: "Send Content-Security-Policy: frame-ancestors 'none' and X-Frame-Options: DENY.",
    run: async (on) => framing(await pageOf(on), 'the consent page'),
  },
  {
    id: 'consent/scripts',
    clause: {
      document: 'RFC 9700',
      section: '4.16',
      level: 'SHOULD',
      says: 'A Content Security Policy says which scripts run on the consent page, and no others do.',
    },
    ...OF_PAGE,
    change: "Send Content-Security-Policy with script-src 'self' or default-src 'none'.",
    async run(on) {
      const { ofHeaders, ofPage } = policiesOf(await pageOf(on))
      const sources = sourceLists([...ofHeaders, ...ofPage], 'script-src', 'default-src')
      const isOpen = sources.every((list) => {
        const hasNonce = list.some((one) => /^'(?:nonce-|sha\d+-|strict-dynamic)/.test(one))
        return !hasNonce && list.some((one) => /^(?:'unsafe-inline'|\*|https?:)$/.test(one))
      })
      return judge(!isOpen, `scripts are limited to ${sources.flat().join(' ')}`, `the page may run any script: ${sources.flat().join(' ') || 'no policy limits them'}`) // prettier-ignore
    },
  },
  {
    id: 'consent/name-escaped',
    clause: {
      document: 'RFC 6749',
      section: '10.14',
      level: 'MUST',
      says: 'What a client sends is sanitized: its name on the consent page is text, and never HTML.',
    },
    depth: 'people',
    creates: { clients: 1, authorizations: 1 },
    change: 'Escape client_name and everything else of a client where the page is written.',
    async run(on) {
      await on.requiresPublic()
      // A name that ends an attribute, a title and a script, and then begins an element that does nothing.
      const name = `Audit of names" hallpass-audit="1"></title></script><i hallpass-audit="1"></i>`
      const { status, json } = await on.register({ client_name: name })
      const { client_id: clientId } = json
      if (status >= 400 || typeof clientId !== 'string')
        return held(`a name with HTML is refused when the client registers: ${status}`)
      const { scope } = await on.client()
      const client: Client = { clientId, secret: null, redirectUri: REDIRECT_URI, scope }
      const { page } = await on.consentPage({ client, person: 0, changes: ASKING })
      if (!page.text.includes('Audit of names'))
        return notReached('the consent page does not show the name of the client')
      const isHtml = parse(page.text).querySelector('[hallpass-audit]') !== null
      return judge(!isHtml, 'the name is shown as text', 'the name of a client becomes HTML of the consent page') // prettier-ignore
    },
  },
  {
    id: 'consent/third-parties',
    clause: {
      document: 'RFC 9700',
      section: '4.2.4',
      level: 'SHOULD NOT',
      says: 'The consent page, too, loads nothing from other sites, which would learn of the request by its address.',
    },
    ...OF_PAGE,
    change:
      'Serve scripts, styles, fonts and images of the page from your own origin, and send Referrer-Policy: no-referrer.',
    run: async (on) => referring(await pageOf(on), 'the consent page'),
  },
  {
    id: 'consent/not-stored',
    clause: {
      document: 'RFC 9111',
      section: '7.3',
      level: 'SHOULD',
      says: 'A page that one person sees says by Cache-Control that no cache gives it to others.',
    },
    ...OF_PAGE,
    change: 'Send Cache-Control: no-store.',
    async run(on) {
      const control = (await pageOf(on)).headers.get('cache-control') ?? ''
      const where = `Cache-Control is ${control || 'missing'}`
      return judge(/\b(?:no-store|no-cache|private)\b/i.test(control), where, where)
    },
  },
  {
    id: 'consent/popup',
    clause: {
      document: 'HTML',
      section: '7.1.3',
      level: 'SHOULD NOT',
      says: 'Pages of an authorization request have no opener policy, which cuts off a client that opened a popup.',
    },
    ...OF_SENT,
    change:
      'Leave Cross-Origin-Opener-Policy out of the answers to authorization requests, redirects included: the client sees its popup as closed.',
    async run(on) {
      const { at, page } = await sent(on)
      const answers = [...at.page.answers, ...page.answers]
      const cut = answers.find(({ headers }) => !/^(?:unsafe-none\b.*)?$/i.test(headers.get('cross-origin-opener-policy') ?? '')) // prettier-ignore
      return judge(cut === undefined, 'no answer has an opener policy', `${cut?.url.pathname} has the policy ${cut?.headers.get('cross-origin-opener-policy')}`) // prettier-ignore
    },
  },
  {
    id: 'consent/form-action',
    clause: {
      document: 'RFC 6749',
      section: '4.1.2',
      level: 'MUST',
      says: 'After the decision the browser reaches the redirect URI: no policy of the page forbids it.',
    },
    ...OF_SENT,
    change:
      'Leave form-action out of the policy of the consent page: browsers apply it to the redirect that answers the form.',
    async run(on) {
      const { at, page } = await sent(on)
      const targets = page.answers.flatMap(({ location }) => location ?? [])
      if (targets.length === 0) return notReached('the decision leads to no redirect')
      const lists = formActions(at.page)
      const blocked = targets.find((to) => lists.some((list) => !matches(list, to, at.page.url)))
      return judge(blocked === undefined, lists.length === 0 ? 'the page has no form-action' : `form-action permits ${targets.at(-1)!.origin}`, `form-action ${lists.flat().join(' ')} forbids the redirect to ${blocked?.origin}`) // prettier-ignore
    },
  },
  {
    id: 'consent/second-hop',
    clause: {
      document: 'Content Security Policy Level 3',
      section: '6.4.1',
      level: 'SHOULD NOT',
      says: 'The policy of the page does not limit where the client sends the browser after its redirect URI.',
    },
    ...OF_PAGE,
    change:
      'Leave form-action out of the policy of the consent page. A list with the redirect URI is not enough: clients redirect again, to an origin or an app that you do not know.',
    async run(on) {
      const page = await pageOf(on)
      const lists = formActions(page)
      const further = new URL('https://second-hop.example/')
      const isFree = lists.every((list) => matches(list, further, page.url))
      return judge(isFree, lists.length === 0 ? 'the page has no form-action' : `form-action is ${lists.flat().join(' ')}`, `form-action ${lists.flat().join(' ')} forbids a further redirect of the client`) // prettier-ignore
    },
  },
  {
    id: 'consent/form-token',
    clause: {
      document: 'RFC 6749',
      section: '10.12',
      level: 'MUST',
      says: 'A decision is accepted only from the page of the server, which the form proves with a value of its own.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: CSRF,
    async run(on) {
      const { at, form, button } = await formOf(on, 0)
      const names = secretFields(form, at)
      if (names.length === 0) return notApplicable('the form has no value that only it knows')
      const stripped = { ...form, fields: without(form.fields, names) }
      const page = await on.browser(0).submit(at.page, stripped, button)
      return judge(codeAt(page) === null, `without ${names.join(', ')}: ${ending(page)}`, `without ${names.join(', ')} the decision is accepted: a code was issued`) // prettier-ignore
    },
  },
  {
    id: 'consent/other-site',
    clause: {
      document: 'RFC 6749',
      section: '10.12',
      level: 'MUST',
      says: 'Another site cannot send a decision through the browser of a person who is signed in.',
    },
    depth: 'people',
    creates: { authorizations: 2 },
    change: CSRF,
    async run(on) {
      // The site knows the form of its own page, and the person has a request that waits.
      const { form, button } = await formOf(on, 1)
      await formOf(on, 0)
      const sent = on.browser(0).copy(({ line }) => !/;\s*samesite=(?:lax|strict)/i.test(line))
      const fields = { ...form.fields, ...(button.name !== null && { [button.name]: button.value }) } // prettier-ignore
      const page = await sent.post(form.action, fields, CROSS_SITE)
      return judge(codeAt(page) === null, `a form of another site: ${ending(page)}`, 'a form of another site is accepted: a code was issued') // prettier-ignore
    },
  },
  {
    id: 'consent/other-browser',
    clause: {
      document: 'RFC 6749',
      section: '3.1',
      level: 'MUST',
      says: 'The server verifies who decides, so a browser without a session decides nothing.',
    },
    depth: 'people',
    creates: { authorizations: 1 },
    change: BOUND,
    async run(on) {
      const { at, form, button } = await formOf(on, 0)
      const page = await on.browser(null).submit(at.page, form, button)
      return judge(codeAt(page) === null, `a browser without cookies: ${ending(page)}`, 'a browser without cookies decided for the person: a code was issued') // prettier-ignore
    },
  },
  {
    id: 'consent/other-person',
    clause: {
      document: 'RFC 6749',
      section: '10.12',
      level: 'MUST',
      says: 'A decision is of the person whom the page showed, and of no other who sends its form.',
    },
    depth: 'people',
    creates: { authorizations: 2 },
    change: BOUND,
    async run(on) {
      const { form, button } = await formOf(on, 0)
      const { at, form: own } = await formOf(on, 1)
      const isSame = form.action.href === own.action.href && secretFields(form, at).length === 0
      if (isSame) return notApplicable('the forms of two people are the same')
      const page = await on.browser(1).submit(at.page, form, button)
      return judge(codeAt(page) === null, `the form of another person: ${ending(page)}`, 'the form of another person is accepted: a code was issued') // prettier-ignore
    },
  },
  {
    id: 'consent/answered-once',
    clause: {
      document: 'RFC 6749',
      section: '10.12',
      level: 'SHOULD NOT',
      says: 'One decision gives one code, and the same form again gives no further one.',
    },
    ...OF_SENT,
    change: 'End the pending request in the transaction that stores its code.',
    async run(on) {
      const { at, form, button, page: before } = await sent(on)
      const first = codeAt(before)
      if (first === null) return notReached(`the decision led to no code: ${ending(before)}`)
      const page = await on.browser(0).submit(at.page, form, button)
      const second = codeAt(page)
      return judge(second === null || second === first, `the same form again: ${ending(page)}`, 'the same form gave two codes') // prettier-ignore
    },
  },
]

/** The source lists of `form-action` of a page, all of which apply. */
const formActions = (page: Page): readonly (readonly string[])[] => {
  const { ofHeaders, ofPage } = policiesOf(page)
  return sourceLists([...ofHeaders, ...ofPage], 'form-action')
}
