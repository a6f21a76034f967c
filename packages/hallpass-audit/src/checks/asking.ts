import { type Finding, held, judge, notReached, type Shown, Stop, violated } from '../finding.js'
import {
  type Audit,
  type AuthorizationRequest,
  type Changes,
  type Client,
  describe,
  type Ended,
} from '../engine/audit.js'
import type { Page } from '../engine/browser.js'
import { clock } from '../engine/clock.js'
import { namesOf } from '../engine/form.js'
import { readObject } from '../engine/http.js'

/** The end of an authorization request. */
export interface Asked extends Ended {
  /** Whether the client received a code or a token. */
  readonly isIssued: boolean
  /** Whether that, or the browser shows what a right request shows: nothing is refused yet. */
  readonly isTaken: boolean
  /** Whether the end tells nothing: a page after the sign-in that may be a refusal. */
  readonly isUnclear: boolean
}

/** `POST` sends a form, as a page of another site does. */
export type Method = 'GET' | 'POST'

/** The most that {@link ask} creates. */
export const ASKS = { authorizations: 1 } as const

/**
 * Asks signed out. If that is not refused, a person signs in and allows it: a server may sign people in, and ask them,
 * before it refuses (RFC 9700, section 4.11.2). Then only a code shows that the request was not refused.
 */
export async function ask(
  on: Audit,
  changes: Changes,
  of?: Client,
  method: Method = 'GET',
): Promise<Asked> {
  const asked = await open(on, null, changes, of, method)
  return asked.isTaken && !asked.isIssued ? allow(on, changes, of, method) : asked
}

/** Asks as a person who signs in and allows it. */
export async function allow(
  on: Audit,
  changes: Changes,
  of?: Client,
  method: Method = 'GET',
): Promise<Asked> {
  const client = of ?? (await on.client())
  if (method === 'GET') return asAsked(await on.authorize({ client, changes }))
  return asAsked(await on.decide(await open(on, 0, changes, client, method), true))
}

/** Opens a request in the browser of the first person, or in one in which no one is signed in. */
export async function open(
  on: Audit,
  person: 0 | null,
  changes: Changes,
  of?: Client,
  method: Method = 'GET',
): Promise<Asked> {
  const usual = await usualPage(on, person)
  const request = on.request(of ?? (await on.client()), changes)
  const { origin, pathname, searchParams } = request.url
  const browser = on.browser(person)
  const page = await (method === 'GET'
    ? browser.open(request.url)
    : browser.post(origin + pathname, Object.fromEntries(searchParams), {
        origin: new URL(request.client.redirectUri).origin,
        'sec-fetch-site': 'cross-site',
      }))
  const asked = asAsked({ ...request, person, page, exchange: page.exchange, parameters: null })
  if (page.left !== null) on.received.ended.push(asked)
  const isShown = page.left === null ? page.status < 400 : asked.parameters === null
  return { ...asked, isTaken: asked.isIssued || (isShown && isLike(page, usual)) }
}

/** A redirect URI may be pushed, or be in the fragment, where the engine does not look. */
const asAsked = (at: Ended): Asked => {
  const parameters = receivedBy(at, at.page)
  const isIssued = ['code', 'access_token', 'id_token'].some((name) => parameters?.has(name))
  const isUnclear = !isIssued && at.person !== null && at.page.left === null && at.page.status < 400
  return { ...at, parameters, isIssued, isTaken: isIssued, isUnclear }
}

/** Returns what a right request shows: the question to a person who is signed in, otherwise the sign-in. */
export const usualPage = (on: Audit, person: 0 | null): Promise<Page> =>
  on.once(`usual page of ${person}`, async () => {
    await on.endpoint('authorization_endpoint')
    if (person !== null) await signedInAt(on)
    const request = on.request(await on.client())
    const page = await on.browser(person).open(request.url)
    const parameters = receivedBy(request, page)
    if ((page.left === null && page.status >= 400) || parameters?.has('error'))
      throw new Stop(
        notReached(`a right request is refused: ${describe({ page, parameters })}`, page),
      )
    return page
  })

/** Signs the first person in, and returns when that was at the latest, in milliseconds of `performance.now`. */
export const signedInAt = (on: Audit): Promise<number> =>
  on.once('signed in', async () => {
    await on.sharedTokens()
    return performance.now()
  })

/** Waits until the sign-in of the first person is over a second ago, because servers count whole seconds. */
export async function signInAged(on: Audit): Promise<void> {
  const since = performance.now() - (await signedInAt(on))
  if (since < 1100) await clock.wait(1100 - since)
}

/** Whether a page asks what another one asks: it has one of its forms, or the same path if that has none. */
export function isLike(page: Page, other: Page): boolean {
  const asks = new Set(asksOf(other))
  return asksOf(page).some((one) => asks.has(one))
}

const asksOf = ({ left, url, forms }: Page): readonly string[] =>
  left === null && forms.length > 0
    ? forms.map(({ fields, buttons }) => JSON.stringify([namesOf(fields), buttons.map(({ label }) => label)]))
    : [pathOf(left ?? url).replace(/[^/]*\d[^/]*|[^/]{20,}/g, '*')] // prettier-ignore

const pathOf = ({ protocol, host, pathname }: URL): string => `${protocol}//${host}${pathname}`

/** Returns what a client received: `null` if the browser was sent to none of its addresses. */
export function receivedBy(
  { url, client }: AuthorizationRequest,
  { left }: Page,
): URLSearchParams | null {
  const addresses = [...url.searchParams.getAll('redirect_uri'), client.redirectUri]
  if (left === null || !addresses.some((one) => isAt(left, one))) return null
  return new URLSearchParams([...left.searchParams, ...new URLSearchParams(left.hash.slice(1))])
}

/** Every authorization response so far that has a parameter. */
export const responsesWith = (
  on: Audit,
  name: 'code' | 'error',
): readonly (Ended & { readonly parameters: URLSearchParams })[] =>
  on.received.ended.flatMap((ended) => {
    const parameters = receivedBy(ended, ended.page)
    return parameters?.has(name) ? [{ ...ended, parameters }] : []
  })

/** Whether the browser was sent to an address, with its query and its fragment. */
export function isAt(left: URL, address: string): boolean {
  if (!URL.canParse(address)) return false
  const wanted = new URL(address)
  return (
    pathOf(left) === pathOf(wanted) &&
    left.hash.startsWith(wanted.hash) &&
    [...wanted.searchParams].every(([name, value]) => left.searchParams.getAll(name).includes(value)) // prettier-ignore
  )
}

/** Says in words what is changed in a request. */
export const wordsOf = (changes: Changes): string =>
  Object.entries(changes)
    .map(([name, value]) => (value === null ? `no ${name}` : `${name}=${String(value)}`))
    .join(' and ')

/** The error that the client received, or that a push was answered by; `null` if there is none. */
function errorIn({ url, page, parameters }: Asked): string | null {
  const { error } = page.url.pathname === url.pathname ? {} : readObject(page.text)
  return parameters?.get('error') ?? (typeof error === 'string' ? error : null)
}

/** Held if the client receives one of these errors, or the browser shows another page than for a right request. */
export function refusedAs(asked: Asked, errors: readonly string[], what: string): Finding {
  const { page, isIssued } = asked
  const where = `${what}: ${describe(asked)}`
  if (isIssued) return violated(asked, `${what} is not refused: ${describe(asked)}`)
  const error = errorIn(asked)
  if (error !== null)
    return judge(asked, errors.includes(error), where, `${what} is not refused with ${errors.join(' or ')}: ${describe(asked)}`) // prettier-ignore
  if (asked.isUnclear || page.left !== null) return notReached(where, asked)
  return judge(asked, page.status < 500, where, `${what} fails: ${describe(asked)}`)
}

/** Held if the browser was not sent to an address, and no code was issued either. */
export function refusedAt(address: string, asked: Asked, what: string): Finding {
  const { page, isIssued } = asked
  const where = `${what}: ${describe(asked)}`
  const { redirectUri } = asked.client
  // A URL parser may make the address that is registered of another one.
  const isSame = address !== redirectUri && new URL(address).href.replace(/#$/, '') === new URL(redirectUri).href // prettier-ignore
  const isThere = !isSame && page.left !== null && isAt(page.left, address)
  if (isIssued || isThere) return violated(asked, where)
  const isPage = page.left === null && page.status < 500 && !asked.isUnclear
  // RFC 6749 forbids the address that is not registered, and not the one that is.
  return isPage || errorIn(asked) !== null ? held(asked, where) : notReached(where, asked)
}

/** Held if the client received a code. */
export function acceptedAs(ended: Ended, what: string): Finding {
  const { page, parameters } = ended
  const where = `${what}: ${describe(ended)}`
  if (parameters?.has('code')) return held(ended, where)
  if (parameters?.has('error') || (page.left === null && page.status >= 400))
    return violated(ended, where)
  return notReached(where, ended)
}

/** Returns what the client received with an error, or stops: a server may show its errors to people only. */
export function errorOf(asked: Pick<Asked, 'page' | 'parameters'> & Shown): URLSearchParams {
  const { parameters } = asked
  if (parameters?.has('error')) return parameters
  throw new Stop(notReached(`the client is sent no error: ${describe(asked)}`, asked))
}

/** A request that every server refuses, and whose error goes to the client. */
export const WRONG_TYPE = 'hallpass_audit'

/**
 * Sends a request that leads to an error at the client. That is a wrong one, or one that a person denies: where requests are
 * pushed, or a wrong one is refused too late, only a denial reaches the client.
 */
export async function askWrongly(on: Audit, changes: Changes = {}, of?: Client): Promise<Ended> {
  const client = of ?? (await on.client())
  const isPushed = (await on.server())['require_pushed_authorization_requests'] === true
  if (isPushed) return on.authorize({ client, allow: false, changes: { prompt: 'consent', ...changes } }) // prettier-ignore
  const wrong = { response_type: WRONG_TYPE, ...changes }
  const asked = await open(on, null, wrong, client)
  return asked.isTaken ? on.authorize({ client, allow: false, changes: wrong }) : asked
}

/** A person who is asked, and denies. The question is asked once for all checks. */
export const denied = (on: Audit): Promise<Ended> =>
  on.once('denied', async () => {
    // The prompt makes a server ask that remembers what this person has allowed.
    const ended = await on.authorize({ allow: false, changes: { prompt: 'consent' } })
    if (ended.parameters?.has('code'))
      throw new Stop(notReached('the person was not asked, so that nothing could be denied', ended))
    return ended
  })
