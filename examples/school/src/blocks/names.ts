/** The opt-in blocks that `SCHOOL_BLOCKS` may name: each has its row in `blocks.ts`. */
export const BLOCK_NAMES = [
  'client-credentials',
  'client-secret-basic',
  'device',
  'dpop',
  'dpop-nonces',
  'fapi2',
  'id-jag',
  'par',
  'private-key-jwt',
] as const

/** The name of an opt-in block. */
export type BlockName = (typeof BLOCK_NAMES)[number]

/** An identity provider whose assertions a school accepts. */
export interface IdentityProviderSetting {
  readonly issuer: string
  readonly jwksUri: string
}

/** Whether a block has this name. */
export const isBlockName = (name: string): name is BlockName =>
  (BLOCK_NAMES as readonly string[]).includes(name)

/** The blocks that one needs. */
const NEEDED: Readonly<Partial<Record<BlockName, readonly BlockName[]>>> = {
  fapi2: ['private-key-jwt', 'dpop', 'par'],
}

/** Returns the blocks that the named ones need and that are not named. */
export const missingBlocks = (names: readonly BlockName[]): readonly BlockName[] =>
  names.flatMap((name) => NEEDED[name] ?? []).filter((needed) => !names.includes(needed))

/** Returns the block whose name is nearest to a misspelled one, by letters and digits; `null` if more than two differ, or a third. */
export function nearestBlock(misspelt: string): BlockName | null {
  const [closest] = BLOCK_NAMES.map((name) => ({
    name,
    slips: slipsBetween(lettersOf(misspelt), lettersOf(name)),
  })).toSorted((one, other) => one.slips - other.slips)
  const isNear = closest !== undefined && closest.slips <= Math.min(2, closest.name.length / 3)
  return isNear ? closest.name : null
}

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z\d]/g, '')

/** Counts the letters to insert, delete or replace (Levenshtein distance). */
function slipsBetween(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (const [row, letter] of [...from].entries()) {
    const here = [row + 1]
    for (let column = 1; column <= to.length; column++)
      here.push(
        Math.min(
          above[column]! + 1,
          here[column - 1]! + 1,
          above[column - 1]! + (letter === to[column - 1] ? 0 : 1),
        ),
      )
    above = here
  }
  return above[to.length]!
}
