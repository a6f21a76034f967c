import { randomFraction } from '../encoding/random.js'
import { callback, optional, type Rules, text } from '../options/check.js'
import { type Batching, createRun, type Database } from './batch.js'
import type { BatchDialect } from './dialect.js'

/** The options of a storage on any database. */
interface SqlOptions<Its> {
  readonly batch: Its
  readonly site: string
  readonly chance?: () => number
}

/** The rule of each option, with an example of a batch. */
export const sqlRules = <Its extends (...parameters: never[]) => unknown>(
  example: string,
): Rules<SqlOptions<Its>> => ({
  batch: callback(example),
  site: text('"school"'),
  chance: optional(callback('() => 0.5')),
})

/** That of a store, which tests may give a clock. */
export const NOW_RULE: Rules<{ readonly now?: () => number }> = {
  now: optional(callback('() => Math.floor(Date.now() / 1000)')),
}

/** Returns where the rows of a storage are, by its options. */
export const databaseOf = (
  dialect: BatchDialect,
  {
    batch,
    site = '',
    chance = randomFraction,
    now = null,
  }: {
    readonly batch: Batching
    readonly site?: string
    readonly chance?: () => number
    readonly now?: (() => number) | null
  },
): Database => ({ run: createRun({ batch, dialect, chance }), dialect, single: null, site, now })
