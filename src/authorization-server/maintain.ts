import { checkOwnOptions, type Site } from '../site/site.js'
import { methods, type Rules } from '../options/check.js'
import type { KeyRing } from '../token/key-ring.js'

/** Rows of each kind that one purge deletes at most, so that each call of the store is short. */
const ROWS = 1000
/** Most purges of one call, so that it ends even if rows expire faster than they are deleted. */
const ROUNDS = 1000

/**
 * Maintains a site: advances the lifecycle of its signing keys, and deletes expired rows from its store.
 * Call it at start-up and every few minutes; concurrent calls from several processes are safe.
 *
 * The keys come first, so a failure of the purge does not delay a rotation. Expired rows are never valid,
 * so a purge that comes late costs only space.
 *
 * @param options - `keys`: the key ring of the site
 * @throws OptionsError if the site was not created by `defineSite`, or if `keys` is not a key ring
 * @throws whatever the store throws; the steps before that are not undone
 * @group Maintenance
 * @example
 * ```ts
 * import { maintain } from 'hallpass'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite()
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * await maintain(site, { keys }) // at start-up
 * const timer = setInterval(() => void maintain(site, { keys }).catch(console.error), 5 * 60_000)
 * clearInterval(timer)
 * const jwks = await keys.jwks()
 * jwks.keys.length // => 1
 * ```
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
