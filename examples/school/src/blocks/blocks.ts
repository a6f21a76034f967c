import type { FetchDocument, SiteOptions } from 'hallpass'
import type { AuthorizationServerOptions } from 'hallpass/authorization-server'
import {
  ASSERTION_REFUSALS,
  clientCredentials,
  clientSecretBasic,
  DEVICE_REFUSALS,
  dpop,
  DPOP_REFUSALS,
  IDENTITY_ASSERTION_REFUSALS,
  identityAssertion,
  privateKeyJwt,
  PUSHED_REFUSALS,
  pushedRequests,
  SERVICE_REFUSALS,
} from 'hallpass/blocks'
import { LOOPBACK_HOSTS } from 'hallpass/policy'
import type { Store } from 'hallpass/store'
import { vendors } from '../applications/vendors.js'
import type { Services } from '../services/services.js'
import type { People } from '../members/people.js'
import type { SiteDefinition } from '../sites.js'
import { secretFor } from '../platform/secret-for.js'
import { createDeviceGrant, type DevicePageParts } from './device.js'
import type { BlockName, IdentityProviderSetting } from './names.js'

/** The parts of a school that blocks may use. */
export interface BlockParts {
  readonly site: SiteDefinition
  /** The issuer. */
  readonly origin: string
  readonly store: Store
  /** The secret that every process has. */
  readonly sealingSecret: string
  readonly people: People
  readonly services: Services
  /** The identity provider of `id-jag`; `null` if none is set. */
  readonly identityProvider: IdentityProviderSetting | null
  /** Whether `fapi2` is named, which is stricter about what the others offer. */
  readonly isStrict: boolean
  /** Fetches what clients name, with the guard of client metadata documents. */
  readonly fetchDocument: FetchDocument
  readonly now: () => number
  /** Returns what pages of blocks need. Call it for a page: the sign-in is created later. */
  readonly pageParts: () => DevicePageParts
}

/** The options that a block adds to those of `defineSite` and of `createAuthorizationServer`. */
export interface BlockOptions {
  readonly site?: Pick<SiteOptions<string, Store, string>, 'refusals' | 'senderConstraint'>
  readonly server?: Pick<
    AuthorizationServerOptions<string, string>,
    'clientAuthentication' | 'grants' | 'pushedRequests'
  >
}

const STRICT_ALGORITHMS = ['ES256', 'PS256', 'Ed25519', 'EdDSA'] as const
// ChatGPT signs with RS256, which its document names.
const ALGORITHMS = [...STRICT_ALGORITHMS, 'RS256'] as const

const isOnThisComputer = (provider: IdentityProviderSetting | null): boolean =>
  provider !== null && LOOPBACK_HOSTS.includes(new URL(provider.jwksUri).hostname)
const fetchDirectly = (url: string): Promise<Response> => fetch(url, { redirect: 'error' })

/** Every block of `BLOCK_NAMES`, as a row. */
const BLOCKS: Readonly<Record<BlockName, (parts: BlockParts) => BlockOptions>> = {
  'client-credentials': ({ services }) => ({
    site: { refusals: [SERVICE_REFUSALS] },
    server: { grants: [clientCredentials({ serviceOf: services.serviceOf })] },
  }),
  'client-secret-basic': () => ({ server: { clientAuthentication: [clientSecretBasic()] } }),
  dpop: ({ store }) => ({
    site: { refusals: [DPOP_REFUSALS], senderConstraint: dpop({ once: store }) },
  }),
  // In place of `dpop`: every proof needs a nonce.
  'dpop-nonces': ({ store, sealingSecret }) => ({
    site: {
      refusals: [DPOP_REFUSALS],
      senderConstraint: dpop({
        once: store,
        nonceSecret: secretFor(sealingSecret, 'school DPoP nonces'),
      }),
    },
  }),
  // The profile itself is of the whole server: `site.ts` applies it.
  fapi2: () => ({}),
  // The provider knows people by their identifiers at the school, and vendors by those of `vendors.ts`.
  'id-jag': ({ store, people, identityProvider }) => ({
    site: { refusals: [IDENTITY_ASSERTION_REFUSALS] },
    server: {
      grants: [
        identityAssertion({
          once: store,
          // Keys are fetched from public hosts only, unless the operator names this computer.
          ...(isOnThisComputer(identityProvider) && { fetchKeys: fetchDirectly }),
          providers:
            identityProvider === null
              ? {}
              : {
                  [identityProvider.issuer]: {
                    jwksUri: identityProvider.jwksUri,
                    clients: vendors.map(({ clientId }) => clientId),
                    personOf: async ({ sub }) => (await people.find(sub))?.subject ?? null,
                  },
                },
        }),
      ],
    },
  }),
  par: ({ isStrict }) => ({
    site: { refusals: [PUSHED_REFUSALS] },
    server: { pushedRequests: pushedRequests({ required: isStrict }) },
  }),
  'private-key-jwt': ({ store, isStrict }) => ({
    site: { refusals: [ASSERTION_REFUSALS] },
    server: {
      clientAuthentication: [
        privateKeyJwt({ once: store, algorithms: isStrict ? STRICT_ALGORITHMS : ALGORITHMS }),
      ],
    },
  }),
  device: ({ site, origin, pageParts }) => ({
    site: { refusals: [DEVICE_REFUSALS] },
    server: { grants: [createDeviceGrant({ site, origin, parts: pageParts })] },
  }),
}

/**
 * Returns what the named blocks add to the options of a school: lists of several blocks are one list. Without a name,
 * nothing is added.
 */
export function createBlocks(
  names: readonly BlockName[],
  given: Omit<BlockParts, 'isStrict'>,
): Required<BlockOptions> {
  const parts = { ...given, isStrict: names.includes('fapi2') }
  const made = names.map((name) => BLOCKS[name](parts))
  return {
    site: joined(made.map(({ site = {} }) => site)),
    server: joined(made.map(({ server = {} }) => server)),
  }
}

function joined<Options extends object>(parts: readonly Options[]): Options {
  const all: Record<string, unknown> = {}
  for (const [name, value] of parts.flatMap((part) => Object.entries(part)))
    all[name] = Array.isArray(value) ? [...((all[name] ?? []) as unknown[]), ...value] : value
  return all as Options
}
