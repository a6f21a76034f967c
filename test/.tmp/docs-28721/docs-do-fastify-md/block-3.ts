import { match } from 'node:assert/strict'
import Fastify from 'fastify'
import { createAuthorizationServer } from 'hallpass'
import { testSite } from 'hallpass/testing'
import { createKeyRing } from 'hallpass/token'
import { courses } from './courses.js'
import { oauth } from './oauth.js'

const { site } = testSite()
const page = () => new Response('a page')
const server = createAuthorizationServer(site, {
  keys: createKeyRing(site, { sealingSecret: 'x'.repeat(32) }),
  interact: { currentPerson: async () => null, signIn: page, consent: page, error: page },
})
const app = Fastify()
app.register(oauth, { server, origin: site.issuer })
courses(app, site)

const refused = await app.inject('/courses')
match(String(refused.headers['www-authenticate']), /^Bearer resource_metadata=/)
