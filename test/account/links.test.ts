import { describe, expect, it } from 'vitest'
import { batched } from '../../src/account/batch.js'
import { createSource } from '../support/school/account.js'
import { openAccount } from '../support/school/account-api.js'
import { item, memberWith, order, subscription } from '../support/school/account-rows.js'
import { signIn } from '../support/school/flow.js'
import { OWNER, STUDENT, STUDY_BUDDY } from '../support/school/school.js'

async function open(ids: readonly string[]) {
  const data = { mine: memberWith('mine', ids), theirs: memberWith('theirs', ids) }
  const { source, calls } = createSource(
    new Map([
      [STUDENT.subject, data.mine],
      [OWNER.subject, data.theirs],
    ]),
  )
  const opened = await openAccount({ source, bucket: null, limits: { cost: 1_000_000 } })
  const request = { client_id: STUDY_BUDDY.clientId, scope: 'account:read' }
  const tokens = {
    mine: (await signIn(opened.school, request)).access_token,
    theirs: (await signIn(opened.school, request, { person: OWNER })).access_token,
  }
  const ask = async (who: 'mine' | 'theirs', query: string): Promise<unknown> => {
    calls.length = 0
    return (await opened.ask(tokens[who], query)).json()
  }
  return { data, calls, ask }
}

const LINKS = `enrolledCourse { title } eventRegistration { ticketName } subscription { planName }
  digitalProduct { title }`

describe('what an order led to', () => {
  it.each(['mine', 'theirs'] as const)(
    'is %s, under an identifier that others have too [GQL-06]',
    async (who) => {
      const { ask } = await open(['1', '2'])
      const items = (id: string): unknown => ({
        items: [
          {
            enrolledCourse: { title: `${who} ${id}` },
            eventRegistration: { ticketName: who },
            subscription: { planName: who },
            digitalProduct: { title: who },
          },
          {
            enrolledCourse: null,
            eventRegistration: null,
            subscription: null,
            digitalProduct: null,
          },
        ],
      })
      expect(await ask(who, `{ viewer { orders { nodes { items { ${LINKS} } } } } }`)).toEqual({
        data: { viewer: { orders: { nodes: [items('1'), items('2')] } } },
      })
    },
  )

  it.each([
    ['enr_1', 'EnrolledCourse', 'title', 'mine 1'],
    ['ord_1', 'Order', 'number', 'mine-1'],
    ['reg_1', 'EventRegistration', 'ticketName', 'mine'],
    ['sub_1', 'Subscription', 'planName', 'mine'],
    ['dig_1', 'OwnedDigitalProduct', 'title', 'mine'],
    [STUDENT.subject, 'Viewer', 'email', 'mine@example.com'],
  ])('is found by its identifier: %s', async (id, type, field, value) => {
    const { ask } = await open(['1'])
    const query = `{ node(id: "${id}") { __typename id ... on ${type} { ${field} } } }`
    expect(await ask('mine', query)).toEqual({
      data: { node: { __typename: type, id, [field]: value } },
    })
  })

  it.each(['enr_2', 'ord_2', 'reg_2', 'sub_2', 'dig_2', OWNER.subject, '1', 'enr_', '', 'xyz_1'])(
    'is nothing where the identifier is not theirs: %j [GQL-06]',
    async (id) => {
      const { ask, data } = await open(['1'])
      data.theirs = Object.assign(data.theirs, memberWith('theirs', ['2']))
      expect(await ask('mine', `{ node(id: "${id}") { id } }`)).toEqual({ data: { node: null } })
    },
  )
})

describe('the calls to a source', () => {
  it('are one for each kind, however many rows link to it [GQL-21]', async () => {
    const callsFor = async (count: number): Promise<string[]> => {
      const { ask, calls, data } = await open(
        Array.from({ length: count }, (_, index) => `${index}`),
      )
      const answer = await ask(
        'mine',
        `{ viewer {
          orders(first: 100) { nodes { items { ${LINKS} } } }
          subscriptions(first: 100) { nodes { courses { title sections { title } nextLecture { id } } } }
        } }`,
      )
      expect(answer).not.toHaveProperty('errors')
      expect(data.mine.orders).toHaveLength(count)
      return calls.toSorted()
    }
    const calls = await callsFor(40)
    expect(calls).toEqual(await callsFor(1))
    expect(calls.filter((call) => call === 'courseOutlines')).toHaveLength(1)
    expect(calls.length).toBeLessThanOrEqual(9)
  })

  it('ask for each row once', async () => {
    const { ask, data, calls } = await open(['1'])
    data.mine.orders = [
      order('1', { items: ['a', 'b', 'c'].map((id) => item(id, { enrollmentId: '1' })) }),
    ]
    data.mine.subscriptions = [subscription('1', { enrollmentIds: ['1', '1'] })]
    const query = '{ viewer { orders { nodes { items { enrolledCourse { id } } } } } }'
    expect(await ask('mine', query)).toEqual({
      data: {
        viewer: {
          orders: {
            nodes: [{ items: ['a', 'b', 'c'].map(() => ({ enrolledCourse: { id: 'enr_1' } })) }],
          },
        },
      },
    })
    expect(calls).toEqual(['profile', 'orders', 'enrollments'])
  })
})

describe('loading in one call', () => {
  const open = () => {
    const asked: (readonly string[])[] = []
    const get = batched(async (keys) => {
      asked.push([...keys])
      if (keys.includes('broken')) throw new Error('away')
      return new Map(keys.filter((key) => key !== 'missing').map((key) => [key, `value ${key}`]))
    })
    return { asked, get }
  }

  it('takes what is asked for in one turn, each key once', async () => {
    const { asked, get } = open()
    expect(await Promise.all(['a', 'b', 'a', 'missing'].map((key) => get(key)))).toEqual([
      'value a',
      'value b',
      'value a',
      null,
    ])
    expect(await Promise.all([get('b'), get('c')])).toEqual(['value b', 'value c'])
    expect(asked).toEqual([['a', 'b', 'missing'], ['c']])
  })

  it('asks again after it was told to forget', async () => {
    const { asked, get } = open()
    await get('a')
    get.forget()
    await get('a')
    expect(asked).toEqual([['a'], ['a']])
  })

  it('fails for everything that was asked for in that turn, and for nothing else', async () => {
    const { get } = open()
    const outcomes = await Promise.allSettled([get('a'), get('broken')])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await get('b')).toBe('value b')
  })
})
