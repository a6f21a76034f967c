// consents.ts
import { equal } from 'node:assert/strict'
import { PGlite } from '@electric-sql/pglite'
import { consentKey } from 'hallpass/policy'
import { createPostgresStore, type Execute, migratePostgres } from 'hallpass/postgres'
import { testSite } from 'hallpass/testing'
import { hashToken } from 'hallpass/token'
import { moveClient } from './move-clients.js'
import { moveConsent } from './move-consents.js'

const database = new PGlite()
const execute: Execute = (sql, parameters) => database.query(sql, parameters)
await migratePostgres({ execute })
const { site } = testSite({ store: createPostgresStore({ execute, site: 'my-school' }) })

const redirectUri = 'https://study.example/callback'
await moveClient(
  site,
  {
    clientId: 'study-app',
    name: 'Study App',
    redirectUris: [redirectUri],
    secret: { hash: hashToken('the-old-secret'), expiresAt: null },
  },
  { kind: 'member', scopes: ['account:read'] },
)
const client = (await site.findClient('study-app'))!
const consent = { subject: 'mem_mei', scopes: ['openid', 'account:read', 'offline_access'] }
equal(await moveConsent({ site, execute, storeSite: 'my-school' }, client, consent), true)

const request = { clientId: 'study-app', redirectUri, resource: site.issuer }
const key = consentKey({ subject: 'mem_mei', scopes: ['account:read', 'openid'], ...request })
equal(await site.store.hasConsent(key), true)
await database.close()
