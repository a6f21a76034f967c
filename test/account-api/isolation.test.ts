import fc from 'fast-check'
import { createAccountApi } from 'hallpass/account'
import { describe, expect, it } from 'vitest'
import { createSource, enrollment, type MemberData } from '../support/school/account.js'
import { signIn } from '../support/school/flow.js'
import { createSchool, ISSUER, OWNER, STUDENT, STUDY_BUDDY } from '../support/school/school.js'

// Both have rows under the same identifiers, so that only the member tells them apart.
function dataOf(mark: string): MemberData {
  const ids = ['1', '2', '3', '4', '5']
  const money = { amount: '1.00', currencyCode: 'EUR' }
  return {
    profile: { email: `${mark}@example.com`, name: mark, changes: [] },
    enrollments: ids.map((id) =>
      enrollment({ id, courseId: `c${id}`, slug: `${mark}-${id}`, title: `${mark} ${id}` }),
    ),
    orders: ids.map((id) => ({
      id,
      number: `${mark}-${id}`,
      state: 'PAID' as const,
      placedAt: Number(id),
      paidAt: null,
      subtotal: money,
      discount: money,
      tax: money,
      total: money,
      refunded: money,
      couponCode: null,
      paymentMethod: null,
      receiptUrl: null,
      items: [
        {
          id,
          kind: 'COURSE' as const,
          title: mark,
          quantity: 1,
          unitPrice: money,
          discount: money,
          total: money,
          // Also one that the member does not have.
          enrollmentId: id === '5' ? '99' : id,
          eventRegistrationId: id,
          subscriptionId: id,
          digitalProductId: id,
        },
      ],
    })),
    registrations: [],
    outlines: new Map(
      ids.map((id) => [`c${id}`, [{ id, title: `${mark} section`, lectures: [] }]]),
    ),
  }
}

async function open() {
  const school = await createSchool()
  const { source } = createSource(
    new Map([
      [STUDENT.subject, dataOf('mine')],
      [OWNER.subject, dataOf('theirs')],
    ]),
  )
  const api = createAccountApi(school.site, { source, bucket: null })
  await school.store.insertClient(STUDY_BUDDY)
  const tokens = {
    mine: (await signIn(school, { scope: 'account:read' })).access_token,
    theirs: (await signIn(school, { scope: 'account:read' }, { person: OWNER })).access_token,
  }
  return async (who: keyof typeof tokens, query: string, variables: object): Promise<string> => {
    const answer = await api.graphql(
      new Request(`${ISSUER}/account/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${tokens[who]}`,
        },
        body: JSON.stringify({ query, variables }),
      }),
    )
    return answer.text()
  }
}

const QUERY = `query ($id: ID!, $slug: String!, $first: Int, $after: String, $when: EventWhen) {
  node(id: $id) { id ... on EnrolledCourse { title sections { title } } ... on Order { number } ... on Viewer { email } }
  viewer {
    email
    enrolledCourse(slug: $slug) { title nextLecture { id } }
    enrolledCourses(first: $first, after: $after, filter: { accessState: [ACTIVE] }) {
      edges { cursor node { title } }
    }
    orders(first: 5) { nodes { number items { title enrolledCourse { slug } subscription { id } } } }
    eventRegistrations(first: 5, filter: { when: $when }) { nodes { id } }
  }
}`

describe('one member', () => {
  it("never sees another's rows, whatever they ask for [GQL-06, GQL-08]", async () => {
    const ask = await open()
    const cursors = (text: string): string[] =>
      [...text.matchAll(/"cursor":"([^"]+)"/g)].map(([, cursor]) => cursor!)
    const base = { id: 'enr_1', slug: 'mine-1', first: 5, after: null, when: 'ANY' }
    const theirs = cursors(await ask('theirs', QUERY, base))
    expect(theirs).toHaveLength(5)
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.constantFrom(
            'enr_1',
            'ord_1',
            'enr_99',
            'ord_99',
            'reg_1',
            STUDENT.subject,
            OWNER.subject,
          ),
          fc.string(),
        ),
        fc.constantFrom('theirs-1', 'mine-1', 'theirs', ''),
        fc.constantFrom(null, 0, 1, 5),
        fc.oneof(fc.constant(null), fc.constantFrom(...theirs), fc.string()),
        async (id, slug, first, after) => {
          const text = await ask('mine', QUERY, { id, slug, first, after, when: 'UPCOMING' })
          expect(text).not.toContain('theirs')
        },
      ),
    )
  })

  it('sees their own through each of the same doors', async () => {
    const ask = await open()
    const text = await ask('mine', QUERY, {
      id: 'ord_2', slug: 'mine-3', first: 2, after: null, when: 'ANY',
    }) // prettier-ignore
    expect(JSON.parse(text)).toMatchObject({
      data: {
        node: { id: 'ord_2', number: 'mine-2' },
        viewer: {
          email: 'mine@example.com',
          enrolledCourse: { title: 'mine 3' },
          enrolledCourses: { edges: [{}, {}] },
          orders: {
            nodes: [
              { number: 'mine-5', items: [{ enrolledCourse: null }] },
              { number: 'mine-4', items: [{ enrolledCourse: { slug: 'mine-4' } }] },
              {},
              {},
              {},
            ],
          },
        },
      },
    })
  })
})
