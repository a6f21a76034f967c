import fc from 'fast-check'

const FIRST_SURROGATE = 0xd800
const SURROGATES = 0x800
const CHARACTERS = 0x11_0000 - SURROGATES

/**
 * Any character of Unicode, for `fc.string({ unit: anyCharacter })`. It makes the same texts as the
 * unit `binary`, which takes two seconds at its first use to write down a million characters.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat(CHARACTERS - 1)
  .map(characterAt, (character) => {
    const index = indexOf(String(character))
    if (characterAt(index) !== character) throw new Error('no single character')
    return index
  })

function characterAt(index: number): string {
  return String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES)
}

function indexOf(text: string): number {
  const point = text.codePointAt(0) ?? 0
  return point < FIRST_SURROGATE ? point : point - SURROGATES
}
