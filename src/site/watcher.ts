import type { RandomBytes } from '../encoding/random.js'
import { callback, isObject, optional, OptionsError, shape, unlike } from '../options/check.js'
import type { Client } from '../policy/client.js'
import type { Refusal } from '../policy/decision.js'
import type { Grant } from '../policy/grant.js'
import type { Deadline } from '../store/guard.js'
import type { Step } from './events.js'
import { shielded } from './hooks.js'

/**
 * Names that a watcher gives a request. Its events, its refusal notice and its error page have them.
 *
 * @group Watchers
 */
export interface Labels {
  /** The attempt to connect that the request belongs to. */
  readonly attemptId?: string
}

/**
 * A request as a watcher sees it: no header, parameter, body or token. It is one object for each request, so a
 * `WeakMap` can keep more about it. Its members change while the request is processed.
 *
 * @group Watchers
 */
export interface Visit {
  /** Name of the endpoint, such as `token` or `authorize`. */
  readonly endpoint: string
  /** Identifier of the request, as in the `X-Request-Id` header. It is created when it is read. */
  readonly requestId: string
  /** The network that sent it, by `networkOf` of the site, which is called each time; `null` if it is not known. */
  readonly network: string | null
  /** The `client_id` as it was sent, cut to 256 characters; `null` until it is known. Not authenticated. */
  readonly clientId: string | null
  /** The client of an authorization request; `null` until it is known. */
  readonly client: Pick<Client, 'clientId' | 'name' | 'kind'> | null
  /**
   * The grant type of a token request. At `interaction`, `step_up` if a person adds scopes to a grant, `ended` if the
   * request is over. `null` in every other case.
   */
  readonly operation:
    | 'authorization_code'
    | 'refresh_token'
    | 'client_credentials'
    | 'identity_assertion'
    | 'device_code'
    | 'step_up'
    | 'ended'
    | null
  /** Identifier of the grant that the request leads to, or of the client that it registers; `null` until then. */
  readonly flow: string | null
  /** The resource that was requested, in canonical form; `null` until it is known. */
  readonly resource: string | null
}

/**
 * One thing that happened within a request.
 *
 * - `step`: something was completed, as `onEvent` receives it.
 * - `page`: your sign-in or consent page is about to be shown; `blocked` is why the person cannot allow the client.
 * - `vendor`: a client of `vendors` registered, for which nothing is stored.
 * - `refusal`: it was refused. `clientId` is that of the request or of its access token, and `detail` what the refusal
 *   is about, such as an origin or scopes, without secrets.
 * - `failure`: it could not be read, its method is not allowed, or its client disconnected.
 * - `fault`: something threw. Inspect it before you log it.
 * - `document`: a public document was served.
 *
 * @group Watchers
 */
export type Moment =
  | { readonly type: 'step'; readonly step: Step }
  | {
      readonly type: 'page'
      readonly page: 'sign_in' | 'consent'
      readonly blocked: Pick<Refusal, 'error' | 'reason'> | null
    }
  | { readonly type: 'vendor'; readonly name: string }
  | ({
      readonly type: 'refusal'
      readonly clientId: string | null
      readonly detail: string | null
    } & Pick<Refusal, 'error' | 'reason'>)
  | { readonly type: 'failure'; readonly status: number; readonly description: string }
  | { readonly type: 'fault'; readonly fault: unknown }
  | { readonly type: 'document'; readonly path: string }

/**
 * Watches the requests of a site. Every member is optional, and what no watcher has costs nothing. No request waits for
 * one, and none changes a response: an exception or a rejection goes to `onFault`.
 *
 * @group Watchers
 */
export interface Watcher {
  /** Receives what happens within a request of an endpoint. */
  readonly note?: (moment: Moment, visit: Visit) => void
  /**
   * Receives each use of an access token whose grant was found, at a gate or at an endpoint. The labels that it returns
   * are those of the refusal.
   */
  readonly used?: (
    grant: Pick<Grant, 'grantId' | 'createdAt' | 'clientId'>,
    refusal: Pick<Refusal, 'error' | 'reason'> | null,
  ) => Labels | null
  /** Returns the labels of a request; `null` without any. If several watchers have one, it is that of the first. */
  readonly labels?: (visit: Visit) => Labels | null
  /**
   * Runs around each request of an endpoint, for a span that is active until it ends. Call `serve` before you wait for
   * anything: it serves the request, once, and resolves with the status of the response. If you do not, the request is
   * served all the same, outside of your call.
   */
  readonly around?: (visit: Visit, serve: () => Promise<number>) => unknown
  /** Deletes what is no longer needed at `now`, epoch seconds. Called by `maintain`. */
  readonly maintain?: (now: number) => Promise<void>
  /**
   * Deletes everything that contains one of these texts, compared without regard to case. Called by `erasePerson`, whose
   * promise rejects if this one does.
   */
  readonly erase?: (texts: readonly string[]) => Promise<void>
}

/**
 * Creates a watcher for a site. `defineSite` calls it once for each site, with a few members of that site.
 *
 * @group Watchers
 * @example
 * ```ts
 * import type { Watch } from 'hallpass/operations'
 * import { createRegistrationEndpoint, configureAuthorizationServer } from 'hallpass/authorization-server'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const noted: string[] = []
 * const countUnreadable: Watch = () => ({
 *   note: (moment, visit) => {
 *     if (moment.type === 'failure') noted.push(`${visit.endpoint} ${moment.status}`)
 *   },
 * })
 * const { site } = testSite({ watchers: [countUnreadable] })
 *
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const register = createRegistrationEndpoint(configureAuthorizationServer(site, { keys, interact }))
 * await register(new Request('https://school.example/api/oauth/register', { method: 'POST', body: 'text' }))
 * noted // => ['register 415']
 * ```
 */
export type Watch = (site: {
  /** The clock: whole epoch seconds. */
  readonly now: () => number
  readonly randomBytes: RandomBytes
  /** How long a call of a storage may take. */
  readonly callDeadlineMilliseconds: number
  /** Reports an exception to the `onFault` hook, under a name of yours. Never throws. */
  readonly notifyFault: (name: string, fault: unknown) => void
}) => Watcher

const WATCHER = shape<Watcher>('an object such as { note }', {
  note: optional(callback('(moment, visit) => log(moment.type)')),
  used: optional(callback('(grant, refusal) => null')),
  labels: optional(callback('(visit) => null')),
  around: optional(callback('(visit, serve) => serve()')),
  maintain: optional(callback('async (now) => rows.purge(now)')),
  erase: optional(callback('async (texts) => rows.erase(texts)')),
})

/**
 * Creates the watchers of a site.
 *
 * @throws OptionsError if one is not a watcher
 */
export function createWatchers(
  watches: readonly Watch[],
  site: Parameters<Watch>[0],
): readonly Watcher[] {
  const watchers = watches.map((watch) => watch(site))
  const mistakes = watchers.flatMap((watcher: unknown, index) => {
    const name = `watchers[${index}]()`
    // A promise has no members either.
    const isEmpty = isObject(watcher) && Object.keys(watcher).length === 0
    return isEmpty ? unlike(name, WATCHER.wanted, watcher) : WATCHER.mistakes(watcher, name)
  })
  if (mistakes.length > 0) throw new OptionsError('site', mistakes)
  return watchers
}

/**
 * Makes one watcher of several. It has only the members that one of them has, and no call of it throws, except that of
 * `erase`.
 *
 * @param onFault - receives their exceptions; must not throw
 * @param deadline - bounds `maintain` and `erase`
 */
export function joinWatchers(
  watchers: readonly Watcher[],
  { onFault, deadline }: { onFault: (fault: unknown) => void; deadline: Deadline },
): Watcher {
  const having = <Name extends keyof Watcher>(name: Name): readonly NonNullable<Watcher[Name]>[] =>
    watchers.flatMap(({ [name]: member }) => member ?? [])
  const notes = having('note').map((note) => shielded(note, onFault))
  const arounds = having('around').map((around) => shielded(around, onFault))
  const maintains = having('maintain')
  const erases = having('erase')
  const used = labelling(having('used'), onFault)
  const labels = labelling(having('labels'), onFault)
  return {
    ...(notes.length > 0 && {
      note(moment, visit) {
        for (const note of notes) note(moment, visit)
      },
    }),
    ...(used !== null && { used }),
    ...(labels !== null && { labels }),
    ...(arounds.length > 0 && {
      around: (visit, serve) =>
        arounds.reduceRight<() => Promise<number>>((inner, around) => {
          let served: Promise<number> | null = null
          const once = (): Promise<number> => (served ??= inner())
          return () => {
            around(visit, once)
            return once()
          }
        }, serve)(),
    }),
    ...(maintains.length > 0 && {
      async maintain(now) {
        for (const maintain of maintains)
          await deadline('maintain of a watcher')(() => maintain(now)).catch(onFault)
      },
    }),
    ...(erases.length > 0 && {
      async erase(texts) {
        for (const erase of erases) await deadline('erase of a watcher')(() => erase(texts))
      },
    }),
  }
}

/** Makes one function of several that return labels; `null` of none. Every one is called, and the first label is taken. */
function labelling<Asked extends readonly unknown[]>(
  asks: readonly ((...asked: Asked) => Labels | null)[],
  onFault: (fault: unknown) => void,
): ((...asked: Asked) => Labels | null) | null {
  if (asks.length === 0) return null
  let found: Labels | null = null
  const heard = asks.map((ask) =>
    shielded((...asked: Asked) => {
      const labels = ask(...asked)
      // Nothing else of it reaches an event.
      const attemptId: unknown = labels?.attemptId
      if (typeof attemptId !== 'string') return labels
      found ??= { attemptId }
      return null
    }, onFault),
  )
  return (...asked) => {
    found = null
    for (const ask of heard) ask(...asked)
    return found
  }
}
