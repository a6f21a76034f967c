import { readDocument } from '../authorization-server/cimd-resolver.js'
import type { ClientAuthenticationMethod } from '../authorization-server/client-authentication-method.js'
import { ASSERTION_REFUSALS, type AssertionReason } from '../policy/client-assertion.js'
import { decideClientKeys, decideKeySet, isKeyUrl, type KeysReason } from '../policy/client-keys.js'
import { documentFreshUntil } from '../policy/cimd-freshness.js'
import { authorityOf, type DocumentUrl } from '../policy/cimd-url.js'
import type { Client } from '../policy/client.js'
import { type Decision, type Refusal, refuseFrom } from '../policy/decision.js'
import { isMembers } from '../policy/reading.js'
import { CLIENT_KEYS } from '../site/fetch-document.js'
import { inTime } from '../store/deadline.js'
import { isBefore } from '../time/seconds.js'

export type Jwks = NonNullable<NonNullable<Client['keys']>['jwks']>
type Request = Pick<
  Parameters<NonNullable<ClientAuthenticationMethod['authenticate']>>[0],
  'client' | 'now' | 'site' | 'context'
>
type Keys = Decision<{ readonly jwks: Jwks }, AssertionReason>

/** The keys of an address as they were last read, or why they cannot be used. */
interface Copy {
  readonly keys: Keys
  readonly fetchedAt: number
  readonly freshUntil: number
}

/** How long a copy is used without a fetch, whatever its headers permit, in seconds. */
const FRESH_SECONDS = 3600
/** How long a copy is used while its address cannot be fetched, in seconds. */
const STALE_SECONDS = 4 * 3600
/** How long a refused copy, or a copy whose address did not respond, is used before the next fetch, in seconds. */
const PAUSE_SECONDS = 30
/** How often one network may ask for another fetch of one address: once within these seconds. */
const AGAIN_SECONDS = 60
const MAX_COPIES = 1000
/** How long a request waits for keys that it needs, and for newer ones if it has some, in milliseconds. */
const [FETCH_MILLISECONDS, PATIENCE_MILLISECONDS] = [5000, 1000]

const refuse = /* @__PURE__ */ refuseFrom(ASSERTION_REFUSALS)

/** The keys of clients by their own metadata. */
export interface ClientKeySource {
  /** Returns the keys of a client, which are fetched if there is no fresh copy. */
  readonly find: (request: Request) => Promise<Keys>
  /**
   * Returns newer keys after an assertion that none of the known ones made; `null` if there are none, or if the sender
   * has asked too often.
   */
  readonly findAgain: (request: Request, known: Jwks) => Promise<Jwks | null>
}

/**
 * Creates a source of keys with copies in memory. Copies are bounded in number and age, and a fetch is shared by all who
 * wait for it.
 *
 * Who pays: a copy that is stale costs its own address, for every sender. A fetch because there is no copy, or because the
 * assertion matches none, costs the sender's network first. So bad assertions take no
 * fetch from the client.
 *
 * @param algorithms - those of the server
 */
export function createClientKeys(algorithms: readonly string[]): ClientKeySource {
  const copies = new Map<string, Copy>()
  const underWay = new Map<string, Promise<Copy | null>>()

  function keep(place: string, copy: Copy): void {
    copies.delete(place)
    copies.set(place, copy)
    if (copies.size > MAX_COPIES) copies.delete(copies.keys().next().value!)
  }

  /** Fetches keys, and keeps them. `null` if the address does not respond. */
  async function fetchKeys(address: DocumentUrl, request: Request): Promise<Copy | null> {
    const { client, site, context } = request
    const { fetchDocument } = site.documents!
    const read = await readDocument(fetchDocument, address, CLIENT_KEYS)
    const at = site.now()
    const isLate = !read.ok && read.isDown
    const keys = read.ok ? keysIn(read.metadata, request) : refuse(...MALFORMED)
    const reason = read.ok ? (keys.ok ? null : keys.reason) : read.detail
    if (reason !== null)
      context.notifyEvent({
        type: 'oauth.client.cimd.fetch_failed',
        at,
        clientId: client.clientId,
        reason,
      })
    if (isLate) return null
    const freshUntil =
      read.ok && keys.ok
        ? documentFreshUntil({ headers: read.headers, now: at })
        : at + PAUSE_SECONDS
    const copy = { keys, fetchedAt: at, freshUntil: Math.min(freshUntil, at + FRESH_SECONDS) }
    keep(placeOf(client), copy)
    return copy
  }

  /** Reads the keys of an address: those of `jwks_uri`, or those within the document of the client. */
  function keysIn(
    content: unknown,
    { client, site }: Request,
  ): Decision<{ readonly jwks: Jwks }, KeysReason> {
    if (client.keys!.jwksUri !== null) return decideKeySet(content)
    const decided = isMembers(content)
      ? decideClientKeys({ metadata: content, algorithms, policy: site.documents })
      : refuse(...MALFORMED)
    if (decided === null) return refuse('invalid_client', 'client_keys_missing')
    if (!decided.ok) return decided
    const { jwks } = decided.keys
    // The document has moved its keys to an address, which the next authorization request reads.
    return jwks === null ? refuse('invalid_client', 'client_keys_missing') : { ok: true, jwks }
  }

  /** Shares a fetch, and waits for it. `null` if there is no response in time. */
  async function share(
    address: DocumentUrl,
    request: Request,
    milliseconds: number,
  ): Promise<Copy | null> {
    const place = placeOf(request.client)
    const running =
      underWay.get(place) ??
      inTime(fetchKeys(address, request), FETCH_MILLISECONDS, late)
        .catch(() => null)
        .finally(() => underWay.delete(place))
    underWay.set(place, running)
    return inTime(running, milliseconds, late).catch(() => null)
  }

  return {
    async find(request) {
      const { client, now, context } = request
      const address = addressOf(client)
      if (address === null) return own(client)
      const copy = newest(copies.get(placeOf(client)), copyOf(client))
      if (copy !== null && isBefore(now, copy.freshUntil)) return copy.keys
      if (!isKeyUrl(address, policyFor(request)))
        return refuse('invalid_client', 'client_keys_uri_not_allowed')
      const usable =
        copy !== null && isBefore(now, copy.fetchedAt + STALE_SECONDS) && copy.keys.ok ? copy : null
      const isPaid =
        underWay.has(placeOf(client)) ||
        (
          await context.payer.spend(
            ...(usable === null ? ([['fetchesOfNetwork']] as const) : []),
            ...costsOf(address),
          )
        ).ok
      const url = address as DocumentUrl
      const patience = usable === null ? FETCH_MILLISECONDS : PATIENCE_MILLISECONDS
      const fetched = isPaid ? await share(url, request, patience) : null
      if (fetched !== null) return fetched.keys
      if (usable === null) return UNAVAILABLE
      const until = Math.min(now + PAUSE_SECONDS, usable.fetchedAt + STALE_SECONDS)
      keep(placeOf(client), { ...usable, freshUntil: until })
      return usable.keys
    },

    async findAgain(request, known) {
      const { client, context } = request
      const address = addressOf(client)
      if (address === null || !isKeyUrl(address, policyFor(request))) return null
      const { payer } = context
      const { ok } = await payer.spend(
        ['fetchesOfNetwork'],
        // Without its network a sender is one of all.
        ['fetchesOfDocument', `${payer.name ?? ''} ${address}`, { cost: 1, allowance: AGAIN }],
        ...costsOf(address),
      )
      const fetched = ok ? await share(address as DocumentUrl, request, FETCH_MILLISECONDS) : null
      if (fetched === null || !fetched.keys.ok) return null
      const { jwks } = fetched.keys
      return jwks === known ? null : jwks
    },
  }
}

const MALFORMED = ['invalid_client', 'client_keys_malformed'] as const
const UNAVAILABLE: Refusal<AssertionReason> = {
  .../* @__PURE__ */ refuse(
    'temporarily_unavailable',
    'client_keys_unavailable',
    'the keys of the client could not be fetched: try again later',
  ),
  retryAfterSeconds: PAUSE_SECONDS,
}
const AGAIN = { amount: 1, seconds: AGAIN_SECONDS }
const late = (): Error => new Error('the keys did not arrive in time')

const costsOf = (address: string) =>
  [
    ['fetchesOfDocument', address],
    ['fetchesOfHost', authorityOf(address)],
    ['fetchesOfSite', 'site'],
  ] as const

/** Returns the address from which the keys of a client are fetched; `null` if they are only in its record. */
function addressOf({ keys = null, document, clientId }: Client): string | null {
  if (keys === null) return null
  return keys.jwksUri ?? (document === null ? null : clientId)
}

/** A document is read in another way than an address of keys, which another client may say it is. */
const placeOf = (client: Client): string =>
  `${client.keys!.jwksUri === null ? 'document' : 'keys'} ${addressOf(client)}`

/** The keys in the record of a client. */
const own = ({ keys = null }: Client): Keys =>
  keys?.jwks == null
    ? refuse('invalid_client', 'client_keys_missing')
    : { ok: true, jwks: keys.jwks }

/** The keys that came with the document of a client, as a copy of its age. */
function copyOf({ keys = null, document }: Client): Copy | null {
  if (keys?.jwks == null || document === null) return null
  const { fetchedAt, freshUntil } = document
  const until = Math.min(freshUntil, fetchedAt + FRESH_SECONDS)
  return { keys: { ok: true, jwks: keys.jwks }, fetchedAt, freshUntil: until }
}

const newest = (one: Copy | undefined, other: Copy | null): Copy | null =>
  one !== undefined && (other === null || !isBefore(one.fetchedAt, other.fetchedAt)) ? one : other

/** A manager who entered an address has allowed its host. A document has its keys where the site accepts documents. */
const policyFor = ({ client: { kind }, site: { documents } }: Request) =>
  kind === 'document' || documents === null ? documents : { ...documents, openRegistration: true }
