import { ClientError, gql, GraphQLClient } from 'graphql-request'
import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SharedExample, sharedExample } from '../support/processes/example.js'
import { createFormBrowser, signInAndAllow } from '../support/http/form-browser.js'

let school: SharedExample

beforeAll(async () => {
  school = await sharedExample()
})
afterAll(() => school.stop())

const REDIRECT = 'http://127.0.0.1:7777/callback'
const insecure = { execute: [client.allowInsecureRequests] }

/** The whole way of an app, from discovery to the token. */
async function accessToken(
  configuration: client.Configuration,
  email: string,
  scope: string,
): Promise<string> {
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const expectedState = client.randomState()
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: REDIRECT,
    scope,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    resource: school.origin,
  })
  const callback = await signInAndAllow(createFormBrowser(school.origin), url, { email })
  const tokens = await client.authorizationCodeGrant(
    configuration,
    callback,
    { pkceCodeVerifier, expectedState },
    { resource: school.origin },
  )
  return tokens.access_token
}

async function memberToken(email: string, scope: string): Promise<string> {
  const authentication = client.ClientSecretPost('portfolio-hub-demo-secret')
  const configuration = await client.discovery(
    new URL(school.origin),
    'portfolio-hub',
    undefined,
    authentication,
    insecure,
  )
  return accessToken(configuration, email, scope)
}

const api = (token: string, origin = school.origin): GraphQLClient =>
  new GraphQLClient(`${origin}/account/graphql`, { headers: { authorization: `Bearer ${token}` } })

const MEI = 'mei-ling.chou@example.com'
const NOOR = 'noor.haddad@example.com'

const QUERY = gql`
  query {
    viewer {
      id
      email
      enrolledCourses(first: 10) {
        nodes {
          slug
          expireDate
          hasLifetimeAccess
          lastWatchedLecture {
            lectureId
            positionSeconds
          }
        }
      }
    }
  }
`

describe('graphql-request against the running example', () => {
  it("gets a member's courses with the description's query", async () => {
    const token = await memberToken(MEI, 'openid account:read')
    const dateTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect(await api(token).request(QUERY)).toEqual({
      viewer: {
        id: 'mem_l05',
        email: MEI,
        enrolledCourses: {
          nodes: [
            {
              slug: 'foundations',
              expireDate: null,
              hasLifetimeAccess: true,
              lastWatchedLecture: { lectureId: 'lec_l01_09', positionSeconds: 847 },
            },
            {
              slug: 'ink-and-wash',
              expireDate: dateTime,
              hasLifetimeAccess: false,
              lastWatchedLecture: { lectureId: 'lec_l02_02', positionSeconds: 600 },
            },
            {
              slug: 'portraits',
              expireDate: dateTime,
              hasLifetimeAccess: false,
              lastWatchedLecture: { lectureId: 'lec_l03_04', positionSeconds: 312 },
            },
          ],
        },
      },
    })
  })

  it('saves a position that the next query shows', async () => {
    // Not Mei-Ling's: others that share this example may read what she has.
    const token = await memberToken(NOOR, 'account:read account:write')
    const saved = await api(token).request(
      gql`
        mutation ($input: SavePlaybackPositionInput!) {
          savePlaybackPosition(input: $input) {
            enrolledCourse {
              slug
            }
            userErrors {
              code
            }
          }
        }
      `,
      { input: { courseId: 'crs_l04', lectureId: 'lec_l04_01', positionSeconds: 222 } },
    )
    expect(saved).toEqual({
      savePlaybackPosition: { enrolledCourse: { slug: 'life-drawing' }, userErrors: [] },
    })
    expect(
      await api(token).request(gql`
        {
          viewer {
            enrolledCourses(first: 1) {
              nodes {
                slug
                lastWatchedLecture {
                  lectureId
                  positionSeconds
                }
              }
            }
          }
        }
      `),
    ).toEqual({
      viewer: {
        enrolledCourses: {
          nodes: [
            {
              slug: 'life-drawing',
              lastWatchedLecture: { lectureId: 'lec_l04_01', positionSeconds: 222 },
            },
          ],
        },
      },
    })
  })

  it('refuses a mutation without account:write, before anything is written', async () => {
    const token = await memberToken(NOOR, 'account:read')
    const refused = await refusalOf(
      token,
      'mutation { updateProfile(input: { name: "Nobody" }) { userErrors { code } } }',
    )
    expect(refused).toEqual([
      403,
      [
        {
          message: expect.any(String),
          extensions: {
            code: 'INSUFFICIENT_SCOPE',
            requiredScopes: ['account:read', 'account:write'],
          },
        },
      ],
    ])
    expect(await api(token).request('{ viewer { name } }')).toEqual({
      viewer: { name: 'Noor Haddad' },
    })
  })

  it('refuses an operator token, with 403', async () => {
    const configuration = await client.dynamicClientRegistration(
      new URL(school.origin),
      { client_name: 'Desk CLI', redirect_uris: [REDIRECT] },
      client.None(),
      insecure,
    )
    const token = await accessToken(configuration, 'ines.duarte@example.com', 'openid courses:read')
    expect(await refusalOf(token, '{ viewer { id } }')).toEqual([
      403,
      [
        {
          message: expect.any(String),
          extensions: { code: 'INSUFFICIENT_SCOPE' },
        },
      ],
    ])
  })

  it("refuses a member's token at another school, with 401", async () => {
    const token = await memberToken(MEI, 'account:read')
    expect(await refusalOf(token, '{ viewer { id } }', school.kiln)).toEqual([
      401,
      [{ message: expect.any(String), extensions: { code: 'UNAUTHENTICATED' } }],
    ])
  })

  it('publishes its schema to everybody', async () => {
    const answer = await fetch(`${school.origin}/account/schema.graphql`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/plain; charset=utf-8',
    ])
    expect(await answer.text()).toContain('type Viewer implements Node')
  })
})

async function refusalOf(token: string, query: string, origin?: string): Promise<unknown> {
  const refused: unknown = await api(token, origin)
    .request(query)
    .catch((fault: unknown) => fault)
  if (!(refused instanceof ClientError)) return refused
  return [refused.response.status, refused.response.errors]
}
