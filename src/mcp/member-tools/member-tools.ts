import { late } from '../../time/late.js'
import { type AccountExecutor, toolAt } from './executor.js'
import {
  listMyCourses,
  listMyDownloads,
  listMyEventRegistrations,
  listMyMemberships,
  listMyOrders,
} from './lists.js'
import { toolOf } from './own-fields.js'
import { getMyCourse, getMyOrder, getMyProfile } from './reads.js'
import { resumeLearning } from './resume.js'
import { cancelMyRegistration, markMyLecture, saveMyPosition, updateMyProfile } from './writes.js'
import type { Tool } from '../tool.js'

/**
 * Creates the member tools, with which an agent reads and changes the member's own data. Each of them
 * runs an operation of the Account API, so its schema, limits and checks apply. They need the scope
 * `account:read`, and those that change something need `account:write` as well.
 *
 * There are thirteen, and one for each field of your own on `Viewer` that has a description in its schema: `get_my_…`,
 * or `list_my_…` for a list. It needs the scopes of the field as well. The description is for agents: what it returns and
 * when to call it. Leave a tool out with `filter`.
 *
 * The tools accept the ids and slugs of your account source if they have at most 128 characters. White space,
 * control characters, `/ \ ? # %` and `..` are not allowed in them. Objects with other ids appear in lists, but
 * no tool can open them.
 *
 * @param account - the result of `createAccountApi`
 * @returns tools for `createMcpEndpoint`, in the order in which they are listed
 * @example
 * ```ts
 * import { accountTools, ANONYMOUS, decideToolCall, defineTools } from 'hallpass/mcp'
 * import { testSite } from 'hallpass/testing'
 *
 * // In your server: createAccountApi(site, { source }).
 * const account = { execute: async () => ({ data: { viewer: null } }) }
 * const registry = defineTools(accountTools(account), testSite().site)
 * registry.tools.length // => 13
 *
 * const tool = registry.get('list_my_courses')!
 * decideToolCall({ tool, args: {}, caller: ANONYMOUS, registry }).ok // => false
 * ```
 * @group Member tools
 */
export function accountTools(
  account: AccountExecutor,
): readonly Tool<'account:read' | 'account:write'>[] {
  const ofFields = (account.fields ?? []).flatMap(toolOf)
  return [...common(), ...ofFields].map((tool) => toolAt(account, tool))
}

/** The tools of every site. Their schemas are most of what a site with `/mcp` would take. */
const common = late(() =>
  [
    getMyProfile,
    listMyCourses,
    getMyCourse,
    resumeLearning,
    listMyOrders,
    getMyOrder,
    listMyEventRegistrations,
    listMyMemberships,
    listMyDownloads,
    updateMyProfile,
    saveMyPosition,
    markMyLecture,
    cancelMyRegistration,
  ].map((define) => define()),
)
