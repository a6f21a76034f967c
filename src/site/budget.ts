import { isBefore, isNotAfter } from '../time/seconds.js'
const MINUTE = 60
const DAY = 86_400

/**
 * The allowance of each budget of a site. The name says who spends: a client metadata document, its host, the
 * network or browser that sent the request, the whole site, or a person.
 *
 * Each budget limits what others can make the site store or fetch. A spender over its allowance is refused,
 * and nothing that belongs to anyone else is dropped. A network has enough for 10,000 people behind one address.
 * That of an IPv6 address is its first 64 bits, and twice the allowance is that of its first 48.
 *
 * @group Limits
 * @example
 * ```ts
 * import { ALLOWANCES } from 'hallpass/operations'
 *
 * ALLOWANCES.codesOfPerson // => { amount: 300, seconds: 86_400 }
 * ```
 */
export const ALLOWANCES: Readonly<
  Record<
    | 'fetchesOfDocument'
    | 'fetchesOfHost'
    | 'fetchesOfNetwork'
    | 'fetchesOfSite'
    | 'newDocumentsOfNetwork'
    | 'registrationsOfNetwork'
    | 'requestsOfNetwork'
    | 'requestsOfBrowser'
    | 'requestsOfPerson'
    | 'signInsOfRequest'
    | 'codesOfPerson',
    Expense['allowance']
  >
> = {
  fetchesOfDocument: { amount: 6, seconds: MINUTE },
  fetchesOfHost: { amount: 40, seconds: MINUTE },
  fetchesOfNetwork: { amount: 10, seconds: MINUTE },
  fetchesOfSite: { amount: 180, seconds: MINUTE },
  newDocumentsOfNetwork: { amount: 100, seconds: DAY },
  registrationsOfNetwork: { amount: 5000, seconds: DAY },
  requestsOfNetwork: { amount: 6000, seconds: 10 * MINUTE },
  requestsOfBrowser: { amount: 60, seconds: 10 * MINUTE },
  requestsOfPerson: { amount: 60, seconds: 10 * MINUTE },
  signInsOfRequest: { amount: 12, seconds: 10 * MINUTE },
  codesOfPerson: { amount: 300, seconds: DAY },
}

/**
 * An expense that a {@link Budget} decides.
 *
 * @group Limits
 */
export interface Expense {
  /** The issuer of the site. What is spent at one site is not spent at another, also from a budget that both share. */
  readonly site: string
  /**
   * The name of the budget. The allowances of points, in which the Account API measures queries, follow from its
   * option `bucket`; the others are of `pushedRequests`, `deviceGrant`, `createRemoteGate` and
   * `createPasswordThrottle`.
   */
  readonly budget:
    | keyof typeof ALLOWANCES
    | 'pointsOfGrant'
    | 'pointsOfPerson'
    | 'requestsOfClient'
    | 'deviceRequestsOfNetwork'
    | 'pollsOfDevice'
    | 'userCodesOfNetwork'
    | 'userCodesOfPerson'
    | 'unknownTokensOfNetwork'
    | 'passwordsOfBrowser'
    | 'passwordsOfNetwork'
    | 'passwordsOfAccount'
  /** The spender: a text of at most 2100 characters, such as a network, or a client and a person. */
  readonly spender: string
  /** The cost: a number above 0; below 0 for what is given back, because it was spent for nothing. */
  readonly cost: number
  /** How much one spender may spend: `amount`, which is restored evenly within `seconds` after it was spent. */
  readonly allowance: {
    /** A number above 0. */
    readonly amount: number
    /** A number above 0. */
    readonly seconds: number
  }
  /** Epoch seconds. */
  readonly now: number
}

/**
 * A request, as far as it shows who sent it. Every `Incoming` is one.
 *
 * @group Limits
 */
export interface Sender {
  /** The method, in upper case. */
  readonly method: string
  /** Returns the value of a header by its lower-case name; `null` if there is none. Several are joined by `, `. */
  header(name: string): string | null
  /** Returns the request for `networkOf` of the site. */
  request(): Request
}

/**
 * Whether a page of another site made a browser send a request, or a program that shows pages sent it
 * ([Fetch Metadata](https://www.w3.org/TR/fetch-metadata/)). A page of anyone does so without its reader's doing, so it
 * should not spend what others in the network of its reader need. Budgets know; use it for rate limits of your own.
 *
 * A navigation of a whole window is not of a page, since that is how an app begins.
 *
 * @param sender - the method, in upper case, and a function that returns a header by its lower-case name, or `null`
 * @param issuer - the origin of the site
 * @group Limits
 * @example
 * ```ts
 * import { isSentByPage } from 'hallpass/operations'
 *
 * const headers: Record<string, string> = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
 * const sender = { method: 'POST', header: (name: string) => headers[name] ?? null }
 * isSentByPage(sender, 'https://school.example') // => true
 * ```
 */
export function isSentByPage(sender: Pick<Sender, 'method' | 'header'>, issuer: string): boolean {
  const site = sender.header('sec-fetch-site')
  if (site === null) {
    const origin = sender.header('origin')
    return origin !== null && origin !== issuer
  }
  const isNavigation = sender.method === 'GET' && sender.header('sec-fetch-dest') === 'document'
  return site !== 'same-origin' && site !== 'none' && !isNavigation
}

/**
 * The result of spending.
 *
 * @group Limits
 */
export interface Spent {
  readonly ok: boolean
  /** The rest that the spender has, rounded down. */
  readonly remaining: number
  /** Seconds until the spender has enough; 0 if it has. */
  readonly retryAfterSeconds: number
}

/**
 * Keeps the rest that each spender has. {@link createMemoryBudget} keeps it in one process; processes that share
 * their limits need a budget over shared storage, such as Redis.
 *
 * A budget that throws is replaced by the memory of the process for that one expense, and the exception goes
 * to `onFault`. It must answer in bounded time, because requests wait for it.
 *
 * @group Limits
 */
export interface Budget {
  /** Spends, or changes nothing if the spender has too little left. */
  readonly spend: (expense: Expense) => Promise<Spent>
}

/**
 * Decides an expense from one number, for a budget over storage of your own: the time at which the allowance
 * of the spender is whole again. Read it, decide and store `wholeAt` in one atomic step.
 *
 * @param wholeAt - epoch seconds with fractions, as stored; `null` for a new spender
 * @returns whether the expense is allowed, and `wholeAt` as it is to be stored
 * @group Limits
 * @example
 * ```ts
 * import { decideExpense } from 'hallpass/operations'
 *
 * const now = 1_760_605_200
 * const expense = { cost: 2, allowance: { amount: 3, seconds: 60 }, now }
 * decideExpense(null, expense) // => { ok: true, remaining: 1, retryAfterSeconds: 0, wholeAt: 1_760_605_240 }
 * decideExpense(now + 40, expense) // => { ok: false, remaining: 1, retryAfterSeconds: 20, wholeAt: 1_760_605_240 }
 * ```
 */
export function decideExpense(
  wholeAt: number | null,
  { cost, allowance: { amount, seconds }, now }: Pick<Expense, 'cost' | 'allowance' | 'now'>,
): Spent & { readonly wholeAt: number } {
  const restore = seconds / amount
  const before = boundedAt(wholeAt ?? now, { from: now, to: now + seconds })
  const after = Math.max(before + cost * restore, now)
  const ok = isNotAfter(after - now, seconds + TOLERANCE)
  const at = ok ? after : before
  const remaining = Math.max(Math.floor((now + seconds - at) / restore + TOLERANCE), 0)
  const wait = before + Math.min(cost, amount) * restore - now - seconds
  return { ok, remaining, retryAfterSeconds: ok ? 0 : Math.ceil(wait - TOLERANCE), wholeAt: at }
}

/**
 * Never later than `to`: a clock that was ahead for a moment locks no one out for longer. What is not a time is taken
 * for the latest: then the budget is empty, and fills again.
 */
function boundedAt(at: number, { from, to }: { from: number; to: number }): number {
  if (isNotAfter(at, from)) return from
  return isBefore(at, to) ? at : to
}

// Sums of fractions such as 60 / 7 are not exact.
const TOLERANCE = 1e-6

const MAX_SPENDERS = 100_000
// Many are dropped together, so that a full table costs little for each new spender.
const DROPPED_TOGETHER = MAX_SPENDERS / 10

/**
 * Creates a budget in the memory of one process, of about 100 bytes for each spender. It tracks at most
 * 100,000 spenders. Beyond that the least recently used are forgotten, and begin with a whole allowance.
 *
 * @returns a budget that never rejects
 * @group Limits
 * @example
 * ```ts
 * import { ALLOWANCES, createMemoryBudget } from 'hallpass/operations'
 *
 * const budget = createMemoryBudget()
 * const allowance = { amount: 2, seconds: 60 }
 * const spender = { site: 'https://school.example', budget: 'codesOfPerson', spender: 'app_1 mem_1' } as const
 * const expense = { ...spender, cost: 2, allowance, now: 1_760_605_200 }
 * await budget.spend(expense) // => { ok: true, remaining: 0, retryAfterSeconds: 0 }
 * await budget.spend({ ...expense, cost: 1 }) // => { ok: false, remaining: 0, retryAfterSeconds: 30 }
 * ```
 */
export function createMemoryBudget(): Budget {
  const spenders = new Map<string, number>()
  return {
    async spend(expense) {
      const key = `${expense.site} ${expense.budget} ${expense.spender}`
      const { wholeAt, ...spent } = decideExpense(spenders.get(key) ?? null, expense)
      // Deleted and set again, so that the map stays in the order of use.
      spenders.delete(key)
      spenders.set(key, wholeAt)
      if (spenders.size > MAX_SPENDERS) forget(spenders, expense.now)
      return spent
    },
  }
}

/** Forgets spenders whose allowance is whole, and then as many of the oldest as make room. */
function forget(spenders: Map<string, number>, now: number): void {
  for (const [key, wholeAt] of spenders) if (isNotAfter(wholeAt, now)) spenders.delete(key)
  for (const key of spenders.keys()) {
    if (spenders.size <= MAX_SPENDERS - DROPPED_TOGETHER) return
    spenders.delete(key)
  }
}
