// The first process: the authorization server of a school, with one person and the client of the second process.
import { randomBytes } from 'node:crypto'
import { createMemoryStore, createServer, defineSite, schoolRoles, schoolScopes } from 'hallpass'
import { defineClient } from 'hallpass/clients'
import { serve } from 'hallpass/node'
import { hashToken } from 'hallpass/token'

// Yours: people, sessions and pages. This school signs everyone in as Ann, so start it for yourself only.
const ann = { subject: 'mem_1', orgId: 'site_1', roles: ['owner'], name: 'Ann', email: null, picture: null } // prettier-ignore
const safe = (text: string): string => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
const page = (body: string, status = 200): Response => {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  }
  return new Response(`<!doctype html><title>My School</title>${body}`, { status, headers })
}

const store = createMemoryStore()
const site = defineSite({
  issuer: `http://127.0.0.1:${process.env['PORT'] ?? 3000}`,
  // The second process: a client asks for a token for it with `resource`.
  resources: [process.env['GRADES'] ?? 'http://127.0.0.1:3001'],
  name: 'My School',
  store,
  scopes: schoolScopes,
  roles: schoolRoles,
  findPerson: async (subject) => (subject === ann.subject ? ann : null),
  onFault: ({ fault }) => console.error(fault),
})
const server = createServer(site, {
  sealingSecret: randomBytes(32).toString('hex'),
  // Who may ask about every token of the site.
  introspectionClientIds: ['grades'],
  interact: {
    currentPerson: async () => ({ subject: ann.subject, authTime: site.now() }),
    signIn: () => page('Everyone is signed in.'),
    consent: (_, { action, client, csrfToken }) =>
      page(`<h1>Let ${safe(client.name)} connect?</h1><form method="post" action="${safe(action)}">
        <input type="hidden" name="csrf_token" value="${safe(csrfToken)}">
        <button name="decision" value="allow">Allow</button></form>`),
    error: (_, { description, status }) => page(safe(description), status),
  },
})
await store.insertClient(
  defineClient({
    clientId: 'grades',
    kind: 'member',
    name: 'Grades',
    redirectUris: [],
    scopes: [],
    tokenEndpointAuthMethod: 'client_secret_post',
    secrets: [{ hash: hashToken(process.env['GRADES_SECRET'] ?? ''), expiresAt: null }],
    createdAt: site.now(),
  }),
)
const { stop } = await serve(server)
process.once('SIGTERM', () => void stop())
console.log(`My School at ${site.issuer}`)
