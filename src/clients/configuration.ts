import {
  type DocumentKeeper,
  NOT_SUPPORTED,
  refreshDocument,
  UNAVAILABLE,
} from '../authorization-server/cimd-resolver.js'
import { type GrantType, isGrant, isMethod } from '../authorization-server/block.js'
import type { ClientAuthenticationMethod } from '../authorization-server/client-authentication-method.js'
import { custom, list, optional, type Rules } from '../options/check.js'
import type { Client } from '../policy/client.js'
import type { Decision } from '../policy/decision.js'
import { APP_SCHEMES, BROWSER_SCHEMES } from '../policy/client-redirect.js'
import { decideDocumentUrl } from '../policy/cimd-url.js'
import { createClientFinder } from '../site/client-finder.js'
import type { Step } from '../site/events.js'
import { checkGroup, checkOwnOptions, currentRequestId, type Site } from '../site/site.js'
import type { StoreWith } from '../store/groups.js'

/**
 * The options of {@link createClientManagement}, in addition to its site.
 *
 * @inline
 */
export interface ClientManagementOptions {
  /**
   * The schemes without a dot that redirect URIs of member clients may use, each in lower case and not one
   * of a browser. An empty list allows none; schemes with a dot are always allowed.
   * Default: `cursor`, `vscode` and `vscode-insiders`.
   */
  readonly appSchemes?: readonly string[]
}

/** A site with the checked options of its client management and every default. */
export interface ClientManagementConfiguration
  extends Site<string, StoreWith<'management'>>, Required<ClientManagementOptions> {
  /** With `privateKeyJwt`, managers can create clients that sign, and `fetchAgain` accepts their documents. */
  readonly clientAuthentication: readonly ClientAuthenticationMethod[]
  /** With `deviceGrant`, managers can create clients without redirect URIs, and `fetchAgain` accepts documents without them. */
  readonly grants: readonly GrantType[]
  /** Finds a stored client. */
  readonly findStored: (clientId: string) => Promise<Client | null>
  /** Fetches the client metadata document of a client now, and stores the result. */
  readonly fetchDocument: (known: Client) => Promise<Decision<{ readonly client: Client }>>
}

const SCHEME = /^[a-z][a-z0-9+.-]*$/

const RULES: Rules<ClientManagementOptions> = {
  appSchemes: optional(
    list(
      custom<string>('the scheme of an app, such as obsidian', (value, name) =>
        typeof value === 'string' && SCHEME.test(value) && !BROWSER_SCHEMES.includes(value)
          ? []
          : [`${name} must be the scheme of an app, such as obsidian`],
      ),
    ),
  ),
}

/**
 * Checks the options and adds every default.
 *
 * @throws OptionsError - with every mistake: unknown options, and `appSchemes` that are not valid schemes
 *   or are schemes of a browser; or if the store lacks the group `management`
 */
export function configureClientManagement(
  site: Site<string, StoreWith<'management'>>,
  options: ClientManagementOptions,
): ClientManagementConfiguration {
  const own = checkOwnOptions('client management', site, options, RULES)
  const { appSchemes = APP_SCHEMES } = own
  const clientAuthentication = site.blocks.filter(isMethod)
  const grants = site.blocks.filter(isGrant)
  checkGroup('client management', site, { needer: 'createClientManagement', group: 'management' })
  const stored = { vendors: [], pinnedDocuments: [], memberClients: null }
  return {
    ...site,
    appSchemes,
    clientAuthentication,
    grants,
    findStored: createClientFinder(site.store, stored),
    fetchDocument: createFetchAgain(site, { clientAuthentication, grants }),
  }
}

function createFetchAgain(
  site: Site,
  blocks: Pick<ClientManagementConfiguration, 'clientAuthentication' | 'grants'>,
): ClientManagementConfiguration['fetchDocument'] {
  const { documents } = site
  const named = <Reported extends Step>(
    step: Reported,
  ): Reported & { requestId: string | null } => ({
    ...step,
    requestId: currentRequestId(site),
  })
  const keeper: DocumentKeeper = {
    ...site,
    ...blocks,
    notifyEvent: (step) => site.onEvent(named(step)),
    announce: (...steps) => site.announce(...steps.map(named)),
  }
  return async (known) => {
    if (documents === null) return NOT_SUPPORTED
    const allowed = decideDocumentUrl({ clientId: known.clientId, policy: documents })
    if (!allowed.ok) return allowed
    const { fetchDocument } = documents
    const { url } = allowed
    const fetched = await refreshDocument(keeper, { fetchDocument, url, known })
    // `refreshDocument` falls back to the stored copy when the host is unreachable. A manager who
    // requests a new copy must see that the fetch failed.
    return fetched.ok && fetched.client.revision === known.revision ? UNAVAILABLE : fetched
  }
}
