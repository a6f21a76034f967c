import { type Client, REFRESH_POLICY } from 'hallpass/policy'
import { createMemoryStore, type Store } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import {
  generic,
  isAlive,
  PORTFOLIO_FORM,
  PORTFOLIO_REQUEST,
  post,
  reasonsOf,
  refresh,
  refusalOf,
  signIn,
  type Tokens,
  tokensOf,
} from '../support/school/flow.js'
import { recordingStore, withClient } from '../support/school/stores.js'
import { createSchool, type School, STUDENT, T } from '../support/school/school.js'

const [HOUR, DAY] = [3600, 86_400]

/** Refreshes as a process that is always awake does: at each expiry of its access token. */
async function runAhead(school: School, tokens: Tokens, generations: number): Promise<Tokens> {
  let newest = tokens
  for (let generation = 0; generation < generations; generation++) {
    school.clock.now += HOUR
    newest = await tokensOf(await refresh(school, newest.refresh_token))
  }
  return newest
}

const isUsed = async (school: School, { refresh_token }: Tokens): Promise<boolean> =>
  (await school.store.findRefreshToken(hashToken(refresh_token)))!.refreshToken.rotation !== null

const recoveries = (school: School): readonly number[] =>
  school.events.flatMap((event) =>
    event.type === 'oauth.grant.reuse_recovered' ? [event.behind] : [],
  )

it('has a name for each promise about refresh tokens, with these seconds [D-06]', () => {
  const [repeatSeconds, catchUpSeconds, forgiveSeconds] = [30 * DAY, 7 * DAY, 3650 * DAY]
  expect(REFRESH_POLICY).toEqual({
    strict: { repeatSeconds: 0, catchUpSeconds: 0, forgiveSeconds: 0 },
    lostResponse: { repeatSeconds: 60, catchUpSeconds: 0, forgiveSeconds: 0 },
    oneHolder: { repeatSeconds: 600, catchUpSeconds: 600, forgiveSeconds: 0 },
    severalProcesses: { repeatSeconds, catchUpSeconds, forgiveSeconds: 0 },
    withSecret: { repeatSeconds, catchUpSeconds, forgiveSeconds },
  })
})

describe('a slower process of the same installation', () => {
  it.each([
    ['76 seconds after another one refreshed', 0, 76],
    ['59 minutes after', 0, 59 * 60],
    ['the next morning', 0, 9 * HOUR],
    ['5 seconds after the successor was used', 1, 5],
    ['a day of refreshes later', 24, 60],
    ['at the end of a week', 150, 59 * 60],
  ])('gets tokens that nobody has used, %s [REFR-18]', async (_, generations, seconds) => {
    const school = await createSchool()
    const shared = await signIn(school)
    const first = await tokensOf(await refresh(school, shared.refresh_token))
    const newest = await runAhead(school, first, generations)
    school.clock.now += seconds

    const mine = await tokensOf(await refresh(school, shared.refresh_token))
    expect(await isUsed(school, mine)).toBe(false)
    expect(await isAlive(school, mine.access_token)).toBe(true)
    expect(mine.expires_in).toBeGreaterThan(0)
    expect(recoveries(school).at(-1)).toBe(generations + 1)
    // The process that was ahead goes on as well, and both stay in the same line of tokens.
    const theirs = await tokensOf(await refresh(school, newest.refresh_token))
    expect(await tokensOf(await refresh(school, shared.refresh_token))).toEqual(theirs)
    expect(reasonsOf(school)).toEqual([])
  })

  it('gets exactly the newest pair while its access token is valid, and nothing is issued [REFR-18]', async () => {
    const school = await createSchool()
    const shared = await signIn(school)
    const newest = await runAhead(school, shared, 3)
    const refreshed = school.events.filter(({ type }) => type === 'oauth.token.refreshed').length
    school.clock.now += 100
    expect(await tokensOf(await refresh(school, shared.refresh_token))).toEqual({
      ...newest,
      expires_in: HOUR - 100,
    })
    expect(school.events.filter(({ type }) => type === 'oauth.token.refreshed')).toHaveLength(
      refreshed,
    )
  })

  it('gets nothing for the scopes of nobody, and ends nothing [REFR-04]', async () => {
    const school = await createSchool()
    const shared = await signIn(school)
    const newest = await runAhead(school, shared, 3)
    expect((await refresh(school, shared.refresh_token, { scope: 'openid' })).status).toBe(400)
    expect(reasonsOf(school)).toEqual(['refresh_retry_differs'])
    expect((await refresh(school, newest.refresh_token)).status).toBe(200)
  })

  it('shares one line of tokens with many others, all of them behind [REFR-05, REFR-18]', async () => {
    const school = await createSchool()
    const generations = [await signIn(school)]
    for (let index = 0; index < 10; index++)
      generations.push(await runAhead(school, generations.at(-1)!, 1))
    school.clock.now += 2 * HOUR
    const answers = await Promise.all(
      [...generations, ...generations].map((one) => refresh(school, one.refresh_token)),
    )
    const given = await Promise.all(answers.map(tokensOf))
    expect(new Set(given.map(({ refresh_token }) => refresh_token)).size).toBe(1)
    expect(await isUsed(school, given[0]!)).toBe(false)
  })

  it('is a thief after a week, which ends the grant [REFR-02]', async () => {
    const school = await createSchool()
    const shared = await signIn(school)
    await tokensOf(await refresh(school, shared.refresh_token))
    const second = await tokensOf(await refresh(school, shared.refresh_token))
    const newest = await runAhead(school, second, 7 * 24)
    expect(await refusalOf(await refresh(school, shared.refresh_token))).toEqual(
      generic('invalid_grant'),
    )
    expect(await isAlive(school, newest.access_token)).toBe(false)
    expect(school.events.at(-1)).toMatchObject({ type: 'oauth.grant.reuse_detected' })
  })

  it('is refused without harm behind more refreshes than are followed', async () => {
    const school = await createSchool({ options: { accessTokenSeconds: 600 } })
    const shared = await signIn(school)
    let newest = shared
    for (let generation = 0; generation < 502; generation++) {
      school.clock.now += 600
      newest = await tokensOf(await refresh(school, newest.refresh_token))
    }
    expect(await refusalOf(await refresh(school, shared.refresh_token))).toEqual(
      generic('invalid_grant'),
    )
    expect(reasonsOf(school)).toEqual(['refresh_token_stale'])
    expect((await refresh(school, newest.refresh_token)).status).toBe(200)
  })

  it('gets nothing after a revocation, wherever it is in the line [REFR-06]', async () => {
    const school = await createSchool()
    const shared = await signIn(school)
    const newest = await runAhead(school, shared, 3)
    await post(school, '/api/oauth/revoke', {
      token: newest.refresh_token,
      client_id: 'study-buddy',
    })
    expect((await refresh(school, shared.refresh_token)).status).toBe(400)
    expect(reasonsOf(school)).toEqual(['grant_revoked'])
  })

  it('stops where the person may no longer use the client, and nothing is rotated [REFR-13]', async () => {
    const school = await createSchool()
    const shared = await signIn(school)
    const newest = await runAhead(school, shared, 3)
    const people = new Map(school.people)
    school.people.clear()
    expect((await refresh(school, shared.refresh_token)).status).toBe(400)
    expect(await isUsed(school, newest)).toBe(false)
    for (const [subject, person] of people) school.people.set(subject, person)
    expect((await refresh(school, shared.refresh_token)).status).toBe(200)
  })
})

describe('a refresh whose response was lost', () => {
  it.each([10 * 60, 9 * HOUR, 14 * DAY, 30 * DAY - 1])(
    'is repeated %i seconds later, because nobody has used its successor [REFR-03, D-06]',
    async (seconds) => {
      const school = await createSchool()
      const { refresh_token } = await signIn(school)
      await refresh(school, refresh_token)
      school.clock.now += seconds
      const tokens = await tokensOf(await refresh(school, refresh_token))
      expect(await isAlive(school, tokens.access_token)).toBe(true)
      expect(await isUsed(school, tokens)).toBe(false)
    },
  )
})

describe('a public client that does not run on a computer with others', () => {
  const open = (): Promise<School> => {
    const elsewhere = (client: Client | null): Client | null =>
      client && {
        ...client,
        redirectUris: [...client.redirectUris, 'https://app.example/callback'],
      }
    const store: Store = withClient(createMemoryStore(), elsewhere)
    return createSchool({ store, options: { loopbackHosts: ['localhost'] } })
  }

  it('catches up for ten minutes, and is a thief afterwards [REFR-02, REFR-18]', async () => {
    for (const [seconds, status] of [
      [599, 200],
      [600, 400],
    ] as const) {
      const school = await open()
      const first = await signIn(school)
      const second = await tokensOf(await refresh(school, first.refresh_token))
      const third = await tokensOf(await refresh(school, second.refresh_token))
      school.clock.now += seconds
      expect((await refresh(school, first.refresh_token)).status).toBe(status)
      expect(await isAlive(school, third.access_token)).toBe(status === 200)
    }
  })

  it('has a lost response repeated for ten minutes, and is a thief afterwards [REFR-02, D-06]', async () => {
    for (const [seconds, status] of [
      [599, 200],
      [600, 400],
    ] as const) {
      const school = await open()
      const first = await signIn(school)
      const second = await tokensOf(await refresh(school, first.refresh_token))
      school.clock.now += seconds
      expect((await refresh(school, first.refresh_token)).status).toBe(status)
      expect(await isAlive(school, second.access_token)).toBe(status === 200)
    }
  })

  it('is reported once a week if a thief follows it by a minute, and ends if the thief is late [REFR-02, REFR-23]', async () => {
    const school = await open()
    let stolen = await signIn(school)
    let honest = stolen
    for (let day = 0; day < 9; day++) {
      for (let hour = 0; hour < 8; hour++) {
        honest = await tokensOf(await refresh(school, honest.refresh_token))
        school.clock.now += 60
        // A lost response that is asked for several times is one.
        for (let attempt = 0; attempt < 3; attempt++)
          expect(await tokensOf(await refresh(school, stolen.refresh_token))).toMatchObject({
            refresh_token: honest.refresh_token,
          })
        stolen = honest
        school.clock.now += HOUR - 60
      }
      school.clock.now += 16 * HOUR
    }
    const found = await school.store.findRefreshToken(hashToken(honest.refresh_token))
    // The tenth is the second of the second day. A week later it is counted again.
    const { subject } = STUDENT
    const reported = { clientId: 'study-buddy', subject, grantId: found!.grant.grantId }
    expect(school.events.filter(({ type }) => type === 'oauth.grant.reuse_frequent')).toEqual(
      [DAY + HOUR + 60, 8 * DAY + HOUR + 60].map((seconds) => ({
        type: 'oauth.grant.reuse_frequent',
        at: T + seconds,
        ...reported,
      })),
    )
    honest = await tokensOf(await refresh(school, honest.refresh_token))
    school.clock.now += 600
    expect((await refresh(school, stolen.refresh_token)).status).toBe(400)
    expect(await isAlive(school, honest.access_token)).toBe(false)
    expect(school.events.at(-1)).toMatchObject({ type: 'oauth.grant.reuse_detected' })
  })
})

it.each([
  ['a native client, whose processes share a token', {}, {}],
  ['a confidential client', PORTFOLIO_REQUEST, PORTFOLIO_FORM],
])('does not report %s, however often it is behind [REFR-23]', async (_, request, form) => {
  const school = await createSchool()
  let old = await signIn(school, request, { form })
  for (let hour = 0; hour < 30; hour++) {
    const newest = await tokensOf(await refresh(school, old.refresh_token, form))
    school.clock.now += 60
    await tokensOf(await refresh(school, old.refresh_token, form))
    school.clock.now += HOUR
    old = newest
  }
  expect(recoveries(school)).toHaveLength(30)
  expect(school.events.some(({ type }) => type === 'oauth.grant.reuse_frequent')).toBe(false)
})

describe('a confidential client', () => {
  it('is refused without harm after a week, because only it has the secret [REFR-19]', async () => {
    const school = await createSchool()
    const old = await signIn(school, PORTFOLIO_REQUEST, { form: PORTFOLIO_FORM })
    let newest = old
    for (let day = 0; day < 8; day++) {
      newest = await tokensOf(await refresh(school, newest.refresh_token, PORTFOLIO_FORM))
      school.clock.now += DAY
    }
    expect(await refusalOf(await refresh(school, old.refresh_token, PORTFOLIO_FORM))).toEqual(
      generic('invalid_grant'),
    )
    expect(reasonsOf(school)).toEqual(['refresh_token_stale'])
    expect((await refresh(school, newest.refresh_token, PORTFOLIO_FORM)).status).toBe(200)
  })
})

describe('an ended grant', () => {
  it('is refused at each try after one look-up, and reported once an hour [REFR-20]', async () => {
    const { store, calls } = recordingStore()
    const school = await createSchool({ store })
    const tokens = await signIn(school)
    await post(school, '/api/oauth/revoke', {
      token: tokens.refresh_token,
      client_id: 'study-buddy',
    })
    const before = school.events.length
    calls.length = 0
    for (let attempt = 0; attempt < 163; attempt++) {
      expect(await refusalOf(await refresh(school, tokens.refresh_token))).toEqual(
        generic('invalid_grant'),
      )
      school.clock.now += 60
    }
    // The clock of the store is compared now and then.
    const names = calls.map(({ method }) => method).filter((method) => method !== 'findClock')
    expect(names).toEqual(Array.from({ length: 163 }, () => 'findRefreshToken'))
    expect(school.events.slice(before)).toEqual(
      [0, 1, 2].map((hour) => ({
        type: 'oauth.grant.used_after_end',
        at: T + hour * HOUR,
        clientId: 'study-buddy',
        reason: 'grant_revoked',
      })),
    )
    expect(reasonsOf(school)).toEqual(['grant_revoked', 'grant_revoked', 'grant_revoked'])
  })

  it('of one client does not silence another, nor another refusal [REFR-20]', async () => {
    const school = await createSchool()
    const tokens = await signIn(school)
    const others = await signIn(school, PORTFOLIO_REQUEST, { form: PORTFOLIO_FORM })
    for (const { refresh_token } of [tokens, others])
      await post(school, '/api/oauth/revoke', { token: refresh_token, ...PORTFOLIO_FORM })
    await post(school, '/api/oauth/revoke', {
      token: tokens.refresh_token,
      client_id: 'study-buddy',
    })
    await refresh(school, tokens.refresh_token)
    await refresh(school, others.refresh_token, PORTFOLIO_FORM)
    await refresh(school, 'hpr_unknown')
    await refresh(school, 'hpr_unknown')
    expect(reasonsOf(school)).toEqual([
      'grant_revoked',
      'grant_revoked',
      'refresh_token_unknown',
      'refresh_token_unknown',
    ])
  })

  it('after 180 days is reported as expired [REFR-20]', async () => {
    const school = await createSchool({ options: { grantSeconds: HOUR } })
    const tokens = await signIn(school)
    school.clock.now += HOUR
    await refresh(school, tokens.refresh_token)
    await refresh(school, tokens.refresh_token)
    expect(reasonsOf(school)).toEqual(['grant_expired'])
    expect(school.events.at(-1)).toMatchObject({ reason: 'grant_expired' })
  })
})

describe('the policies', () => {
  it('are frozen in their order: no policy repeats less than it catches up', () => {
    for (const { repeatSeconds, catchUpSeconds } of Object.values(REFRESH_POLICY))
      expect(catchUpSeconds).toBeLessThanOrEqual(repeatSeconds)
  })
})
