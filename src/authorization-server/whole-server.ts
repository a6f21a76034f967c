import type { Endpoint } from '../http/exchange.js'
import type { Maintained } from '../operations/maintain.js'
import type { Site } from '../site/site.js'
import type { KeyRing } from '../token/key-ring.js'

/**
 * A whole server: one endpoint for every path of a site, its keys, and its maintenance. Created by
 * `createServer`, and served by `serve` from hallpass/node.
 *
 * @group Servers
 */
export interface Server extends Endpoint {
  readonly site: Site
  /** The key ring of the site, such as for `createHealthEndpoints`. */
  readonly keys: KeyRing
  /**
   * Calls `maintain` from hallpass/operations for the site. `serve` from hallpass/node does so at start-up and every five
   * minutes; call it yourself on another runtime.
   */
  readonly maintain: () => Promise<Maintained>
}
