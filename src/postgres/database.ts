import { randomFraction } from '../encoding/random.js'
import type { Database } from '../sql/batch.js'
import type { Row } from '../sql/statement.js'
import { createAsk } from './ask.js'
import { composed, textOf } from './compose.js'
import { POSTGRES } from './dialect.js'
import type { PostgresOptions } from './execute.js'

type Options = PostgresOptions & { readonly now?: (() => number) | null }

/**
 * Returns a function that returns where the rows of a site are, for a method whose name begins those of its statements.
 * All sites share the names, which are hashes of the texts.
 */
export function databases({
  execute,
  chance = randomFraction,
  now = null,
}: Omit<Options, 'site'>): (site: string, verb: string) => Database {
  const ask = createAsk({ execute, chance })
  return (site, verb) => ({
    dialect: POSTGRES,
    site,
    now,
    single: composed,
    async run(steps) {
      const results: (readonly Row[])[] = []
      let lost = null
      for (const step of steps) {
        if (typeof step === 'function' || (steps.length > 1 && !step.sql.startsWith('select ')))
          throw new TypeError(`${verb}: only one statement is atomic`)
        const values = step.parameters.filter((value) => value !== null)
        const answer = await ask<Row>({ verb, sql: textOf(step) }, values)
        results.push(answer.rows)
        lost ??= answer.lost
      }
      return { results, lost }
    },
  })
}

/** The same for a storage of one site. */
export function databaseFor({ site, ...others }: Options): (verb: string) => Database {
  const databaseOf = databases(others)
  return (verb) => databaseOf(site, verb)
}
