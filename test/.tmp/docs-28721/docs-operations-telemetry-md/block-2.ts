import { createAuthorizationServer, defineSite } from 'hallpass'
import { maintain } from 'hallpass/operations'
import { createTelemetry } from 'hallpass-opentelemetry'
import { createPostgresStore } from 'hallpass/postgres'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createKeyRing } from 'hallpass/token'
import pg from 'pg'

// The time limits are those of "Deploy".
const pool = new pg.Pool({
  connectionTimeoutMillis: 1000,
  query_timeout: 2000,
  statement_timeout: 1400,
  lock_timeout: 500,
  idle_in_transaction_session_timeout: 5000,
  keepAlive: true,
})
const telemetry = createTelemetry({
  pool: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
})
const site = defineSite(
  telemetry.site({
    issuer: 'https://school.example',
    name: 'My School',
    store: createPostgresStore({
      execute: (text, values, name) => pool.query({ name, text, values }),
      site: 'school',
    }),
    scopes: schoolScopes,
    roles: schoolRoles,
    findPerson: async () => null,
    onFault: ({ requestId, fault }) => console.error(requestId, fault),
  }),
)
const keys = createKeyRing(site, { sealingSecret: process.env['SEALING_SECRET']! })
const page = (): Response => new Response('your page')
const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }

export const server = createAuthorizationServer(site, { keys, interact })
export const maintenance = () => telemetry.maintain(() => maintain(site, { keys }))
