import { PROBLEMS } from 'hallpass/admin'
import { authMd, configureAuthorizationServer } from 'hallpass/authorization-server'
import { createMemoryStore } from 'hallpass/store'
import { testSite } from 'hallpass/testing'
import { expect, it } from 'vitest'
import { openAccount } from '../support/school/account-api.js'
import { BARE_SERVER } from '../support/school/bare-server.js'
import {
  approve,
  authorizationUrl,
  type Fields,
  PORTFOLIO,
  post,
  signIn,
  userinfo,
} from '../support/school/flow.js'
import { errorStatuses, statusOfError } from '../support/school/error-statuses.js'
import { createDocumentSchool, NOTES_REQUEST } from '../support/school/metadata-documents.js'
import { networkOf, register } from '../support/school/networks.js'
import {
  createBrowser,
  createSchool,
  ISSUER,
  type School,
  STUDENT,
} from '../support/school/school.js'
import { breakableStore, withResult } from '../support/school/stores.js'
import { createTestApi } from './support.js'

const ONCE = { amount: 1, seconds: 600 }
const NO_FORM = { 'content-type': 'text/plain' }

const signInAt = (school: School): unknown =>
  (school.signedIn = { subject: STUDENT.subject, authTime: school.clock.now })

/** The answers of the authorization endpoint: redirects, and pages of the host. */
async function* authorizations(): AsyncIterable<Response> {
  const { school } = await createDocumentSchool()
  const ask = (changes: Fields): Promise<Response> => school.fetch(authorizationUrl(changes))
  // Whoever is signed out is not sent to the address of a document that no one reviewed.
  for (const client of [{}, NOTES_REQUEST]) {
    yield ask({ ...client, response_type: 'token' })
    yield ask({ ...client, prompt: 'none' })
    yield ask({ ...client, request: 'x' })
    yield ask({ ...client, request_uri: 'https://notes.example/x' })
    yield ask({ ...client, scope: 'unknown' })
    yield ask({ ...client, resource: 'https://other.example' })
    yield ask({ ...client, code_challenge: null })
  }
  yield ask({ client_id: 'nobody' })
  yield ask({ redirect_uri: 'https://other.example/callback' })
  yield ask({ state: 'x'.repeat(9000) })
  yield school.fetch(`${ISSUER}/oauth/interaction/x`)
  yield school.fetch(`${ISSUER}/nowhere`)
  signInAt(school)
  yield ask({ prompt: 'none' })
  const browser = createBrowser(school)
  await browser.open(authorizationUrl())
  if (school.view?.page !== 'consent') throw new Error('no consent page')
  const { action, csrfToken } = school.view.view
  yield browser.post(action, { csrf_token: 'x', decision: 'allow' })
  yield browser.post(action, { csrf_token: csrfToken, decision: 'deny' })
}

/** The answers of the endpoints that clients call themselves. */
async function* calls(): AsyncIterable<Response> {
  const school = await createSchool()
  const token = (fields: Fields): Promise<Response> =>
    post(school, '/api/oauth/token', { client_id: 'study-buddy', ...fields })
  const send = (path: string, init: RequestInit): Promise<Response> =>
    school.fetch(ISSUER + path, { method: 'POST', ...init })
  const registering = (body: string): Promise<Response> =>
    send('/api/oauth/register', { headers: { 'content-type': 'application/json' }, body })
  yield token({ grant_type: 'password' })
  yield token({ grant_type: 'refresh_token' })
  yield token({ grant_type: 'refresh_token', refresh_token: 'x' })
  yield token({ grant_type: 'refresh_token', client_id: 'nobody' })
  const { refresh_token, access_token } = await signIn(school, { scope: 'account:read' })
  const refreshing = { grant_type: 'refresh_token', refresh_token }
  yield token({ ...refreshing, scope: 'account:write' })
  yield token({ ...refreshing, resource: 'x' })
  yield send('/api/oauth/token', { method: 'PUT' })
  yield send('/api/oauth/token', { headers: NO_FORM, body: 'x' })
  yield send('/api/oauth/revoke', { body: new URLSearchParams({ token: 'x'.repeat(300_000) }) })
  yield registering('{')
  yield registering('{"redirect_uris":["http://notes.example/"]}')
  yield userinfo(school, 'hpa_x')
  yield userinfo(school, access_token)
  const { api, ask, tokenFor } = await openAccount()
  const reading = await tokenFor('account:read')
  yield ask(reading, 'mutation { updateProfile(input: { name: "Mei" }) { userErrors { code } } }')
  const graphql = (init: RequestInit): Promise<Response> =>
    api.graphql(new Request(`${ISSUER}/account/graphql`, init))
  const authorization = `Bearer ${reading}`
  yield graphql({ method: 'PUT', headers: { authorization } })
  yield graphql({ method: 'POST', headers: { authorization, ...NO_FORM }, body: 'x' })
  const json = { authorization, 'content-type': 'application/json', accept: 'text/csv' }
  yield graphql({ method: 'POST', headers: json, body: '{"query":"{ viewer { id } }"}' })
}

/** What is refused beyond an allowance, and what fails. */
async function* outages(): AsyncIterable<Response> {
  const silent = authorizationUrl({ ...PORTFOLIO, prompt: 'none' })
  const paced = await createSchool({
    options: { networkOf, allowances: { codesOfPerson: ONCE, registrationsOfNetwork: ONCE } },
  })
  await register(paced, 'a')
  yield register(paced, 'a')
  await approve(paced, PORTFOLIO)
  yield paced.fetch(silent)
  const { store, fail } = breakableStore()
  const broken = await createSchool({ store })
  fail('findAccessToken')
  yield userinfo(broken, 'hpa_x')
  // A body parser read the form before the endpoint does.
  const read = new Request(`${ISSUER}/api/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'refresh_token' }),
  })
  await read.text()
  yield broken.router(read)
  let isGone = false
  const gone = await createSchool({
    store: withResult(createMemoryStore(), 'issueCode', (outcome) => (isGone ? 'gone' : outcome)),
  })
  await approve(gone, PORTFOLIO)
  isGone = true
  yield gone.fetch(silent)
}

it('has in /auth.md the statuses with which each error of OAuth is sent, and no other', async () => {
  const seen = new Set<string>()
  for (const part of [authorizations(), calls(), outages()])
    for await (const response of part) seen.add((await statusOfError(response)) ?? 'none')
  const { api } = await createTestApi()
  const { site } = testSite({ issuer: ISSUER })
  const text = authMd(configureAuthorizationServer(site, BARE_SERVER), { admin: api })
  const own = Object.entries(PROBLEMS).map(([code, { status }]) => `${code} ${status}`)
  expect([...errorStatuses(text)].sort()).toEqual([...new Set([...seen, ...own])].sort())
})
