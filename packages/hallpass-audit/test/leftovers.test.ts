import { auditServer, type AuditServerOptions, type Handler, renderReport } from 'hallpass-audit'
import { describe, expect, it } from 'vitest'
import { held } from '../src/finding.js'
import { CLIENT_SECRET, createBrokenServer } from './broken-server.js'
import { ownCheck } from './own-check.js'

/** Grants of two people, refreshes, and clients with other names. */
const creating = ownCheck('creates', async (on) => {
  for (let time = 0; time < 3; time++) await on.tokens()
  const tokens = await on.tokens({ person: 0 })
  const renewed = on.tokensOf(await on.refresh(tokens), tokens.code)
  await on.refresh(renewed)
  await on.tokens({ client: await on.client('signing') })
  await on.tokens({ client: await on.client('confidential') })
  await on.newClient({ client_name: 'a client of a check' })
  return on.register({ client_name: 'another one' })
})

/** What a server issued, as it was seen on its way. */
async function auditWith(wrap: (next: Handler) => Handler = (next) => next, more: AuditServerOptions = {}) {
  const { handler, options } = await createBrokenServer()
  const issued = { tokens: new Set<string>(), clients: new Set<unknown>() }
  const inner = wrap(handler)
  const watched: Handler = async (request) => {
    const answer = await inner(request)
    const { access_token: access, refresh_token: refresh, redirect_uris: uris, client_id: id } =
      (await answer.clone().json().catch(() => ({}))) as Record<string, string>
    for (const token of [access, refresh]) if (token !== undefined) issued.tokens.add(token)
    if (uris !== undefined) issued.clients.add(id)
    return answer
  }
  const report = await auditServer(watched, { ...options, only: ['own'], checks: [creating], ...more })
  /** The tokens that a gate would still let in. */
  const alive: string[] = []
  for (const token of issued.tokens) {
    const body = new URLSearchParams({ token, client_id: 'desk', client_secret: CLIENT_SECRET })
    const answer = await handler(new Request('http://127.0.0.1:3000/api/oauth/introspect', { method: 'POST', body }))
    if (((await answer.json()) as { active: boolean }).active) alive.push(token)
  }
  return { report, issued, alive }
} // prettier-ignore

const without = (endpoint: string) => (next: Handler): Handler => async (request) => {
  const answer = await next(request)
  if (!request.url.includes('.well-known')) return answer
  const { [endpoint]: _, ...metadata } = (await answer.json()) as Record<string, unknown>
  return Response.json(metadata)
} // prettier-ignore

/** A server whose registrations can be deleted (RFC 7592). */
const deletable = (deleted: string[]) => (next: Handler): Handler => async (request) => {
  const { pathname } = new URL(request.url)
  if (request.method === 'DELETE' && request.headers.get('authorization') === 'Bearer of-a-registration') {
    deleted.push(pathname.slice('/registered/'.length))
    return new Response(null, { status: 204 })
  }
  const answer = await next(request)
  if (pathname !== '/api/oauth/register' || answer.status !== 201) return answer
  const metadata = (await answer.json()) as { client_id: string }
  return Response.json({ ...metadata, registration_client_uri: `http://127.0.0.1:3000/registered/${metadata.client_id}`, registration_access_token: 'of-a-registration' }, { status: 201 })
} // prettier-ignore

describe('at its end, an audit', () => {
  it('revokes every token, and lists the clients that the server does not delete', async () => {
    const { report, issued, alive } = await auditWith()
    expect(report.rows).toMatchObject([{ verdict: 'held' }])
    expect(issued.tokens.size).toBeGreaterThan(10)
    expect(alive).toEqual([])
    expect(report.left.grants).toBe(0)
    expect(new Set(report.left.clients.map(({ client_id: id }) => id))).toEqual(issued.clients)
    expect(report.left.clients.map(({ client_name: name }) => name)).toContain('a client of a check') // prettier-ignore
    for (const format of ['json', 'markdown', 'html'] as const)
      for (const id of issued.clients) expect(renderReport(report, format)).toContain(id)
    expect(renderReport(report, 'terminal')).toMatch(/Left there: 3\s+clients/)
  })

  it('deletes clients where it can', async () => {
    const deleted: string[] = []
    const { report, issued } = await auditWith(deletable(deleted))
    expect(report.left).toEqual({ clients: [], grants: 0 })
    expect(new Set(deleted)).toEqual(issued.clients)
    expect(renderReport(report, 'terminal')).toContain('Left there: nothing.')
  })

  it('counts the grants that it cannot revoke', async () => {
    const { report, alive } = await auditWith(without('revocation_endpoint'))
    expect(report.left.grants).toBe(6)
    expect(alive.length).toBeGreaterThan(0)
  })

  it('does not count its last requests, and sends them also after the most', async () => {
    let requests = 0
    const counting = (next: Handler): Handler => (request) => {
      requests += 1
      return next(request)
    } // prettier-ignore
    const { report, alive } = await auditWith(counting, { most: 30 })
    expect(report.requests).toBe(30)
    expect(requests).toBeGreaterThan(30)
    expect(alive).toEqual([])
  })

  it('does not wait for a server that is silent', async () => {
    let revocations = 0
    const silent = (next: Handler): Handler => (request) => {
      if (!request.url.includes('revoke')) return next(request)
      revocations += 1
      return new Promise<Response>(() => {})
    } // prettier-ignore
    const { report } = await auditWith(silent, { timeout: 200 })
    expect([report.left.grants, revocations]).toEqual([6, 3])
  })
})

describe('an audit that ends early', () => {
  it('removes what there is, and runs no further check', async () => {
    const stop = new AbortController()
    const stopping = ownCheck('stops', async (on) => {
      const { answer } = await on.tokens()
      stop.abort()
      return held(answer, '')
    })
    const { report, alive } = await auditWith(undefined, {
      checks: [creating, stopping, ownCheck('later', (on) => on.tokens())],
      signal: stop.signal,
    })
    expect(report.rows.map(({ check }) => check)).toEqual(['own/creates'])
    expect([alive, report.left.grants]).toEqual([[], 0])
  })

  it('sends nothing more for the check that was under way', async () => {
    const stop = new AbortController()
    let ended: unknown
    const endless = ownCheck('endless', async (on) => {
      stop.abort()
      for (;;)
        await on.send(`${on.origin}/login`).catch((error: unknown) => {
          ended = error
          throw error
        })
    })
    const { report } = await auditWith(undefined, { checks: [endless], signal: stop.signal })
    expect([report.rows, String(ended)]).toEqual([[], 'Error: the audit has ended'])
  })

  it('by a failure of its program does so too', async () => {
    const { handler, options } = await createBrokenServer()
    let revoked = 0
    const watched: Handler = (request) => {
      if (request.url.includes('revoke')) revoked += 1
      return handler(request)
    }
    const onRow = () => { throw new Error('a bug') } // prettier-ignore
    await expect(auditServer(watched, { ...options, only: ['own'], checks: [creating], onRow })).rejects.toThrow('a bug') // prettier-ignore
    expect(revoked).toBeGreaterThan(5)
  })
})
