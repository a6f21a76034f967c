import { checkOwnOptions, type Site } from '../site/site.js'
import { methods, type Rules } from '../options/check.js'
import type { KeyRing } from '../token/key-ring.js'

const ROWS = 1000
const ROUNDS = 1000

/**
 * Does what is due at a site: moves signing keys on, and removes rows that can no longer matter. Call it
 * at start-up and every few minutes; several processes may do so at once.
 *
 * @param options - `keys`: the site's key ring
 * @throws whatever the store throws; what was done by then stays done
 */
export async function maintain(site: Site, options: { readonly keys: KeyRing }): Promise<void> {
  const { keys } = checkOwnOptions('maintain', site, options, RULES)
  await keys.maintain()
  for (let round = 0; round < ROUNDS; round++)
    if ((await site.store.purge({ now: site.now(), limit: ROWS })) === 0) return
}

const RULES: Rules<{ readonly keys: KeyRing }> = {
  keys: methods<KeyRing>('createKeyRing(site, { sealingSecret })', {
    maintain: true,
    jwks: true,
    signer: true,
  }),
}
