import { defineClient, moveGrant } from 'hallpass/clients'
import type { Store } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import { beforeEach, describe, expect, it } from 'vitest'
import { generic, PORTFOLIO_FORM, reasonsOf, REDIRECT, refresh, refusalOf, tokensOf, userinfo } from '../support/school/flow.js' // prettier-ignore
import { createSchool, type School, STUDENT, T } from '../support/school/school.js'

export const clock = { now: T }
const at = (school: School, now: number): void => void (school.clock.now = clock.now = now)
export type MovedGrant = Parameters<typeof moveGrant>[1]
// The form of better-auth: 32 letters, and no prefix.
export const OLD = 'QwErTyUiOpAsDfGhJkLzXcVbNmQwErTy'
export const MOVED: MovedGrant = {
  clientId: 'study-buddy',
  subject: STUDENT.subject,
  scopes: ['openid', 'account:read', 'offline_access'],
  redirectUri: REDIRECT,
  refreshToken: OLD,
  expiresAt: T + 86_400,
}
const { refreshToken: _, ...rest } = MOVED
/** Without its token. */
export const REST = rest
const WEB = defineClient({
  clientId: 'timetable',
  kind: 'member',
  name: 'Timetable',
  redirectUris: ['https://timetable.example/callback'],
  scopes: ['account:read'],
  createdAt: T,
})
export const grantsOf = ({ store }: School) =>
  store.listGrants({ of: 'everyone', after: null, limit: 100, now: T })
export const outcomeOf = async ({ site }: School, changes: object = {}): Promise<string> => {
  const decided = await moveGrant(site, { ...MOVED, ...changes })
  return decided.ok ? decided.outcome : `${decided.error} ${decided.reason}`
}

/** What holds on every store. Those on databases have a file of their own, which mutants do not run. */
export const moves = (name: string, makeStore: () => Store): unknown =>
  describe(`a refresh token of another server, moved to ${name}`, () => {
    beforeEach(() => void (clock.now = T))

    it('is refreshed as one of the site, and a second use of it ends the grant [MOVE-01]', async () => {
      const school = await createSchool({ store: makeStore() })
      await school.store.insertClient(WEB)
      const { clientId: client_id, redirectUris } = WEB
      const web = { client_id }
      expect(await outcomeOf(school, { clientId: client_id, redirectUri: redirectUris[0] })).toBe('moved') // prettier-ignore
      at(school, T + 60)
      const first = await tokensOf(await refresh(school, OLD, web))
      expect(first).toMatchObject({ scope: 'openid account:read', expires_in: 3600 })
      expect(first.refresh_token.slice(0, 4)).toBe('hpr_')
      const second = await tokensOf(await refresh(school, first.refresh_token, web))
      expect((await userinfo(school, second.access_token)).status).toBe(200)

      at(school, T + 661)
      expect(await refusalOf(await refresh(school, OLD, web))).toEqual(generic('invalid_grant'))
      expect((await refresh(school, second.refresh_token, web)).status).toBe(400)
      expect(reasonsOf(school)).toEqual(['refresh_token_reused', 'grant_revoked'])
      expect((await userinfo(school, second.access_token)).status).toBe(401)
    })

    it('may be named by its hash, and belongs to its client [MOVE-01]', async () => {
      const school = await createSchool({ store: makeStore() })
      const token = { refreshToken: undefined, refreshTokenHash: hashToken(OLD) }
      expect(await outcomeOf(school, token)).toBe('moved')
      expect((await refresh(school, OLD, PORTFOLIO_FORM)).status).toBe(400)
      expect(reasonsOf(school)).toEqual(['refresh_token_of_other_client'])
      expect((await refresh(school, OLD)).status).toBe(200)
    })

    it('has one grant, however often and by however many runs it is moved [MOVE-02]', async () => {
      const school = await createSchool({ store: makeStore() })
      const runs = await Promise.all(Array.from({ length: 5 }, () => outcomeOf(school)))
      expect(runs.sort()).toEqual(['exists', 'exists', 'exists', 'exists', 'moved'])
      expect(await grantsOf(school)).toHaveLength(1)
      expect(school.events.map(({ type }) => type)).toEqual(['oauth.grant.created'])

      expect((await refresh(school, OLD)).status).toBe(200)
      expect(await outcomeOf(school)).toBe('exists')
      expect(await grantsOf(school)).toHaveLength(1)
    })

    it('is not moved for a person who was erased, nor moved again once they are [MOVE-03]', async () => {
      const school = await createSchool({ store: makeStore() })
      const erased = { subject: STUDENT.subject, loginHints: [], erasedAt: T }
      expect(await outcomeOf(school)).toBe('moved')
      await school.store.erasePerson(erased)
      expect(await outcomeOf(school)).toBe('invalid_grant person_gone')
      expect(await grantsOf(school)).toEqual([])
    })
  })
