import { OptionsError } from 'hallpass'
import { createPostgresStore, type Execute } from 'hallpass/postgres'
import { createMemoryStore } from 'hallpass/store'
import { describe, expect, it } from 'vitest'
import { createPostgresIdempotency } from '../../src/postgres/idempotency.js'
import {
  codeSample,
  pendingSample,
  redemption,
  rotation,
} from '../../src/store-contract/samples.js'
import { refresh, signIn } from '../support/school/flow.js'
import { createSchool } from '../support/school/school.js'

const failure = (code?: string, message = 'no connection'): Error =>
  Object.assign(new Error(message), code === undefined ? {} : { code })

/** A driver that rejects and resolves in turn; from the last one on, always the same. */
function driver(...turns: readonly (Error | readonly object[])[]): Execute & { calls: string[] } {
  const calls: string[] = []
  const execute: Execute = async (sql) => {
    const turn = turns[Math.min(calls.length, turns.length - 1)]!
    calls.push(sql)
    if (turn instanceof Error) throw turn
    return { rows: turn }
  }
  return Object.assign(execute, { calls })
}
/** What a change resolves to, with a row that is spent, if there was one. */
const answer = (isWon: boolean, isFound: boolean): readonly object[] => [
  {
    is_won: isWon ? 1 : 0,
    is_found: isFound ? 1 : null,
    redeemed_at: 1,
    revoked_at: null,
    successor_hash: 'next',
  },
]
const [WON, SPENT, MISSING] = [answer(true, true), answer(false, true), answer(false, false)]
const storeOver = (execute: Execute): ReturnType<typeof createPostgresStore> =>
  createPostgresStore({ execute, site: 'a', chance: () => 0 })

describe('a statement', () => {
  it.each(['40001', '40P01', '23505'])(
    'that was rolled back with %s because of another runs again, twelve times at most [PG-01]',
    async (code) => {
      const once = driver(failure(code), SPENT)
      expect(await storeOver(once).redeemCode(redemption())).toBe('spent')
      expect(once.calls).toHaveLength(2)
      const always = driver(failure(code))
      await expect(storeOver(always).redeemCode(redemption())).rejects.toMatchObject({ code })
      expect(always.calls).toHaveLength(12)
    },
  )

  it.each([
    ['EPIPE'],
    ['ECONNRESET'],
    [undefined],
    ['57P01'],
    ['57P02'],
    ['08006'],
    ['40003'],
    ['CONNECTION_CLOSED'],
  ])(
    'whose connection was lost, which says %s, is asked again, twice at most [PG-02]',
    async (code) => {
      const once = driver(failure(code), WON)
      expect(await storeOver(once).redeemCode(redemption())).toBe('redeemed')
      const always = driver(failure(code))
      await expect(storeOver(always).redeemCode(redemption())).rejects.toThrow('no connection')
      expect(always.calls).toHaveLength(3)
    },
  )

  it.each([
    ['23502', 'null value in column'],
    ['53300', 'too many clients already'],
    ['57014', 'canceling statement due to statement timeout'],
    ['55P03', 'canceling statement due to lock timeout'],
    [undefined, 'Query read timeout'],
    [undefined, 'timeout exceeded when trying to connect'],
    ['ETIMEDOUT', 'read ETIMEDOUT: the connection timed out'],
  ])(
    'that failed for certain or took too long (%s, %s) is not run again [PG-02]',
    async (code, message) => {
      const execute = driver(failure(code, message))
      await expect(storeOver(execute).redeemCode(redemption())).rejects.toThrow(message)
      expect(execute.calls).toHaveLength(1)
    },
  )

  it('that loses after a lost connection won if its own row is there [PG-02]', async () => {
    const lost = failure()
    const won = driver(lost, SPENT, [{}])
    expect(await storeOver(won).redeemCode(redemption())).toBe('redeemed')
    expect(won.calls[2]).toContain('hallpass_access_token')
    const beaten = driver(lost, SPENT, [])
    expect(await storeOver(beaten).redeemCode(redemption())).toBe('spent')
    const rotated = driver(lost, SPENT, [{}])
    expect(await storeOver(rotated).rotateRefreshToken(rotation('0', '1'))).toBe('rotated')
    const first = driver(SPENT, [{}])
    expect(await storeOver(first).redeemCode(redemption())).toBe('spent')
    expect(first.calls).toHaveLength(1)
  })

  it('whose winner nobody can recognize after a lost connection fails as that did [PG-02]', async () => {
    const lost = failure(undefined, 'the first')
    const revocation = { grantId: 'g', revokedAt: 1, revokedReason: 'ended' }
    await expect(storeOver(driver(lost, MISSING)).endPending('p')).rejects.toThrow('the first')
    await expect(storeOver(driver(lost, MISSING)).revokeGrant(revocation)).rejects.toThrow(
      'the first',
    )
    await expect(
      storeOver(driver([], lost, [{ grants: 0 }])).revokeGrants({
        clientId: 'c', subject: 'm', revokedAt: 1, revokedReason: 'ended',
      }), // prettier-ignore
    ).rejects.toThrow('the first')
    await expect(
      storeOver(driver(lost, failure('42601', 'syntax error'))).endPending('p'),
    ).rejects.toThrow('the first')
    expect(await storeOver(driver(lost, WON)).endPending('p')).toBe('ended')
    const keys = createPostgresIdempotency({
      execute: driver(lost, SPENT),
      site: 'a',
      chance: () => 0,
    })
    const entry = { keyHash: 'k', requestHash: 'r', now: 1, expiresAt: 2 }
    await expect(keys.begin(entry)).rejects.toThrow('the first')
  })

  it('that always has a row says so if the driver lost it', async () => {
    await expect(storeOver(driver([])).redeemCode(redemption())).rejects.toThrow(
      'execute must resolve to the rows of a statement: one is missing',
    )
    await expect(
      storeOver(driver([])).erasePerson({ subject: 'm', loginHints: [], erasedAt: 1 }),
    ).rejects.toThrow('one is missing')
  })

  it('that finds its row as it has to be, and others first each time, ends [PG-01]', async () => {
    const always = driver([{ is_won: 0, is_found: 1, redeemed_at: null }])
    await expect(storeOver(always).redeemCode(redemption())).rejects.toThrow(
      'others were first 20 times',
    )
    expect(always.calls).toHaveLength(20)
  })

  it('that finds the row of another is no success of its own [PG-02]', async () => {
    const duplicate = failure('23505', 'duplicate key')
    const issue = { code: codeSample(), pendingIdHash: null, consentKey: null }
    await expect(storeOver(driver(duplicate)).issueCode(issue)).rejects.toThrow('duplicate key')
    const again = storeOver(driver(failure(), duplicate, MISSING, [{}]))
    expect(await again.issueCode(issue)).toBe('issued')
    const other = storeOver(driver(failure(), duplicate, MISSING, []))
    expect(await other.issueCode(issue)).toBe('gone')
    await expect(storeOver(driver(SPENT)).savePending(pendingSample())).rejects.toThrow(
      'stored already',
    )
  })
})

describe('a statement with a name', () => {
  /** A driver that fails with a code for each statement that has a name. */
  const named = (code: string): Execute & { names: (string | undefined)[] } => {
    const names: (string | undefined)[] = []
    const execute: Execute = async (_, __, name) => {
      names.push(name)
      if (name !== undefined || names.length > 5) throw failure(code)
      return { rows: SPENT }
    }
    return Object.assign(execute, { names })
  }

  it.each([
    ['0A000', 'a migration changed what the statement returns'],
    ['26000', 'a pooler gave the connection to another process'],
    ['42P05', 'another process prepared it under the same name'],
  ])('is run again without it after %s, because %s [PG-08]', async (code) => {
    const once = named(code)
    expect(await storeOver(once).redeemCode(redemption())).toBe('spent')
    expect(once.names).toEqual([expect.stringMatching(/^hp_redeemCode_/), undefined])
  })

  it('is not run a third time, so that the failure of the statement itself is seen [PG-08]', async () => {
    const always = driver(failure('0A000', 'not supported'))
    await expect(storeOver(always).redeemCode(redemption())).rejects.toThrow('not supported')
    expect(always.calls).toHaveLength(2)
  })
})

describe('a table or a column that is missing', () => {
  it.each(['42P01', '42703'])(
    'is 503, and only the operator is told to migrate (%s) [PG-05]',
    async (code) => {
      const store = createMemoryStore()
      const school = await createSchool({ store })
      const { refresh_token } = await signIn(school)
      const broken = storeOver(driver(failure(code, 'relation "hallpass_code" does not exist')))
      store.findRefreshToken = (hash) => broken.findRefreshToken(hash)
      const response = await refresh(await createSchool({ store }), refresh_token)
      expect(response.status).toBe(503)
      expect(await response.text()).not.toMatch(/migrate|hallpass_/)
    },
  )

  it('names migratePostgres in the message of the fault [PG-05]', async () => {
    const missing = storeOver(driver(failure('42P01', 'relation does not exist')))
    const school = await createSchool()
    const broken = {
      ...createMemoryStore(),
      findClient: (clientId: string) => missing.findClient(clientId),
    }
    const failing = await createSchool({ store: { ...broken, insertClient: async () => 'exists' } })
    const response = await refresh(failing, (await signIn(school)).refresh_token)
    expect(response.status).toBe(503)
    const fault = failing.faults[0]?.fault as Error
    expect(fault.message).toBe(
      'the storage failed: the database lacks a table or a column of this version of hallpass: call migratePostgres before the first request',
    )
    expect((fault.cause as Error).message).toBe('relation does not exist')
  })
})

describe('a storage', () => {
  it.each([
    ['createPostgresStore', createPostgresStore],
    ['createPostgresIdempotency', createPostgresIdempotency],
  ])('is not created without a site, by %s [PG-06]', (name, create) => {
    const execute = driver([])
    expect(() => create({ execute } as never)).toThrow(
      new OptionsError(name, ['site is missing: a string such as "school"']),
    )
    expect(() => create({ execute, site: ' ' })).toThrow(`${name}: site must be a string`)
    expect(() => create({ site: 'a', query: execute } as never)).toThrow('execute is missing')
  })
})
