import { match } from 'node:assert/strict'
import { createAuthorizationServer } from 'hallpass'
import { testSite } from 'hallpass/testing'
import { createKeyRing } from 'hallpass/token'
import { createApp } from './app.js'

const { site } = testSite()
const page = () => new Response('a page')
const server = createAuthorizationServer(site, {
  keys: createKeyRing(site, { sealingSecret: 'x'.repeat(32) }),
  interact: { currentPerson: async () => null, signIn: page, consent: page, error: page },
})
const refused = await createApp(site, server).request('/courses')
match(refused.headers.get('www-authenticate') ?? '', /^Bearer resource_metadata=/)
