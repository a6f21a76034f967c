import { describe, expect, it } from 'vitest'
import { openAccount } from '../support/school/account-api.js'
import { STUDENT } from '../support/school/school.js'

/** The query that the service description shows. */
const SEED_QUERY = `
query {
  viewer {
    id
    email
    enrolledCourses(first: 2) {
      nodes { slug expireDate hasLifetimeAccess lastWatchedLecture { lectureId positionSeconds } }
    }
  }
}`

describe('the Account API', () => {
  it("answers the description's query in exactly its shapes [GQL-06]", async () => {
    const { ask, tokenFor } = await openAccount()
    const answer = await ask(await tokenFor('account:read'), SEED_QUERY)
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        data: {
          viewer: {
            id: STUDENT.subject,
            email: STUDENT.email,
            enrolledCourses: {
              nodes: [
                {
                  slug: 'foundations',
                  expireDate: null,
                  hasLifetimeAccess: true,
                  lastWatchedLecture: { lectureId: 'l9', positionSeconds: 847 },
                },
              ],
            },
          },
        },
      },
    ])
  })
})
