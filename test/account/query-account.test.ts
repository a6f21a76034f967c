import { type AccountSource, accountSdl, emptyAccountSource, queryAccount } from 'hallpass/account'
import { describe, expect, it } from 'vitest'

describe('a test of the Account API', () => {
  it('has only the methods and members that its query reads', async () => {
    const orders: AccountSource['orders'] = async ({ subject }) => ({
      rows: [],
      total: subject === 'mem_mei' ? 4 : 0,
    })
    const query = 'query ($first: Int!) { viewer { name orders(first: $first) { totalCount } } }'
    const member = { subject: 'mem_mei', name: 'Mei' }
    expect(
      await queryAccount({ source: { orders }, member, query, variables: { first: 4 } }),
    ).toEqual({
      data: { viewer: { name: 'Mei', orders: { totalCount: 4 } } },
    })
  })

  it('sees what a method throws, and what the schema lacks', async () => {
    const query = '{ viewer { name } }'
    const profile = async () => Promise.reject(new Error('no such table: users'))
    const { data, errors } = await queryAccount({ source: { profile }, query })
    expect(data).toBeNull()
    expect(errors?.map(({ message }) => message)).toEqual([
      'the storage failed: profile threw an exception: no such table: users',
    ])
    const wrong = await queryAccount({ query: '{ viewer { password } }' })
    expect(wrong.data).toBeUndefined()
    expect(wrong.errors?.[0]?.message).toBe('Cannot query field "password" on type "Viewer".')
  })
})

describe('an empty source', () => {
  it('has every method but the two that each school has, and answers each query with none', async () => {
    const methods = Object.keys(emptyAccountSource).sort()
    expect(methods).toHaveLength(11)
    const lists = ['enrolledCourses', 'orders', 'eventRegistrations', 'subscriptions', 'digitalProducts'] // prettier-ignore
    for (const list of lists) expect(accountSdl).toContain(`  ${list}(`)
    const query = `{ viewer { ${lists.map((list) => `${list}(first: 1) { totalCount nodes { id } }`).join(' ')} } }`
    const none = { totalCount: 0, nodes: [] }
    expect(await queryAccount({ query })).toEqual({
      data: { viewer: Object.fromEntries(lists.map((list) => [list, none])) },
    })
  })

  it('changes nothing, and says so', async () => {
    const inputs = {
      savePlaybackPosition: 'courseId: "c", lectureId: "l", positionSeconds: 1',
      markLecture: 'courseId: "c", lectureId: "l", completed: true',
    }
    for (const [mutation, input] of Object.entries(inputs)) {
      const query = `mutation { ${mutation}(input: { ${input} }) { userErrors { code } } }`
      expect(await queryAccount({ query }), mutation).toMatchObject({
        data: { [mutation]: { userErrors: [{ code: 'NOT_FOUND' }] } },
      })
    }
    const query = 'mutation { updateProfile(input: { name: "Mei" }) { userErrors { code } } }'
    const { errors } = await queryAccount({ query })
    expect(errors?.map(({ path }) => path)).toEqual([['updateProfile']])
  })
})
