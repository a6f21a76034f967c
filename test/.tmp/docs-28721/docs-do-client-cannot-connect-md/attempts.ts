// attempts.ts
import { defineSite, type SiteOptions } from 'hallpass'
import { createAttempts, recordAttempts } from 'hallpass/attempts'
import type { Manager } from 'hallpass/clients'
import { createPostgresAttempts, type Execute } from 'hallpass/postgres'

export declare const options: SiteOptions
export declare const execute: Execute

const site = defineSite({
  ...options,
  watchers: [recordAttempts(createPostgresAttempts({ execute, site: 'my-school' }))],
})
const attempts = createAttempts(site)

export async function explain(manager: Manager, id: string): Promise<string> {
  const found = await attempts.explainAttempt(manager, id)
  if (found === null) return 'There is no such attempt, or it is older than 30 days.'
  const { sentence, turn, change } = found.explanation
  return `${sentence} Whose turn: ${turn}. ${change ?? ''}`
}
