import { withoutUndefined } from '../options/check.js'
import { late } from '../time/late.js'
import { type Deadline, guarded } from '../store/guard.js'
import { hashBrowserId, readBrowserId } from './browser-id.js'
import {
  ALLOWANCES,
  createMemoryBudget,
  type Expense,
  isSentByPage,
  type Sender,
  type Spent,
} from './budget.js'
import type { SiteOptions } from './options.js'
import { readSpent } from './returned.js'

type BudgetName = Expense['budget']
/**
 * A budget of a network.
 *
 * @inline
 */
type OfNetwork = Extract<BudgetName, `${string}OfNetwork`>

/**
 * The cost of an expense.
 *
 * @inline
 */
interface Points {
  readonly cost: number
  /** Default: that of the site with the name of the budget. */
  readonly allowance?: Expense['allowance']
}

/**
 * One expense. A budget of a network is spent by the payer, whom no endpoint chooses; another one by whom its name says.
 *
 * @inline
 */
export type Spending =
  | readonly [budget: OfNetwork, points?: Points]
  | readonly [budget: Exclude<BudgetName, OfNetwork>, spender: string | null, points?: Points]

declare const MADE: unique symbol

/**
 * Who pays for a request. Only `payerOf` of a site makes one, from the request, so that no endpoint chooses who pays.
 *
 * @group Limits
 *
 * @inline
 */
export interface Payer {
  /** Never there: nothing else has this type. */
  readonly [MADE]: true
  /**
   * Who spends the budgets of networks: the network of the request, or all pages of other sites in it together, which is
   * the network and ` pages`. `null` if the network is not known: nothing is limited then.
   */
  readonly name: string | null
  /** Whether a page of another site made a browser send the request. */
  readonly isPage: boolean
  /**
   * Spends from all of these budgets, or from none. They are asked in this order, so name the sender of the request
   * first. A spender that is `null` is unknown, and not limited. Default of `points`: a cost of 1, and the allowance
   * of the site with that name. Never rejects.
   *
   * @returns the refusal of the first budget that has too little; otherwise what is left in the one with the least
   */
  readonly spend: (...spendings: Spending[]) => Promise<Spent>
}

/**
 * Into how many parts a network's allowance is divided, of which all pages of other sites in it have one together, in
 * addition to what the network has. A page can name any origin, and as many as its owner has subdomains, so the origin
 * makes no difference.
 */
const PARTS_OF_PAGES = 10

/**
 * Into how many parts a network's allowance is divided, of which one browser that loads addresses has one: any page can
 * lead a window from one address to the next. The first of them has no cookie yet.
 */
const PARTS_OF_BROWSER = 5

const UNLIMITED: Spent = { ok: true, remaining: Number.MAX_SAFE_INTEGER, retryAfterSeconds: 0 }

/** Creates the function that makes the payer of a request. `null`: a call of the host application. */
export function createPayers(
  { budget, allowances }: Pick<SiteOptions, 'budget' | 'allowances'>,
  {
    issuer,
    now,
    networkOf,
    deadline,
    notifyFault,
  }: {
    readonly issuer: string
    readonly now: () => number
    readonly networkOf: (request: () => Request) => string | null
    readonly deadline: Deadline
    readonly notifyFault: (endpoint: string, fault: unknown) => void
  },
): (sender: Sender | null) => Payer {
  // Needed only without another budget, or while that one fails.
  const own = late(createMemoryBudget)
  const spend =
    budget === undefined
      ? (expense: Expense) => own().spend(expense)
      : guarded(
          'budget.spend',
          async (expense: Expense) => readSpent(await budget.spend(expense)),
          deadline('spend'),
        )
  const table: Readonly<Record<string, Expense['allowance'] | null>> =
    allowances === undefined ? ALLOWANCES : { ...ALLOWANCES, ...withoutUndefined(allowances) }

  async function pay(expense: Expense): Promise<Spent> {
    try {
      return await spend(expense)
    } catch (fault) {
      notifyFault('budget', fault)
      return own().spend(expense)
    }
  }

  return (sender) => {
    const network = sender === null ? null : networkOf(() => sender.request())
    const isPage = sender !== null && isSentByPage(sender, issuer)
    const nameOf = (someNetwork: string): string => (isPage ? `${someNetwork} pages` : someNetwork)
    const name = network === null ? null : nameOf(network)
    const browserId = sender?.method === 'GET' && !isPage ? readBrowserId(sender, issuer) : null
    const browser = browserId === null ? null : `${name} browser ${hashBrowserId(browserId)}`

    function expensesOf([budgetName, ...rest]: Spending): readonly Expense[] {
      const isOfNetwork = isBudgetOfNetwork(budgetName)
      const [spender, points] = isOfNetwork ? [name, rest[0]] : rest
      const { cost = 1, allowance: whole = table[budgetName] ?? null } = (points ??
        {}) as Partial<Points>
      if (typeof spender !== 'string' || whole === null) return []
      const amount = isOfNetwork && isPage ? whole.amount / PARTS_OF_PAGES : whole.amount
      const allowance = { ...whole, amount }
      const expense = { site: issuer, budget: budgetName, spender, cost, allowance, now: now() }
      if (!isOfNetwork) return [expense]
      const by = (other: string, parts: number): Expense => ({
        ...expense,
        spender: other,
        allowance: { ...whole, amount: amount / parts },
      })
      const wide = widerOf(network!)
      return [
        ...(browser === null ? [] : [by(browser, PARTS_OF_BROWSER)]),
        expense,
        ...(wide === null ? [] : [by(nameOf(wide), 1 / 2)]),
      ]
    }

    const payer: Omit<Payer, typeof MADE> = {
      name,
      isPage,
      async spend(...spendings) {
        const paid: Expense[] = []
        let least = UNLIMITED
        for (const expense of spendings.flatMap(expensesOf)) {
          const spent = await pay(expense)
          if (!spent.ok) {
            await Promise.all(paid.map((one) => pay({ ...one, cost: -one.cost })))
            return spent
          }
          paid.push(expense)
          if (spent.remaining < least.remaining) least = spent
        }
        return least
      },
    }
    return payer as Payer
  }
}

const isBudgetOfNetwork = (name: BudgetName): name is OfNetwork => name.endsWith('OfNetwork')

/** Returns the first 48 bits of an IPv6 network of 64, which one subscriber may have whole; else `null`. */
function widerOf(network: string): string | null {
  const [, groups] = /^([\da-f:]*)::\/64$/.exec(network) ?? []
  if (groups === undefined) return null
  const [one = '', two = '0', three = '0'] = groups.split(':')
  return `${one}:${two}:${three}::/48`
}
