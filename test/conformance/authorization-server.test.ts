import { createDocumentFetcher, toNodeHandler } from 'hallpass/node'
import { expect, it } from 'vitest'
import { freePorts } from '../support/processes/ports.js'
import { createBrowser, createSchool, OWNER, type School } from '../support/school/school.js'
import { runSuite } from './suite.js'
import { listenOnLoopback } from './loopback.js'

const VERSIONS = ['2025-11-25', '2026-07-28']

// The suite asks for no scope. The example insists on one and has no switch for that, so this is the
// library's own server, with scopes to fall back on.
it.each(VERSIONS)(
  'the suite finds the metadata right and gets tokens by a code, by protocol version %s',
  async (version) => {
    const { issuer, school, signInAndAllow } = await listen({
      defaultScopes: ['openid', 'profile', 'courses:read'],
      documents: { fetchDocument: createDocumentFetcher(), openRegistration: true },
    })
    const port = await freePorts()
    const { failure, passed } = await runSuite(
      'authorization',
      {
        url: issuer,
        'spec-version': version,
        'client-id': await register(issuer, `http://127.0.0.1:${port}/callback`),
        port: String(port),
        resource: `${issuer}/mcp`,
      },
      signInAndAllow,
    )
    expect(failure).toBeNull()
    expect(passed).toEqual({
      'authorization-server-metadata-endpoint': [
        'authorization-server-metadata',
        'authorization-server-metadata-cimd',
      ],
      'authorization-code-grant': ['authorization-code-grant'],
    })
    expect(school.refusals).toEqual([])
  },
)

interface Listening {
  readonly issuer: string
  readonly school: School
  /** The owner, at a browser, follows this address to where it ends. */
  readonly signInAndAllow: (url: string) => Promise<unknown>
}

type Options = NonNullable<NonNullable<Parameters<typeof createSchool>[0]>['options']>

/** A school on a port of its own, until the test is over. */
async function listen(options: Options): Promise<Listening> {
  const { http, issuer } = await listenOnLoopback()
  const school = await createSchool({ issuer, options })
  school.signedIn = { subject: OWNER.subject, authTime: school.clock.now }
  http.on('request', toNodeHandler(school.router, { origin: issuer }))
  const browser = createBrowser(overTheSocket(school), issuer)
  return {
    issuer,
    school,
    signInAndAllow: async (url) => fetch(await browser.authorize(new URL(url))),
  }
}

/** The same school, reached as the suite reaches it. */
const overTheSocket = (school: School): School => ({
  ...school,
  fetch: (input, init) => fetch(input, { ...init, redirect: 'manual' }),
  get view() {
    return school.view
  },
})

/** What an app of the suite's kind does before: registers itself. Returns its identifier. */
async function register(issuer: string, redirectUri: string): Promise<string> {
  const answer = await fetch(`${issuer}/api/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Conformance suite', redirect_uris: [redirectUri] }),
  })
  return ((await answer.json()) as { client_id: string }).client_id
}
