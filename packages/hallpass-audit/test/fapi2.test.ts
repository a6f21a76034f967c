import { auditServer, type AuditRow, CHECKS, plannedCreations, type Verdict } from 'hallpass-audit'
import { pushedRequests } from 'hallpass/blocks'
import { defineClient } from 'hallpass/clients'
import { describe, expect, it } from 'vitest'
import { createBrokenServer, type Fault } from './broken-server.js'
import { answers, unheld, worded } from './faults.js'

const ofVerdict = (rows: readonly AuditRow[], verdict: Verdict): readonly string[] =>
  worded(rows.filter((row) => row.verdict === verdict))

/** Registers clients that sign, as the server itself does not. */
const REGISTERS: Fault['wrap'] =
  (next, { store }) =>
  async (request) => {
    if (new URL(request.url).pathname !== '/api/oauth/register') return next(request)
    const metadata = (await request.json()) as Metadata
    const clientId = crypto.randomUUID()
    const client = defineClient({
      clientId,
      kind: 'loopback',
      name: 'Audit',
      redirectUris: metadata.redirect_uris,
      tokenEndpointAuthMethod: 'private_key_jwt',
      keys: { jwks: metadata.jwks, jwksUri: null, signingAlg: null },
      createdAt: 1,
    })
    await store.insertClient(client)
    return Response.json({ ...metadata, client_id: clientId }, { status: 201 })
  }

interface Metadata {
  readonly redirect_uris: readonly string[]
  readonly jwks: { readonly keys: readonly Record<string, unknown>[] }
  readonly token_endpoint_auth_method: string
  readonly dpop_bound_access_tokens: boolean
}

describe('a right server of FAPI 2.0', () => {
  it('holds every clause that applies to it', async () => {
    const { handler, options } = await createBrokenServer({ isFapi2: true })
    const { rows, counts, created } = await auditServer(handler, options)
    expect([worded(unheld(rows)), ofVerdict(rows, 'not reached')]).toEqual([[], []])
    expect(counts.held).toBeGreaterThanOrEqual(405)
    expect(rows.filter(({ check }) => check.startsWith('fapi2/')).map(({ verdict }) => verdict)).toEqual(Array.from({ length: 11 }, () => 'held')) // prettier-ignore
    const planned = plannedCreations(CHECKS)
    expect(created.authorizations).toBeLessThanOrEqual(planned.authorizations)
  })

  it.each(CHECKS.filter(({ id }) => id.startsWith('fapi2/')))(
    'has no more of $id than it says',
    async (check) => {
      const { handler, options } = await createBrokenServer({ isFapi2: true })
      const { created, rows } = await auditServer(handler, { ...options, only: [check.id] })
      expect(rows.map(({ verdict }) => verdict)).toEqual(['held'])
      expect(created.authorizations).toBeLessThanOrEqual(plannedCreations([check]).authorizations)
    },
  )

  it('registers the clients of the audit, if it registers clients that sign', async () => {
    const { handler, options } = await createBrokenServer({ isFapi2: true, wrap: REGISTERS })
    const { clients: _, ...signIn } = options.signIn
    const only = ['redirects', 'pkce', 'code', 'private-key-jwt', 'dpop', 'fapi2']
    const { rows } = await auditServer(handler, { ...options, signIn, only })
    expect([worded(unheld(rows)), ofVerdict(rows, 'not reached')]).toEqual([[], []])
    expect(ofVerdict(rows, 'held').length).toBeGreaterThan(80)
  })
})

describe('a server of FAPI 2.0 that registers no client, and has none for the audit', () => {
  it('asks for clients', async () => {
    const { handler, options } = await createBrokenServer({ isFapi2: true })
    const { clients: _, ...signIn } = options.signIn
    const { rows } = await auditServer(handler, {
      ...options,
      signIn,
      only: ['pkce/wrong-verifier'],
    })
    expect(ofVerdict(rows, 'not reached')).toEqual(['pkce/wrong-verifier: no client could be registered (400): give `clients` in the file of --sign-in']) // prettier-ignore
  })
})

describe('a server that limits requests after it has read their assertion', () => {
  it('gets a new assertion with the request that is sent again', async () => {
    let pushes = 0
    const limit = answers('/api/oauth/par', (answer) =>
      pushes++ % 2 === 0
        ? new Response(null, { status: 429, headers: { 'retry-after': '0' } })
        : answer,
    )
    const { handler, options } = await createBrokenServer({ isFapi2: true, ...limit })
    const { rows } = await auditServer(handler, { ...options, only: ['code'] })
    expect([worded(unheld(rows)), ofVerdict(rows, 'not reached')]).toEqual([[], []])
  })
})

describe('a server that wants all requests pushed', () => {
  it('holds every clause, also with clients that are public or have a secret', async () => {
    const blocks = [pushedRequests({ required: true })]
    const { handler, options } = await createBrokenServer({ blocks })
    const { rows } = await auditServer(handler, options)
    expect([worded(unheld(rows)), ofVerdict(rows, 'not reached')]).toEqual([[], []])
  })
})
