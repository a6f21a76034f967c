// Three schools in one Worker, in memory. `/rename` changes the row of the school whose host it is asked at.
import { createServer, defineSite } from 'hallpass'
import { defineClient, moveGrant } from 'hallpass/clients'
import { createMemoryBudget } from 'hallpass/operations'
import { createPlatform } from 'hallpass/platform'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStorage } from 'hallpass/store'

const rows = new Map(
  ['art', 'music', 'dance'].map((name) => {
    const host = `${name}.example`
    return [host, { issuer: `https://${host}`, name, revision: 1 }]
  }),
)
const page = (): Response => new Response('your page')
const REDIRECT = 'https://study.example/callback'
const SCOPES = ['openid']

const platform = createPlatform({
  // A database answers later, too.
  find: async (host) => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    return rows.get(host) ?? null
  },
  async open({ name, revision }, given) {
    const site = defineSite({
      ...given.site,
      name,
      scopes: schoolScopes,
      roles: schoolRoles,
      findPerson: async (subject) =>
        ({ subject, orgId: name, roles: ['student'], name, email: null, picture: null }), // prettier-ignore
    })
    if (revision === 1) {
      await site.store.insertClient(
        defineClient({
          clientId: 'study-app',
          kind: 'member',
          name: 'Study App',
          redirectUris: [REDIRECT],
          scopes: SCOPES,
          createdAt: site.now(),
        }),
      )
      await moveGrant(site, {
        clientId: 'study-app',
        subject: 'mem_mei',
        scopes: SCOPES,
        redirectUri: REDIRECT,
        refreshToken: `the-first-refresh-token-of-a-person-at-${name}`,
        expiresAt: site.now() + 86_400,
      })
    }
    return createServer(site, {
      ...given.server,
      interact: { currentPerson: async () => null, signIn: page, consent: page, error: page },
      routes: { 'GET /': () => new Response(`${name} ${revision}`) },
    })
  },
  storages: [createMemoryStorage()],
  budget: createMemoryBudget(),
  secret: 'use at least 32 random characters here',
  onFault: ({ at, host, fault }) => console.error(at, host, fault),
})

export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname, host } = new URL(request.url)
    if (pathname !== '/rename') return platform(request)
    rows.set(host, { issuer: `https://${host}`, name: 'renamed', revision: 2 })
    platform.changed(host)
    return new Response('renamed')
  },
}
