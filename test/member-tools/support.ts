import { authorizeBearer, type SiteOptions } from 'hallpass'
import type { AccountApi, AccountApiOptions, AccountSource } from 'hallpass/account'
import {
  type AccountExecutor,
  accountTools,
  isToolError,
  type Tool,
  type ToolError,
} from 'hallpass/mcp'
import type { Access, Person } from 'hallpass/policy'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createSource, type MemberData } from '../support/school/account.js'
import { openAccount, SCRIBE } from '../support/school/account-api.js'
import { memberWith } from '../support/school/account-rows.js'
import { signIn } from '../support/school/flow.js'
import { createSchool, ISSUER, OWNER, type School, STUDENT } from '../support/school/school.js'

/** What a tool answers somebody. */
export type Call = (
  name: string,
  args?: Readonly<Record<string, unknown>>,
) => Promise<Readonly<Record<string, unknown>> | ToolError>

export interface Members {
  readonly school: School
  readonly api: AccountApi
  readonly access: Access
  readonly data: MemberData
  readonly other: MemberData
  readonly calls: string[]
  /** Of a student, who has `data`. */
  readonly call: Call
  /** Of the owner, who has `other`. */
  readonly callOther: Call
}

export const actionOf = (tools: readonly Tool[], name: string): Tool['actions'][0] =>
  tools.find((tool) => tool.name === name)!.actions[0]

/** What somebody's access token stands for. */
export async function accessOf(
  school: School,
  person: Person,
  scope = 'account:read account:write',
): Promise<Access> {
  const request = { client_id: SCRIBE.clientId, scope }
  const { access_token: accessToken } = await signIn(school, request, { person })
  const decided = await authorizeBearer(
    {
      issuer: ISSUER,
      store: school.store,
      findClient: (clientId) => school.store.findClient(clientId),
      findPerson: async (subject) => school.people.get(subject) ?? null,
      scopes: schoolScopes,
      roles: schoolRoles,
      clock: { latest: async () => school.clock.now },
    },
    { authorization: `Bearer ${accessToken}`, required: ['account:read'] },
  )
  if (!decided.ok) throw new Error(decided.reason)
  return decided.access
}

/** Calls the tools of an Account API for somebody who was let in. */
export function callerWith(account: AccountExecutor, access: Access, now: () => number): Call {
  const tools = accountTools(account)
  return async (name, args = {}) => {
    const { run, output } = actionOf(tools, name)
    const answer = await run(
      {
        caller: { kind: 'member', access },
        dryRun: false,
        requestId: 'request-1',
        now: now(),
        signal: new AbortController().signal,
      },
      args,
    )
    if (!isToolError(answer)) output.parse(answer)
    return answer
  }
}

/** A school in which two members have rows under the same identifiers. `broken`: of its source. */
export async function openMembers(
  options: Partial<SiteOptions & AccountApiOptions> = {},
  broken: Partial<AccountSource> = {},
): Promise<Members> {
  const school = await createSchool()
  const data = memberWith('mine', ['1', '2'])
  const other = memberWith('hers', ['1', '2', '3'])
  const { source, calls } = createSource(
    new Map([
      [STUDENT.subject, data],
      [OWNER.subject, other],
    ]),
  )
  const { api } = await openAccount(
    { source: { ...source, ...broken }, bucket: null, ...options },
    school,
  )
  const now = (): number => school.clock.now
  const access = await accessOf(school, STUDENT)
  return {
    school,
    api,
    access,
    data,
    other,
    calls,
    call: callerWith(api, access, now),
    callOther: callerWith(api, await accessOf(school, OWNER), now),
  }
}

/** What each tool can be called with. */
export const ARGUMENTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  get_my_course: { slug: 'mine-1' },
  get_my_order: { id: 'ord_1' },
  save_my_position: { course: 'mine-1', lecture_id: '1-l1', position_seconds: 1 },
  mark_my_lecture: { course: 'mine-1', lecture_id: '1-l1', completed: true },
  cancel_my_registration: { id: 'reg_1' },
}
