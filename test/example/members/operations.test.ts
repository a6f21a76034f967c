import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  memberRoles,
  type MemberState,
  refuseAddress,
  refuseMemberChange,
  refuseOptIn,
  refuseRoles,
} from '../../../examples/school/src/members/rules.js'
import { memberOperations } from '../../../examples/school/src/members/operations.js'
import { openLearningDemo } from '../support/learning-demo.js'
import { bodyOf, idsIn, KILN_SITE, type OperatorSchool } from '../support/operator-school.js'

let school: OperatorSchool
beforeAll(async () => {
  school = await openLearningDemo(memberOperations)
})
afterAll(() => school.close())

const read = async (id: string) => bodyOf(await school.call('GET', `/members/${id}`))
const patch = (id: string, body: object, role = 'owner') =>
  school.call('PATCH', `/members/${id}`, { body, role })
const post = (path: string, role = 'owner') => school.call('POST', `/members/${path}`, { role })
const invite = async (email: string, more: object = {}, role = 'owner') =>
  school.call('POST', '/members', { body: { email, ...more }, role })
const forbidden = { status: 403, body: { code: 'forbidden_role' } }

describe('members in a list', () => {
  it.each([
    ['roles=manager', ['mem_l02']],
    ['state=suspended', ['mem_l12']],
    ['state=invited', ['mem_l13']],
    ['state=deleted', ['mem_l14']],
    ['email=jonas.brandt@example.com', ['mem_l06']],
    ['tags=regular,ink', ['mem_l05']],
    ['marketing_opt_in=true&sort=name', ['mem_l05', 'mem_l09', 'mem_l07']],
    ['q=OKAFOR', ['mem_l10']],
    ['q=ines.duarte@', ['mem_l01']],
    ['updated_since=2026-11-18T00:00:00Z', ['mem_l07', 'mem_l13']],
    ['sort=-last_seen_at&state=active&roles=student&limit=1&fields=name', ['mem_l05']],
  ])('are found by %s', async (query, ids) => {
    expect(idsIn(await school.call('GET', `/members?${query}`))).toEqual(ids)
  })
})

describe('a member', () => {
  it('is shown with what they paid and when they were here, and never a password', async () => {
    expect(await read('mem_l05')).toEqual({
      id: 'mem_l05',
      email: 'mei-ling.chou@example.com',
      email_verified: true,
      name: 'Mei-Ling Chou',
      picture: 'https://images.example/people/mei-ling-chou.jpg',
      phone: '+351910000005',
      roles: ['student'],
      tags: ['regular', 'ink'],
      state: 'active',
      locale: 'en',
      marketing_opt_in: true,
      last_seen_at: '2026-11-20T06:00:00Z',
      lifetime_value: [{ amount: '180.00', currency: 'EUR' }],
      created_at: '2025-05-29T09:00:00Z',
      updated_at: '2025-05-29T09:00:00Z',
    })
    expect(await read('mem_l06')).toMatchObject({ lifetime_value: [] })
    expect(await read('mem_l14')).toMatchObject({ state: 'deleted', name: null, email: null })
    const everybody = await school.call('GET', '/members?limit=100')
    expect(JSON.stringify(everybody.body)).not.toMatch(/password|hash|scrypt|session/i)
  })

  it('was last seen signing in, where that was later', async () => {
    await school.execute(
      `insert into school_session (site, session_hash, member_id, auth_time, expires_at)
       values ('site_lantern', 'h', 'mem_l11', 1795165100, 1795169000)`,
      [],
    )
    expect(await read('mem_l11')).toMatchObject({ last_seen_at: '2026-11-20T08:58:20Z' })
    expect(await read('mem_l13')).toMatchObject({ last_seen_at: null })
  })

  it('is invited with a role below that of whoever invites', async () => {
    const invited = await invite('new@example.com', { tags: ['a', 'a'], locale: 'pt-PT' })
    expect(invited).toMatchObject({
      status: 201,
      body: {
        email: 'new@example.com',
        email_verified: false,
        name: null,
        roles: ['student'],
        tags: ['a'],
        state: 'invited',
        locale: 'pt-PT',
        marketing_opt_in: false,
        lifetime_value: [],
        created_at: '2026-11-20T09:00:00Z',
      },
    })
    expect(await read(bodyOf(invited).id)).toEqual(invited.body)
    expect((await invite('m1@example.com', { roles: ['manager'] })).status).toBe(201)
    expect((await invite('l1@example.com', { roles: ['lecturer'] }, 'manager')).status).toBe(201)
    expect(await invite('m2@example.com', { roles: ['manager'] }, 'manager')).toMatchObject(forbidden) // prettier-ignore
    for (const role of ['owner', 'manager'])
      expect(await invite('o@example.com', { roles: ['owner'] }, role)).toMatchObject(forbidden)
    expect(idsIn(await school.call('GET', '/members?q=m2@'))).toEqual([])
  })

  it('is invited once for an address, whatever its letters', async () => {
    expect(await invite('Sam.Okafor@Example.com')).toMatchObject({
      status: 409,
      body: { detail: 'mem_l10 already has this email address' },
    })
    const body = { email: 'sam.okafor@example.com' }
    expect((await school.call('POST', '/members', { body, site: KILN_SITE })).status).toBe(201)
  })

  it('is active once they have a password', async () => {
    const { id } = bodyOf(await invite('came@example.com'))
    await school.execute('update school_person set password_hash = $2 where member_id = $1', [id, 'x']) // prettier-ignore
    expect(await read(id)).toMatchObject({ state: 'active' })
  })

  it('changes as far as something was sent', async () => {
    const answer = await school.call('GET', '/members/mem_l08')
    const body = { name: 'Lucia F.', phone: '+393330000000', picture: 'https://images.example/l.jpg' } // prettier-ignore
    expect(await patch('mem_l08', body)).toMatchObject({
      status: 200,
      body: { ...bodyOf(answer), ...body, updated_at: '2026-11-20T09:00:00Z' },
    })
    expect((await patch('mem_l08', { phone: null })).body).toMatchObject({ phone: null })
  })

  it('is shown whatever they called themselves by the Account API', async () => {
    const long = `en-x-${'a'.repeat(8)}${'-bbbbbbbb'.repeat(300)}`
    const picture = `https://images.example/${'c'.repeat(5000)}.jpg`
    await school.execute(
      "update school_person set locale = $1, picture = $2 where site = 'site_kiln' and member_id = 'mem_k02'",
      [long, picture],
    )
    expect((await school.call('GET', '/members/mem_k02', { site: KILN_SITE })).body).toMatchObject({
      locale: long,
      picture,
    })
  })

  it('has the tags that were sent and no others', async () => {
    const put = (tags: string[]) => school.call('PUT', '/members/mem_l09/tags', { body: { tags } })
    expect((await put(['b', 'a', 'b'])).body).toMatchObject({ tags: ['b', 'a'] })
    expect(await read('mem_l09')).toMatchObject({ tags: ['b', 'a'] })
    await put([])
    expect(await read('mem_l09')).toMatchObject({ tags: [] })
  })

  it('gets a role below the one who gives it, if theirs is below too', async () => {
    const { id } = bodyOf(await invite('roles@example.com'))
    expect((await patch(id, { roles: ['lecturer'] }, 'manager')).body).toMatchObject({ roles: ['lecturer'] }) // prettier-ignore
    expect(await patch(id, { roles: ['manager'] }, 'manager')).toMatchObject(forbidden)
    expect((await patch(id, { roles: ['manager'] })).status).toBe(200)
    expect(await patch(id, { roles: ['owner'] })).toMatchObject(forbidden)
    expect(await patch(id, { roles: ['student'] }, 'manager')).toMatchObject(forbidden)
    expect(await post(`${id}/suspend`, 'manager')).toMatchObject(forbidden)
    expect(await patch(id, { name: 'A Peer', roles: ['manager'] }, 'manager')).toMatchObject({
      status: 200,
      body: { name: 'A Peer', roles: ['manager'] },
    })
    expect((await patch(id, { roles: ['student'] })).body).toMatchObject({ roles: ['student'] })
  })

  it('who owns the school is out of reach, for the owner too', async () => {
    const before = await read('mem_l01')
    for (const role of ['owner', 'manager']) {
      expect(await patch('mem_l01', { name: 'Nobody' }, role)).toMatchObject(forbidden)
      expect(await patch('mem_l01', { roles: ['student'] }, role)).toMatchObject(forbidden)
      expect(await post('mem_l01/suspend', role)).toMatchObject(forbidden)
      expect(await post('mem_l01/reactivate', role)).toMatchObject(forbidden)
      expect(
        await school.call('PUT', '/members/mem_l01/tags', { body: { tags: [] }, role }),
      ).toMatchObject(forbidden)
    }
    expect(await read('mem_l01')).toEqual(before)
  })

  it('is sent an invitation at another address, by somebody above them, until it is taken up', async () => {
    const { id } = bodyOf(await invite('tpyo@example.com', { roles: ['manager'] }))
    expect(await patch(id, { email: 'mine@example.com' }, 'manager')).toMatchObject(forbidden)
    expect((await patch(id, { email: 'typo@example.com' })).body).toMatchObject({ email: 'typo@example.com' }) // prettier-ignore
    expect((await patch(id, { email: 'Typo@example.com' })).status).toBe(200)
    expect((await patch(id, { email: 'sam.okafor@example.com' })).status).toBe(409)
    expect(await patch('mem_l10', { email: 'mine@example.com' })).toMatchObject({
      status: 409,
      body: { detail: 'only the member can change the email address they sign in with' },
    })
    expect((await patch('mem_l10', { email: 'sam.okafor@example.com' })).status).toBe(200)
  })

  it('opts in to marketing themselves; out, anybody may help', async () => {
    expect((await patch('mem_l10', { marketing_opt_in: true })).status).toBe(422)
    expect((await patch('mem_l07', { marketing_opt_in: true })).status).toBe(200)
    expect((await patch('mem_l07', { marketing_opt_in: false })).body).toMatchObject({ marketing_opt_in: false }) // prettier-ignore
    expect((await patch('mem_l07', { marketing_opt_in: true })).status).toBe(422)
  })

  it('is suspended and let in again, each twice without harm, and signs in anew', async () => {
    const sessions = async () =>
      (await school.execute("select from school_session where member_id = 'mem_l06'", [])).rows.length // prettier-ignore
    await school.execute("insert into school_session values ('site_lantern', 's6', 'mem_l06', 1, 2)", []) // prettier-ignore
    expect(await sessions()).toBe(1)
    const suspended = await post('mem_l06/suspend', 'manager')
    expect(suspended).toMatchObject({ status: 200, body: { state: 'suspended' } })
    expect(await sessions()).toBe(0)
    school.clock.now += 60
    expect((await post('mem_l06/suspend')).body).toEqual(suspended.body)
    const back = await post('mem_l06/reactivate')
    expect(back.body).toMatchObject({ state: 'active', updated_at: '2026-11-20T09:01:00Z' })
    school.clock.now -= 60
    expect((await post('mem_l06/reactivate')).body).toEqual(back.body)
    expect((await post('mem_l13/suspend')).body).toMatchObject({ state: 'suspended' })
    expect((await post('mem_l13/reactivate')).body).toMatchObject({ state: 'invited' })
  })

  it('who is deleted stays so', async () => {
    for (const answer of [
      await patch('mem_l14', { name: 'Back' }),
      await post('mem_l14/reactivate'),
      await post('mem_l14/suspend'),
      await school.call('PUT', '/members/mem_l14/tags', { body: { tags: ['x'] } }),
    ])
      expect(answer).toMatchObject({ status: 409, body: { detail: 'the member is deleted' } })
  })

  it.each([
    ['no address', { email: 'nobody' }],
    ['two roles', { roles: ['student', 'lecturer'] }],
    ['no role', { roles: [] }],
    ['an unknown role', { roles: ['root'] }],
    ['a phone number in words', { phone: 'call me' }],
    ['a locale that is none', { locale: 'x_y' }],
    ['a password', { password: 'secret' }],
    ['a password hash', { password_hash: 'secret' }],
    ['a verified address', { email_verified: true }],
    ['a state', { state: 'active' }],
    ['a site', { site: KILN_SITE }],
  ])('is refused with %s', async (_, fields) => {
    expect((await invite('refused@example.com', fields)).status).toBe(400)
    expect((await patch('mem_l10', fields)).status).toBe(400)
  })
})

describe('who may do what to whom', () => {
  it('is decided by rank: a role is given from above', () => {
    const table = memberRoles.map((caller) =>
      memberRoles.filter((role) => refuseRoles([caller], [role]) === null),
    )
    expect(table).toEqual([
      [],
      ['student'],
      ['student', 'assistant'],
      ['student', 'assistant', 'lecturer'],
      ['student', 'assistant', 'lecturer', 'manager'],
    ])
    expect(refuseRoles(['unknown'], ['student'])?.code).toBe('forbidden_role')
    expect(refuseRoles([], ['student'])?.code).toBe('forbidden_role')
    expect(refuseRoles(['student', 'manager'], ['lecturer'])).toBeNull()
  })

  it('is decided by rank: standing is changed from above, the rest of anybody but the owner', () => {
    const codes = (touchesStanding: boolean, state: MemberState = 'active') =>
      memberRoles.map((role) => {
        const member = { roles: [role], state }
        return refuseMemberChange({ callerRoles: ['manager'], member, touchesStanding })?.code ?? null // prettier-ignore
      })
    expect(codes(true)).toEqual([null, null, null, 'forbidden_role', 'forbidden_role'])
    expect(codes(false)).toEqual([null, null, null, null, 'forbidden_role'])
    expect(codes(false, 'deleted')).toEqual([...Array(4).fill('conflict'), 'forbidden_role'])
  })

  it('lets an address be mended before anybody signs in with it', () => {
    const states: MemberState[] = ['invited', 'active', 'suspended', 'deleted']
    expect(states.map((state) => refuseAddress(state)?.code ?? null)).toEqual([
      null,
      'conflict',
      'conflict',
      'conflict',
    ])
    expect(refuseOptIn(false, true)?.code).toBe('unprocessable')
    expect([refuseOptIn(true, true), refuseOptIn(true, false), refuseOptIn(false, undefined)]).toEqual([null, null, null]) // prettier-ignore
  })
})
