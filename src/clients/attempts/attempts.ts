import type { Manager } from '../manager.js'
import { OptionsError } from '../../options/check.js'
import { ANY, orAbsent, orNull, record, TEXT } from '../../options/wanted.js'
import { type Attempt, type AttemptOutcome, bounded } from './attempt.js'
import { checkOwnOptions, refusingOthersOf, type Site } from '../../site/site.js'
import type { GivenTo } from '../../store/given.js'
import { type AttemptExplanation, explanationOf } from './explanation.js'
import { recorderOf } from './record-attempts.js'

/**
 * Shows the managers of a site the attempts of clients to connect. Created by {@link createAttempts}. Every
 * method requires a {@link Manager} from `decideManager` from hallpass/clients.
 *
 * @group Attempts
 */
export interface Attempts {
  /**
   * Lists attempts, the newest first, each with its explanation.
   *
   * @param query - `search`: text in the identifier, the client, its name or the grant; `before`: the `next` of
   *   the page before; `limit`: from 1 to 100. Default: every attempt, in pages of 25
   * @returns a page; `next` is `null` if it is the last one. `counts` are those of the search and the client
   * @throws StorageFailure - if the storage fails or is late
   */
  list(
    manager: Manager,
    query?: {
      readonly search?: string
      readonly clientId?: string
      readonly outcome?: AttemptOutcome
      readonly before?: string | null
      readonly limit?: number
    },
  ): Promise<{
    readonly attempts: readonly (Attempt & { readonly explanation: AttemptExplanation })[]
    readonly next: string | null
    readonly counts: Readonly<Record<AttemptOutcome, number>>
  }>
  /**
   * Explains one attempt.
   *
   * @param id - as an error page showed it; spaces around it are ignored
   * @returns the attempt and its explanation; `null` if there is none with this identifier
   * @throws StorageFailure - if the storage fails or is late
   */
  explainAttempt(
    manager: Manager,
    id: string,
  ): Promise<{ readonly attempt: Attempt; readonly explanation: AttemptExplanation } | null>
  /** Resolves when the storage has what was noted, or has failed. Never rejects. */
  settled(): Promise<void>
}

const ATTEMPTS: GivenTo<Attempts> = {
  list: [
    ANY,
    orAbsent(
      record({
        search: orAbsent(TEXT),
        clientId: orAbsent(TEXT),
        outcome: orAbsent(TEXT),
        before: orAbsent(orNull(TEXT)),
      }),
    ),
  ],
  explainAttempt: [ANY, TEXT],
  settled: [],
}

const PAGE = 25
const MAX_PAGE = 100
const MAX_SEARCH = 256
/** Not every database can be asked for other characters, and no attempt has them. */
const asked = (text: string): string => bounded(text.trim(), MAX_SEARCH)

/**
 * Creates the list of attempts for the managers of a site. Decide who is a manager with the roles of this site:
 * its attempts are only for its own managers.
 *
 * @param site - with the option `attempts`
 * @returns {@link Attempts} of the site
 * @throws OptionsError - if the site was not created by `defineSite`, or keeps no attempts
 * @group Attempts
 * @example
 * ```ts
 * import { createAttempts, createMemoryAttempts, decideManager, recordAttempts } from 'hallpass/clients'
 * import { testSite } from 'hallpass/testing'
 *
 * const { site } = testSite({ watchers: [recordAttempts(createMemoryAttempts())] })
 * const ines = { subject: 'mem_ines', orgId: site.id, roles: ['owner'], name: 'Ines', email: null, picture: null }
 * const decided = decideManager({ person: ines, table: site.roles })
 * if (!decided.ok) throw new Error(decided.reason)
 * const attempts = createAttempts(site)
 * const { counts } = await attempts.list(decided.manager)
 * counts // => { connected: 0, stopped: 0, waiting: 0 }
 * await attempts.explainAttempt(decided.manager, 'att_unknown') // => null
 * ```
 */
export function createAttempts(site: Site): Attempts {
  checkOwnOptions('attempts', site, {}, {})
  const recorder = recorderOf(site.watchers)
  if (recorder === null)
    throw new OptionsError('attempts', [
      'the site must be defined with watchers: [recordAttempts(createMemoryAttempts())]',
    ])
  const { store, settled } = recorder
  const explained = (attempt: Attempt): AttemptExplanation =>
    explanationOf(attempt, site.now(), site.refusals)

  return refusingOthersOf<Attempts>(
    'createAttempts',
    {
      settled,
      async list(_manager, { search = '', clientId, outcome, before = null, limit = PAGE } = {}) {
        await settled()
        const text = asked(search)
        const { attempts, next, counts } = await store.list({
          search: text === '' ? null : text,
          clientId: clientId === undefined ? null : asked(clientId),
          outcome: outcome ?? null,
          before: before === null ? null : asked(before),
          limit: Math.min(Math.max(Math.trunc(limit) || PAGE, 1), MAX_PAGE),
          now: site.now(),
        })
        const shown = attempts.map((attempt) => ({ ...attempt, explanation: explained(attempt) }))
        return { attempts: shown, next, counts }
      },
      async explainAttempt(_manager, id) {
        await settled()
        const attempt = await store.find(asked(id))
        return attempt === null ? null : { attempt, explanation: explained(attempt) }
      },
    },
    ATTEMPTS,
  )
}
