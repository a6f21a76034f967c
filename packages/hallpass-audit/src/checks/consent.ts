import { type Check } from '../check.js'
import { ADVICE, AS, csp3, html, MUST, rfc6749, rfc9111, SHOULD_NOT } from '../clause.js'
import { held, judge, notApplicable, notReached, violated } from '../finding.js'
import { type Audit, type Client, describe, type Ended, isPublic, REDIRECT_URI } from '../engine/audit.js' // prettier-ignore
import type { Page } from '../engine/browser.js'
import { matches, policiesOf, sourceLists } from '../engine/content-policy.js'
import { type Form, isBox, namesOf, withBoxes } from '../engine/form.js'
import { elementsIn } from '../engine/html.js'
import { decisionOf, signInFormOf } from '../sign-in.js'
import { CROSS_SITE } from './expect.js'

// prettier-ignore
const TEXT = {
  denied: rfc6749('4.1.2.1', MUST, AS, 'If the resource owner denies the access request or if the request fails for reasons other than a missing or invalid redirection URI, the authorization server informs the client by adding the following parameters to the query component of the redirection URI … error REQUIRED. … access_denied The resource owner or authorization server denied the request.'),
  repeated: rfc6749('10.2', SHOULD_NOT, AS, 'The authorization server SHOULD NOT process repeated authorization requests automatically (without active resource owner interaction) without authenticating the client or relying on other measures to ensure that the repeated request comes from the original client and not an impersonator.'),
  scripts: csp3('6.1.10', ADVICE, AS, 'A policy of scripts on the page that decides keeps a name that was not escaped from running.'),
  sanitized: rfc6749('10.14', MUST, AS, 'The authorization server … MUST sanitize (and validate when possible) any value received -- in particular, the value of the "state" and "redirect_uri" parameters.'),
  stored: rfc9111('7.3', ADVICE, AS, 'A page that one person sees is for no cache that many share.'),
  popup: html('7.1.3', ADVICE, AS, 'An opener policy cuts off a client that opened the request in a popup.'),
  formAction: csp3('6.4.1', ADVICE, AS, 'Some browsers apply form-action to the redirects that answer a form, and then do not reach the client.'),
  csrf: rfc6749('10.12', MUST, AS, 'The authorization server MUST implement CSRF protection for its authorization endpoint and ensure that a malicious client cannot obtain authorization without the awareness and explicit consent of the resource owner.'),
  formToken: rfc6749('10.12', ADVICE, AS, 'A value of the form that is compared with the session keeps decisions of other sites out, also where a cookie or a header does not.'),
  verified: rfc6749('3.1', MUST, AS, 'The authorization server MUST first verify the identity of the resource owner.'),
  ownForm: rfc6749('10.12', ADVICE, AS, 'A decision is of the person whom the page showed. A form that works in the session of another one lets a person allow what they have not seen.'),
  once: rfc6749('4.1.2', ADVICE, AS, 'One decision is for one code. A form that works again gives a code to who sends it again.'),
}

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
  const { form, button } = decisionOf(at.page, true, on.signIn?.buttons)
  return { at, form: withBoxes(form), button }
}

/** A form that was sent once, to allow. */
const SENT = 'a request that is allowed'
const OF_SENT = { depth: 'people', shares: [{ name: SENT, authorizations: 1 }] } as const
const sent = (on: Audit) =>
  on.once(SENT, async () => {
    const filled = await formOf(on, 0)
    const page = await on.browser(0).submit(filled.at.page, filled.form, filled.button)
    return { ...filled, page }
  })

const codeAt = ({ left }: Page): string | null => left?.searchParams.get('code') ?? null

/** Held if a form that should not decide led to no code. */
const noCode = (page: Page, what: string) =>
  judge(page, codeAt(page) === null, `${what}: ${describe({ page, parameters: page.left?.searchParams ?? null })}`, `${what} is accepted: a code was issued`) // prettier-ignore

/** Names of fields that only this page knows: long texts that are not from the request. */
function secretFields({ fields }: Form, { url }: Ended): readonly string[] {
  const known = new Set(url.searchParams.values())
  const names = namesOf(
    fields.filter(
      (one) => /^[^\s:/]{16,}$/.test(one.value) && !known.has(one.value) && !isBox(one),
    ),
  )
  // Another one may name the request, which is refused without it for another reason.
  const tokens = names.filter((name) => /csrf|xsrf|token|forgery/i.test(name))
  return tokens.length > 0 ? tokens : names
}

/** The source lists of `form-action` of a page, all of which apply. */
const formActions = (page: Page): readonly (readonly string[])[] => {
  const { ofHeaders, ofPage } = policiesOf(page)
  return sourceLists([...ofHeaders, ...ofPage], 'form-action')
}

const CSRF = 'Put a random value of the session into the form, and refuse a decision without it.'
const BOUND =
  'Keep the request with the session of the browser that started it, and refuse decisions from another.'

/** The page on which a person decides. */
export const consent: readonly Check[] = [
  {
    id: 'consent/denied',
    clause: TEXT.denied,
    ...OF_PAGE,
    change: 'Redirect to the redirect URI with error=access_denied and the state.',
    async run(on) {
      const ended = await denied(on)
      const isTold = ended.parameters?.get('error') === 'access_denied'
      return judge(ended, isTold, describe(ended), `the person denied: ${describe(ended)}`)
    },
  },
  {
    id: 'consent/asked-again',
    clause: TEXT.repeated,
    depth: 'people',
    change: 'Remember consent for clients only that authenticate, and ask again for all others.',
    async run(on) {
      const { client } = (await on.sharedTokens()).code
      if (!isPublic(client)) return notApplicable('the client authenticates')
      const page = await on.browser(0).open(on.request(client).url)
      if (codeAt(page) !== null)
        return violated(page, 'a second request of a public client got a code without a page')
      if (page.left !== null || page.status >= 400)
        return notReached(`the second request failed with ${page.status}`, page)
      if (signInFormOf(page, on.signIn!.people[0]) === null)
        decisionOf(page, true, on.signIn?.buttons)
      return held(page, `a second request shows ${page.url.pathname}`)
    },
  },
  {
    id: 'consent/scripts',
    clause: TEXT.scripts,
    ...OF_PAGE,
    change: "Send Content-Security-Policy with script-src 'self' or default-src 'none'.",
    async run(on) {
      const page = await pageOf(on)
      const { ofHeaders, ofPage } = policiesOf(page)
      const sources = sourceLists([...ofHeaders, ...ofPage], 'script-src', 'default-src')
      const isOpen = sources.every((list) => {
        const hasNonce = list.some((one) => /^'(?:nonce-|sha\d+-|strict-dynamic)/.test(one))
        return !hasNonce && list.some((one) => /^(?:'unsafe-inline'|\*|https?:)$/.test(one))
      })
      return judge(page, !isOpen, `scripts are limited to ${sources.flat().join(' ')}`, `the page may run any script: ${sources.flat().join(' ') || 'no policy limits them'}`) // prettier-ignore
    },
  },
  {
    id: 'consent/name-escaped',
    clause: TEXT.sanitized,
    depth: 'people',
    creates: { clients: 1, authorizations: 1 },
    change: 'Escape client_name and everything else of a client where the page is written.',
    async run(on) {
      await on.requiresPublic()
      // A name that ends an attribute, a title and a script, and then begins an element that does nothing.
      const name = `Audit of names" hallpass-audit="1"></title></script><i hallpass-audit="1"></i>`
      const answer = await on.register({ client_name: name })
      const { client_id: clientId } = answer.json
      if (answer.status >= 400 || typeof clientId !== 'string')
        return held(answer, `a name with HTML is refused when the client registers: ${answer.status}`) // prettier-ignore
      const { scope } = await on.client()
      const client: Client = { clientId, secret: null, redirectUri: REDIRECT_URI, scope }
      const { page } = await on.consentPage({ client, person: 0, changes: ASKING })
      if (!page.text.includes('Audit of names'))
        return notReached('the consent page does not show the name of the client', page)
      const isHtml = elementsIn(page).some(({ attributes }) => 'hallpass-audit' in attributes)
      return judge(page, !isHtml, 'the name is shown as text', 'the name of a client becomes HTML of the consent page') // prettier-ignore
    },
  },
  {
    id: 'consent/not-stored',
    clause: TEXT.stored,
    ...OF_PAGE,
    change: 'Send Cache-Control: no-store.',
    async run(on) {
      const page = await pageOf(on)
      const control = page.headers.get('cache-control') ?? ''
      const where = `Cache-Control is ${control || 'missing'}`
      return judge(page, /\b(?:no-store|no-cache|private)\b/i.test(control), where, where)
    },
  },
  {
    id: 'consent/popup',
    clause: TEXT.popup,
    ...OF_SENT,
    change:
      'Leave Cross-Origin-Opener-Policy out of the answers to authorization requests, redirects included: the client sees its popup as closed.',
    async run(on) {
      const { at, page } = await sent(on)
      const policyIn = ({ headers }: { headers: Headers }): string => headers.get('cross-origin-opener-policy') ?? '' // prettier-ignore
      const cut = [...at.page.answers, ...page.answers].find((one) => !/^(?:unsafe-none\b.*)?$/i.test(policyIn(one))) // prettier-ignore
      return cut === undefined
        ? held(page, 'no answer has an opener policy')
        : violated(cut, `${cut.url.pathname} has the policy ${policyIn(cut)}`)
    },
  },
  {
    id: 'consent/form-action',
    clause: TEXT.formAction,
    ...OF_SENT,
    change:
      'Leave form-action out of the policy of the consent page: browsers apply it to the redirect that answers the form.',
    async run(on) {
      const { at, page } = await sent(on)
      const targets = page.answers.flatMap(({ location }) => location ?? [])
      if (targets.length === 0) return notReached('the decision leads to no redirect', page)
      const lists = formActions(at.page)
      const blocked = targets.find((to) => lists.some((list) => !matches(list, to, at.page.url)))
      return judge(at.page, blocked === undefined, `form-action is ${lists.flat().join(' ') || 'missing'}`, `form-action ${lists.flat().join(' ')} forbids the redirect to ${blocked?.origin}`) // prettier-ignore
    },
  },
  {
    id: 'consent/second-hop',
    clause: TEXT.formAction,
    ...OF_PAGE,
    change:
      'Leave form-action out of the policy of the consent page. A list with the redirect URI is not enough: clients redirect again, to an origin or an app that you do not know.',
    async run(on) {
      const page = await pageOf(on)
      const lists = formActions(page)
      const further = new URL('https://second-hop.example/')
      const isFree = lists.every((list) => matches(list, further, page.url))
      const where = `form-action is ${lists.flat().join(' ') || 'missing'}`
      return judge(page, isFree, where, `${where}, and forbids a further redirect of the client`)
    },
  },
  {
    id: 'consent/form-token',
    clause: TEXT.formToken,
    depth: 'people',
    creates: { authorizations: 1 },
    change: CSRF,
    async run(on) {
      const { at, form, button } = await formOf(on, 0)
      const names = secretFields(form, at)
      if (names.length === 0) return notApplicable('the form has no value that only it knows', at)
      const without = Object.fromEntries(names.map((name) => [name, []]))
      const page = await on.browser(0).submit(at.page, form, button, without)
      return noCode(page, `a form without ${names.join(', ')}`)
    },
  },
  {
    id: 'consent/other-site',
    clause: TEXT.csrf,
    depth: 'people',
    creates: { authorizations: 2 },
    change: CSRF,
    async run(on) {
      // The site knows the form of its own page, and the person has a request that waits.
      const { at, form, button } = await formOf(on, 1)
      await formOf(on, 0)
      const victim = on.browser(0).copy(({ sameSite = 'None' }) => sameSite === 'None')
      const page = await victim.submit(at.page, form, button, {}, CROSS_SITE)
      return noCode(page, 'a form of another site')
    },
  },
  {
    id: 'consent/other-browser',
    clause: TEXT.verified,
    depth: 'people',
    creates: { authorizations: 1 },
    change: BOUND,
    async run(on) {
      const { at, form, button } = await formOf(on, 0)
      const page = await on.browser(null).submit(at.page, form, button)
      return noCode(page, 'the decision of a browser without cookies')
    },
  },
  {
    id: 'consent/other-person',
    clause: TEXT.ownForm,
    depth: 'people',
    creates: { authorizations: 2 },
    change: BOUND,
    async run(on) {
      const { form, button } = await formOf(on, 0)
      const { at, form: own } = await formOf(on, 1)
      const isSame = form.action.href === own.action.href && secretFields(form, at).length === 0
      if (isSame) return notApplicable('the forms of two people are the same', at)
      return noCode(await on.browser(1).submit(at.page, form, button), 'the form of another person')
    },
  },
  {
    id: 'consent/answered-once',
    clause: TEXT.once,
    ...OF_SENT,
    change: 'End the pending request in the transaction that stores its code.',
    async run(on) {
      const { at, form, button, page: before } = await sent(on)
      const first = codeAt(before)
      if (first === null) return notReached('the decision led to no code', before)
      const page = await on.browser(0).submit(at.page, form, button)
      const second = codeAt(page)
      return judge(page, second === null || second === first, 'the same form again gives no further code', 'the same form gave two codes') // prettier-ignore
    },
  },
]
