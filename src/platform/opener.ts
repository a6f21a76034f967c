import type { Server } from '../authorization-server/whole-server.js'
import { deriveSecret } from '../encoding/derive.js'
import { OptionsError } from '../options/check.js'
import type { Budget } from '../site/budget.js'
import { PATHS } from '../site/paths.js'
import type { SiteStorage } from '../store/storage.js'
import type { Given, PlatformFault, PlatformOptions, School } from './options.js'
import { createRate } from './rate.js'
import type { Entry } from './residents.js'

/** First keys that may be created in a second. Anyone can cause this work, which is the most of all. */
const KEYS_PER_SECOND = 20

/** A key that is copied into the rows of another school does not open there. */
const secretOf = (secret: string, issuer: string): string =>
  deriveSecret(secret, { salt: 'hallpass platform', info: issuer })

/** Returns a function that opens a school, and checks what was opened: a mistake concerns each school alike. */
export function createOpener<Row extends School>(
  {
    open,
    storages,
    storageOf = () => storages[0],
    budget,
    secret,
    previousSecrets = [],
  }: PlatformOptions<Row>,
  guards: ReadonlyMap<SiteStorage, SiteStorage>,
  onFault: (fault: PlatformFault) => void,
): (row: Row) => Promise<Server> {
  return async (row) => {
    const { issuer } = row
    const storage = guards.get(storageOf(row))
    if (storage === undefined)
      throw new OptionsError('platform', ['storageOf must return one of storages'])
    let isSpent = false
    const own: Budget = {
      async spend(expense) {
        if (expense.spender !== PROBE) return budget.spend(expense)
        isSpent = true
        return { ok: true, remaining: 1, retryAfterSeconds: 0 }
      },
    }
    const previousSealingSecrets = previousSecrets.map((one) => secretOf(one, issuer))
    const given: Given = {
      site: {
        issuer,
        store: storage.storeOf(issuer),
        budget: own,
        onFault: ({ fault }) => onFault({ at: 'request', host: new URL(issuer).host, fault }),
      },
      server: {
        sealingSecret: secretOf(secret, issuer),
        ...(previousSecrets.length > 0 && { previousSealingSecrets }),
      },
    }
    const server = await open(row, given)
    if (typeof server?.handle !== 'function' || server.site?.issuer !== issuer)
      throw new OptionsError('platform', [
        `open must return a server created by createServer, whose site has the issuer ${issuer}`,
      ])
    const { site } = server
    await site.payerOf(null).spend(['fetchesOfSite', PROBE, { cost: 1, allowance: ONE }])
    // Each of these would be lost with a server that leaves, and limit nothing then.
    const forgetful = site.blocks.filter(({ isInMemory }) => isInMemory === true)
    const mistakes = [
      ...(isSpent ? [] : ['open must pass on the budget of given.site, which all schools share']),
      ...forgetful.map(
        ({ name }) => `open must not let ${name} remember proofs in memory: leave out once`,
      ),
    ]
    if (mistakes.length > 0) throw new OptionsError('platform', mistakes)
    return server
  }
}

/** A spender that no one is, by which a platform sees from whose budget a school spends. */
const PROBE = ' '
const ONE = { amount: 1, seconds: 1 }

const NEED_KEYS: readonly string[] = [
  PATHS.jwks,
  PATHS.token,
  PATHS.openidConfiguration,
  PATHS.authorizationServerMetadata,
]

/**
 * Returns a function that creates the first key of a school before a request that needs it: `false` if too many schools
 * need one at the same time.
 */
export function createKeysOnDemand(
  seconds: () => number,
): (entry: Entry, path: string) => Promise<boolean> | true {
  const mayCreate = createRate(KEYS_PER_SECOND, seconds)
  async function create(entry: Entry): Promise<boolean> {
    const { keys } = entry.server!
    // Verifiers keep an empty set for ten minutes, so that it comes before the first answer.
    if ((await keys.jwks()).keys.length === 0) {
      if (!mayCreate()) return false
      await keys.maintain()
    }
    entry.hasKey = true
    return true
  }
  return (entry, path) => {
    if (entry.hasKey === true || !NEED_KEYS.includes(path)) return true
    if (entry.hasKey === false)
      entry.hasKey = create(entry).finally(() => {
        if (entry.hasKey !== true) entry.hasKey = false
      })
    return entry.hasKey
  }
}
