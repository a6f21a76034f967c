import { graphql } from 'graphql'
import {
  accountSchema,
  type AccountSource,
  createAccountContext,
  type Member,
} from 'hallpass/account'
import type { Execute } from 'hallpass/postgres'
import { createMemoryStore } from 'hallpass/store'
import {
  createPeople,
  KILN,
  LANTERN,
  openDatabase,
  type People,
  seedDemo,
} from '../../../examples/school/demo.js'
import { createAccountSource } from '../../../examples/school/testing.js'
import { demoAtT, openTestDatabase } from '../databases/templates.js'
import { T } from './school.js'

export const DAY = 86_400

/** One school of the demo, as it was seeded at `T`. */
export interface DemoSite {
  readonly people: People
  /** What the Account API reads, at `T`. */
  readonly source: AccountSource
  readonly sourceAt: (at: number) => AccountSource
  readonly member: (id: string) => Member
  /** Asks as a member, at `T` or at another time; answers `data`, and throws where there are errors. */
  readonly ask: (
    memberId: string,
    query: string,
    variables?: Readonly<Record<string, unknown>>,
    at?: number,
  ) => Promise<unknown>
  readonly seed: (at: number) => Promise<void>
}

/** Both schools of the demo in one database. */
export interface DemoSchools {
  readonly execute: Execute
  /** How many statements were sent so far. */
  readonly statements: () => number
  readonly lantern: DemoSite
  readonly kiln: DemoSite
  readonly close: () => Promise<void>
}

/** Where the schools' tables are: each of the two in a project of its own of vitest.config.ts. */
export const DATABASE =
  process.env['HALLPASS_TEST_DATABASE'] === 'pglite'
    ? { name: 'PGlite', open: () => openDatabase({ url: null, folder: null }) }
    : { name: 'PostgreSQL', open: () => openTestDatabase({ template: demoAtT, connections: 8 }) }

/** Opens a database with both schools in it. */
export async function openDemo(): Promise<DemoSchools> {
  const { execute: send, transaction, close } = await DATABASE.open()
  let statements = 0
  const execute: Execute = (sql, parameters) => {
    statements += 1
    return send(sql, parameters)
  }
  const schema = accountSchema()

  async function createSite(site: typeof LANTERN): Promise<DemoSite> {
    const people = createPeople({ execute, site: site.id })
    const store = createMemoryStore()
    const origin = `https://${site.theme}.example`
    const sourceAt = (at: number): AccountSource =>
      createAccountSource({ execute, transaction, site, origin, now: () => at })
    const seed = (at: number): Promise<void> =>
      seedDemo({ execute, site: site.id, origin, people, store, now: () => at })
    const member = (subject: string): Member => ({
      subject,
      orgId: site.id,
      roles: ['student'],
      name: null,
      email: null,
      picture: null,
    })
    await seed(T)
    return {
      people,
      source: sourceAt(T),
      sourceAt,
      member,
      seed,
      async ask(memberId, query, variables = {}, at = T) {
        const { data, errors } = await graphql({
          schema,
          source: query,
          variableValues: variables,
          contextValue: createAccountContext({
            member: member(memberId),
            source: sourceAt(at),
            now: at,
            pictureHosts: ['images.example'],
          }),
        })
        if (errors !== undefined) throw new AggregateError(errors, errors[0]!.message)
        // graphql-js answers with objects that have no prototype.
        return JSON.parse(JSON.stringify(data)) as unknown
      },
    }
  }

  const lantern = await createSite(LANTERN)
  const kiln = await createSite(KILN)
  return { execute, statements: () => statements, lantern, kiln, close }
}
