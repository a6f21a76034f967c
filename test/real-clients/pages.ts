import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../support/source/root.js'
import {
  API_STEPS,
  BLOCK_CLIENTS,
  BLOCKS_RAN_ON,
  type Family,
  JAVA_RAN_ON,
  LIBRARIES,
  OTHERS_IN_JAVA,
  type Outcome,
  RAN_ON,
  type RealLibrary,
  STEPS,
  type Step,
} from './clients.js'
import { packageOf } from './life.js'

const DRIVERS = join(ROOT, 'test/real-clients/drivers')
const driverTexts = readdirSync(DRIVERS).map((name) => readFileSync(join(DRIVERS, name), 'utf8'))

/** The lines of a driver that are marked as those of a client, each part as far left as it goes. */
function marked(name: string): string {
  const parts = driverTexts.flatMap((text) => text.split(/^.*\bregion: /m).slice(1))
  const own = parts.filter((part) => part.startsWith(`${name}\n`))
  if (own.length === 0) throw new Error(`no driver has a region of ${name}`)
  return own
    .map((part) => {
      const lines = part
        .slice(part.indexOf('\n') + 1)
        .split(/^.*\bendregion$/m, 1)[0]!
        .split('\n')
      const indents = lines.filter((line) => line.trim() !== '').map((line) => /^\s*/.exec(line)![0].length) // prettier-ignore
      return lines.map((line) => line.slice(Math.min(...indents))).join('\n').trimEnd() // prettier-ignore
    })
    .join('\n\n')
}

const SIGNS: Readonly<Record<Exclude<Outcome, object>, string>> = {
  ok: '✓',
  setting: 's',
  'by hand': 'h',
}
const signOf = (outcome: Outcome | undefined): string =>
  outcome === undefined ? '–' : typeof outcome === 'object' ? '✗' : SIGNS[outcome]

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const of = (...families: readonly Family[]): readonly RealLibrary[] =>
  LIBRARIES.filter(({ family }) => families.includes(family))

const inJava = of('java').length

const isOfMcp = ({ tools }: RealLibrary): boolean => tools !== undefined

function rowsOf(libraries: readonly RealLibrary[], names: readonly Step[]): string[][] {
  return libraries.map((library) => [
    library.name,
    packageOf(library).version,
    ...names.map((name) => signOf(library.steps[name])),
  ])
}

/** The section of `docs/look-up/clients.md`: each client and each step. */
export function tables(): string {
  const api = of('api')
  const others = LIBRARIES.filter(({ family }) => family !== 'api')
  const steps = Object.keys(STEPS) as (keyof typeof STEPS)[]
  const apiSteps = Object.keys(API_STEPS) as (keyof typeof API_STEPS)[]
  const counts = others
    .filter(isOfMcp)
    .map(({ name, tools = {} }) => [
      name,
      ...(['anonymous', 'owner', 'student'] as const).map((who) => String(tools[who] ?? '–')),
    ])
  return [
    '## Clients that were run',
    `\`npm run test:clients\` runs ${LIBRARIES.length - inJava} clients that others wrote against the demo school, each in a process of
its own, as of ${RAN_ON}; \`-- --java\` runs the ${inJava} in Java, as of ${JAVA_RAN_ON}. ✓: by itself. s: once
its settings are named, which [Connect a library](../do/connect-a-library.md) lists. h: by the code of its user. ✗: it
does not work, and that page says why. –: it has no such step.`,
    table(['client', 'version', ...steps.map((name) => STEPS[name])], rowsOf(others, steps)),
    'What calls an API from a description:',
    table(['tool', 'version', ...apiSteps.map((name) => API_STEPS[name])], rowsOf(api, apiSteps)),
    `How many tools of \`/mcp\` a person sees in each: without a sign-in, and after one that the client began by
itself. –: it signs no one in, or takes only the token of an operator.`,
    table(['client', 'without', 'owner', 'student'], counts),
    `Others in Java:`,
    table(
      ['what', 'version', 'what it does'],
      OTHERS_IN_JAVA.map(({ name, maven, did }) => [name, maven.version, did]),
    ),
    `AppAuth was not run: it is an AAR for Android (“Could not find artifact net.openid:appauth:jar:0.11.1”).`,
    `Clients that need an opt-in block, each run to a call of a tool, as of ${BLOCKS_RAN_ON}:`,
    table(
      ['client', 'version', 'block', 'what it does'],
      BLOCK_CLIENTS.map(({ name, npm, block, page, did }) => [
        name,
        packageOf({ name: npm }).version,
        `[${block}](${page})`,
        did,
      ]),
    ),
  ].join('\n\n')
}

/** The paragraph of the README: what was run, and where its table is. */
export function readmeLine(): string {
  const known = LIBRARIES.filter(({ family }) => !/^(?:api|java)$/.test(family)).map((library) =>
    `${library.name} ${packageOf(library).version}`.replace(/ \(CLI\)| \(popup\)/, ''),
  )
  const shown = ['Claude Code', 'Codex', 'OpenCode', 'MCP Inspector', '@modelcontextprotocol/sdk', 'openid-client', 'better-auth', '@auth/core', 'mod_auth_openidc', 'Authlib'] // prettier-ignore
  const named = shown.map((name) => known.find((one) => one.startsWith(`${name} `))!)
  return `CI runs ${LIBRARIES.length - inJava} clients of others for their whole life, by hand ${inJava} in Java: ${named.join(', ')} and [the others](docs/look-up/clients.md#clients-that-were-run).`
}

function blockOf(snippet: NonNullable<RealLibrary['snippet']>): string {
  const isMarked = 'of' in snippet
  const text = isMarked ? marked(snippet.of) : snippet.text
  const isCommand = /^(?:npx|claude|codex|opencode|curl) /.test(text)
  return `\`\`\`${isMarked ? snippet.as : isCommand ? 'sh' : 'text'}\n${text}\n\`\`\``
}

/** What a section of a page says of a client. */
function section(library: RealLibrary): string {
  const { settings = [], untold, remark, snippet, steps } = library
  const { of: source, name, version } = packageOf(library)
  const failures = (Object.entries(steps) as [Step, Outcome][]).flatMap(([step, outcome]) =>
    typeof outcome === 'object'
      ? [`- ${{ ...API_STEPS, ...STEPS }[step]}: “${outcome.fails}”`]
      : [],
  )
  return [
    `### ${library.name}`,
    `\`${name}\` ${version} of ${source}.`,
    ...(settings.length === 0
      ? []
      : [`Settings:\n\n${settings.map((setting) => `- ${setting}`).join('\n')}`]),
    ...(untold === undefined ? [] : [`Otherwise: “${untold}”.`]),
    ...(remark === undefined ? [] : [remark]),
    ...(snippet === undefined ? [] : [blockOf(snippet)]),
    ...(failures.length === 0 ? [] : [`What does not work:\n\n${failures.join('\n')}`]),
  ].join('\n\n')
}

const sections = (...families: readonly Family[]): readonly string[] => of(...families).map(section)

/** `docs/do/connect-a-library.md` */
export function connectALibrary(): string {
  return [
    '# Connect a library',
    `The settings with which a library connects, for those who make an app. Each block is code that \`npm run test:clients\` ran
against the demo school on ${RAN_ON}, or in Java on ${JAVA_RAN_ON}: \`SCHOOL\` is the origin of your school, and \`CLIENT_ID\`,
\`CLIENT_SECRET\` and \`REDIRECT_URI\` are those of your app. What names no settings needs none. [Clients](../look-up/clients.md#clients-that-were-run) has a table
of each step.`,
    'Whatever the library:',
    table(
      ['what', 'value'],
      [
        ['issuer', 'the origin of the school; discovery has every address'],
        [
          'client authentication',
          '`client_secret_post`, the secret in the form, or `none`; not HTTP Basic',
        ],
        ['PKCE', '`S256`, always'],
        [
          '`resource`',
          'the origin, with the authorization and with the code; a refresh does not need it',
        ],
        [
          'response mode',
          '`query`; the OpenID Connect handler of ASP.NET Core sends `form_post` unless `options.ResponseMode = "query"`',
        ],
        ['ID tokens', 'ES256'],
        ['more', '`/auth.md` of the school'],
      ],
    ),
    '## Libraries of an app',
    ...sections('oauth', 'sites'),
    '## Libraries of a page',
    ...of('browser')
      .filter((library) => !isOfMcp(library))
      .map(section),
    '## Libraries of Debian',
    ...sections('debian'),
    '## Libraries in Java',
    ...sections('java'),
    ...OTHERS_IN_JAVA.flatMap((other) =>
      'snippet' in other ? [section({ ...other, family: 'java', steps: {} })] : [],
    ),
    '## Agents and libraries of MCP',
    ...sections('agents', 'mcp'),
    ...of('browser').filter(isOfMcp).map(section),
    '## What calls an API',
    ...sections('api'),
  ].join('\n\n')
}
