import { type Finding, held, notReached, Stop, violated } from '../finding.js'
import {
  type Audit,
  type AuthorizationRequest,
  type Changes,
  type Client,
  describe,
  type Ended,
} from '../engine/audit.js'
import type { Page } from '../engine/browser.js'
import { newSecret } from '../engine/random.js'

/** How a server takes an authorization request, before a person decides. */
export interface Asked extends AuthorizationRequest {
  readonly page: Page
  /** The parameters that the client received in the query or the fragment; `null` if the browser was not sent there. */
  readonly parameters: URLSearchParams | null
  /** Whether the server takes it: the client received a code, or the browser shows what a right request shows. */
  readonly isTaken: boolean
  /** Whether a person was asked, and has denied it. */
  readonly isDenied?: boolean
  /** Whether nothing shows what had been if they had not. */
  readonly isUnclear?: boolean
}

/**
 * Asks signed out. If that is not refused, asks as a person who signs in and denies. A server may sign people in before it
 * refuses (RFC 9700, section 4.11.2), and some ask them too. A denial creates nothing.
 */
export async function ask(on: Audit, changes: Changes, of?: Client): Promise<Asked> {
  const asked = await open(on, null, changes, of)
  return asked.isTaken ? deny(on, changes, of) : asked
}

/** Asks as a person who denies. A request that is refused does not end as one that is right and denied. */
export async function deny(on: Audit, changes: Changes, of?: Client): Promise<Asked> {
  const client = of ?? (await on.client())
  const ended = await on.authorize({ person: 0, allow: false, client, changes })
  const parameters = receivedBy(ended, ended.page)
  if (isIssued(parameters)) return { ...ended, parameters, isTaken: true }
  const asked = { ...ended, parameters, isTaken: false, isDenied: true }
  const error = errorIn(asked)
  const usual = errorIn(await denied(on))
  if (error !== usual)
    return { ...asked, isUnclear: error === null && asked.page.left === null && asked.page.status < 400 } // prettier-ignore
  const isTaken = usual !== null && (await isEarly(on))
  return { ...asked, isTaken, isUnclear: !isTaken }
}

/** Whether the server reads requests before it asks people: an unknown client tells. */
const isEarly = (on: Audit): Promise<boolean> =>
  on.once('early', async () => !(await open(on, null, { client_id: newSecret() })).isTaken)

/** Returns the error at the client, or the one that a page names; `null` if there is none. */
const errorIn = ({ page, parameters }: Pick<Asked, 'page' | 'parameters'>): string | null =>
  parameters?.get('error') ?? ERROR.exec(page.text)?.[0] ?? null

const ERROR =
  /\b(?:access_denied|invalid_(?:client|redirect_uri|request|request_object|request_uri|scope|target)|request(?:_uri)?_not_supported|unauthorized_client|unsupported_response_(?:mode|type))\b/

/** Opens a request in the browser of the first person, who has to be signed in, or in one of no one. */
export async function open(
  on: Audit,
  person: 0 | null,
  changes: Changes,
  of?: Client,
): Promise<Asked> {
  const usual = await usualPage(on, person)
  const request = on.request(of ?? (await on.client()), changes)
  return takenAs(request, await on.browser(person).open(request.url), usual)
}

/** Sends a request as a form of another site does, in the browser of the first person. */
export async function post(on: Audit, changes: Changes): Promise<Asked> {
  await signedInAt(on)
  const usual = await usualPage(on, 0)
  const request = on.request(await on.client(), changes)
  const { origin, pathname, searchParams } = request.url
  const page = await on.browser(0).post(origin + pathname, Object.fromEntries(searchParams), {
    origin: new URL(request.client.redirectUri).origin,
    'sec-fetch-site': 'cross-site',
  })
  return takenAs(request, page, usual)
}

/** Returns what a right request shows: the question to a person who is signed in, otherwise the sign-in. */
export const usualPage = (on: Audit, person: 0 | null): Promise<Page> =>
  on.once(`usual page of ${person}`, async () => {
    await on.endpoint('authorization_endpoint')
    const request = on.request(await on.client())
    const page = await on.browser(person).open(request.url)
    const parameters = receivedBy(request, page)
    if ((page.left === null && page.status >= 400) || parameters?.has('error'))
      throw new Stop(notReached(`a right request is refused: ${describe({ page, parameters })}`))
    return page
  })

/** Signs the first person in, and returns when that was at the latest, in milliseconds of `performance.now`. */
export const signedInAt = (on: Audit): Promise<number> =>
  on.once('signed in', async () => {
    await on.sharedTokens()
    return performance.now()
  })

function takenAs(request: AuthorizationRequest, page: Page, usual: Page): Asked {
  const parameters = receivedBy(request, page)
  const isShown = page.left === null ? page.status < 400 : parameters === null
  const isTaken = isIssued(parameters) || (isShown && isLike(page, usual))
  return { ...request, page, parameters, isTaken }
}

const isIssued = (parameters: URLSearchParams | null): boolean =>
  ['code', 'access_token', 'id_token'].some((name) => parameters?.has(name))

/** Returns where a request ended, in words. */
export const whereOf = (asked: Asked): string =>
  asked.isDenied ? `a person was asked, and denied: ${describe(asked)}` : describe(asked)

/** Whether a page asks what another one asks: it has one of its forms, or the same path if that has none. */
export function isLike(page: Page, other: Page): boolean {
  const asks = new Set(asksOf(other))
  return asksOf(page).some((one) => asks.has(one))
}

const asksOf = ({ left, url, forms }: Page): readonly string[] =>
  left === null && forms.length > 0
    ? forms.map(({ fields, passwords, buttons }) => JSON.stringify([Object.keys(fields), passwords, buttons.map(({ label }) => label)]))
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

/** Held if the client receives one of these errors, or the browser shows another page than for a right request. */
export function refusedAs(asked: Asked, errors: readonly string[], what: string): Finding {
  const { page, parameters, isTaken } = asked
  const error = parameters?.get('error') ?? null
  const where = whereOf(asked)
  if (asked.isUnclear) return notReached(`${what}: ${where}`)
  if (isTaken) return violated(`${what} is not refused: ${where}`)
  if (page.left === null)
    return page.status < 500 ? held(`${what}: ${where}`) : violated(`${what} fails: ${where}`)
  if (error === null) throw new Stop(notReached(`${what}: ${where}`))
  return errors.includes(error)
    ? held(`${what}: ${where}`)
    : violated(`${what} is not refused with ${errors.join(' or ')}: ${where}`)
}

/** Held if the browser was not sent to an address, and the request was not taken either. */
export function refusedAt(address: string, asked: Asked, what: string): Finding {
  const { page, parameters, isTaken } = asked
  const where = `${what}: ${whereOf(asked)}`
  const { redirectUri } = asked.client
  // A URL parser may make the address that is registered of another one.
  const isSame = address !== redirectUri && new URL(address).href === new URL(redirectUri).href
  const isThere = !isSame && page.left !== null && isAt(page.left, address)
  if (isTaken || isThere) return violated(where)
  if (asked.isUnclear) return notReached(where)
  const isPage = page.left === null && page.status < 500
  // RFC 6749 forbids the address that is not registered, and not the one that is.
  return isPage || parameters?.has('error') ? held(where) : notReached(where)
}

/** Held if the client received a code. */
export function acceptedAs(ended: Ended, what: string): Finding {
  const { page, parameters } = ended
  const where = `${what}: ${describe(ended)}`
  if (parameters?.has('code')) return held(where)
  if (parameters?.has('error') || (page.left === null && page.status >= 400)) return violated(where)
  throw new Stop(notReached(where))
}

/** Returns what the client received with an error, or stops: a server may show its errors to people only. */
export function errorOf(asked: Pick<Asked, 'page' | 'parameters'>): URLSearchParams {
  const { parameters } = asked
  if (parameters?.has('error')) return parameters
  throw new Stop(notReached(`the client is sent no error: ${describe(asked)}`))
}

/**
 * Sends a request whose error goes to the client. Where requests are pushed, a wrong one is refused in JSON, and only a
 * denial leads to the client.
 */
export async function askWrongly(
  on: Audit,
  changes: Changes = {},
  of?: Client,
): Promise<Pick<Asked, 'page' | 'parameters'>> {
  const isPushed = (await on.server())['require_pushed_authorization_requests'] === true
  if (!isPushed) return ask(on, { response_type: WRONG_TYPE, ...changes }, of)
  const client = of ?? (await on.client())
  return on.authorize({ client, allow: false, changes: { prompt: 'consent', ...changes } })
}

/** A request that every server refuses, and whose error goes to the client. */
export const WRONG_TYPE = 'hallpass_audit'

/** A person who is asked, and denies. The question is asked once for all checks. */
export const denied = (on: Audit): Promise<Ended> =>
  on.once('denied', async () => {
    // The prompt makes a server ask that remembers what this person has allowed.
    const ended = await on.authorize({ allow: false, changes: { prompt: 'consent' } })
    if (ended.parameters?.has('code'))
      throw new Stop(notReached('the person was not asked, so that nothing could be denied'))
    return ended
  })
