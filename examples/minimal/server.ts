// The whole authorization server in one file, on the memory store. It has one person, one password and
// one client: replace each with your own. A restart loses all data.
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { createAuthorizationServer, defineSite, maintain } from 'hallpass'
import { type ConsentView, createRouter, type SignInView } from 'hallpass/authorization-server'
import { toNodeHandler } from 'hallpass/node'
import { defineClient } from 'hallpass/clients'
import type { Person } from 'hallpass/policy'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore } from 'hallpass/store'
import { createKeyRing } from 'hallpass/token'

const port = Number(process.env['PORT'] ?? 3000)
const issuer = `http://127.0.0.1:${port}`

// Replace this with your people, from your tables.
const password = randomBytes(9).toString('base64url')
const mei: Person = {
  subject: 'mem_1',
  orgId: 'site_1',
  roles: ['student'],
  name: 'Mei-Ling Chou',
  email: 'mei-ling.chou@example.com',
  picture: null,
}

// Replace this with your sessions: a random identifier in a cookie.
const sessions = new Map<string, { subject: string; authTime: number }>()
const sessionOf = (request: Request): { subject: string; authTime: number } | null => {
  const id = /(?:^|; )minimal_session=([\w-]{43})(?:;|$)/.exec(request.headers.get('cookie') ?? '')
  return sessions.get(id?.[1] ?? '') ?? null
}

// Replace these with your pages. Text from a client must be escaped.
const escape = (text: string): string => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
const page = (title: string, body: string, status = 200): Response =>
  new Response(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${body}`,
    {
      status,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      },
    },
  )
const signInPage = ({ returnTo, client }: SignInView): Response =>
  page(
    'Sign in',
    `<p>${escape(client.name)} is waiting to connect.</p><form method="post" action="/sign-in">
    <input type="hidden" name="return_to" value="${escape(returnTo)}">
    <label>Password <input type="password" name="password"></label><button>Sign in</button></form>`,
  )
const consentPage = ({
  action,
  csrfToken,
  client,
  person,
  scopes,
  blocked,
}: ConsentView): Response =>
  page(
    `Let ${escape(client.name)} connect?`,
    `<p>Signed in as ${escape(person.name ?? person.subject)}. You go back to ${escape(client.redirectHost)}.</p>
    <ul>${scopes.map(({ text }) => `<li>${escape(text)}</li>`).join('')}</ul>
    <form method="post" action="${escape(action)}">
    <input type="hidden" name="csrf_token" value="${csrfToken}">
    ${blocked === null ? '<button name="decision" value="allow">Allow</button>' : `<p>${blocked}</p>`}
    <button name="decision" value="deny">Cancel</button></form>`,
  )

async function signIn(request: Request): Promise<Response> {
  const form = new URLSearchParams(await request.text())
  const returnTo = form.get('return_to') ?? ''
  const known = /^\/oauth\/interaction\/[\w-]{43}$/.test(returnTo)
  if (form.get('password') !== password || !known) return page('Wrong password', '', 403)
  const id = randomBytes(32).toString('base64url')
  sessions.set(id, { subject: mei.subject, authTime: Math.floor(Date.now() / 1000) })
  return new Response(null, {
    status: 303,
    headers: {
      location: returnTo,
      'set-cookie': `minimal_session=${id}; Path=/; HttpOnly; SameSite=Lax`,
    },
  })
}

const site = defineSite({
  issuer,
  name: 'Minimal School',
  store: createMemoryStore(),
  scopes: schoolScopes,
  roles: schoolRoles,
  findPerson: async (subject) => (subject === mei.subject ? mei : null),
  onFault: ({ fault }) => console.error(fault),
})
const keys = createKeyRing(site, { sealingSecret: randomBytes(32).toString('base64url') })
await maintain(site, { keys })
await site.store.insertClient(
  defineClient({
    clientId: 'study-buddy',
    kind: 'member',
    name: 'Study Buddy',
    redirectUris: ['http://127.0.0.1:7777/callback'],
    scopes: ['account:read'],
    createdAt: Math.floor(Date.now() / 1000),
  }),
)

const oauth = createRouter(
  createAuthorizationServer(site, {
    keys,
    interact: {
      currentPerson: async (request) => sessionOf(request),
      signIn: (_request, view) => signInPage(view),
      consent: (_request, view) => consentPage(view),
      error: (_request, { description, status }) =>
        page('This request failed', escape(description), status),
    },
  }),
)
const serveOauth = toNodeHandler(oauth, { origin: issuer })
const serveSignIn = toNodeHandler(signIn, { origin: issuer })

createServer((request, response) =>
  request.method === 'POST' && request.url === '/sign-in'
    ? serveSignIn(request, response)
    : serveOauth(request, response),
).listen(port, '127.0.0.1', () => {
  console.log(`hallpass at ${issuer}`)
  console.log(`  sign in as Mei-Ling Chou with the password ${password}`)
  console.log(`  metadata: ${issuer}/.well-known/oauth-authorization-server`)
})
