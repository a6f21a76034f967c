import { createAccountApi } from 'hallpass/account'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import { createSource, enrollment, type MemberData } from '../support/account.js'
import { signIn } from '../support/flow.js'
import { createSchool, ISSUER, STUDENT } from '../support/school.js'

export const SEED_QUERY = `
query {
  viewer {
    id
    email
    enrolledCourses(first: 2) {
      nodes { slug expireDate hasLifetimeAccess lastWatchedLecture { lectureId positionSeconds } }
    }
  }
}`

async function open() {
  const school = await createSchool()
  const data: MemberData = {
    profile: { email: STUDENT.email, name: STUDENT.name, changes: [] },
    enrollments: [enrollment()],
    orders: [],
    registrations: [],
    outlines: new Map(),
  }
  const { source, calls } = createSource(new Map([[STUDENT.subject, data]]))
  const api = createAccountApi({
    issuer: ISSUER,
    store: school.store,
    findPerson: async (subject) => school.people.get(subject) ?? null,
    scopes: schoolScopes,
    roles: schoolRoles,
    source,
    now: () => school.clock.now,
  })
  const ask = (query: string, headers: Record<string, string> = {}): Promise<Response> =>
    api.graphql(
      new Request(`${ISSUER}/account/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query }),
      }),
    )
  return { school, api, ask, calls, data }
}

describe('the Account API', () => {
  it("answers the description's query in exactly its shapes [GQL-06]", async () => {
    const { school, ask } = await open()
    const { access_token } = await signIn(school, { scope: 'account:read' })
    const answer = await ask(SEED_QUERY, { authorization: `Bearer ${access_token}` })
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

  it('challenges whoever has no token, for OAuth clients and GraphQL clients alike [GQL-01]', async () => {
    const { ask, calls } = await open()
    const answer = await ask(SEED_QUERY)
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toMatch(
      `resource_metadata="${ISSUER}/.well-known/oauth-protected-resource"`,
    )
    expect(answer.headers.get('www-authenticate')).toContain('error="invalid_token"')
    expect(await answer.json()).toEqual({
      error: 'invalid_token',
      error_description: expect.any(String),
      errors: [{ message: expect.any(String), extensions: { code: 'UNAUTHENTICATED' } }],
    })
    expect(calls).toEqual([])
  })
})
