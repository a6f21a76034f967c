import { createAccountContext, enrollmentOrders, matchesEnrollment, pageOf } from 'hallpass/account'
import { PERSON, times } from '../subjects/common.mjs'

/** The data that every subject of the account set serves: one member and twenty courses. */
export const MEMBER = { ...PERSON, orgId: 'site_bench', roles: ['student'], picture: null }
export const PATH = '/account/graphql'

const COURSES = 20
const T = 1_795_165_200

/** The query of the service description. */
const QUERY = `
query {
  viewer {
    id
    email
    enrolledCourses(first: ${COURSES}) {
      nodes { slug expireDate hasLifetimeAccess lastWatchedLecture { lectureId positionSeconds } }
    }
  }
}`

const ENROLLMENTS = Array.from({ length: COURSES }, (_, index) => ({
  id: `e${index}`,
  courseId: `c${index}`,
  slug: `course-${index}`,
  title: `Course ${index}`,
  coverImage: null,
  url: `https://school.example/courses/course-${index}`,
  enrolledAt: T - index * 86_400,
  startDate: null,
  expireDate: index % 2 === 0 ? null : T + (index + 1) * 86_400,
  hasLifetimeAccess: index % 2 === 0,
  accessState: 'ACTIVE',
  accessSource: 'PURCHASE',
  progress: { completedLectures: 8, totalLectures: 13, completedAt: null },
  lastWatchedLecture: {
    lectureId: `l${index}`,
    title: 'Light and shade',
    positionSeconds: 847 + index,
    durationSeconds: 1800,
    watchedAt: T - index * 3600,
    resumeUrl: null,
  },
}))

const notAsked = async () => {
  throw new Error('not part of the benchmark')
}

/** Twenty enrollments in memory, with only the fields that the query selects. */
export const SOURCE = {
  profile: async ({ email, name }) => ({
    ...{ email, emailVerified: true, name, picture: null },
    ...{ locale: 'en', timeZone: 'Europe/Lisbon', memberSince: T - 400 * 86_400 },
  }),
  enrollments: async (_member, query) =>
    pageOf(
      ENROLLMENTS.filter((row) => matchesEnrollment(row, query.filter)),
      enrollmentOrders[query.order],
      query,
    ),
  ...Object.fromEntries(
    [
      'site',
      'orders',
      'eventRegistrations',
      'subscriptions',
      'digitalProducts',
      'courseOutlines',
      'lecture',
      'savePlayback',
      'markLecture',
      'cancelEventRegistration',
      'updateProfile',
    ].map((name) => [name, notAsked]),
  ),
}

/** Creates the context of one request, for subjects without a gate. */
export const contextOf = () =>
  createAccountContext({
    member: MEMBER,
    source: SOURCE,
    now: Math.floor(Date.now() / 1000),
  })

let documents = 0

/**
 * The scenarios: the same operation document in every request, and a new one in every request.
 *
 * @param accessToken - returns the access token for one request; other libraries need none
 */
export function scenariosOf(accessToken = () => undefined) {
  const expect = [
    'data.viewer.id',
    'data.viewer.email',
    `data.viewer.enrolledCourses.nodes.${COURSES - 1}.lastWatchedLecture.lectureId`,
  ]
  const prepare = (queryOf) => (count) =>
    times(count, () => ({
      path: PATH,
      json: JSON.stringify({ query: queryOf() }),
      accessToken: accessToken(),
    }))
  return {
    known: { expect, prepare: prepare(() => QUERY) },
    new: { expect, prepare: prepare(() => `query N${documents++} ${QUERY.slice(7)}`) },
  }
}
