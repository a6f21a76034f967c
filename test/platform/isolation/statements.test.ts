import { PGlite } from '@electric-sql/pglite'
import { dataDir as emptyCluster } from '@electric-sql/pglite-prepopulatedfs'
import { createPostgresStorage, type Execute, migratePostgres } from 'hallpass/postgres'
import { storeContract } from 'hallpass/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STORE_ARGUMENTS } from '../../../src/store/arguments.js'

let database: PGlite
let broken: string | null = null
let changed = 0
/** Leaves the site out of the conditions of one method's statements, whose names have that of the method. */
const execute: Execute = (sql, parameters, name) => {
  const isBroken = broken !== null && name?.split('_')[1] === broken
  const text = isBroken ? sql.replaceAll(/\b((?:\w+\.)?site) = (\$\d+)/g, '($1 = $2 or true)') : sql
  if (text !== sql) changed += 1
  return database.query(text, [...parameters])
}

beforeAll(async () => {
  database = await PGlite.create({ loadDataDir: await emptyCluster() })
  await migratePostgres({ execute })
})
afterAll(() => database.close())

/** Runs the checks until one fails, and returns its name. */
async function firstFailed(verb: string): Promise<string | null> {
  const contract = storeContract((site) => createPostgresStorage({ execute }).storeOf(site))
  const isOfSites = ({ name }: { name: string }): number => Number(/site|nothing/.test(name))
  const sitesFirst = contract.toSorted((one, other) => isOfSites(other) - isOfSites(one))
  broken = verb
  try {
    for (const { name, run } of sitesFirst) {
      const isKept = await run().then(
        () => true,
        () => false,
      )
      if (!isKept) return name
    }
    return null
  } finally {
    broken = null
  }
}

describe('the statements of a store on PostgreSQL', () => {
  it('pass the contract with their site', async () => {
    expect(await firstFailed('no method')).toBeNull()
  })

  it.each(Object.keys(STORE_ARGUMENTS))('without their site are found: %s', async (verb) => {
    changed = 0
    expect(await firstFailed(verb)).not.toBeNull()
    expect(changed).toBeGreaterThan(0)
  })
})
