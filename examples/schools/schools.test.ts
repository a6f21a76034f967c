// npm test: two schools of one platform, in a database of its own.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

const folder = mkdtempSync(join(tmpdir(), 'schools-'))
after(() => rmSync(folder, { recursive: true, force: true }))
Object.assign(process.env, { HALLPASS_DATA_DIR: folder, DATABASE_URL: '', ORIGIN: '' })
const { addSchool } = await import('./add.js')
const { platform, schools } = await import('./platform.js')
const { peopleOf } = await import('./people.js')
const { close, execute } = await import('../common/store.js')
after(close)

const [art, music] = [await addSchool('art', 'School of Art'), await addSchool('music', 'Music')]
assert(art !== null && music !== null)
const { issuer } = art

const ask = (url: string, init: RequestInit = {}) => platform(new Request(url, init))
const post = (url: string, body: URLSearchParams | string, headers: Record<string, string> = {}) =>
  ask(url, { method: 'POST', body, headers })
const asked = async (url: string, init?: RequestInit) => (await ask(url, init)).status

/** The value of a hidden field of a page, or of the action of its form. */
function valueOf(page: string, name: 'csrf_token' | 'action'): string {
  const before = name === 'action' ? 'action="' : `name="${name}" value="`
  const [, value] = new RegExp(`${before}(/oauth[^"]*|[\\w.-]+)"`).exec(page) ?? []
  assert(value !== undefined, page)
  return value.replaceAll('&#38;', '&')
}

/** A browser at one school: it keeps cookies, and sends forms as a page of the school does. */
function createBrowser() {
  const set: string[] = []
  const cookie = () => set.map((one) => one.split(';')[0]!).join('; ')
  async function visit(url: string, fields?: Record<string, string>): Promise<Response> {
    const form = fields && { method: 'POST', body: new URLSearchParams(fields) }
    const headers = { origin: issuer, 'sec-fetch-site': 'same-origin', cookie: cookie() }
    const response = await ask(url, { ...form, headers })
    set.push(...response.headers.getSetCookie())
    return response
  }
  return { visit, set, cookie }
}

/** Signs the owner of the School of Art in to an app that registers itself. */
async function connect() {
  const redirect_uri = 'http://127.0.0.1:7777/callback'
  const registration = JSON.stringify({ client_name: 'Test', redirect_uris: [redirect_uri] })
  const type = { 'content-type': 'application/json' }
  const registered = await post(`${issuer}/api/oauth/register`, registration, type)
  const { client_id } = (await registered.json()) as { client_id: string }
  const code_verifier = 'v'.repeat(43)
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
  const client = { client_id, redirect_uri, resource: issuer }
  const request = new URLSearchParams({
    ...client,
    response_type: 'code',
    scope: 'courses:read',
    state: 'state',
    code_challenge,
    code_challenge_method: 'S256',
  })
  const { visit, set, cookie } = createBrowser()
  const waits = await visit(`${issuer}/oauth/authorize?${request}`)
  const return_to = waits.headers.get('location')!.replace(issuer, '')
  const credentials = { email: 'owner@example.com', password: art!.password, return_to }
  await visit(`${issuer}/sign-in`, credentials)
  const page = await (await visit(issuer + return_to)).text()
  const decision = { csrf_token: valueOf(page, 'csrf_token'), decision: 'allow' }
  const allowed = await visit(issuer + valueOf(page, 'action'), decision)
  const code = new URL(allowed.headers.get('location')!).searchParams.get('code')!
  const exchange = { ...client, grant_type: 'authorization_code', code, code_verifier }
  const tokens = await post(`${issuer}/api/oauth/token`, new URLSearchParams(exchange))
  const { access_token } = (await tokens.json()) as { access_token: string }
  return { set, cookie: cookie(), authorization: `Bearer ${access_token}` }
}

void test('a token and a cookie of one school are of no use at another', async () => {
  const { set, cookie, authorization } = await connect()
  assert.doesNotMatch(set.join(), /domain=/i)
  assert.equal(await asked(`${issuer}/courses`, { headers: { authorization } }), 200)
  assert.equal(await asked(`${music.issuer}/courses`, { headers: { authorization } }), 401)
  const request = new Request(issuer, { headers: { cookie } })
  const signedInAt = (school: string) => peopleOf(execute, school).current(request)
  assert.equal((await signedInAt(issuer))?.subject, 'usr_1')
  assert.equal(await signedInAt(music.issuer), null)
})

void test('each school has its own name, metadata, keys and tools', async () => {
  const keys = new Set<string>()
  for (const [origin, name] of [
    [issuer, 'School of Art'],
    [music.issuer, 'Music'],
  ] as const) {
    assert.match(await (await ask(`${origin}/`)).text(), new RegExp(`<h1>${name}</h1>`))
    const metadata = await ask(`${origin}/.well-known/oauth-authorization-server`)
    assert.equal(((await metadata.json()) as { issuer: string }).issuer, origin)
    const set = (await (await ask(`${origin}/.well-known/jwks.json`)).json()) as {
      keys: { kid: string }[]
    }
    for (const { kid } of set.keys) keys.add(kid)
    for (const path of ['/mcp/signed-in', '/mcp/member', '/account/graphql'])
      assert.equal(await asked(origin + path, { method: 'POST' }), 401)
    assert.match(await (await ask(`${origin}/auth.md`)).text(), new RegExp(`${origin}/mcp`))
  }
  assert.equal(keys.size, 2)
})

void test('a school is renamed and paused, and an unknown host gets 421', async () => {
  const { host } = new URL(music.issuer)
  assert.equal(await addSchool('music', 'Another'), null)
  assert.equal(await schools.change(host, { name: 'School of Music' }), true)
  platform.changed(host)
  assert.match(await (await ask(`${music.issuer}/`)).text(), /School of Music/)
  await schools.change(host, { paused: true })
  platform.changed(host)
  assert.equal(await asked(`${music.issuer}/`), 503)
  assert.equal(await asked(`${issuer}/`), 200)
  assert.equal(await asked('http://pottery.localhost:3000/'), 421)
})
