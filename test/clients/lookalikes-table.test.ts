import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { LOOKALIKES } from 'hallpass/clients'
import { describe, expect, it } from 'vitest'
import confusables from 'unhomoglyph/data.json' with { type: 'json' }
import { ACME } from '../support/school/school.js'
import { resemblesVendor } from '../../src/policy/vendor-match.js'

const CURSOR = { ...ACME, clientId: 'cursor', name: 'Cursor' }

describe('the table of look-alikes', () => {
  it('sees at least what the whole table of UTS #39 sees', () => {
    const missed = Object.entries(confusables).filter(([character, letters]) => {
      if (!/^[A-Za-z]+$/.test(letters)) return false
      const named = [{ ...CURSOR, name: `zz${letters}zz` }]
      return !resemblesVendor({ name: `zz${character}zz`, vendors: named, lookalikes: LOOKALIKES })
    })
    expect(missed).toEqual([])
  })

  // `npx vitest run test/clients/lookalikes-table.test.ts -u` writes the table anew.
  it('has the rows of UTS #39 that read as Latin letters, and small capitals', async () => {
    const path = new URL('../../src/policy/lookalikes.ts', import.meta.url)
    const written = readFileSync(path, 'utf8').replace(
      /(?<=tableOf\(\{\n)[^]*?(?=\}\)\n)/,
      linesOf(rowsOfConfusables()),
    )
    await expect(written).toMatchFileSnapshot(fileURLToPath(path))
  })
})

// Prototypes of UTS #39 that a reader takes for a Latin letter all the same.
const PROTOTYPES = Object.fromEntries(
  'ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ɪi ᴊj ᴋk ĸk ʟl ᴍm ɴn ᴏo ᴘp ꞯq ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz'
    .split(' ')
    .map((pair) => Array.from(pair) as [string, string]),
)

// What the table of UTS #39 has not: signs that spell words or digits, and shapes that pass for a letter.
const SIGNS = Object.fromEntries(
  '🆎ab 🆑cl 🆒cool 🆓free 🆔id 🆕new 🆖ng 🆗ok 🆘sos 🆙up 🆚vs ❶l ➀l ➊l ⓿o ᑕc ⊂c ☾c 丨l │l ㅣl ○o ◯o ⚪o ⭕o ●o ⚫o'
    .split(' ')
    .map((pair) => Array.from(pair))
    .map(([sign, ...letters]) => [sign!, letters.join('')] as const),
)

/** The characters that policy alone does not read as the letters that they look like. */
function rowsOfConfusables(): readonly (readonly [character: string, letters: string])[] {
  const known = [confusables, PROTOTYPES, SIGNS].flatMap((table) => Object.entries(table))
  const rows = known.map(([character, prototype]) => {
    const letters = Array.from(prototype.normalize('NFKD'), (one) => PROTOTYPES[one] ?? one)
    return [
      character,
      letters
        .join('')
        .replace(/[^\p{L}\p{N}]/gu, '')
        .toLowerCase(),
    ] as const
  })
  return [...new Map(rows)]
    .filter(([character, letters]) => /^[a-z]+$/.test(letters) && !isRead(character, letters))
    .sort(([one, a], [other, b]) => (a === b ? order(one, other) : a < b ? -1 : 1))
}

const order = (one: string, other: string): number => one.codePointAt(0)! - other.codePointAt(0)!
const isRead = (character: string, letters: string): boolean =>
  resemblesVendor({ name: `zz${character}zz`, vendors: [{ ...ACME, name: `zz${letters}zz` }] })

/** A line for all that look like the same letters. */
function linesOf(rows: readonly (readonly [character: string, letters: string])[]): string {
  const escapedOf = new Map<string, string>()
  for (const [character, letters] of rows) {
    const hex = character.codePointAt(0)!.toString(16)
    const escaped = `\\u${hex.length > 4 ? `{${hex}}` : hex.padStart(4, '0')}`
    escapedOf.set(letters, (escapedOf.get(letters) ?? '') + escaped)
  }
  return Array.from(escapedOf, ([letters, escaped]) => `  ${letters}: '${escaped}',\n`).join('')
}
