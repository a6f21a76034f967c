import type { AccountContext, AccountResolvers } from './context.js'
import {
  CONFLICT,
  decideCancellation,
  decideLecture,
  decidePlayback,
  decideProfile,
  STALE,
  type UserError,
} from './decisions.js'
import { isFindable, sourceId } from './node-id.js'
import type { AccountSource, LectureState } from './source.js'
import { loadViewer } from './viewer.js'

type ProfileChanges = Parameters<AccountSource['updateProfile']>[1]

interface LectureInput {
  readonly courseId: string
  readonly lectureId: string
}

const failed = (userError: UserError): { userErrors: readonly UserError[] } => ({
  userErrors: [userError],
})

async function findLecture(
  { source, member }: AccountContext,
  { courseId, lectureId }: LectureInput,
): Promise<LectureState | null> {
  const findable = isFindable(courseId) && isFindable(lectureId)
  return findable ? source.lecture(member, { courseId, lectureId }) : null
}

/** The resolvers of the mutations. Each one loads the current state, decides, then writes. */
export const mutationResolvers: AccountResolvers[string] = {
  async updateProfile(_: unknown, { input }: { input: ProfileChanges }, context: AccountContext) {
    const decided = decideProfile(input, context.pictureHosts)
    if (!decided.ok) return failed(decided.userError)
    await context.source.updateProfile(context.member, decided.changes)
    context.forget()
    return { viewer: () => loadViewer(context), userErrors: [] }
  },

  async savePlaybackPosition(
    _: unknown,
    { input }: { input: LectureInput & { positionSeconds: number; occurredAt?: number | null } },
    context: AccountContext,
  ) {
    const { source, member, now } = context
    const { courseId, lectureId, positionSeconds } = input
    const lecture = await findLecture(context, input)
    const occurredAt = input.occurredAt ?? now
    const decided = decidePlayback({ lecture, positionSeconds, occurredAt, now })
    if (!decided.ok) return failed(decided.userError)
    const { watchedAt } = decided
    const playback = { courseId, lectureId, positionSeconds, watchedAt }
    if ((await source.savePlayback(member, playback)) === 'stale') return failed(STALE.userError)
    context.forget()
    return {
      enrolledCourse: () => context.enrollmentById(lecture!.enrollmentId),
      userErrors: [],
    }
  },

  async markLecture(
    _: unknown,
    { input }: { input: LectureInput & { completed: boolean } },
    context: AccountContext,
  ) {
    const { source, member, now } = context
    const { courseId, lectureId, completed } = input
    const decided = decideLecture(await findLecture(context, input))
    if (!decided.ok) return failed(decided.userError)
    await source.markLecture(member, { courseId, lectureId, completed, at: now })
    context.forget()
    return {
      enrolledCourse: () => context.enrollmentById(decided.lecture.enrollmentId),
      userErrors: [],
    }
  },

  async cancelEventRegistration(
    _: unknown,
    { input }: { input: { registrationId: string; reason?: string | null } },
    context: AccountContext,
  ) {
    const { source, member, now } = context
    const id = sourceId('EventRegistration', input.registrationId)
    const find = async () => (id === null ? null : context.registrationById(id))
    const reason = input.reason ?? null
    const registration = await find()
    const decided = decideCancellation({ registration, reason, now })
    if (!decided.ok) return failed(decided.userError)
    if (!decided.cancel) return { eventRegistration: registration, userErrors: [] }
    const outcome = await source.cancelEventRegistration(member, { id: id!, reason, at: now })
    context.forget()
    // The request that committed first may have cancelled the registration too.
    if (outcome === 'conflict' && (await find())?.state !== 'CANCELLED')
      return failed(CONFLICT.userError)
    return { eventRegistration: find, userErrors: [] }
  },
}
