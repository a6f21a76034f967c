import { GraphQLClient } from 'graphql-request'
import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataFolder } from '../support/processes/example-process.js'
import { tokensFor } from '../support/http/openid-client.js'
import {
  passwordOf,
  type RunningProject,
  startExampleProject,
} from '../support/processes/project.js'

describe('examples/members', () => {
  const folder = dataFolder()
  let rung: RunningProject
  let api: GraphQLClient
  beforeAll(async () => {
    rung = await startExampleProject('members', { folder: folder.path })
    const { origin } = rung
    const app = await client.discovery(new URL(origin), 'study-buddy', undefined, client.None(), {
      execute: [client.allowInsecureRequests],
    })
    const scope = 'openid account:read account:write'
    const student = { email: 'student@example.com', password: passwordOf(rung) }
    const { access_token: accessToken } = await tokensFor(app, { origin, scope, ...student })
    api = new GraphQLClient(`${origin}/account/graphql`, {
      headers: { authorization: `Bearer ${accessToken}` },
    })
  })
  afterAll(async () => {
    await rung.stop()
    folder.remove()
  })

  it('shows members their courses and orders', async () => {
    expect(
      await api.request(`{ viewer { email site { name } memberSince
        enrolledCourses(first: 5) { totalCount nodes {
          id slug title url expireDate hasLifetimeAccess accessState progress { ratio }
          sections { id } nextLecture { id } lastWatchedLecture { lectureId } } }
        orders(first: 5) { totalCount nodes {
          id state placedAt total { amount currencyCode }
          items { title enrolledCourse { id } eventRegistration { id } } } }
        eventRegistrations(first: 5) { totalCount }
        subscriptions(first: 5) { totalCount }
        digitalProducts(first: 5) { totalCount } } }`),
    ).toEqual({
      viewer: {
        email: 'student@example.com',
        site: { name: 'Example School' },
        memberSince: expect.stringMatching(/Z$/) as unknown,
        enrolledCourses: {
          totalCount: 1,
          nodes: [
            {
              id: 'enr_e2',
              slug: 'glazing',
              title: 'Glazing',
              url: `${rung.origin}/courses/glazing`,
              expireDate: null,
              hasLifetimeAccess: true,
              accessState: 'ACTIVE',
              progress: { ratio: 0 },
              sections: [],
              nextLecture: null,
              lastWatchedLecture: null,
            },
          ],
        },
        orders: {
          totalCount: 1,
          nodes: [
            {
              id: 'ord_o2',
              state: 'PAID',
              placedAt: expect.stringMatching(/Z$/) as unknown,
              total: { amount: '80.00', currencyCode: 'EUR' },
              items: [
                { title: 'Glazing', enrolledCourse: { id: 'enr_e2' }, eventRegistration: null },
              ],
            },
          ],
        },
        eventRegistrations: { totalCount: 0 },
        subscriptions: { totalCount: 0 },
        digitalProducts: { totalCount: 0 },
      },
    })
  })

  it('answers null for the objects of another member', async () => {
    expect(
      await api.request(
        `{ own: node(id: "ord_o2") { id } order: node(id: "ord_o1") { id } enrollment: node(id: "enr_e1") { id } }`,
      ),
    ).toEqual({ own: { id: 'ord_o2' }, order: null, enrollment: null })
  })

  it('changes the profile as the member asks, and leaves the rest', async () => {
    const update = `mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) {
      userErrors { code } viewer { name locale timeZone email } } }`
    const changed = { email: 'student@example.com', locale: 'pt', timeZone: 'Europe/Lisbon' }
    const first = { name: 'Mei', locale: 'pt', timeZone: 'Europe/Lisbon' }
    expect(await api.request(update, { input: first })).toEqual({
      updateProfile: { userErrors: [], viewer: { ...changed, name: 'Mei' } },
    })
    expect(await api.request(update, { input: { name: null } })).toEqual({
      updateProfile: { userErrors: [], viewer: { ...changed, name: null } },
    })
    expect(await api.request(update, { input: {} })).toMatchObject({
      updateProfile: { viewer: changed },
    })
  })

  it('answers a user error for a lecture, since it has none', async () => {
    const mark = `mutation { markLecture(input: { courseId: "c1", lectureId: "l1", completed: true }) {
      userErrors { code } } }`
    expect(await api.request(mark)).toEqual({
      markLecture: { userErrors: [{ code: 'NOT_FOUND' }] },
    })
  })
})
