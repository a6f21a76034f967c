// moved.ts
import { deepEqual, equal } from 'node:assert/strict'
import { decideClientAuthentication } from 'hallpass/policy'
import { testSite } from 'hallpass/testing'
import { hashToken } from 'hallpass/token'
import { moveClient, ofBetterAuth, ofMetadata } from './move-clients.js'

const { site } = testSite()
const row = {
  clientId: 'study-app',
  clientSecret: hashToken('the-old-secret'), // what better-auth stored
  name: 'Study App',
  redirectUris: ['https://study.example/callback'],
}
const member = { kind: 'member', scopes: ['account:read'] } as const
equal(await moveClient(site, ofBetterAuth(row), member), 'inserted')
equal(await moveClient(site, ofBetterAuth(row), member), 'exists')

const metadata = {
  client_id: 'timetable',
  client_name: 'Timetable',
  client_secret: 'another-secret',
  client_secret_expires_at: 0,
  redirect_uris: ['https://timetable.example/callback'],
}
await moveClient(site, ofMetadata(metadata), { kind: 'vendor', scopes: ['courses:read'] })

const accepts = async (clientId: string, clientSecret: string): Promise<boolean> =>
  decideClientAuthentication({
    client: await site.findClient(clientId),
    clientSecret,
    authorization: null,
    now: site.now(),
  }).ok
deepEqual(
  [
    await accepts('study-app', 'the-old-secret'),
    await accepts('timetable', 'another-secret'),
    await accepts('timetable', 'a-wrong-secret'),
  ],
  [true, true, false],
)
