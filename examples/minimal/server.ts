import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { createMemoryStore, createServer, defineSite, schoolRoles, schoolScopes } from 'hallpass'
import { readOrCreateSecret, serve } from 'hallpass/node'
import { createSqliteStore, fromSync, migrateSqlite } from 'hallpass/sqlite'

// Yours: a database, and a secret that stays the same. Only this user can read the two files.
const folder = process.env['HALLPASS_DATA_DIR'] ?? '.data'
const sqlite = folder && (await import('node:sqlite').catch(() => null))
process.umask(0o077)
if (sqlite) mkdirSync(folder, { recursive: true })
else console.warn('In memory: a restart ends every grant. From Node 22.13 on, a file keeps them.')
const secret = sqlite ? readOrCreateSecret(`${folder}/secret`) : randomBytes(32).toString('hex')
const batch = sqlite && fromSync(new sqlite.DatabaseSync(`${folder}/school.db`))
if (batch) await migrateSqlite({ batch })

// Yours: the users, how they prove who they are, and their sessions by the identifier in a cookie.
const [subject, password] = ['mem_1', randomBytes(9).toString('base64url')]
const ann = { subject, orgId: 'site_1', roles: ['owner'], name: 'Ann', email: null, picture: null }
const [port, sessions] = [process.env['PORT'] || 3000, new Map()]
const digest = (text = '') => createHash('sha256').update(text).digest()

// Yours: the pages. Apps choose their names, so every text is escaped.
const safe = (text = '') => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
const css = `:root { color-scheme: light dark; font: 1.1rem/1.5 system-ui } h1 { line-height: 1.2 }
  main { max-width: 26rem; margin: 12vh auto } input, button { font: inherit; padding: .4em; margin: .2em }`
const head = `<!doctype html><html lang="en"><meta charset="utf-8"><title>My School</title>
  <meta name="viewport" content="width=device-width, initial-scale=1"><style>${css}</style><main>`
const csp = `style-src 'sha256-${digest(css).toString('base64')}'; frame-ancestors 'none'`
const headers = {
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; base-uri 'none'; ${csp}`,
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'same-origin',
}
const page = (body = '', status = 200) => new Response(head + body, { status, headers })
const form = (action = '', name = '', value = '') => `<form method="post" action="${safe(action)}">
  <input type="hidden" name="${name}" value="${safe(value)}">`
const site = defineSite({
  issuer: `http://127.0.0.1:${port}`,
  name: 'My School',
  store: batch ? createSqliteStore({ batch, site: 'my-school' }) : createMemoryStore(),
  scopes: schoolScopes,
  roles: schoolRoles,
  findPerson: async (sub) => (sub === subject ? ann : null),
  onFault: ({ fault }) => console.error(fault),
})
const server = createServer(site, {
  sealingSecret: secret,
  interact: {
    currentPerson: async ({ headers }) =>
      sessions.get(headers.get('cookie')?.match(`(?:^|; )sid-${port}=([\\w-]{43})`)?.[1]) ?? null,
    signIn: (_, { client, returnTo }) =>
      page(`<h1>Sign in</h1><p><b>${safe(client.name)}</b> wants to connect to My School.</p>
        ${form('/sign-in', 'to', returnTo)}<label>Password<br><input type="password"
        name="password" autofocus></label><button>Sign in</button></form>`),
    consent: (_, { action, blocked, client, csrfToken, person, scopes }) =>
      page(`<h1>Let <bdi>${safe(client.name)}</bdi> connect?</h1>
        <p>${client.verified ? '' : '<b>My School has not checked this app.</b>'} If you allow it,
        the app at <b>${safe(client.redirectHost)}</b> may, as ${safe(person.name ?? '')}:</p>
        <ul>${scopes.map(({ text }) => `<li>${safe(text)}</li>`).join('')}</ul>
        ${form(action, 'csrf_token', csrfToken)}
        ${blocked ? 'Your role may not.' : '<button name="decision" value="allow">Allow</button>'}
        <button name="decision" value="deny">Cancel</button></form>`),
    error: (_, { description, status }) => page(`<h1>Sorry</h1>${safe(description)}`, status),
  },
  routes: {
    'GET /': () => page('<h1>My School</h1>It runs. Apps send you here to sign in to them.'),
    'POST /sign-in': async (request) => {
      const sent = new URLSearchParams(await request.text())
      const to = site.returnTo(sent.get('to'))
      const isRight = timingSafeEqual(digest(sent.get('password') ?? ''), digest(password))
      if (!to || !isRight || request.headers.get('origin') !== site.issuer)
        return page('<h1>Not signed in</h1>Go back, and type the password again.', 403)
      const id = randomBytes(32).toString('base64url')
      sessions.set(id, { subject, authTime: Math.floor(Date.now() / 1000) })
      const cookie = `sid-${port}=${id}; Path=/; HttpOnly; SameSite=Lax`
      return new Response(null, { status: 303, headers: { location: to, 'set-cookie': cookie } })
    },
  },
})
const { stop } = await serve(server)
process.once('SIGTERM', () => void stop())
console.log(`${site.issuer}/.well-known/oauth-authorization-server: sign in with ${password}`)
