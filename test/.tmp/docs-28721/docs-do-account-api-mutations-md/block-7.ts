import { deepEqual } from 'node:assert/strict'
import { NOW, signedInWith } from './signed-in.js'
import { db } from './tables.js'

await db.exec(`
  insert into purchases values ('p1', 'mem_mei', 'glazing', to_timestamp(${NOW - 9000}), null);
  insert into watch_log values ('mem_mei', 'glazing', 'l1', 300, to_timestamp(${NOW - 600}));
  insert into bookings values ('b1', 'mem_mei', 'open-day', 5.00, to_timestamp(${NOW - 500}));
`)

const reads = await signedInWith('account:read')
const { body } = await reads(`{ viewer { enrolledCourse(slug: "glazing") {
  lastWatchedLecture { lectureId positionSeconds } nextLecture { title } sections { lectures { id } }
} } }`)
deepEqual(body.data.viewer.enrolledCourse, {
  lastWatchedLecture: { lectureId: 'l1', positionSeconds: 300 },
  nextLecture: { title: 'What a glaze is' },
  sections: [{ lectures: [{ id: 'l1' }, { id: 'l2' }] }],
})

// Without account:write, nothing of the document runs.
const SAVE = `mutation ($position: Int!) { savePlaybackPosition(input: {
  courseId: "glazing", lectureId: "l1", positionSeconds: $position
}) { userErrors { code field } enrolledCourse { lastWatchedLecture { positionSeconds } } } }`
const refused = await reads(SAVE, { variables: { position: 420 } })
deepEqual([refused.status, refused.body.error], [403, 'insufficient_scope'])

const writes = await signedInWith('account:read', 'account:write')
const save = async (position: number) =>
  (await writes(SAVE, { variables: { position } })).body.data.savePlaybackPosition
deepEqual(await save(420), {
  userErrors: [],
  enrolledCourse: { lastWatchedLecture: { positionSeconds: 420 } },
})
deepEqual(await save(601), {
  userErrors: [{ code: 'OUT_OF_RANGE', field: ['input', 'positionSeconds'] }],
  enrolledCourse: null,
})

const CANCEL = `mutation { cancelEventRegistration(input: { registrationId: "reg_b1" }) {
  userErrors { code } eventRegistration { state cancelledAt }
} }`
deepEqual((await writes(CANCEL)).body.data.cancelEventRegistration, {
  userErrors: [],
  eventRegistration: { state: 'CANCELLED', cancelledAt: '2021-03-01T09:00:00Z' },
})
