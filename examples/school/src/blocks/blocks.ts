import type { FetchDocument } from 'hallpass'
import {
  type Block,
  clientCredentials,
  clientSecretBasic,
  dpop,
  fapi2,
  identityAssertion,
  privateKeyJwt,
  pushedRequests,
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

const STRICT_ALGORITHMS = ['ES256', 'PS256', 'Ed25519', 'EdDSA'] as const
// ChatGPT signs with RS256, which its document names.
const ALGORITHMS = [...STRICT_ALGORITHMS, 'RS256'] as const

const isOnThisComputer = (provider: IdentityProviderSetting | null): boolean =>
  provider !== null && LOOPBACK_HOSTS.includes(new URL(provider.jwksUri).hostname)
const fetchDirectly = (url: string): Promise<Response> => fetch(url, { redirect: 'error' })

/** Every block of `BLOCK_NAMES`, as a row. */
const BLOCKS: Readonly<Record<BlockName, (parts: BlockParts) => Block>> = {
  'client-credentials': ({ services }) => clientCredentials({ serviceOf: services.serviceOf }),
  'client-secret-basic': () => clientSecretBasic(),
  dpop: () => dpop(),
  // In place of `dpop`: every proof needs a nonce.
  'dpop-nonces': ({ sealingSecret }) =>
    dpop({ nonceSecret: secretFor(sealingSecret, 'school DPoP nonces') }),
  fapi2: () => fapi2(),
  // The provider knows people by their identifiers at the school, and vendors by those of `vendors.ts`.
  'id-jag': ({ people, identityProvider }) =>
    identityAssertion({
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
  par: ({ isStrict }) => pushedRequests({ required: isStrict }),
  'private-key-jwt': ({ isStrict }) =>
    privateKeyJwt({ algorithms: isStrict ? STRICT_ALGORITHMS : ALGORITHMS }),
  device: ({ site, origin, pageParts }) => createDeviceGrant({ site, origin, parts: pageParts }),
}

/** Returns the named blocks of a school. */
export function createBlocks(
  names: readonly BlockName[],
  given: Omit<BlockParts, 'isStrict'>,
): readonly Block[] {
  const parts = { ...given, isStrict: names.includes('fapi2') }
  const replaced = names.includes('dpop-nonces') ? 'dpop' : null
  return names.filter((name) => name !== replaced).map((name) => BLOCKS[name](parts))
}
