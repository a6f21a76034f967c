/** The parts of a statement: the text of each pair of brackets, and what is outside of all, with `()` in their place. */
function scopesOf(sql: string): readonly string[] {
  const done: string[] = []
  const open: string[] = ['']
  for (const character of sql) {
    if (character === '(') open.push('')
    else if (character === ')') {
      done.push(open.pop()!)
      open[open.length - 1] += `(#${done.length - 1})`
    } else open[open.length - 1] += character
  }
  return [...done, open[0]!]
}

const TABLE = /\b(from|join|(?<!key )update|into|using|,)\s+(hallpass_\w+)(?: (?:force index|indexed by)[^)]*?(?:\(#\d+\)|hallpass_\w+))?(?:\s+(?:as\s+)?(?!(?:where|set|on|order|limit|for|left|cross|inner|join|select|values|using|force|returning|indexed|group|union)\b)(\w+))?/g // prettier-ignore

/**
 * Returns the tables of a statement that it reads or writes without their site: the conditions of the same query compare
 * it neither with a value nor with that of a table that has one, and an insertion has no value for it.
 *
 * @param sql - its texts have no brackets
 */
export function withoutSite(sql: string): readonly string[] {
  const scopes = scopesOf(sql.replaceAll(/\s+/g, ' '))
  return scopes.flatMap((scope) => {
    const tables = [...scope.matchAll(TABLE)]
      .map(({ 0: found, 1: word, 2: table, 3: alias, index }) => ({
        table: table!,
        alias: alias ?? table!,
        isInsertion: word === 'into',
        behind: scope.slice(index + found.length),
      }))
      .filter(({ table }) => table !== 'hallpass_migration')
    const aliases = tables.filter(({ isInsertion }) => !isInsertion).map(({ alias }) => alias)
    const compared = [...scope.matchAll(/(?:(\w+)\.|\b)site = (?:(\w+)\.site|(\?|\$))/g)].map(
      ([, one = aliases[0]!, other]) => [one, other],
    )
    // A table of an outer query is looked at there.
    const known = new Set<string | undefined>([undefined])
    for (const name of compared.flat())
      if (name !== undefined && !aliases.includes(name)) known.add(name)
    for (let size = 0; size < known.size;) {
      size = known.size
      for (const [one, other] of compared)
        if (known.has(one) || known.has(other)) known.add(one).add(other)
    }
    return tables
      .filter(({ alias, isInsertion, behind }) => {
        const columns = /^\s*(?:as known )?\(#(\d+)\)/.exec(behind)?.[1]
        return isInsertion ? !/\bsite\b/.test(scopes[Number(columns)] ?? '') : !known.has(alias)
      })
      .map(({ table }) => table)
  })
}
