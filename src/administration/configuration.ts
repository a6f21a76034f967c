import { type RandomBytes, randomBytes } from '../encoding/random.js'
import { type DocumentOptions, refreshDocument } from '../endpoint/documents.js'
import type { AuthorizationEvent } from '../endpoint/events.js'
import { guardStorage } from '../http/respond.js'
import { shielded } from '../http/shielded.js'
import type { Client } from '../policy/client.js'
import { type Decision, refuse } from '../policy/decision.js'
import type { PinnedDocument } from '../policy/document-lifecycle.js'
import { decideDocumentUrl, documentPolicyOf } from '../policy/document-url.js'
import { APP_SCHEMES, BROWSER_SCHEMES } from '../policy/client-redirect.js'
import { LOOPBACK_HOSTS } from '../policy/redirect-uri.js'
import type { Vendor } from '../policy/vendor.js'
import { createClientFinder } from '../resource/clients.js'
import { unknownOptions } from '../resource/option-faults.js'
import type { ScopeRegistry } from '../scope/registry.js'
import type { RoleTable } from '../scope/role.js'
import type { Store } from '../store/store.js'
import type { AdministrationEvent } from './events.js'

/** Options of {@link createClientAdministration}; most are the authorization server's own. */
export interface AdministrationOptions {
  readonly store: Store
  readonly scopes: ScopeRegistry
  readonly roles: RoleTable
  readonly vendors?: readonly Vendor[]
  /** Client ID metadata documents; none can be fetched again where this is left out. */
  readonly documents?: DocumentOptions
  readonly pinnedDocuments?: readonly PinnedDocument[]
  /** Whether the site lets member clients in now. While it does not, none can be created. */
  readonly memberClients?: () => boolean | Promise<boolean>
  readonly loopbackHosts?: readonly string[]
  /** Schemes without a dot that redirect URIs of member clients may have. */
  readonly appSchemes?: readonly string[]
  /** Hears of everything that was done. */
  readonly onEvent?: (event: AdministrationEvent | AuthorizationEvent) => void
  /** Hears of what `onEvent` throws. */
  readonly onFault?: (fault: unknown) => void
  /** Epoch seconds. */
  readonly now?: () => number
  /** As many cryptographically random bytes as asked for. Default: the platform's generator. */
  readonly randomBytes?: RandomBytes
}

/** Checked options with every default in place. Made by {@link configureAdministration}. */
export interface AdministrationConfiguration extends Required<
  Omit<AdministrationOptions, 'documents' | 'pinnedDocuments' | 'onFault'>
> {
  /** Finds a client of the store. */
  readonly findStored: (clientId: string) => Promise<Client | null>
  /** Finds a client of the configuration, else one of the store. */
  readonly findClient: (clientId: string) => Promise<Client | null>
  /** Fetches the document of a client now and stores what it says. */
  readonly fetchDocument: (known: Client) => Promise<Decision<{ readonly client: Client }>>
}

const OPTION_NAMES: ReadonlySet<string> = new Set<keyof AdministrationOptions>([
  'store', 'scopes', 'roles', 'vendors', 'documents', 'pinnedDocuments', 'memberClients',
  'loopbackHosts', 'appSchemes', 'onEvent', 'onFault', 'now', 'randomBytes',
]) // prettier-ignore
const SCHEME = /^[a-z][a-z0-9+.-]*$/

/**
 * Checks the options and puts every default in place.
 *
 * @throws TypeError - naming every fault at once: unknown options, `appSchemes` that are no schemes or
 *   belong to the browser
 */
export function configureAdministration(
  options: AdministrationOptions,
): AdministrationConfiguration {
  const faults = [
    ...unknownOptions(options, OPTION_NAMES),
    ...(options.appSchemes ?? [])
      .filter((scheme) => !SCHEME.test(scheme) || BROWSER_SCHEMES.includes(scheme))
      .map((scheme) => `appSchemes: "${scheme}" cannot be an application's own scheme`),
  ]
  if (faults.length > 0) throw new TypeError(`client administration: ${faults.join('; ')}`)
  const store = guardStorage(options.store)
  const { vendors = [], pinnedDocuments = [], memberClients = () => true } = options
  const finder = { vendors: [], pinnedDocuments: [], memberClients: null }
  const configuration = {
    store,
    scopes: options.scopes,
    roles: options.roles,
    vendors,
    memberClients: guardStorage({ memberClients }).memberClients,
    loopbackHosts: options.loopbackHosts ?? LOOPBACK_HOSTS,
    appSchemes: options.appSchemes ?? APP_SCHEMES,
    onEvent: shielded(options.onEvent, options.onFault ?? (() => {})),
    now: options.now ?? (() => Math.floor(Date.now() / 1000)),
    randomBytes: options.randomBytes ?? randomBytes,
    findStored: createClientFinder(store, finder),
    findClient: createClientFinder(store, { ...finder, vendors, pinnedDocuments }),
  }
  return { ...configuration, fetchDocument: createFetchAgain(configuration, options.documents) }
}

function createFetchAgain(
  configuration: Omit<AdministrationConfiguration, 'fetchDocument'>,
  documents: DocumentOptions | undefined,
): AdministrationConfiguration['fetchDocument'] {
  return async (known) => {
    if (documents === undefined) return NOT_SUPPORTED
    const policy = documentPolicyOf(documents)
    const allowed = decideDocumentUrl({ clientId: known.clientId, policy })
    if (!allowed.ok) return allowed
    const { fetchDocument } = documents
    const { url } = allowed
    const fetched = await refreshDocument(configuration, { fetchDocument, url, known })
    // While the host is down the old copy serves. To somebody who asked for a new one that is a no.
    return fetched.ok && fetched.client.revision === known.revision ? UNAVAILABLE : fetched
  }
}

const NOT_SUPPORTED = refuse(
  'invalid_client',
  'documents_not_supported',
  'client_id cannot be a URL here',
)
const UNAVAILABLE = refuse(
  'invalid_client',
  'document_unavailable',
  'the client ID metadata document could not be read',
)
