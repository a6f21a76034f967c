import type { Context, Reporter } from '../http/context.js'
import { DOCUMENT, type Fetched, type FetchDocument } from '../site/fetch-document.js'
import { decodeUtf8 } from '../http/body.js'
import { parseStrictJson } from '../http/json.js'
import type { Client } from '../policy/client.js'
import { type Decision, type Refusal, refuse } from '../policy/decision.js'
import { documentFreshUntil } from '../policy/cimd-freshness.js'
import { clientOfDocument, STALE_DOCUMENT_SECONDS } from '../policy/cimd-lifecycle.js'
import { decideDocumentResponse } from '../policy/cimd-response.js'
import {
  decideDocument,
  decideDocumentUrl,
  type DocumentUrl,
  isDocumentClientId,
  type MetadataDocument,
} from '../policy/cimd-document.js'
import { authorityOf } from '../policy/cimd-url.js'
import type { Payer } from '../site/payer.js'
import type { Site } from '../site/site.js'
import type { ClientAuthenticationMethod } from './client-authentication-method.js'
import { isBefore, secondsSince } from '../time/seconds.js'

/**
 * Finds the client of an authorization request; `client` is `null` if there is none. A refusal is shown on
 * a page, because no redirect URI can be trusted without a client.
 */
export type ClientResolver = (
  clientId: string,
  context: Context,
  options: { readonly knownOnly: boolean },
) => Promise<Decision<{ client: Client | null }>>

/** The refusal of a URL at a site that does not resolve client metadata documents. */
export const NOT_SUPPORTED: Refusal<'documents_not_supported'> = refuse(
  'invalid_client',
  'documents_not_supported',
  'client_id cannot be a URL at this site',
)
/** The refusal of a document that cannot be fetched now. */
export const UNAVAILABLE: Refusal<'document_unavailable'> = refuse(
  'invalid_client',
  'document_unavailable',
  'the client ID metadata document could not be read',
)
const PACED = refuse(
  'temporarily_unavailable',
  'document_fetch_paced',
  'too many client ID metadata documents were requested: try again later',
)

/**
 * Creates the function that finds the client of an authorization request. A URL that does not identify
 * another stored client is the URL of a client metadata document. It is fetched if the stored copy is
 * missing or stale, and its client is stored.
 *
 * No other request fetches: a token that was issued depends only on the store, not on the host of the
 * document.
 *
 * The URL is checked even if the stored copy is fresh, so a host that is no longer allowed gets no new
 * authorization. A disabled client is returned without a fetch, and the policy refuses it. With `knownOnly`, no document
 * is fetched that the store does not have yet.
 *
 * @see [Client ID Metadata Document](https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/)
 */
export function createClientResolver(site: Site, blocks: DocumentBlocks): ClientResolver {
  const { documents, findClient, now } = site
  const resolver =
    documents === null
      ? null
      : { policy: documents, fetch: createCoalesced(site, documents.fetchDocument, blocks) }

  return async (clientId, context, { knownOnly }) => {
    const known = await findClient(clientId)
    const isOther = known !== null && known.document === null
    if (isOther || !isDocumentClientId(clientId)) return { ok: true, client: known }
    if (resolver === null) return NOT_SUPPORTED
    const allowed = decideDocumentUrl({ clientId, policy: resolver.policy })
    if (!allowed.ok) return allowed
    const isFresh = known?.document != null && isBefore(now(), known.document.freshUntil)
    if (isFresh || known?.disabled === true) return { ok: true, client: known }
    if (known === null && knownOnly) return UNAVAILABLE
    return resolver.fetch(allowed.url, known, context)
  }
}

/**
 * Shares one fetch between concurrent requests for the same document. A request that joins a fetch in
 * progress spends nothing.
 *
 * Anyone can send a `client_id`, so without budgets this server could be used to flood a host, or to fill
 * the store. The sender of the name of a new document pays first, and a fetch that does not begin costs no one
 * anything. A stored copy that is stale costs only its own document, whose publisher may have withdrawn a redirect
 * URI: no one else's requests can keep it. If that is spent, the last good copy is used, with an event.
 */
function createCoalesced(
  site: Site,
  fetchDocument: FetchDocument,
  { clientAuthentication, grants }: DocumentBlocks,
): (
  url: DocumentUrl,
  known: Client | null,
  context: Context,
) => Promise<Decision<{ client: Client | null }>> {
  const underWay = new Map<DocumentUrl, ReturnType<typeof refreshDocument>>()
  const { now } = site

  async function spendOn(
    url: DocumentUrl,
    known: Client | null,
    payer: Payer,
  ): Promise<Refusal | null> {
    const { ok, retryAfterSeconds } =
      known !== null
        ? await payer.spend(['fetchesOfDocument', url])
        : await payer.spend(
            ['fetchesOfNetwork'],
            ['newDocumentsOfNetwork'],
            ['fetchesOfDocument', url],
            ['fetchesOfHost', authorityOf(url)],
            ['fetchesOfSite', 'site'],
          )
    return ok ? null : { ...PACED, retryAfterSeconds }
  }

  function begin(
    url: DocumentUrl,
    known: Client | null,
    context: Context,
  ): ReturnType<typeof refreshDocument> {
    const keeper: DocumentKeeper = {
      ...site,
      clientAuthentication,
      grants,
      notifyEvent: (step) => context.notifyEvent(step),
      announce: (...steps) => context.announce(...steps),
    }
    const started = (async () => {
      const refused = await spendOn(url, known, context.payer)
      if (refused === null) return refreshDocument(keeper, { fetchDocument, url, known })
      if (known !== null) noteFailedFetch(keeper, url, refused.reason)
      return lastGoodCopy(known, now(), refused)
    })()
    underWay.set(url, started)
    return started.finally(() => {
      if (underWay.get(url) === started) underWay.delete(url)
    })
  }

  return async (url, known, context) => {
    const running = underWay.get(url)
    if (running === undefined) return begin(url, known, context)
    const joined = await running
    // The one that began the fetch may be over the budget of its own network.
    const isPaced = !joined.ok && joined.reason === PACED.reason
    return isPaced ? begin(url, known, context) : joined
  }
}

/** The members of a site that are needed to store a document. */
export type DocumentKeeper = Pick<
  Site,
  'store' | 'now' | 'name' | 'issuer' | 'loopbackHosts' | 'vendors' | 'lookalikes' | 'documents'
> &
  Reporter &
  DocumentBlocks

/** The blocks of a server that read a document. */
export interface DocumentBlocks {
  readonly clientAuthentication: readonly ClientAuthenticationMethod[]
  readonly grants: readonly { readonly name: string }[]
}

const noteFailedFetch = (
  { notifyEvent, now }: Pick<DocumentKeeper, 'notifyEvent' | 'now'>,
  clientId: string,
  reason: string,
): void => notifyEvent({ type: 'oauth.client.cimd.fetch_failed', at: now(), clientId, reason })

/**
 * Fetches a document and stores its client. Errors are never stored: while the host is unreachable, or
 * responds with 429 or a 5xx status, the last good copy remains valid.
 *
 * Any other response without a valid document is refused. The stored client and its tokens remain. An
 * event reports the cause of every failure. The refusal of a failed fetch has none, because an unknown
 * client could scan ports with it.
 *
 * @returns the client, or a refusal with the error `invalid_client`: `document_unavailable`, or one of
 *   `decideDocument`
 */
export async function refreshDocument(
  site: DocumentKeeper,
  {
    fetchDocument,
    url,
    known,
  }: { fetchDocument: FetchDocument; url: DocumentUrl; known: Client | null },
): Promise<Decision<{ client: Client }>> {
  const {
    store,
    now,
    loopbackHosts,
    vendors,
    lookalikes,
    documents,
    clientAuthentication,
    grants,
  } = site
  const keysOf = clientAuthentication.find(({ forServer }) => forServer.keysOf)?.forServer.keysOf
  const read = await readDocument(fetchDocument, url)
  if (!read.ok) {
    noteFailedFetch(site, url, read.detail)
    if (!read.isDown) return UNAVAILABLE
    // Read again, because a manager may have blocked the client during a slow fetch.
    return lastGoodCopy(await store.findClient(url), now(), UNAVAILABLE)
  }
  const decided = decideDocument({
    url,
    metadata: read.metadata,
    loopbackHosts,
    vendors,
    site,
    lookalikes: await lookalikes(),
    ...(keysOf && { signing: (metadata) => keysOf(metadata, documents) }),
    grants: grants.map(({ name }) => name),
  })
  if (!decided.ok) {
    noteFailedFetch(site, url, decided.reason)
    return decided
  }
  return keep(site, known, {
    document: decided.document,
    freshUntil: documentFreshUntil({ headers: read.headers, now: now() }),
  })
}

/**
 * Stores the client that a document defines. A known client is replaced only if its revision is still the
 * one that was read, so a block by a manager in between is never overwritten.
 *
 * The events follow the write: only the request that wrote reports it. `reviewLost` informs the managers
 * that the change has ended a review.
 */
async function keep(
  { store, now, announce }: DocumentKeeper,
  known: Client | null,
  { document, freshUntil }: { document: MetadataDocument; freshUntil: number },
): Promise<Decision<{ client: Client }>> {
  const at = now()
  const { client, change } = clientOfDocument({ known, document, now: at, freshUntil })
  const { clientId, name: clientName } = client
  const { events, tell } = announce(
    { type: 'oauth.client.cimd.fetched', at, clientId, clientName },
    ...(change === 'changed'
      ? [
          {
            type: 'oauth.client.cimd.changed' as const,
            at,
            clientId,
            clientName,
            reviewLost: known!.scopes !== null,
          },
        ]
      : []),
  )
  const outcome =
    known === null
      ? await store.insertClient(client, events)
      : await store.replaceClient(client, events)
  // Another request stored the client first. Its copy is as new, and includes the decision of a manager.
  if (outcome !== 'inserted' && outcome !== 'replaced')
    return found(await store.findClient(clientId))
  tell()
  return { ok: true, client }
}

/**
 * Returns the stored client if its document was fetched within seven days, whether or not it is fresh.
 * After that the refusal applies, and the client of an abandoned host gets no new authorization.
 */
function lastGoodCopy(
  known: Client | null,
  now: number,
  otherwise: Refusal,
): Decision<{ client: Client }> {
  if (known?.document == null) return otherwise
  const isGood = isBefore(secondsSince(known.document.fetchedAt, now), STALE_DOCUMENT_SECONDS)
  return isGood ? { ok: true, client: known } : otherwise
}

// `null` if a manager deleted the client, or the store purged it, in between.
const found = (client: Client | null): Decision<{ client: Client }> =>
  client === null ? UNAVAILABLE : { ok: true, client }

type Read =
  | { readonly ok: true; readonly metadata: unknown; readonly headers: Headers }
  /** `detail` is only for the host application. `isDown`: the host may recover and serve the same document. */
  | { readonly ok: false; readonly detail: string; readonly isDown: boolean }

/**
 * Fetches and parses a document, or the keys of a client. The status and the headers are checked before the body is read, and the
 * size before it is parsed.
 *
 * `fetchDocument` must limit the size itself; the check here is for one that does not. An exception is
 * treated as an outage, and bytes that are not UTF-8 as text that is not JSON.
 */
export async function readDocument(
  fetchDocument: FetchDocument,
  url: DocumentUrl,
  asked: Fetched = DOCUMENT,
): Promise<Read> {
  try {
    const response = await fetchDocument(url, asked)
    const { status, headers } = response
    const decided = decideDocumentResponse({
      status,
      contentType: headers.get('content-type'),
      contentEncoding: headers.get('content-encoding'),
    })
    const isDown = status >= 500 || status === 429
    if (!decided.ok) return { ok: false, detail: `${decided.reason}: ${status}`, isDown }
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (bytes.length > asked.limitBytes)
      return { ok: false, detail: 'document_too_large', isDown: false }
    const parsed = parseStrictJson(decodeUtf8(bytes) ?? '')
    return parsed.ok
      ? { ok: true, metadata: parsed.value, headers }
      : { ok: false, detail: parsed.reason, isDown: false }
  } catch (fault) {
    return {
      ok: false,
      detail: fault instanceof Error ? fault.message : String(fault),
      isDown: true,
    }
  }
}
