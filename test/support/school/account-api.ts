import { defineSite, type SiteOptions } from 'hallpass'
import { type AccountApi, type AccountApiOptions, createAccountApi } from 'hallpass/account'
import { createSource, enrollment, type MemberData } from './account.js'
import { type Fields, signIn } from './flow.js'
import { split } from './bare-server.js'
import { createSchool, ISSUER, type School, STUDENT, STUDY_BUDDY } from './school.js'

export interface OpenAccount {
  readonly school: School
  readonly api: AccountApi
  /** Names of the source's methods, as they were called. */
  readonly calls: string[]
  readonly data: MemberData
  /** Whatever broke in the source. */
  readonly faults: unknown[]
  /** What the host was told to find them by. */
  readonly requestIds: (string | null)[]
  /** Sends a document with a token, or without one for `null`. */
  readonly ask: (
    accessToken: string | null,
    query: string,
    more?: Readonly<Record<string, unknown>>,
  ) => Promise<Response>
  /** A token of the student's from the whole flow. */
  readonly tokenFor: (scope: string, changes?: Fields) => Promise<string>
}

/** A public client that may read and write. */
export const SCRIBE = {
  ...STUDY_BUDDY,
  clientId: 'scribe',
  name: 'Scribe',
  scopes: ['account:read', 'account:write'],
}

/** The Account API of a school in memory, in which the student has one course. */
export async function openAccount(
  options: Partial<SiteOptions & AccountApiOptions> = {},
  school?: School,
): Promise<OpenAccount> {
  const within = school ?? (await createSchool())
  await within.store.insertClient(SCRIBE)
  const data: MemberData = {
    profile: { email: STUDENT.email, name: STUDENT.name, changes: [] },
    enrollments: [enrollment()],
    orders: [],
    registrations: [],
    outlines: new Map(),
  }
  const { source, calls } = createSource(new Map([[STUDENT.subject, data]]))
  const faults: unknown[] = []
  const requestIds: (string | null)[] = []
  const { ofSite, own } = split<AccountApiOptions>(options)
  const site = defineSite({
    ...within.siteOptions,
    onFault: ({ fault, requestId }) => {
      faults.push(fault)
      requestIds.push(requestId)
    },
    ...ofSite,
  })
  const api = createAccountApi(site, { source, ...own })
  return {
    school: within,
    api,
    calls,
    data,
    faults,
    requestIds,
    ask: (accessToken, query, more = {}) =>
      api.graphql(
        new Request(`${ISSUER}/account/graphql`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            ...(accessToken !== null && { authorization: `Bearer ${accessToken}` }),
          },
          body: JSON.stringify({ query, ...more }),
        }),
      ),
    tokenFor: async (scope, changes = {}) =>
      (await signIn(within, { client_id: SCRIBE.clientId, scope, ...changes })).access_token,
  }
}
