import { createMemoryStore, createServer, defineSite, schoolRoles, schoolScopes } from 'hallpass'
import { createMemoryAttempts, defineClient, recordAttempts } from 'hallpass/clients'
import { connectedApps, management } from '../../../examples/school/copied.js'
import { createVisitors } from '../../../examples/school/src/sign-in/visitors.js'

const origin = 'https://school.example'
const ann = {
  subject: 'mem_1',
  orgId: 'site_1',
  roles: ['owner'],
  name: 'Ann',
  email: null,
  picture: null,
}

/** A server of somebody else, on the memory store, with the two areas that it copied. */
export async function openCopiedHost(): Promise<(request: Request) => Promise<Response>> {
  const store = createMemoryStore()
  const site = defineSite({
    issuer: origin,
    name: 'My School',
    store,
    scopes: schoolScopes,
    roles: schoolRoles,
    findPerson: async (subject) => (subject === ann.subject ? ann : null),
    watchers: [recordAttempts(createMemoryAttempts())],
  })
  const yours = {
    people: { find: site.findPerson, names: async () => new Map([[ann.subject, ann.name]]) },
    visitors: createVisitors({
      origin,
      site: 'mine',
      // The session is the one that the test made up.
      sessions: { find: async () => ({ subject: ann.subject, authTime: site.now() }) },
    }),
    signIn: {
      ask: async () => new Response('Sign in', { status: 401 }),
      outOfDate: () => new Response('Out of date', { status: 403 }),
    },
    sentForms: {
      once: async (_form: unknown, handle: () => Promise<{ response: Response }>) =>
        (await handle()).response,
    },
    audit: { recent: async () => [], search: async () => [] },
    accessRequests: {
      ask: async () => {},
      has: async () => false,
      open: async () => [],
      dismiss: async () => {},
    },
    directory: {
      search: async () => ({ found: [], counts: { connected: 1, review: 0, tried: 0, all: 1 } }),
    },
    logos: { keep: async () => false, pathOf: async () => null },
    settings: { mcpConnections: async () => true },
    switchMcpConnections: async () => {},
  }
  const client = defineClient({
    clientId: 'study-buddy',
    kind: 'member',
    name: 'Study Buddy',
    redirectUris: ['http://127.0.0.1:7777/callback'],
    scopes: ['account:read'],
    createdAt: site.now(),
  })
  await store.insertClient(client)

  const page = (): Response => new Response('a page')
  const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
  const server = createServer(site, {
    sealingSecret: 'use at least 32 random characters here',
    interact,
  })
  await server.maintain()
  const own = connectedApps(site, yours)
  const managed = management(site, yours)
  return async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname.startsWith('/oauth/authorized_applications')) return own(request)
    if (pathname.startsWith('/oauth/applications')) return managed(request)
    return server(request)
  }
}
