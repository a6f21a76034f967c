/** Characters that look like Latin letters, each with the letters that it looks like, such as `{ 'ɑ': 'a' }`. */
export type Lookalikes = Readonly<Record<string, string>>

// The most frequent look-alikes, which the table of the caller adds to.
const LOOKALIKES: Lookalikes = Object.fromEntries(
  'аa вb еe кk мm нh оo рp сc тt уy хx іi јj ѕs ԁd ԛq ԝw һh ӏl αa εe ιi κk νv οo ρp τt υu χx ıi ɡg ℓl 0o 1l |l'
    .split(' ')
    .map((pair) => [pair.charAt(0), pair.charAt(1)]),
)

// The first letters of alphabets that Unicode does not decompose: in a black circle, in a black square, in flags.
const ALPHABETS = [0x1f150, 0x1f170, 0x1f1e6]

// Words that claim to be the owner of the name, or say nothing.
const EMPTY_WORDS =
  'the real original official genuine trusted verified ai app application client co com corp gmbh inc llc ltd ' +
  'account admin check login security signin support team'

/** How often a character is replaced by what it looks like. The table of a site could go in a circle. */
const MAX_REPLACEMENTS = 4

/** A place in a spelling: the letters that lead from it to others. The letter is empty if none is needed. */
type Place = [letter: string, to: Place][]
/** Adds the readings of one character between two places. */
type Reader = (character: string, from: Place, to: Place) => void

/**
 * Returns a function that tells whether a person could read a name as another one, by itself or with words around
 * it that say nothing.
 *
 * A character that looks like several letters is each of them. So both names are sets of spellings, and the
 * question is whether these have one in common. The sets are never written out. They are graphs of a few places for
 * each character, and a name that is full of such characters costs no more than another one.
 *
 * @see [Unicode Technical Standard 39, section 4](https://www.unicode.org/reports/tr39/#Confusable_Detection)
 */
export function readerOf(name: string, lookalikes: Lookalikes): (owned: string) => boolean {
  const tables = [lookalikes, LOOKALIKES]
  const reader = (left: number): Reader => {
    return (character, from, to) => {
      const forms = formsOf(character)
      if (forms.length === 0 || left === 0) addPath(lettersOf(character), from, to, addLetter)
      if (left === 0) return
      const alike = tables.flatMap((table) =>
        Object.hasOwn(table, character) ? [table[character]!] : [],
      )
      for (const text of new Set([...forms, ...alike])) addPath(text, from, to, reader(left - 1))
    }
  }
  const spell = (text: string, from: Place, to: Place): void =>
    addPath(text.replace(/\p{DI}/gu, '').normalize('NFC'), from, to, reader(MAX_REPLACEMENTS))
  const [start, end]: Place[] = [[], []]
  spell(name, start!, end!)

  return (owned) => {
    const [before, after, nothing]: [Place, Place, Place] = [[], [], []]
    spell(owned, before, after)
    // A name without letters and digits cannot be compared.
    if (meet([nothing, before], [nothing, after])) return false
    spell(owned, after, after)
    for (const place of [before, after])
      for (const word of EMPTY_WORDS.split(' ')) addPath(lettersOf(word), place, place, addLetter)
    return meet([start!, before], [end!, after])
  }
}

/** Returns what a character is by the rules of Unicode. Compatibility forms are not always alike: U+03F2 is a c. */
function formsOf(character: string): readonly string[] {
  const point = character.codePointAt(0)!
  const enclosed = ALPHABETS.map((first) => point - first).filter(
    (letter) => letter >= 0 && letter < 26,
  )
  return [
    ...['NFD', 'NFKD'].map((form) => character.normalize(form)),
    character.toLowerCase(),
    ...enclosed.map((letter) => String.fromCodePoint(0x61 + letter)),
  ].filter((form) => form !== character)
}

/** Returns what is left of a text for a reader who does not look closely. */
const lettersOf = (text: string): string =>
  text
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replaceAll('i', 'l')
    .replaceAll('m', 'rn')

const addLetter: Reader = (letter, from, to) => void from.push([letter, to])

/** Adds the readings of a text between two places. */
function addPath(text: string, from: Place, to: Place, add: Reader): void {
  const characters = Array.from(text)
  const last = characters.pop()
  let at = from
  for (const character of characters) {
    const next: Place = []
    add(character, at, next)
    at = next
  }
  if (last === undefined) at.push(['', to])
  else add(last, at, to)
}

/** Returns whether one text leads from both starts to both ends. */
function meet(
  starts: readonly [Place, Place],
  [oneEnd, otherEnd]: readonly [Place, Place],
): boolean {
  const seen = new Map<Place, Set<Place>>()
  const open: (readonly [Place, Place])[] = []
  function visit(one: Place, other: Place): void {
    const others = seen.get(one) ?? new Set()
    seen.set(one, others)
    if (!others.has(other)) open.push([one, other])
    others.add(other)
  }
  visit(...starts)
  for (const [one, other] of open) {
    if (one === oneEnd && other === otherEnd) return true
    for (const [letter, to] of one)
      if (letter === '') visit(to, other)
      else for (const [same, next] of other) if (same === letter) visit(to, next)
    for (const [letter, to] of other) if (letter === '') visit(one, to)
  }
  return false
}
