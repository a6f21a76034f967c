import {
  type AccountApi,
  type AccountApiOptions,
  type AccountFields,
  type AccountSource,
  createAccountApi,
} from 'hallpass/account'
import { defineScopes, schoolScopeTable } from 'hallpass/scope'
import { type TestSite, testSite } from 'hallpass/testing'
import { createSource } from './account.js'
import { memberWith } from './account-rows.js'
import { STUDENT } from './school.js'

const ofMember = { audience: 'member', group: 'Library', consent: 'Use the library' } as const

/** The school's scopes, and two of a library for members. */
const LIBRARY_SCOPES = defineScopes({
  ...schoolScopeTable,
  'library:read': { ...ofMember, access: 'read' },
  'library:write': { ...ofMember, access: 'write' },
})
type Scope = (typeof LIBRARY_SCOPES)['names'][number]

export interface Library extends Pick<
  TestSite<Scope>,
  'site' | 'faults' | 'refusals' | 'tokenFor'
> {
  readonly api: AccountApi
  readonly source: AccountSource
  /** Names of the methods of the source, as they were called. */
  readonly calls: readonly string[]
  /** Sends a document of a student whose token has these scopes. */
  readonly ask: (
    scopes: readonly Scope[],
    query: string,
    more?: Readonly<Record<string, unknown>>,
  ) => Promise<LibraryAnswer>
}

interface LibraryAnswer {
  readonly status: number
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly {
    readonly message: string
    readonly path?: readonly unknown[]
    readonly extensions?: Readonly<Record<string, unknown>>
  }[]
  readonly extensions?: { readonly cost: { readonly requested: number } }
}

/** An Account API with fields of its own. */
export function openLibrary(
  extend: AccountFields,
  options: Partial<AccountApiOptions> = {},
): Library {
  const { site, faults, refusals, tokenFor } = testSite({ scopes: LIBRARY_SCOPES })
  const { source, calls } = createSource(
    new Map([[STUDENT.subject, memberWith('mine', ['1', '2', '3'])]]),
  )
  const api = createAccountApi(site, { source, bucket: null, extend, ...options })
  return {
    api,
    site,
    source,
    calls,
    faults,
    refusals,
    tokenFor,
    async ask(scopes, query, more = {}) {
      const token = await tokenFor(STUDENT, ...scopes)
      const response = await api.graphql(
        new Request(`${site.issuer}/account/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
          body: JSON.stringify({ query, ...more }),
        }),
      )
      return { status: response.status, ...((await response.json()) as object) }
    },
  }
}
