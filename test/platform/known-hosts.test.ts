import { describe, expect, it } from 'vitest'
import { createKnownHosts } from '../../src/platform/known-hosts.js'
import { platformOf } from './platform-of.js'

/** Known hosts whose `changes` returns one of these after another. */
function knownHosts(answers: readonly Iterable<string>[], most: number) {
  let at = 100
  let asked = 0
  const told: string[] = []
  const faults: unknown[] = []
  const known = createKnownHosts({
    changes: async () => ({ until: String(asked), hosts: answers[asked++] ?? [] }),
    changed: (host) => void told.push(host),
    seconds: () => at,
    onFault: (fault) => void faults.push(fault),
    most,
  })
  const pass = (seconds: number): void => {
    at += seconds
  }
  return { known, told, faults, pass, count: () => asked }
}

describe('the hosts that a process keeps', () => {
  it('are all that changes named, so that another one is none', async () => {
    const { known, count } = knownHosts([['a.example', 'b.example']], 3)
    expect(await known.mayBe('none.example')).toBe(false)
    expect(await known.mayBe('b.example')).toBe(true)
    expect([known.areListed(), count()]).toEqual([true, 1])
  })

  it('are bounded: beyond it any host may be one, and no list ends the process', async () => {
    function* endless() {
      for (let index = 0; ; index++) yield `s${index}.example`
    }
    const { known, told, faults, pass } = knownHosts([endless(), ['s9.example']], 3)
    expect(await known.mayBe('s9.example')).toBe(true)
    expect(known.areListed()).toBe(false)
    expect(await known.mayBe('none.example')).toBe(true)
    pass(5)
    known.look(105)
    await known.mayBe('none.example')
    await new Promise(setImmediate)
    // A change is told for each host.
    expect([told, faults, known.isCurrent(5)]).toEqual([['s9.example'], [], true])
  })

  it('are not more because a host is named that the host application said to have changed', async () => {
    const { known } = knownHosts([['a.example']], 2)
    await known.mayBe('a.example')
    known.add('a.example')
    expect(known.areListed()).toBe(true)
    known.add('b.example')
    known.add('c.example')
    expect(known.areListed()).toBe(false)
  })
})

describe('changes', () => {
  it.each([
    [null, 'changes returned null: it must be an object'],
    [{ until: 1, hosts: [] }, 'changes returned until 1: it must be a string, such as String(id)'],
    [{ until: '1' }, 'changes returned hosts undefined: it must be an array of hosts'],
    [{ until: '1', hosts: 'art.example' }, 'changes returned hosts a string'],
    [{ until: '1', hosts: ['a.example', 7] }, 'changes returned hosts with 7: it must be a string'],
    [{ until: '1', hosts: [null] }, 'changes returned hosts with null: it must be a string'],
    [['art.example'], 'changes returned an array: it must be an object'],
  ])('that return %j are a fault that says why', async (returned, message) => {
    const { get, faults } = platformOf(['art.example'], { changes: async () => returned as never })
    expect((await get('https://art.example/')).status).toBe(200)
    expect(faults[0]).toMatchObject({ at: 'changes', host: null })
    expect((faults[0]!.fault as Error).message).toContain(message)
  })
})
