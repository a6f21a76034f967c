import { createRemoteGate, schoolRoles, schoolScopes } from 'hallpass'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/processes/wait.js'
import { T } from '../support/school/school.js'

/** A token of the right form, which no one issued. */
const random = (index: number): string => `hpa_${String(index).padStart(43, 'r')}`
/** A token that the issuer knows. */
const issued = (index: number): string => `hpa_${String(index).padStart(43, 'k')}`

/** A remote gate whose issuer answers as many questions a minute, and after that only about tokens that it knows. */
function openService(perMinute = Number.POSITIVE_INFINITY, answersKnown = true) {
  const clock = { now: T }
  const faults: string[] = []
  const asked: string[] = []
  const waiting: (() => void)[] = []
  const state = { holds: false, status: 200 }
  const remote = createRemoteGate<string>({
    issuer: 'https://school.example',
    name: 'School',
    scopes: schoolScopes,
    roles: schoolRoles,
    clientId: 'grades',
    clientSecret: 'the secret of grades',
    now: () => clock.now,
    networkOf: ({ headers }) => headers.get('x-network'),
    onFault: ({ fault }) => faults.push((fault as Error).message),
    async send(_, { body }) {
      const token = new URLSearchParams(body as string).get('token')!
      asked.push(token)
      if (state.holds) await new Promise<void>((resolve) => waiting.push(resolve))
      if (state.status !== 200) return new Response(null, { status: state.status })
      const isKnown = token.startsWith('hpa_k')
      if (asked.length > perMinute && !(isKnown && answersKnown)) return new Response(null, { status: 429 }) // prettier-ignore
      if (!isKnown) return Response.json({ active: false })
      return Response.json({
        active: true, iss: 'https://school.example', aud: 'https://school.example', sub: 'mem_1', client_id: 'app', iat: T, exp: T + 3600,
        token_type: 'Bearer', scope: 'account:read', token_scope: 'account:read', grant_id: `g_${token}`, client_name: 'App', client_kind: 'member', org_id: 'o', roles: ['student'],
      }) // prettier-ignore
    },
  })
  const reads = remote.gate('account:read')
  const ask = async (network: string | null, token: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}`, ...(network !== null && { 'x-network': network }) } // prettier-ignore
    const decided = await reads(new Request('https://grades.example/', { headers }))
    return decided instanceof Response ? decided.status : 200
  }
  const release = (): void => {
    state.holds = false
    for (const free of waiting.splice(0)) free()
  }
  return { ask, asked, faults, clock, state, waiting, release }
}

describe('random tokens', () => {
  it.each([
    ['the limit of the issuer is for strangers', 1000, true],
    ['the limit of the issuer is for all', 1000, false],
  ])(
    '40 a second cost nothing of others, where %s [REM-05]',
    async (_, perMinute, answersKnown) => {
      const { ask, clock } = openService(perMinute, answersKnown)
      const outcomes: number[] = []
      const floods: number[] = []
      let token = 0
      for (let second = 0; second < 60; second++) {
        clock.now = T + second
        for (let index = 0; index < 40; index++)
          floods.push(await ask('flood', random((token += 1))))
        // Three requests a second, one of which has a token that this process has not seen.
        for (const index of [1, 2, 1000 + second]) outcomes.push(await ask('honest', issued(index)))
      }
      expect(outcomes.filter((status) => status !== 200)).toEqual([])
      expect(floods).toContain(401)
      expect(floods).toContain(503)
    },
  )

  it('that wait for their answer leave places for another network [REM-05]', async () => {
    const { ask, state, waiting, release } = openService()
    state.holds = true
    const flood = Array.from({ length: 40 }, (_, index) => ask('flood', random(index)))
    const other = Array.from({ length: 9 }, (_, index) =>
      ask(`other ${index}`, random(100 + index)),
    )
    await Promise.any(flood.map(async (one) => ((await one) === 503 ? one : Promise.reject(new Error())))) // prettier-ignore
    const honest = ask('honest', issued(1))
    await waitFor(() => waiting.length === 21)
    release()
    expect(await honest).toBe(200)
    expect(await Promise.all(other)).toEqual(other.map(() => 401))
    const statuses = await Promise.all(flood)
    expect([statuses.filter((status) => status === 401).length, statuses.filter((status) => status === 503).length]).toEqual([11, 29]) // prettier-ignore
  })

  it('are paid back where they are active, so that an app with many people is not limited [REM-05]', async () => {
    const { ask } = openService()
    for (let index = 0; index < 500; index++) expect(await ask('hub', issued(index))).toBe(200)
    for (let index = 0; index < 120; index++) expect(await ask('hub', random(index))).toBe(401)
    expect(await ask('hub', random(120))).toBe(503)
    expect(await ask('hub', issued(7))).toBe(200)
  })

  it('cost nothing where no place was free, since none was asked [REM-05]', async () => {
    const { ask, state, waiting, release } = openService()
    state.holds = true
    const many = Array.from({ length: 300 }, (_, index) => ask('campus', random(index)))
    await waitFor(() => waiting.length === 11)
    release()
    expect((await Promise.all(many)).filter((status) => status === 401)).toHaveLength(11)
    for (let index = 0; index < 109; index++)
      expect(await ask('campus', random(1000 + index))).toBe(401)
    expect(await ask('campus', random(2000))).toBe(503)
  })

  it('do not make the server look as if it failed: neither by its limit, nor from one network [REM-07]', async () => {
    const { ask, asked, state, faults } = openService(0, true)
    for (let index = 0; index < 9; index++) expect(await ask(`n${index}`, random(index))).toBe(503)
    expect(asked).toHaveLength(9)
    state.status = 500
    for (let index = 0; index < 9; index++) expect(await ask('flood', random(10 + index))).toBe(503)
    expect(asked).toHaveLength(18)
    expect(faults.filter((fault) => fault.includes('failed'))).toEqual([])
    // Two other senders see it too.
    await ask('one', random(20))
    await ask('other', random(21))
    expect(await ask('third', random(22))).toBe(503)
    expect(faults.at(-1)).toBe('introspection was not asked: the last 5 questions failed')
    expect(asked).toHaveLength(20)
  })

  it('do not take the question that is sent in a pause for a token that was active [REM-07]', async () => {
    const { ask, asked, clock, state } = openService()
    expect(await ask('honest', issued(1))).toBe(200)
    state.status = 500
    for (let index = 0; index < 5; index++) await ask(`n${index}`, random(index))
    clock.now = T + 12
    asked.length = 0
    for (let index = 10; index < 15; index++) await ask(`n${index}`, random(index))
    expect(asked).toEqual([random(10)])
    state.status = 200
    expect(await ask('honest', issued(1))).toBe(200)
  })
})
