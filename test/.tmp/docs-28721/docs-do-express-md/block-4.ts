import { deepEqual, equal, match } from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createAuthorizationServer, createProtectedResource } from 'hallpass'
import { testSite } from 'hallpass/testing'
import { createKeyRing } from 'hallpass/token'
import { createApp } from './app.js'
import { hideErrors } from './errors.js'
import { requireScopes } from './require.js'

const { site } = testSite()
const page = () => new Response('a page')
const server = createAuthorizationServer(site, {
  keys: createKeyRing(site, { sealingSecret: 'x'.repeat(32) }),
  interact: { currentPerson: async () => null, signIn: page, consent: page, error: page },
})

const app = createApp(server, site.issuer)
app.get('/courses', requireScopes(createProtectedResource(site), 'courses:read'), (_req, res) => {
  res.json([])
})
app.use(hideErrors)

const listening = app.listen(0, '127.0.0.1')
await once(listening, 'listening')
const base = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`
try {
  const metadata = await fetch(`${base}/.well-known/oauth-authorization-server`)
  const { issuer, token_endpoint } = (await metadata.json()) as Record<string, unknown>
  deepEqual([issuer, token_endpoint], [site.issuer, `${site.issuer}/api/oauth/token`])

  const refused = await fetch(`${base}/courses`)
  equal(refused.status, 401)
  match(refused.headers.get('www-authenticate') ?? '', /^Bearer resource_metadata=/)

  const malformed = await fetch(`${base}/oauth/interaction/%`)
  deepEqual([malformed.status, await malformed.text()], [400, 'Bad Request'])
} finally {
  listening.close()
}
