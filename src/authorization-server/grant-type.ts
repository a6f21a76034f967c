import type { Endpoint } from '../http/exchange.js'
import { list, made, optional, type OptionalRule } from '../options/check.js'
import type { Registers } from '../policy/registration.js'
import type { RefusalTable } from '../policy/refusals.js'
import type { EndpointName } from '../site/paths.js'

/** An opt-in block of an authorization server. */
export interface Block {
  /** Its name in the metadata, or in errors of options. */
  readonly name: string
  /** The refusals with their texts, which `refusals` of the site has too. Absent if all of its reasons are of hallpass. */
  readonly refusals?: RefusalTable
  /** The parameters of the form that it reads, for OpenAPI. */
  readonly parameters: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** @internal */
  readonly seam: {
    /**
     * Adds the members of the block to the metadata of a server.
     *
     * @throws OptionsError if one is there already
     */
    readonly describe: (
      block: Block,
      known: Readonly<Record<string, unknown>>,
      endpoints: Readonly<Partial<Record<EndpointName, unknown>>>,
      issuer: string,
    ) => Readonly<Record<string, unknown>>
    /** Reads what a registration names of it. Absent if none names anything. */
    readonly registers?: Registers
  }
}

/**
 * A further `grant_type` of the token endpoint: an opt-in block of hallpass/blocks, for `grants` of an authorization
 * server.
 *
 * @typeParam Reason - why it refuses, in addition to the reasons of hallpass
 *
 * @group Grants
 */
export interface GrantType<out Reason extends string = string> extends Block {
  /** Never there: it carries the type of the reasons. */
  readonly reasons?: Reason
  /**
   * Returns a `LoadGrant`, and further endpoints by their paths. It receives the configuration of the server, which
   * names this type, so both are written where they are read.
   *
   * @internal
   */
  readonly create: (configuration: never) => {
    readonly load: (request: never) => Promise<unknown>
    readonly endpoints?: Readonly<Record<`/${string}`, Endpoint>>
  }
}

/** The rule of the option `grants`. */
export const grantsRule: OptionalRule<readonly GrantType[]> = optional(
  list(
    made<GrantType>('a block of hallpass/blocks, such as clientCredentials({ serviceOf })', {
      create: 'function',
    }),
  ),
)

/** Returns the names of the grants that a client may have in place of `authorization_code`. They redirect nowhere. */
export const grantsAlone = (grants: readonly GrantType[]): readonly string[] =>
  grants.filter(({ seam }) => seam.registers).map(({ name }) => name)
