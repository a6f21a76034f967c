import fc from 'fast-check'
import { accountTools, isToolError } from 'hallpass/mcp'
import { beforeAll, describe, expect, it } from 'vitest'
import { actionOf, ARGUMENTS, type Members, openMembers } from './support.js'
import { anyCharacter } from '../support/http/characters.js'
import { rounds } from '../support/run/rounds.js'

let members: Members
beforeAll(async () => {
  members = await openMembers()
})

describe('input that means harm', () => {
  it.each([
    '', 'a b', 'a\0b', 'a\nb', 'a\u0085b', '../x', 'a..b', 'a/b', 'a\\b', 'a?b', 'a#b', 'a%2e', '\ud800',
    'a'.repeat(129), 7, null, ['mine-1'], { toString: 'mine-1' },
  ])('is no slug and no id: %j', async (value) => {
    const refused = { code: 'INVALID_INPUT' }
    expect(await members.call('get_my_course', { slug: value })).toMatchObject(refused)
    expect(await members.call('resume_learning', { slug: value })).toMatchObject(refused)
    expect(await members.call('get_my_order', { id: value })).toMatchObject(refused)
    expect(await members.call('cancel_my_registration', { id: value })).toMatchObject(refused)
    for (const place of [{ course: value, lecture_id: '1-l1' }, { course: 'mine-1', lecture_id: value }]) {
      const mark = { ...place, completed: true }
      const position = { ...place, position_seconds: 1 }
      expect(await members.call('mark_my_lecture', mark)).toMatchObject(refused)
      expect(await members.call('save_my_position', position)).toMatchObject(refused)
    }
    expect(members.calls).toEqual([])
  }) // prettier-ignore

  it.each([
    ['update_my_profile', { name: 'a'.repeat(101) }],
    ['update_my_profile', { name: 'Mei\u202egnil' }],
    ['update_my_profile', { picture: 'http://a.example/x.png' }],
    ['update_my_profile', { picture: 'https://[' }],
    ['update_my_profile', { email: 'other@example.com' }],
    ['update_my_profile', { timeZone: 'Asia/Taipei' }],
    ['cancel_my_registration', { id: 'reg_1', reason: 'a'.repeat(501) }],
    ['cancel_my_registration', { id: 'reg_1', reason: 'one\ntwo' }],
    ['save_my_position', { course: 'mine-1', lecture_id: '1-l1', position_seconds: -1 }],
    ['save_my_position', { course: 'mine-1', lecture_id: '1-l1', position_seconds: 1.5 }],
    ['save_my_position', { course: 'mine-1', lecture_id: '1-l1', position_seconds: 2 ** 31 }],
    ['mark_my_lecture', { course: 'mine-1', lecture_id: '1-l1', completed: 'yes' }],
    ['list_my_courses', { state: 'active' }],
    ['list_my_courses', { expires_within_days: 0 }],
    ['list_my_courses', { limit: 0 }],
    ['list_my_orders', { cursor: 'AAAA' }],
    ['list_my_orders', { cursor: `1.${'A'.repeat(2048)}` }],
    ['list_my_orders', { cursor: '99999999999.AAAA' }],
    ['get_my_profile', { id: 'mem_ines' }],
  ])('is refused before it reaches the school: %s %j', async (name, args) => {
    expect(await members.call(name, args)).toMatchObject({ code: 'INVALID_INPUT' })
    expect(members.calls).toEqual([])
  })

  it('never makes a tool throw', async () => {
    const tools = accountTools(members.api)
    const pairs = tools.flatMap(({ name, actions }) =>
      Object.keys(actions[0].input.shape).map((member) => [name, member] as const),
    )
    const text = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 40 }),
      fc.stringMatching(/^[\w.~=:-]{1,60}$/),
      fc.stringMatching(/^[0-9]{1,10}\.[\w-]{1,60}$/),
      fc.constantFrom('mine-1', '1-l1', 'ord_1', 'reg_1', '__proto__', 'constructor', 'https://a'),
    )
    const value = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.jsonValue())
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...pairs),
        value,
        fc.dictionary(fc.constantFrom(...pairs.map(([, member]) => member)), value),
        async ([name, member], one, more) => {
          const shape = Object.keys(actionOf(tools, name).input.shape)
          const known = Object.entries(more).filter(([other]) => shape.includes(other))
          const args = { ...ARGUMENTS[name], ...Object.fromEntries(known), [member]: one }
          const answer = await members.call(name, args)
          expect(isToolError(answer) || 'data' in answer || 'course' in answer).toBe(true)
        },
      ),
      { numRuns: rounds(200, { soak: 5000 }), seed: 13 },
    )
  })
})
