import { schoolScopes } from 'hallpass/scope'
import { describe, expect, it } from 'vitest'
import { createDeviceSchool, DEVICE_PATH } from '../../support/school/device-school.js'
import { DESK_CLI, reasonsOf, tokensOf } from '../../support/school/flow.js'
import { createBrowser, ISSUER, OWNER, STUDENT, T } from '../../support/school/school.js'
import { breakableStore, recordingStore } from '../../support/school/stores.js'

describe('the page of the device grant', () => {
  it('asks for a sign-in before it looks up a code [DEV-04]', async () => {
    const { store, calls } = recordingStore()
    const one = await createDeviceSchool({ store })
    const { user_code, verification_uri_complete } = await one.begin()
    one.school.signedIn = null
    calls.length = 0
    await one.browser.open(verification_uri_complete)
    expect(one.school.view).toMatchObject({
      page: 'signIn',
      view: {
        returnTo: `${DEVICE_PATH}?user_code=${user_code}`,
        cause: 'signed_out',
        client: { clientId: ISSUER },
      },
    })
    const form = { user_code, csrf_token: 'any', decision: 'allow' }
    const response = await one.browser.post(DEVICE_PATH, form)
    expect(response.status).toBe(200)
    expect(calls.filter(({ method }) => method === 'findPending')).toEqual([])
  })

  it('says of an account that is suspended that it is [HOST-07]', async () => {
    const one = await createDeviceSchool()
    const { verification_uri_complete } = await one.begin()
    one.school.people.clear()
    await one.browser.open(verification_uri_complete)
    expect(one.school.view).toMatchObject({ page: 'signIn', view: { cause: 'suspended' } })
  })

  it('fills in the code of a link, and neither looks it up nor allows anything by GET [DEV-06]', async () => {
    const { store, calls } = recordingStore()
    const one = await createDeviceSchool({ store })
    const { user_code, verification_uri_complete } = await one.begin()
    calls.length = 0
    for (const more of ['', '&decision=allow', '&decision=allow&csrf_token=x']) {
      await one.browser.open(verification_uri_complete + more)
      expect(one.pageOf('code')).toMatchObject({ userCode: user_code, notice: null })
    }
    await one.browser.open(`${DEVICE_PATH}?user_code=${'W'.repeat(2000)}`)
    expect(one.pageOf('code').userCode).toBeNull()
    expect(
      calls.filter(({ method }) => method === 'findPending' || method === 'issueCode'),
    ).toEqual([])
    expect((await one.school.fetch(ISSUER + DEVICE_PATH, { method: 'HEAD' })).status).toBe(204)
  })

  it('says who asks, from where and since when [DEV-18]', async () => {
    const one = await createDeviceSchool({
      grant: { fromWhere: (request) => `Lisbon, ${request.headers.get('x-network')}` },
    })
    const headers = { 'x-network': '203.0.113.9', 'user-agent': 'mcp-remote/0.15.1 \u{7f}(linux)' }
    const { user_code } = (await (await one.request({}, headers)).json()) as { user_code: string }
    one.school.clock.now += 60
    await one.enter(user_code)
    expect(one.pageOf('consent')).toMatchObject({
      userCode: user_code,
      requestedAt: T,
      place: 'Lisbon, 203.0.113.9',
      program: 'mcp-remote/0.15.1  (linux)',
      consent: {
        action: DEVICE_PATH,
        client: { name: 'Desk CLI', kind: 'loopback', verified: false },
        person: { subject: OWNER.subject },
        mayPaste: false,
      },
    })
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('away')
      },
    ],
    ['returns no text', () => 7 as never],
  ])('hides where a device is if fromWhere %s, and reports it', async (_, fromWhere) => {
    const one = await createDeviceSchool({ grant: { fromWhere } })
    await one.enter((await one.begin()).user_code)
    expect(one.pageOf('consent').place).toBeNull()
    expect(one.school.faults.map(({ endpoint }) => endpoint)).toEqual(['fromWhere'])
  })

  it('refuses a form of another site, and one with another token [DEV-20]', async () => {
    const one = await createDeviceSchool()
    const { user_code } = await one.begin()
    await one.browser.open(DEVICE_PATH)
    const { csrfToken } = one.pageOf('code')
    const form = { user_code, csrf_token: csrfToken }
    const cross = { 'sec-fetch-site': 'cross-site' }
    expect((await one.browser.post(DEVICE_PATH, form, cross)).status).toBe(403)
    expect((await one.browser.post(DEVICE_PATH, { user_code })).status).toBe(403)
    expect((await createBrowser(one.school).post(DEVICE_PATH, form)).status).toBe(403)
    await one.enter(user_code)
    const { consent } = one.pageOf('consent')
    const decision = { user_code, decision: 'allow' }
    expect(
      (await one.browser.post(DEVICE_PATH, { ...decision, csrf_token: csrfToken })).status,
    ).toBe(403)
    const own = { ...decision, csrf_token: consent.csrfToken }
    expect((await one.browser.post(DEVICE_PATH, own, cross)).status).toBe(403)
    one.signIn({ ...OWNER, subject: STUDENT.subject })
    expect((await one.browser.post(DEVICE_PATH, own)).status).toBe(403)
    expect(new Set(reasonsOf(one.school))).toEqual(new Set(['csrf_token_mismatch']))
    one.signIn()
    expect((await one.browser.post(DEVICE_PATH, own)).status).toBe(200)
    expect(one.pageOf('done').allowed).toBe(true)
  })

  it('knows no code that is unknown, malformed, over or answered [DEV-05]', async () => {
    const one = await createDeviceSchool()
    const asked = await one.begin()
    await one.enter('BBBB-BBBB')
    expect(one.pageOf('code')).toMatchObject({ userCode: 'BBBB-BBBB', notice: 'unknown' })
    await one.enter('hello')
    expect(one.pageOf('code')).toMatchObject({ userCode: null, notice: 'malformed' })
    await one.enter(asked.user_code)
    one.school.clock.now += 590
    await one.decide('allow')
    expect(one.pageOf('code')).toMatchObject({ userCode: asked.user_code, notice: 'unknown' })
    const second = await one.begin()
    await one.enter(second.user_code)
    await one.decide('allow')
    await one.enter(second.user_code)
    expect(one.pageOf('code').notice).toBe('unknown')
    expect(reasonsOf(one.school)).toEqual([
      'user_code_unknown', 'user_code_malformed', 'user_code_unknown', 'user_code_unknown',
    ]) // prettier-ignore
  })

  it('takes twenty codes from a person within ten minutes, and no more [DEV-15]', async () => {
    const one = await createDeviceSchool()
    for (let entered = 0; entered < 20; entered++) await one.enter('BBBB-BBBB')
    const { user_code } = await one.begin()
    const response = await one.enter(user_code)
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '30'])
    expect(reasonsOf(one.school).at(-1)).toBe('user_codes_paced')
    // Someone else is not affected.
    one.signIn(STUDENT)
    await one.enter(user_code)
    expect(one.pageOf('consent').consent.blocked).toBe('not_staff')
    one.signIn()
    one.school.clock.now += 30
    await one.enter(user_code)
    expect(one.pageOf('consent').userCode).toBe(user_code)
  })

  it('takes a thousand from a network, whoever they are [DEV-16]', async () => {
    const one = await createDeviceSchool({ options: { networkOf: () => '203.0.113.9' } })
    const enter = async (person: number): Promise<number> => {
      const subject = `mem_${person}`
      one.school.people.set(subject, { ...OWNER, subject })
      one.signIn({ ...OWNER, subject })
      await one.browser.open(DEVICE_PATH)
      const { csrfToken } = one.pageOf('code')
      const form = { csrf_token: csrfToken, user_code: 'BBBB-BBBB' }
      const all: number[] = []
      for (let entered = 0; entered < 20; entered++)
        all.push((await one.browser.post(DEVICE_PATH, form)).status)
      return all.filter((status) => status === 200).length
    }
    let accepted = 0
    for (let person = 0; person < 52; person++) accepted += await enter(person)
    expect(accepted).toBe(1000)
  })

  it('narrows what the device gets, with the ends that the school offers', async () => {
    const ends = [{ id: 'day', label: 'One day', endsAt: T + 86_400 }]
    const one = await createDeviceSchool({ options: { grantEnds: () => ends } })
    const asked = await one.begin()
    await one.enter(asked.user_code)
    expect(one.pageOf('consent').consent).toMatchObject({ grantEnds: ends, mayNarrow: true })
    await one.decide('allow', { access: 'choose' })
    expect(one.pageOf('consent').consent.notice).toBe('nothing_left')
    await one.decide('allow', { access: 'read', until: 'day' })
    expect(one.pageOf('done').allowed).toBe(true)
    const tokens = await tokensOf(await one.poll(asked.device_code))
    expect(tokens.scope).toBe('openid courses:read')
    const [held] = await one.school.store.listGrants({
      of: { clientId: DESK_CLI.clientId }, after: null, limit: 2, now: T,
    }) // prettier-ignore
    expect(held?.grant.expiresAt).toBe(T + 86_400)
  })

  it('tells the device that a person without the role was refused', async () => {
    const one = await createDeviceSchool()
    const asked = await one.begin()
    one.signIn(STUDENT)
    await one.enter(asked.user_code)
    expect(one.pageOf('consent').consent.blocked).toBe('not_staff')
    await one.decide('allow')
    expect(one.pageOf('done').allowed).toBe(false)
    expect(await one.errorOf(asked.device_code)).toBe('access_denied')
    expect(reasonsOf(one.school)).toEqual(['person_not_staff', 'device_denied'])
  })

  it('asks for a new sign-in before a sensitive scope', async () => {
    const one = await createDeviceSchool()
    expect(schoolScopes.get('members:write')?.sensitive).toBe(true)
    const asked = await one.begin({ scope: 'openid members:write' })
    one.school.clock.now += 301
    await one.enter(asked.user_code)
    expect(one.school.view).toMatchObject({ page: 'signIn', view: { cause: 'sensitive' } })
    one.signIn()
    await one.enter(asked.user_code)
    await one.decide('allow')
    expect(one.pageOf('done').allowed).toBe(true)
  })

  it('checks the client again on every visit', async () => {
    let may = true
    const one = await createDeviceSchool({ grant: { mayUse: () => may } })
    const asked = await one.begin()
    await one.enter(asked.user_code)
    may = false
    expect((await one.decide('allow')).status).toBe(400)
    may = true
    const stored = (await one.school.store.findClient(DESK_CLI.clientId))!
    await one.school.store.replaceClient({
      ...stored,
      disabled: true,
      revision: stored.revision + 1,
    })
    expect((await one.decide('allow')).status).toBe(400)
    expect(reasonsOf(one.school)).toEqual(['device_grant_not_allowed', 'client_disabled'])
  })

  it('is away if the store is, or your page, and nothing is allowed', async () => {
    const { store, fail } = breakableStore()
    const one = await createDeviceSchool({ store })
    const asked = await one.begin()
    await one.enter(asked.user_code)
    fail('issueCode')
    expect((await one.decide('allow')).status).toBe(503)
    fail(null)
    expect(await one.errorOf(asked.device_code)).toBe('authorization_pending')
    const other = await createDeviceSchool({ grant: { page: () => 'page' as never } })
    expect((await other.browser.open(DEVICE_PATH)).status).toBe(503)
  })
})
