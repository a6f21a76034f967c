import { tooManyFor } from '../../examples/school/src/pages/too-many.js'
import { LANTERN } from '../../examples/school/src/sites.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createChecker, type Description, walk } from '../support/http/description-walk.js'
import { type RunningExample, startExample } from '../support/processes/example.js'
import { rounds } from '../support/run/rounds.js'
import { knowledgeOf } from '../support/http/walk-knowledge.js'

let school: RunningExample
let description: Description
beforeAll(async () => {
  // The walk changes what the school has.
  school = await startExample({ environment: { HALLPASS_RATE_LIMITS: 'off' } })
  description = (await json('/openapi.json')) as unknown as Description
})
afterAll(() => school.stop())

type Json = Readonly<Record<string, unknown>>

const json = async (path: string): Promise<Json> =>
  (await (await fetch(school.origin + path)).json()) as Json

/** The methods with which clients call the endpoints that discovery names. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  authorization_endpoint: ['get', 'post'],
  token_endpoint: ['post'],
  registration_endpoint: ['post'],
  revocation_endpoint: ['post'],
  introspection_endpoint: ['post'],
  userinfo_endpoint: ['get', 'post'],
  jwks_uri: ['get'],
}

describe('/openapi.json of the running school', () => {
  it('has every endpoint that discovery names, the discovery itself and the APIs [DISC-21]', async () => {
    const { servers, paths } = description
    expect(servers).toEqual([{ url: school.origin }])
    const methodsOf = (path: string): readonly string[] => Object.keys(paths[path] ?? {}).sort()
    for (const path of ['oauth-authorization-server', 'openid-configuration']) {
      const metadata = await json(`/.well-known/${path}`)
      const named = Object.entries(metadata).filter(([name]) => /_(?:endpoint|uri)$/.test(name))
      expect(
        Object.fromEntries(
          named.map(([name, url]) => [name, methodsOf(String(url).slice(school.origin.length))]),
        ),
      ).toEqual(METHODS)
      expect(methodsOf(`/.well-known/${path}`)).toEqual(['get'])
    }
    for (const suffix of ['', '/mcp', '/mcp/signed-in', '/mcp/member', '/account/graphql'])
      expect(methodsOf(`/.well-known/oauth-protected-resource${suffix}`)).toEqual(['get'])
    expect(methodsOf('/oauth/interaction/{id}')).toEqual(['get', 'post'])
    expect(methodsOf('/account/graphql')).toEqual(['post'])
    expect(methodsOf('/account/schema.graphql')).toEqual(['get'])
    for (const path of ['/mcp', '/mcp/signed-in', '/mcp/member'])
      expect(methodsOf(path)).toEqual(['post'])
    expect(methodsOf('/api/v1/courses')).toEqual(['get', 'post'])
  })

  it('has an example of every body that an operation gives, but of a page and a dry run [DISC-24]', () => {
    const check = createChecker(description)
    const examples = new Map<string, readonly string[]>()
    for (const [path, methods] of Object.entries(description.paths))
      for (const [method, operation] of Object.entries(methods))
        for (const [status, response] of Object.entries(operation.responses)) {
          if (!status.startsWith('2') || '$ref' in response) continue
          const { content = {}, description: meaning } = response
          for (const [type, { example }] of Object.entries(content)) {
            if (type === 'text/html' || meaning === 'The result of a dry run.') continue
            const text = typeof example === 'string' ? example : JSON.stringify(example)
            const headers = new Headers({ 'content-type': type })
            examples.set(
              `${method} ${path} ${status} ${type}`,
              text === undefined
                ? ['no example']
                : check(operation, { status: Number(status), headers, text }),
            )
          }
        }
    expect([...examples].filter(([, problems]) => problems.length > 0)).toEqual([])
    expect(examples.size).toBeGreaterThan(100)
  })

  it('has each response of the endpoints beside the admin API, to valid and wrong requests [DISC-22]', async () => {
    const walked = await walk(description, await knowledgeOf(school.origin, description), {
      rounds: rounds(20, { soak: 500 }),
      seed: 20_261_122,
      isIncluded: (path) => !path.startsWith('/api/v1/'),
    })
    expect(walked.problems).toEqual([])
    const seen = (name: string): readonly number[] => [...(walked.statuses.get(name) ?? [])]
    // Not every request ended at the door.
    for (const name of ['token', 'revoke', 'introspect', 'interaction', 'userinfo'])
      expect(seen(`oauth.${name}`)).toContain(200)
    expect(seen('oauth.register')).toContain(201)
    expect(seen('oauth.decide')).toContain(303)
    expect(seen('account.graphql')).toEqual(expect.arrayContaining([200, 400, 401, 403, 406]))
    expect(seen('mcp.send')).toEqual(expect.arrayContaining([200, 202, 400, 401, 403]))
  })

  it('is not the description of another service: a walk finds what differs', async () => {
    const post = description.paths['/account/graphql']!['post']!
    const { 406: _, ...responses } = post.responses
    const odd = { required: ['reason'] }
    const wrong: Description = {
      ...description,
      paths: { '/account/graphql': { post: { ...post, responses } }, '/mcp': {} },
      components: {
        ...description.components,
        schemas: { ...description.components.schemas, AccountRefusal: odd, GraphqlResult: odd },
      },
    }
    const { problems } = await walk(wrong, await knowledgeOf(school.origin, description), {
      rounds: 10,
      seed: 20_261_122,
      isIncluded: () => true,
    })
    const found = problems.map((problem) => problem.split('\n', 1)[0]!)
    expect(found).toContainEqual(
      expect.stringMatching(/^account.graphql, 406: a status that is not described$/),
    )
    expect(found).toContainEqual(
      expect.stringMatching(/^account.graphql, 401: data must have required property 'reason' in/),
    )
    expect(found).toContainEqual(expect.stringMatching(/^POST \/mcp, 4\d\d: not 405 with Allow: $/))
  })

  it('has the responses to an address that sends too much, whatever it accepts [DISC-22]', async () => {
    const check = createChecker(description)
    const problems: string[] = []
    for (const [path, item] of Object.entries(description.paths))
      for (const [method, operation] of Object.entries(item))
        for (const accept of ['*/*', 'text/html']) {
          const request = new Request(school.origin + path.replaceAll(/[{}]/g, ''), {
            method: method.toUpperCase(),
            headers: { accept },
          })
          const { origin } = school
          const response = tooManyFor(request, { site: LANTERN, origin, retryAfterSeconds: 7 })
          const { status, headers } = response
          expect([status, headers.get('retry-after')]).toEqual([429, '7'])
          const found = check(operation, { status, headers, text: await response.text() })
          problems.push(...found.map((problem) => `${method} ${path} ${accept}: ${problem}`))
        }
    expect(problems).toEqual([])
  })
})
