import {
  NOT_SUPPORTED,
  refreshDocument,
  UNAVAILABLE,
} from '../authorization-server/cimd-resolver.js'
import { custom, list, optional, type Rules } from '../options/check.js'
import type { Client } from '../policy/client.js'
import type { Decision } from '../policy/decision.js'
import { APP_SCHEMES, BROWSER_SCHEMES } from '../policy/client-redirect.js'
import { decideDocumentUrl } from '../policy/cimd-url.js'
import { createClientFinder } from '../site/client-finder.js'
import { checkOwnOptions, type Site } from '../site/site.js'

/** Options of {@link createClientManagement} beside its site. */
export interface ClientManagementOptions {
  /** Schemes without a dot that redirect URIs of member clients may have. */
  readonly appSchemes?: readonly string[]
}

/** A site with the checked options of its client management, every default in place. */
export interface ClientManagementConfiguration extends Site, Required<ClientManagementOptions> {
  /** Finds a client of the store. */
  readonly findStored: (clientId: string) => Promise<Client | null>
  /** Fetches the document of a client now and stores what it says. */
  readonly fetchDocument: (known: Client) => Promise<Decision<{ readonly client: Client }>>
}

const SCHEME = /^[a-z][a-z0-9+.-]*$/

const RULES: Rules<ClientManagementOptions> = {
  appSchemes: optional(
    list(
      custom<string>("a scheme of an application's own, such as obsidian", (value, name) =>
        typeof value === 'string' && SCHEME.test(value) && !BROWSER_SCHEMES.includes(value)
          ? []
          : [`${name} cannot be an application's own scheme`],
      ),
    ),
  ),
}

/**
 * Checks the options and puts every default in place.
 *
 * @throws OptionsError - naming every mistake at once: options that are unknown, `appSchemes` that are no
 *   schemes or belong to the browser
 */
export function configureClientManagement(
  site: Site,
  options: ClientManagementOptions,
): ClientManagementConfiguration {
  const { appSchemes = APP_SCHEMES } = checkOwnOptions(
    'client administration',
    site,
    options,
    RULES,
  )
  const stored = { vendors: [], pinnedDocuments: [], memberClients: null }
  return {
    ...site,
    appSchemes,
    findStored: createClientFinder(site.store, stored),
    fetchDocument: createFetchAgain(site),
  }
}

function createFetchAgain(site: Site): ClientManagementConfiguration['fetchDocument'] {
  const { documents } = site
  return async (known) => {
    if (documents === null) return NOT_SUPPORTED
    const allowed = decideDocumentUrl({ clientId: known.clientId, policy: documents })
    if (!allowed.ok) return allowed
    const { fetchDocument } = documents
    const { url } = allowed
    const fetched = await refreshDocument(site, { fetchDocument, url, known })
    // While the host is down the old copy serves. To somebody who asked for a new one that is a no.
    return fetched.ok && fetched.client.revision === known.revision ? UNAVAILABLE : fetched
  }
}
