import { pushedRequests } from 'hallpass/blocks'
import { REFRESH_POLICY } from 'hallpass/policy'
import { auditServer } from 'hallpass-audit'
import { describe, expect, it, vi } from 'vitest'
import { clock } from '../src/engine/clock.js'
import { unguarded } from './broken/code.js'
import { BROKEN } from './broken/index.js'
import { createBrokenServer, type Fault } from './broken-server.js'
import { json } from './faults.js'

/** Milliseconds that the audit has waited, which takes no time: the clock of the server goes on instead. */
let waited = 0
const NOW = 1_795_165_200

/** The verdicts of some checks. */
async function found(fault: Fault, only: string): Promise<Readonly<Record<string, string>>> {
  waited = 0
  const site = { ...fault.site, now: () => NOW + Math.floor(waited / 1000) }
  const { handler, options } = await createBrokenServer({ ...fault, site })
  const wait = vi.spyOn(clock, 'wait').mockImplementation(async (milliseconds) => {
    waited += milliseconds
  })
  const { rows } = await auditServer(handler, { ...options, patient: 63, only: [only] })
  wait.mockRestore()
  return Object.fromEntries(rows.map(({ check, verdict }) => [check.split('/')[1], verdict]))
}

/** Forgets that a code was used, this many milliseconds of waiting after it. */
const forgetful = (after: number): Fault => ({
  store: (store) => ({
    ...unguarded(store),
    findCode: async (hash) => {
      const code = await store.findCode(hash)
      return code && waited > after ? { ...code, redeemedAt: null } : code
    },
  }),
})

const late = <Row extends { readonly expiresAt: number }>(row: Row): Row => ({
  ...row,
  expiresAt: row.expiresAt + 86_400,
})
const HELD = { 'pushed-request': 'held', code: 'held', 'refresh-token': 'held', 'access-token': 'held' } // prettier-ignore
const FOR_EVER = BROKEN['refresh']!.find(({ name }) => name === 'a refresh token works for ever')!

const SERVERS: readonly { name: string; fault: Fault; differs: Readonly<Record<string, string>> }[] = [
  { name: 'a right server', fault: {}, differs: {} },
  {
    name: 'a pushed request lives longer than it says',
    fault: {
      blocks: [pushedRequests({ seconds: 599 })],
      ...json('/api/oauth/par', (body) => ({ ...body, expires_in: 60 }), 201),
    },
    differs: { 'pushed-request': 'violated' },
  },
  {
    name: 'a code lives a day',
    fault: { store: (store) => ({ issueCode: (issue, ...rest) => store.issueCode({ ...issue, code: late(issue.code) }, ...rest) }) },
    differs: { code: 'violated' },
  },
  {
    name: 'a refresh token works for ever',
    fault: FOR_EVER.fault,
    differs: { 'refresh-token': 'violated' },
  },
  {
    name: 'several programs share a refresh token for a week',
    fault: { server: { refreshPolicies: { confidential: REFRESH_POLICY.withSecret, native: REFRESH_POLICY.severalProcesses, public: REFRESH_POLICY.severalProcesses } } },
    differs: { 'refresh-token': 'not reached' },
  },
  {
    name: 'an access token lives a day longer than it says',
    fault: {
      store: (store) => ({
        findAccessToken: async (hash) => {
          const known = await store.findAccessToken(hash)
          return known && { ...known, accessToken: late(known.accessToken) }
        },
      }),
    },
    differs: { 'access-token': 'violated' },
  },
  {
    name: 'access tokens live a day',
    fault: { server: { accessTokenSeconds: 86_400 } },
    differs: { 'access-token': 'not reached' },
  },
] // prettier-ignore

describe('a patient audit', () => {
  it.each(SERVERS)('of $name', async ({ fault, differs }) => {
    expect(await found(fault, 'patient')).toEqual({ ...HELD, ...differs })
  })

  it('waits no longer than it was asked to, and says how long it would have to', async () => {
    const { handler, options } = await createBrokenServer()
    const { rows } = await auditServer(handler, { ...options, patient: 5, only: ['patient/code'] })
    expect(rows[0]!.found).toBe('it has to wait longer: give --patient 10')
  })

  it.each([
    { what: 'half a second', after: 500, verdict: 'violated' },
    { what: 'two seconds', after: 2000, verdict: 'violated' },
    { what: 'ten seconds', after: 10_000, verdict: 'held' },
  ])('sends used codes again where they are remembered for $what', async ({ after, verdict }) => {
    expect(await found(forgetful(after), 'code/used-later')).toEqual({ 'used-later': verdict })
  })
})
