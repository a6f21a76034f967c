import type { AccountExecutor } from './executor.js'
import {
  listMyCourses,
  listMyDownloads,
  listMyEventRegistrations,
  listMyMemberships,
  listMyOrders,
} from './lists.js'
import { getMyCourse, getMyOrder, getMyProfile } from './reads.js'
import { resumeLearning } from './resume.js'
import { cancelMyRegistration, markMyLecture, saveMyPosition, updateMyProfile } from './writes.js'
import type { Tool } from '../mcp/tool.js'

/**
 * The tools of a member, each an operation of the Account API's own schema and resolvers.
 *
 * Their ids and slugs are the ones of the source, with at most 128 characters, none of which is white
 * space, a control character or one of `/ \ ? # %`, and without `..`: a source with others lists what
 * no tool can get.
 */
export function accountTools(
  account: AccountExecutor,
): readonly Tool<'account:read' | 'account:write'>[] {
  return [
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
  ].map((define) => define(account))
}
