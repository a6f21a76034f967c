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

const TABLE = /\b(from|join|update|into|using|,)\s+(hallpass_\w+)(?: (?:force index|indexed by)[^)]*?(?:\(#\d+\)|hallpass_\w+))?(?:\s+(?:as\s+)?(?!(?:where|set|on|order|limit|for|left|cross|inner|join|select|values|using|force|returning|indexed|group|union)\b)(\w+))?/g // prettier-ignore

/**
 * Returns the tables of a statement that it reads or writes without their site: no condition of the same query compares
 * it, and no insertion has a value for it.
 *
 * @param sql - its texts have no brackets
 */
export function withoutSite(sql: string): readonly string[] {
  const scopes = scopesOf(sql.replaceAll(/\s+/g, ' '))
  const missing: string[] = []
  for (const scope of scopes) {
    const tables = [...scope.matchAll(TABLE)].filter(([, , table]) => table !== 'hallpass_migration')
    for (const [found, word, table, alias] of tables) {
      const columns = /^\s*(?:as known )?\(#(\d+)\)/.exec(scope.slice(scope.indexOf(found) + found.length))?.[1] // prettier-ignore
      const name = alias ?? table!
      const compared = new RegExp(`\\b${name}\\.site = |= ${name}\\.site\\b${tables.length === 1 ? '|(?<![.\\w])site = ' : ''}`) // prettier-ignore
      const isNamed =
        word === 'into'
          ? columns !== undefined && /\bsite\b/.test(scopes[Number(columns)]!)
          : compared.test(scope)
      if (!isNamed) missing.push(table!)
    }
  }
  return missing
}
