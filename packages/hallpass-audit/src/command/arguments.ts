import { parseArgs } from 'node:util'
import { type Depth, DEPTHS } from '../check.js'
import { type PlanName, PLANS } from '../against.js'
import { nearest } from '../nearest.js'
import { FORMATS, type ReportFormat } from '../reports/index.js'

/** The reason why the command cannot begin, in a sentence for who typed it. */
export class Mistake extends Error {}

/** A report, and where it goes: into a file, or with `null` to the output. */
interface Wanted {
  readonly format: ReportFormat
  readonly file: string | null
}

/** The command line, as it was understood. */
export interface Arguments {
  /** The issuer identifier: an origin, and a path if the server has one. */
  readonly issuer: string | null
  /** Further origins of the server. */
  readonly origins: readonly string[]
  readonly depth: Depth | null
  readonly only: readonly string[] | null
  readonly against: PlanName | null
  readonly signIn: string | null
  readonly clientDocument: string | null
  readonly writeClientDocuments: string | null
  readonly token: string | null
  /** Milliseconds; `null` for the usual ones. */
  readonly timeout: number | null
  readonly pause: number | null
  readonly most: number | null
  /** Minutes; `null` if no check waits. */
  readonly patient: number | null
  readonly reports: readonly Wanted[]
  readonly baseline: string | null
  readonly writeBaseline: string | null
  readonly list: boolean
  readonly help: boolean
  readonly version: boolean
}

const OPTIONS = {
  'sign-in': { type: 'string' },
  origin: { type: 'string', multiple: true },
  depth: { type: 'string' },
  only: { type: 'string', multiple: true },
  against: { type: 'string' },
  'client-document': { type: 'string' },
  'write-client-documents': { type: 'string' },
  token: { type: 'string' },
  timeout: { type: 'string' },
  pause: { type: 'string' },
  most: { type: 'string' },
  patient: { type: 'string' },
  report: { type: 'string', multiple: true },
  baseline: { type: 'string' },
  'write-baseline': { type: 'string' },
  list: { type: 'boolean', short: 'l' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

/** Words of other commands, and what is written here instead. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  format: 'write --report html=audit.html',
  output: 'write --report html=audit.html',
  json: 'write --report json',
  sarif: 'write --report sarif=audit.sarif',
  html: 'write --report html=audit.html',
  yes: 'nothing is asked, so leave it out',
  url: 'the issuer needs no name in front of it',
  issuer: 'the issuer needs no name in front of it',
}

/**
 * Reads the command line.
 *
 * @throws Mistake - that says what is wrong, and which word may have been meant
 */
export function readArguments(args: readonly string[]): Arguments {
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: OPTIONS,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  for (const token of tokens) if (token.kind === 'option') checkOption(token)
  if (positionals.length > 1)
    throw new Mistake(`name one issuer, not ${positionals.length}: ${positionals.join(' ')}`)
  const text = (name: keyof typeof values): string | null =>
    (values[name] as string | undefined) ?? null
  const texts = (name: keyof typeof values): readonly string[] =>
    (values[name] as readonly string[] | undefined) ?? []
  const depth = text('depth')
  if (depth !== null) checkWord('--depth', depth, DEPTHS)
  if (depth === 'people' && text('sign-in') === null)
    throw new Mistake('--depth people needs --sign-in, which says how people sign in')
  if (text('write-client-documents') !== null && text('client-document') === null)
    throw new Mistake(
      '--write-client-documents needs --client-document: the URL that client.json will have',
    )
  const number = (
    name: 'timeout' | 'pause' | 'most' | 'patient',
    least: number,
    most: number,
    unit: string,
  ) => readNumber(`--${name}`, text(name), { least, most, unit })
  const seconds = (value: number | null) => (value === null ? null : Math.round(value * 1000))
  const reports = readReports(texts('report'))
  const files = [...reports.map(({ file }) => file), text('write-baseline')]
  const twice = files.find((file, index) => file !== null && files.indexOf(file) < index)
  if (twice !== undefined) throw new Mistake(`${twice} is named twice: give each report a file`)
  const against = text('against')
  if (against !== null) checkWord('--against', against, Object.keys(PLANS))
  const only = texts('only').flatMap((one) => one.split(',').filter((name) => name !== ''))
  return {
    issuer: positionals[0] ?? null,
    origins: texts('origin'),
    depth: depth as Depth | null,
    only: only.length === 0 ? null : only,
    against: against as PlanName | null,
    signIn: text('sign-in'),
    clientDocument: text('client-document'),
    writeClientDocuments: text('write-client-documents'),
    token: text('token'),
    timeout: seconds(number('timeout', 0.1, 600, 'seconds')),
    pause: seconds(number('pause', 0, 60, 'seconds')),
    most: number('most', 1, 1_000_000, 'requests'),
    patient: number('patient', 1, 120, 'minutes'),
    reports,
    baseline: text('baseline'),
    writeBaseline: text('write-baseline'),
    list: values['list'] === true,
    help: values['help'] === true,
    version: values['version'] === true,
  }
}

interface OptionToken {
  readonly name: string
  readonly rawName: string
  readonly value: string | undefined
  readonly inlineValue: boolean | undefined
}

function checkOption({ name, rawName, value, inlineValue }: OptionToken): void {
  if (!Object.hasOwn(OPTIONS, name)) {
    const elsewhere = Object.hasOwn(ELSEWHERE, name) ? ELSEWHERE[name] : undefined
    const meant = nearest(name, Object.keys(OPTIONS))
    const advice = elsewhere ?? (meant === null ? '--help lists them' : `did you mean --${meant}?`)
    throw new Mistake(`there is no option ${rawName}: ${advice}`)
  }
  const { type } = OPTIONS[name as keyof typeof OPTIONS]
  if (type === 'boolean' && value !== undefined)
    throw new Mistake(`${rawName} takes no value, not "${value}"`)
  // An option behind it is not its value.
  if (type === 'string' && (!value || (inlineValue !== true && value.startsWith('-'))))
    throw new Mistake(`${rawName} needs a value: --help says which`)
}

function checkWord(option: string, given: string, words: readonly string[]): void {
  if (words.includes(given)) return
  const meant = nearest(given, words)
  throw new Mistake(
    `${option} takes ${words.join(', ')}, not "${given}"${meant === null ? '' : `: did you mean ${meant}?`}`,
  )
}

function readNumber(
  option: string,
  given: string | null,
  { least, most, unit }: { least: number; most: number; unit: string },
): number | null {
  if (given === null) return null
  const value = /^\d+(?:\.\d+)?$/.test(given) ? Number(given) : Number.NaN
  const isWhole = unit === 'seconds' || Number.isInteger(value)
  if (isWhole && value >= least && value <= most) return value
  throw new Mistake(`${option} takes ${least} to ${most} ${unit}, not "${given}"`)
}

function readReports(given: readonly string[]): readonly Wanted[] {
  const reports = given.map((one): Wanted => {
    const [format = '', ...file] = one.split('=')
    checkWord('--report', format, FORMATS)
    if (file.length > 0 && file.join('=') === '')
      throw new Mistake(`--report ${one} names no file: write --report ${format}=audit.${format}`)
    return { format: format as ReportFormat, file: file.length === 0 ? null : file.join('=') }
  })
  const printed = reports.filter(({ file }) => file === null)
  if (printed.length > 1)
    throw new Mistake(
      `one report can be printed, not ${printed.map(({ format }) => format).join(' and ')}: name a file for the others, as in --report ${printed[1]!.format}=FILE`,
    )
  return reports
}

export const HELP = `hallpass-audit <issuer> [options]

Sends requests to a running server of OAuth 2.1, OpenID Connect and MCP, and
reports which clauses of the specifications it holds.

  npx hallpass-audit http://127.0.0.1:3000
  npx hallpass-audit http://127.0.0.1:3000 --sign-in ./sign-in.mjs
  npx hallpass-audit https://staging.school.example --token "$AUDIT_TOKEN"

How far it goes
  --sign-in FILE          how two people sign in: the default export of a module
  --depth DEPTH           passive reads what is published; anonymous sends what
                          any program may send; people also signs in. Default:
                          people with --sign-in, otherwise anonymous
  --only NAMES            subjects or checks, such as pkce,code/used-twice
  --against PLAN          the checks of a test plan of others, and its modules:
                          oidc-basic, oidc-config, fapi2 or mcp
  --patient MINUTES       also runs checks that wait until something expires:
                          15 for codes and refresh tokens, 65 for access tokens
                          of an hour. They wait at the same time
  --client-document URL   client.json of the client metadata documents of the
                          audit, published on a host that the server accepts
  --write-client-documents FOLDER
                          writes these documents, and sends nothing
  --origin URL            a further origin of the server, such as that of its
                          API or of its MCP endpoint. Can be repeated
  --token TEXT            what is served at /.well-known/hallpass-audit of each
                          origin: needed for a server on another computer

How it sends
  --timeout SECONDS       how long it waits for an answer. Default: 10
  --pause SECONDS         between two requests. Default: 0 on this computer,
                          otherwise 0.2
  --most REQUESTS         the most that it sends. Default: 3000

What it writes
  --report FORMAT[=FILE]  terminal, markdown, json, sarif or html: into a file,
                          or to the output. Can be repeated
  --baseline FILE         rows that you accept although they are not held
  --write-baseline FILE   writes such a file from this audit
  --list                  prints the checks that would run, and sends nothing
  --help, --version

It asks nothing, and says before it begins what it will create.

Exit code: 0 every row is held, not applicable or accepted; 1 a row is violated;
3 no row is violated, and one is not reached; 2 it could not begin, or a report
could not be written.
`
