// Rows of the tables of README.md and docs/comparison.md, of what was found. `test/docs.test.ts` compares them.

/** Names of the example that only add to a block: they ask of every client what the block leaves open. */
export const VARIANTS = ['dpop-nonces', 'fapi2']

const GRANTS = ['client credentials', 'device', 'ID-JAG', 'token exchange']
const METHODS = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt']
const BASIC = ['authorization code', 'refresh token']

/**
 * The rows by their first cell, each with a cell for each server: a list, or `yes` or `no`, behind which a page may say more.
 *
 * @returns {Map<string, string[]>}
 */
export function rowsOf({ servers }) {
  const cells = (cellOf) => Object.values(servers).map(({ features }) => cellOf(features))
  const listed = (names, asCode) => (features) => {
    const has = names.filter((name) => features[name] !== null)
    if (has.length === 0) return 'none'
    return has.map((name) => (asCode ? `\`${name}\`` : name)).join(', ')
  }
  const [first] = Object.values(servers)
  const others = Object.keys(first.features).filter(
    (name) => ![...GRANTS, ...METHODS, ...BASIC].includes(name),
  )
  return new Map([
    ['Other grants than code and refresh', cells(listed(GRANTS, false))],
    ['Client authentication', cells(listed(METHODS, true))],
    ...others.map((name) => [name, cells((all) => (all[name] === null ? 'no' : 'yes'))]),
  ])
}

/** Whether a cell of a page says what was found. */
export const says = (cell, found) =>
  /^(?:yes|no)$/.test(found) ? new RegExp(`^${found}(?:$|[:;])`).test(cell) : cell === found

const ROW = /^\| (.+?) +\|(.+)\|$/gm

/** A page whose rows say what was found. */
export function withRows(text, found) {
  const rows = rowsOf(found)
  return text.replace(ROW, (row, name, rest) => {
    const cells = rows.get(name)
    if (cells === undefined) return row
    const said = rest.split('|').map((cell) => cell.trim())
    // A page may have the first of the servers only.
    const written = said.map((cell, at) => (says(cell, cells[at]) ? cell : cells[at]))
    return `| ${[name, ...written].join(' | ')} |`
  })
}
