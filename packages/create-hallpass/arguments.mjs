// Reads the command line. Whatever is wrong with it is said before the first question.
import { parseArgs } from 'node:util'
import { DATABASES, databasesOf, FRAMEWORKS, SERVICES } from './project.mjs'

const OPTIONS = {
  framework: { type: 'string' },
  serve: { type: 'string' },
  schools: { type: 'boolean' },
  database: { type: 'string' },
  'database-url': { type: 'string' },
  hallpass: { type: 'string' },
  yes: { type: 'boolean', short: 'y' },
  'no-install': { type: 'boolean' },
  'no-start': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
}

/** The rule of `--database-url`, as a sentence; `undefined` if the text keeps it. */
export const faultOfUrl = (url) =>
  /^postgres(?:ql)?:\/\/\S+$/.test(url)
    ? undefined
    : 'the URL of the database must begin with postgres://'

/**
 * Reads the command line.
 *
 * @returns what it says, and as `frameworks` the names of those that fit it, the default first
 * @throws Error that names what is wrong, and the word that may have been meant
 */
export function readArguments(args) {
  const { values, positionals, tokens } = parseArgs({
    args,
    options: OPTIONS,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  for (const token of tokens) if (token.kind === 'option') checkOption(token)
  if (positionals.length > 1)
    throw new Error(
      `only one folder can be named, not ${positionals.join(', ')}: npm passes options on only after --, as in npm create hallpass ${positionals[0]} -- --framework hono`,
    )
  const { schools, serve, 'database-url': databaseUrl } = values
  const database = values.database ?? (databaseUrl === undefined ? undefined : 'postgres')
  if (values.framework !== undefined) oneOf('framework', values.framework, Object.keys(FRAMEWORKS))
  if (serve !== undefined) oneOf('serve', serve, Object.keys(SERVICES))
  if (serve !== undefined && (values.framework ?? 'express') !== 'express')
    throw new Error(
      `--serve needs --framework express: ${String(values.framework)} has one example`,
    )
  const other = ['framework', 'serve'].find((name) => schools && values[name] !== undefined)
  if (other !== undefined)
    throw new Error(`--schools has one example, on node:http: leave out --${other}`)
  const framework = schools
    ? 'schools'
    : (values.framework ?? (serve === undefined ? undefined : 'express'))
  if (database !== undefined && framework !== undefined)
    oneOf(
      'database',
      database,
      databasesOf(framework),
      schools ? 'with --schools, ' : `with --framework ${String(framework)}, `,
    )
  else if (database !== undefined) oneOf('database', database, Object.keys(DATABASES))
  if (databaseUrl !== undefined && database !== 'postgres')
    throw new Error(`--database-url is for --database postgres, not ${String(database)}`)
  const fault = databaseUrl !== undefined && faultOfUrl(databaseUrl)
  if (fault) throw new Error(`--database-url: ${fault}`)
  const frameworks = [...Object.keys(FRAMEWORKS), ...(schools ? ['schools'] : [])].filter(
    (name) =>
      (framework === undefined || name === framework) &&
      (database === undefined || databasesOf(name).includes(database)),
  )
  return { ...values, folder: positionals[0], frameworks, database, databaseUrl }
}

function checkOption({ name, rawName, value, inlineValue }) {
  const option = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined
  if (option === undefined) {
    const meant = nearest(name, Object.keys(OPTIONS))
    const advice = meant === undefined ? '--help lists them' : `did you mean --${meant}?`
    throw new Error(`there is no option ${rawName}: ${advice}`)
  }
  if (option.type === 'boolean' && value !== undefined)
    throw new Error(`${rawName} takes no value, not "${value}"`)
  // An option behind it is not its value.
  if (option.type === 'string' && (!value || (!inlineValue && value.startsWith('-'))))
    throw new Error(`${rawName} needs a value: see --help`)
}

function oneOf(option, given, names, where = '') {
  if (names.includes(given)) return
  const meant = nearest(given, names)
  const advice = meant === undefined ? '' : `: did you mean ${meant}?`
  throw new Error(`${where}--${option} must be one of ${names.join(', ')}, not "${given}"${advice}`)
}

/** The word that was probably meant: it differs in less than a third of its letters. `undefined` if none does. */
function nearest(given, words) {
  const text = given.toLowerCase().slice(0, 100)
  return words
    .map((word) => ({ word, edits: editsBetween(text, word) }))
    .filter(({ word, edits }) => edits < word.length / 3)
    .sort((one, other) => one.edits - other.edits)[0]?.word
}

/** How many letters must be put in, left out, replaced or swapped with the next one to make one word of another. */
function editsBetween(one, other) {
  const edits = [Array.from({ length: other.length + 1 }, (_, index) => index)]
  for (let i = 1; i <= one.length; i++) {
    edits[i] = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSwapped = i > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      edits[i][j] = Math.min(
        edits[i - 1][j] + 1,
        edits[i][j - 1] + 1,
        edits[i - 1][j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1),
        isSwapped ? edits[i - 2][j - 2] + 1 : Infinity,
      )
    }
  }
  return edits[one.length][other.length]
}
