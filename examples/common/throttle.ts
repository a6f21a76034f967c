// How often passwords may be tried. The counts are in the memory of this process, for at most 100,000 spenders.
import { createMemoryBudget } from 'hallpass/operations'
import { page } from './pages.js'

interface Attempt {
  /** Who sent it, or `null`. */
  readonly network: string | null
  /** The email address that was typed, whether anyone has it or not. */
  readonly email: string
}

const budget = createMemoryBudget()
const SECONDS = 10 * 60
/** In ten minutes: of one network for one account, of one network, and for one account from anywhere. */
const limitsOf = ({ network, email }: Attempt) => {
  const account = email.toLowerCase().slice(0, 320)
  return [
    { spender: `${network} ${account}`, amount: 6 },
    { spender: `network ${network}`, amount: 300 },
    { spender: `account ${account}`, amount: 30 },
  ]
}
const spend = ({ spender, amount }: { spender: string; amount: number }, cost: number) =>
  budget.spend({
    site: '',
    budget: 'signInsOfRequest',
    spender,
    cost,
    allowance: { amount, seconds: SECONDS },
    now: Math.floor(Date.now() / 1000),
  })

/** Counts an attempt. @returns the seconds to wait, or 0 if it may proceed */
export async function takeAttempt(attempt: Attempt): Promise<number> {
  for (const limit of limitsOf(attempt)) {
    const { ok, retryAfterSeconds } = await spend(limit, 1)
    if (!ok) return retryAfterSeconds
  }
  return 0
}

/** Gives back what the right password has spent: a whole school may have one network. */
export const forgive = async (attempt: Attempt): Promise<void> => {
  for (const limit of limitsOf(attempt)) await spend(limit, -1)
}

/** The page for an attempt that has to wait. */
export async function tooMany(seconds: number): Promise<Response> {
  const minutes = Math.ceil(seconds / 60)
  const response = await page(
    'Too many attempts',
    `<div class="card"><h1>Too many attempts</h1>
    <p>Go back, and try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.</p></div>`,
    { status: 429 },
  )
  response.headers.set('retry-after', String(seconds))
  return response
}
