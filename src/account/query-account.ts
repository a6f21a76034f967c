import { graphql, type GraphQLError } from 'graphql'
import { createAccountContext } from './context.js'
import { emptyAccountSource } from './empty-source.js'
import { accountSchema } from './schema.js'
import type { AccountSource, Member } from './source.js'

/** 2021-03-01T09:00:00Z, when the clock of a test site starts. */
const NOW = 1_614_589_200

/**
 * Runs one query against a source, for a test of its methods: without a server, a token or a limit. A test needs only
 * the methods that the query reads, and `graphql` stays inside hallpass, so that no test runner loads it twice.
 *
 * @param test - `query`: the GraphQL document. `source`: the methods of the test; the others are those of
 *   {@link emptyAccountSource}, a profile of what `member` has, and a site in UTC. `member`: what the test needs of the
 *   person. `variables`: of the query. `now`: epoch seconds. Default: 2021-03-01T09:00:00Z. `pictureHosts`: as in
 *   {@link createAccountContext}
 * @returns the result as a client receives it: `data`, and `errors` if there are any. A method that throws leads to an
 *   error with its message, which a server would not show
 * @example
 * ```ts
 * import { queryAccount } from 'hallpass/account'
 *
 * const orders = async () => ({ rows: [], total: 3 })
 * const query = '{ viewer { name orders(first: 1) { totalCount } } }'
 * await queryAccount({ source: { orders }, member: { name: 'Mei' }, query }) // => { data: { viewer: { name: 'Mei', orders: { totalCount: 3 } } } }
 * ```
 * @group Source
 */
export async function queryAccount({
  query,
  source = {},
  member: known = {},
  variables,
  now = NOW,
  pictureHosts = [],
}: {
  query: string
  source?: Partial<AccountSource>
  member?: Partial<Member>
  variables?: Readonly<Record<string, unknown>>
  now?: number
  pictureHosts?: readonly string[]
}): Promise<{
  readonly data?: unknown
  readonly errors?: readonly {
    readonly message: string
    readonly path?: readonly (string | number)[]
    readonly extensions?: Readonly<Record<string, unknown>>
  }[]
}> {
  const member = { ...SOMEBODY, ...known }
  const complete = { ...emptyAccountSource, profile, site, ...source }
  const result = await graphql({
    schema: accountSchema(),
    source: query,
    contextValue: createAccountContext({ member, source: complete, now, pictureHosts }),
    variableValues: variables,
  })
  const errors = result.errors?.map((error) => ({ ...error.toJSON(), message: saidBy(error) }))
  return JSON.parse(JSON.stringify({ ...result, errors })) as Awaited<
    ReturnType<typeof queryAccount>
  >
}

/** Returns what an error says, with what the method of the test said. */
const saidBy = ({ message, originalError }: GraphQLError): string =>
  originalError?.cause instanceof Error ? `${message}: ${originalError.cause.message}` : message

const SOMEBODY: Member = {
  subject: 'per_test',
  orgId: 'school',
  roles: ['student'],
  name: null,
  email: null,
  picture: null,
}

const profile: AccountSource['profile'] = async ({ name, email, picture }) => ({
  name,
  email,
  picture,
  emailVerified: false,
  locale: null,
  timeZone: null,
  memberSince: NOW,
})

const site: AccountSource['site'] = async ({ orgId }) => ({
  id: orgId,
  name: 'Test School',
  url: 'https://school.example',
  timeZone: 'UTC',
  currencyCode: 'EUR',
})
