import { describe, expect, it } from 'vitest'
import { everyStore } from '../../support/databases/stores-of-file.js'
import { createDeviceSchool, DEVICE_GRANT } from '../../support/school/device-school.js'
import {
  DESK_CLI,
  generic,
  isAlive,
  post,
  reasonsOf,
  refresh,
  refusalOf,
  tokensOf,
} from '../../support/school/flow.js'
import { ISSUER, OWNER, T } from '../../support/school/school.js'

const STORES = everyStore()

const OTHER = { ...DESK_CLI, clientId: 'app_other' }

describe('a device that polls', () => {
  it('waits until the person has decided, and is refused a hundred times without a report [DEV-09]', async () => {
    const one = await createDeviceSchool()
    const asked = await one.begin()
    expect(await refusalOf(await one.poll(asked.device_code))).toEqual([
      400,
      {
        error: 'authorization_pending',
        error_description: 'the person has not decided yet: ask again after the interval',
      },
    ])
    for (let polls = 0; polls < 100; polls++) {
      one.school.clock.now += 5
      expect(await one.errorOf(asked.device_code)).toBe('authorization_pending')
    }
    expect(reasonsOf(one.school)).toEqual([])
  })

  it('is told to slow down, and then gets its tokens at the pace that it was told [DEV-10]', async () => {
    const one = await createDeviceSchool()
    const asked = await one.begin()
    const polled: unknown[] = []
    for (const seconds of [0, 2, 10, 5]) {
      one.school.clock.now += seconds
      polled.push(await one.errorOf(asked.device_code))
    }
    const pending = 'authorization_pending'
    expect(polled).toEqual([pending, 'slow_down', pending, pending])
    expect(reasonsOf(one.school)).toEqual(['device_polls_too_fast'])
    // Only the device pays for its polls.
    const other = await one.begin()
    expect(await one.errorOf(other.device_code)).toBe(pending)
  })

  it('learns that the person pressed Cancel [DEV-11]', async () => {
    const one = await createDeviceSchool()
    const asked = await one.begin()
    await one.enter(asked.user_code)
    await one.decide('deny')
    expect(one.pageOf('done').allowed).toBe(false)
    expect(await refusalOf(await one.poll(asked.device_code))).toEqual([
      400,
      {
        error: 'access_denied',
        error_description: 'the person did not allow this: stop asking',
      },
    ])
    expect(reasonsOf(one.school)).toEqual(['person_denied', 'device_denied'])
    expect(one.school.events.map(({ type }) => type)).toEqual([
      'oauth.authorization.requested',
      'oauth.authorization.denied',
    ])
  })

  it('learns that its code has expired, purged or not [DEV-12]', async () => {
    const one = await createDeviceSchool()
    const asked = await one.begin()
    one.school.clock.now += 600
    expect(await one.errorOf(asked.device_code)).toBe('expired_token')
    await one.school.store.purge({ now: T + 1000, limit: 100 })
    expect(await one.errorOf(asked.device_code)).toBe('expired_token')
    expect(reasonsOf(one.school)).toEqual(['device_code_expired', 'device_code_expired'])
  })

  it('gets what was allowed at the last moment, when it asks for the last time', async () => {
    const one = await createDeviceSchool()
    const asked = await one.begin()
    await one.enter(asked.user_code)
    one.school.clock.now += 589
    await one.decide('allow')
    one.school.clock.now = T + 600
    expect((await one.poll(asked.device_code)).status).toBe(200)
  })

  it('is the client to which the code was issued [DEV-07]', async () => {
    const one = await createDeviceSchool({ clients: [DESK_CLI, OTHER] })
    const asked = await one.begin()
    const as = { client_id: OTHER.clientId }
    expect(await refusalOf(await one.poll(asked.device_code, as))).toEqual(generic('invalid_grant'))
    await one.enter(asked.user_code)
    await one.decide('allow')
    expect(await refusalOf(await one.poll(asked.device_code, as))).toEqual(generic('invalid_grant'))
    expect((await one.poll(asked.device_code)).status).toBe(200)
    expect(reasonsOf(one.school)).toEqual(['device_code_of_other_client', 'code_of_other_client'])
  })

  it.each([
    [null, 'invalid_request', 'device_code_missing'],
    ['WDJB-MJHT', 'invalid_grant', 'device_code_unknown'],
    [`hpc_${'a'.repeat(43)}`, 'invalid_grant', 'device_code_unknown'],
    [`hpd_${'a'.repeat(43)}.${T + 60}`, 'access_denied', 'device_denied'],
    [`hpd_${'a'.repeat(43)}.${T}`, 'expired_token', 'device_code_expired'],
  ])('is refused with a device code that is none: %s', async (deviceCode, error, reason) => {
    const one = await createDeviceSchool()
    expect(await one.errorOf('', { device_code: deviceCode })).toBe(error)
    expect(reasonsOf(one.school)).toEqual([reason])
  })

  it('with another end in its device code has none that is known', async () => {
    const one = await createDeviceSchool()
    const { device_code, user_code } = await one.begin()
    await one.enter(user_code)
    await one.decide('allow')
    expect(await one.errorOf(device_code.replace(/\d+$/, String(T + 9999)))).toBe('access_denied')
  })

  it('repeats the resource that it asked for, as after a redirect', async () => {
    const one = await createDeviceSchool()
    const asked = await one.begin({ resource: ISSUER })
    await one.enter(asked.user_code)
    await one.decide('allow')
    expect(await one.errorOf(asked.device_code)).toBe('invalid_target')
    expect((await one.poll(asked.device_code, { resource: ISSUER })).status).toBe(200)
  })

  it('gets nothing for a person who lost the role, or was erased', async () => {
    const one = await createDeviceSchool()
    const asked = await one.begin()
    await one.enter(asked.user_code)
    await one.decide('allow')
    one.school.people.set(OWNER.subject, { ...OWNER, roles: [] })
    expect(await one.errorOf(asked.device_code)).toBe('invalid_grant')
    one.school.people.delete(OWNER.subject)
    expect(await one.errorOf(asked.device_code)).toBe('invalid_grant')
    expect(reasonsOf(one.school)).toEqual(['person_has_no_role', 'person_gone'])
  })

  it('gets nothing once its client may not use the grant, and its code remains unused [DEV-25]', async () => {
    let may: unknown = true
    const one = await createDeviceSchool({ grant: { mayUse: () => may as boolean } })
    const asked = await one.begin()
    await one.enter(asked.user_code)
    await one.decide('allow')
    may = false
    expect(await refusalOf(await one.poll(asked.device_code))).toEqual([
      400,
      {
        error: 'unauthorized_client',
        error_description:
          'this client may not use the device grant at this site: use authorization_code',
      },
    ])
    may = 'yes'
    expect((await one.poll(asked.device_code)).status).toBe(503)
    may = true
    expect((await one.poll(asked.device_code)).status).toBe(200)
    expect(reasonsOf(one.school)).toEqual(['device_grant_not_allowed'])
  })

  it('gets nothing by the grant of another code, where no one asks whether its client may [DEV-25]', async () => {
    const one = await createDeviceSchool()
    const asked = await one.begin()
    await one.enter(asked.user_code)
    await one.decide('allow')
    const code = { code: asked.device_code, code_verifier: asked.device_code }
    const as = { grant_type: 'authorization_code', redirect_uri: DEVICE_GRANT, ...code }
    expect(await one.errorOf(asked.device_code, as)).toBe('invalid_grant')
    expect((await one.poll(asked.device_code)).status).toBe(200)
  })

  it('gets 503 in bounded time while the host does not say whether its client may [DEV-25]', async () => {
    let may: Promise<boolean> = Promise.resolve(true)
    const one = await createDeviceSchool({
      grant: { mayUse: () => may },
      options: { callDeadlineMilliseconds: 50 },
    })
    const asked = await one.begin()
    await one.enter(asked.user_code)
    await one.decide('allow')
    may = new Promise(() => {})
    const response = await one.poll(asked.device_code)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    may = Promise.resolve(true)
    expect((await one.poll(asked.device_code)).status).toBe(200)
  })

  it('ends its grant by a second use also if its client may not use the grant any more', async () => {
    let may = true
    const one = await createDeviceSchool({ grant: { mayUse: () => may } })
    const asked = await one.begin()
    await one.enter(asked.user_code)
    await one.decide('allow')
    const tokens = await tokensOf(await one.poll(asked.device_code))
    may = false
    one.school.clock.now += 6
    expect(await one.errorOf(asked.device_code)).toBe('invalid_grant')
    expect(await isAlive(one.school, tokens.access_token)).toBe(false)
    expect(reasonsOf(one.school)[0]).toBe('code_replayed')
  })

  it('refreshes, and ends with its grant if its code is used again', async () => {
    const one = await createDeviceSchool()
    const asked = await one.begin()
    await one.enter(asked.user_code)
    await one.decide('allow')
    const tokens = await tokensOf(await one.poll(asked.device_code))
    const client = { client_id: DESK_CLI.clientId }
    const again = await tokensOf(await refresh(one.school, tokens.refresh_token, client))
    expect(await isAlive(one.school, again.access_token)).toBe(true)
    one.school.clock.now += 6
    expect(await one.errorOf(asked.device_code)).toBe('invalid_grant')
    expect(await isAlive(one.school, again.access_token)).toBe(false)
    expect(reasonsOf(one.school)[0]).toBe('code_replayed')
  })

  it('cannot redeem a code of a redirect, whatever it calls itself', async () => {
    const one = await createDeviceSchool()
    const asked = await one.begin()
    const form = { grant_type: 'authorization_code', code: asked.device_code, code_verifier: asked.device_code, redirect_uri: DEVICE_GRANT, client_id: DESK_CLI.clientId } // prettier-ignore
    expect((await post(one.school, '/api/oauth/token', form)).status).toBe(400)
    expect(reasonsOf(one.school)).toEqual(['code_unknown'])
  })
})

describe.each(STORES)('devices on the store: %s', (_, makeStore) => {
  it('get tokens once, of fifty polls at the same time', async () => {
    const one = await createDeviceSchool({ store: makeStore() })
    const asked = await one.begin()
    await one.enter(asked.user_code)
    await one.decide('allow')
    const all = await Promise.all(Array.from({ length: 50 }, () => one.poll(asked.device_code)))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(all.filter(({ status }) => status === 400)).toHaveLength(49)
    expect(new Set(reasonsOf(one.school))).toEqual(new Set(['code_lost_race']))
    const grants = await one.school.store.listGrants({
      of: { clientId: DESK_CLI.clientId }, after: null, limit: 9, now: T,
    }) // prettier-ignore
    expect(grants).toHaveLength(1)
  })

  it('are decided about once, of forms that allow and deny at the same time', async () => {
    const one = await createDeviceSchool({ store: makeStore() })
    for (let round = 0; round < 3; round++) {
      const asked = await one.begin()
      await one.enter(asked.user_code)
      const decisions = ['allow', 'deny', 'allow', 'deny'] as const
      const all = await Promise.all(
        decisions.map(async (decision) => (await one.decide(decision)).json()),
      )
      const done = all.filter((view) => (view as { page: string }).page === 'done')
      expect(done).toHaveLength(1)
      const { allowed } = done[0] as { allowed: boolean }
      expect((await one.poll(asked.device_code)).status).toBe(allowed ? 200 : 400)
    }
  })
})
