const MOST_LETTERS = 60
const LABEL_LETTERS = 30
const MOST_LABELS = 100

/** Reads the name of a school from a form. `null` if it is not a name of 1 to 60 characters. */
export function nameFrom(text: string): string | null {
  const name = text.trim().replaceAll(/\s+/g, ' ')
  return name !== '' && name.length <= MOST_LETTERS && !/\p{C}/u.test(name) ? name : null
}

/** Returns labels for a host of a school with this name, the best first: `art`, `art-2` and so on for School of Art. */
export function labelsOf(name: string): readonly string[] {
  const words = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')
  const own = words.filter((word) => !['a', 'and', 'of', 'school', 'the'].includes(word))
  const label = (own.length > 0 ? own : words).join('-').slice(0, LABEL_LETTERS).replace(/-$/, '')
  const first = label === '' ? 'school' : label
  return Array.from({ length: MOST_LABELS }, (_, index) =>
    index === 0 ? first : `${first}-${index + 1}`,
  )
}
