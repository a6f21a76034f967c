import { describe, expect, it } from 'vitest'
import { createCircuit, createSlots } from '../../src/protected-resource/questions.js'

describe('the places for questions about unknown tokens', () => {
  it('are 32, of which one network has at most half of what is free', () => {
    const slots = createSlots()
    const takeAll = (network: string | null): (() => void)[] => {
      const taken: (() => void)[] = []
      for (let one = slots.take(network); one !== null; one = slots.take(network)) taken.push(one)
      return taken
    }
    const sizes = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((network) => takeAll(network).length)
    expect(sizes).toEqual([11, 7, 5, 4, 4, 1, 0])
  })

  it('are free again, for the network that had them too', () => {
    const slots = createSlots()
    const round = (): number => {
      const taken: (() => void)[] = []
      for (let one = slots.take('a'); one !== null; one = slots.take('a')) taken.push(one)
      for (const free of taken) free()
      return taken.length
    }
    expect([round(), round()]).toEqual([11, 11])
    const [first] = [slots.take('a')!, slots.take('a')]
    first()
    const more: unknown[] = []
    while (slots.take('a') !== null) more.push(null)
    expect(more).toHaveLength(10)
  })
})

describe('the circuit', () => {
  it('opens by five failures of three senders, and not again while it is open', () => {
    const circuit = createCircuit()
    expect(circuit.admits(0, true)).toBe(true)
    for (const network of ['a', 'a', 'b', 'b']) circuit.failed(100, network)
    expect(circuit.admits(100, true)).toBe(true)
    circuit.failed(100, 'c')
    expect([circuit.admits(100, true), circuit.admits(104, false)]).toEqual([false, false])
    circuit.failed(104, 'd')
    // After a pause, one question of each kind.
    expect([circuit.admits(105, true), circuit.admits(105, true)]).toEqual([true, false])
    expect([circuit.admits(105, false), circuit.admits(109, false)]).toEqual([true, false])
    circuit.succeeded()
    expect(circuit.admits(106, true)).toBe(true)
  })

  it('counts failures of one network alone, without a pause', () => {
    const circuit = createCircuit()
    for (let index = 0; index < 9; index++) circuit.failed(100, 'a')
    expect(circuit.admits(100, true)).toBe(true)
    circuit.failed(100, null)
    circuit.failed(100, null)
    expect(circuit.admits(100, true)).toBe(false)
  })
})
