import * as z from 'zod'
import { describe, expect, it } from 'vitest'
import { line } from '../../../examples/school/src/admin/fields.js'

const CONTROLS = [...Array.from({ length: 0x20 }, (_, code) => code), 0x7f]
const MORE_CONTROLS = Array.from({ length: 0x20 }, (_, index) => 0x80 + index)

describe('a line of text', () => {
  it.each([...CONTROLS, ...MORE_CONTROLS].map((code) => [code.toString(16), code] as const))(
    'has no control character: U+%s',
    (_, code) => {
      expect(line().safeParse(`a${String.fromCodePoint(code)}b`).success).toBe(false)
    },
  )

  it.each(['Acuarela: técnica', '水彩', 'روي', '👩‍🎨 art', 'a\u00a0b', '~ !'])(
    'has any other: %s',
    (text) => {
      expect(line().parse(text)).toBe(text)
    },
  )

  it('is taken without the spaces and line breaks around it, and is not empty', () => {
    expect(line().parse(' \r\n Ink \t')).toBe('Ink')
    expect(line().safeParse(' \n').success).toBe(false)
    expect(line(3).safeParse('four').success).toBe(false)
  })

  it('says so in its JSON Schema', () => {
    const { pattern } = z.toJSONSchema(line()) as { pattern: string }
    const taken = new RegExp(pattern, 'u')
    expect(['Acuarela', 'a\u0007b', 'a\u0085b', ''].map((text) => taken.test(text))).toEqual([
      true,
      false,
      false,
      false,
    ])
  })
})
