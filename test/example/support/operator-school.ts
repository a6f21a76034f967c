import { defineSite } from 'hallpass'
import { createAdminApi, type Operation, type AdminApi } from 'hallpass/admin'
import { defineClient } from 'hallpass/clients'
import type { Person } from 'hallpass/policy'
import type { Execute } from 'hallpass/postgres'
import { schoolRoles, type SchoolScope, schoolScopes } from 'hallpass/scope'
import { createMemoryStore } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import { expect } from 'vitest'
import { createKit, type Kit } from '../../../examples/school/src/admin/kit.js'
import { migrated, openTestDatabase } from '../../support/databases/templates.js'
import type { Template } from '../../support/databases/test-database.js'
import { keepToken } from '../../support/school/kept-token.js'
import { T } from '../../support/school/school.js'

/** The admin API of a demo school, on a database of its own. */
export interface OperatorSchool {
  readonly execute: Execute
  readonly clock: { now: number }
  readonly faults: readonly unknown[]
  /** The `Authorization` header of an owner of a site, with every scope. */
  readonly bearer: (site: string) => Promise<string>
  /** Some identifiers of every kind of thing at Lantern Street. */
  readonly ids: () => Promise<readonly string[]>
  /** Calls as somebody with a role and some scopes: `owner` and every scope unless told otherwise. */
  readonly call: (
    method: string,
    path: string,
    options?: {
      readonly body?: unknown
      readonly headers?: Readonly<Record<string, string>>
      readonly role?: string
      readonly scopes?: readonly string[]
      readonly site?: string
    },
  ) => Promise<Answer>
  readonly close: () => Promise<void>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** The body of one thing. */
export type Body = Record<string, unknown> & { id: string }
export const bodyOf = ({ body }: Answer): Body => body as Body
/** The identifiers of one page of a list. */
export const idsIn = ({ body }: Answer): readonly string[] =>
  (body as { data: Body[] }).data.map(({ id }) => id)

/** An answer as the same request would get it again. */
export const withoutRequestId = ({ status, body }: Answer): object => ({
  status,
  body: { ...(body as object), request_id: '' },
})

export const LANTERN_SITE = 'site_lantern'
export const KILN_SITE = 'site_kiln'

const ALL_SCOPES = schoolScopes.names.filter((one) => one.includes(':'))

/** Opens the API of both demo schools, with these operations, on a copy of `template`. */
export async function openOperatorSchool(
  operations: (kit: Kit) => readonly Operation<SchoolScope>[],
  seed: (execute: Execute, now: () => number) => Promise<void> = async () => {},
  template: Template = migrated,
): Promise<OperatorSchool> {
  const { execute, transaction, close } = await openTestDatabase({ template })
  const clock = { now: T }
  const now = (): number => clock.now
  await seed(execute, now)
  const faults: unknown[] = []
  const store = createMemoryStore()
  const client = defineClient({
    clientId: 'desk',
    kind: 'loopback',
    name: 'Desk',
    redirectUris: ['http://127.0.0.1/cb'],
    createdAt: T,
  })
  await store.insertClient(client)
  const apis = new Map<string, AdminApi>()
  for (const site of [LANTERN_SITE, KILN_SITE]) {
    const origin = `https://${site.replace('_', '-')}.example`
    apis.set(
      site,
      createAdminApi(
        defineSite({
          issuer: origin,
          name: site,
          store,
          findPerson: async (subject) => personOf(subject, site),
          scopes: schoolScopes,
          roles: schoolRoles,
          onFault: ({ fault }) => faults.push(fault),
          now,
        }),
        { operations: operations(createKit({ execute, transaction, site, origin, now })) },
      ),
    )
  }

  async function keep(
    name: string,
    { site, role, scopes }: { site: string; role: string; scopes: readonly string[] },
  ): Promise<void> {
    await keepToken(store, name, {
      grantId: `grant ${name}`,
      clientId: 'desk',
      subject: `mem_${role}`,
      scopes,
      resource: `https://${site.replace('_', '-')}.example`,
      redirectUri: 'http://127.0.0.1/cb',
      issuedAt: T,
      expiresAt: T + 1e9,
    })
  }

  const kept = new Set<string>()
  async function bearerOf(of: Parameters<typeof keep>[1]): Promise<string> {
    const { site, role, scopes } = of
    const accessToken = `hpa_${hashToken(JSON.stringify([site, role, scopes]))}`
    if (!kept.has(accessToken)) {
      kept.add(accessToken)
      await keep(accessToken, of)
    }
    return `Bearer ${accessToken}`
  }

  return {
    execute,
    clock,
    faults,
    bearer: (site) => bearerOf({ site, role: 'owner', scopes: ALL_SCOPES }),
    async ids() {
      const { rows } = await execute(
        `select table_name, column_name from information_schema.columns
         where table_name like 'school\\_%' and column_name in ('id', 'member_id')`,
        [],
      )
      const some = (rows as { table_name: string; column_name: string }[]).map(
        ({ table_name: table, column_name: column }) =>
          `(select distinct ${column} as id from ${table}
            where site = $1 and ${column} is not null order by 1 limit 6)`,
      )
      const ids = (await execute(some.join(' union '), [LANTERN_SITE])).rows as { id: string }[]
      return ids.map(({ id }) => id).sort()
    },
    async call(method, path, options = {}) {
      const { body, headers = {}, role = 'owner', site = LANTERN_SITE } = options
      const { scopes = ALL_SCOPES } = options
      const bearer = await bearerOf({ site, role, scopes })
      const response = await apis.get(site)!.endpoint(
        new Request(`https://${site.replace('_', '-')}.example/api/v1${path}`, {
          method,
          headers: {
            authorization: bearer,
            ...(body !== undefined && { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      )
      const text = await response.text()
      expect(response.status, text).toBeLessThan(500)
      return {
        status: response.status,
        headers: response.headers,
        body: text === '' ? null : (JSON.parse(text) as unknown),
      }
    },
    close,
  }
}

const personOf = (subject: string, orgId: string): Person => ({
  subject,
  orgId,
  roles: [subject.slice('mem_'.length)],
  name: 'Somebody',
  email: null,
  picture: null,
})
