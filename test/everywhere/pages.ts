import { readFileSync } from 'node:fs'
import { ROOT } from '../support/source/root.js'
import { type Cell, CELLS, DATABASES, versionOf } from './cells.js'

/** What `npm run test:everywhere -- --write` writes down of a run in which every cell was green. */
export interface Ran {
  readonly ranOn: string
  readonly cells: readonly string[]
}

export const RAN_FILE = `${ROOT}test/everywhere/ran.json`
export const ran = (): Ran => JSON.parse(readFileSync(RAN_FILE, 'utf8')) as Ran

/** The steps of the flow, in their order, and what each does. */
export const STEPS = {
  metadata: 'reads the three documents; sends a preflight, a `HEAD` and a form from another origin',
  JWKS: 'reads the keys: ES256, no private part',
  registration: 'registers a public client on loopback',
  'sign-in page': 'sends the browser to the authorization endpoint, which shows the sign-in form',
  'sign-in and consent': 'signs in, allows, and is redirected to the client with a code',
  'code exchange, ID token verified':
    'exchanges the code with PKCE; verifies signature, issuer, audience and nonce of the ID token',
  UserInfo: 'reads the claims of the same subject',
  'gate: 200': 'calls a gated route with a token that has its scope',
  'gate: 401': 'calls it without a token, and follows the challenge to the resource metadata',
  'gate: 403, and a code that is used twice':
    "calls it with a token that lacks the scope; exchanges that token's code again, which is refused",
  refresh: 'gets new tokens, and calls the route with them',
  'revocation, and 401 after it':
    'revokes the refresh token; neither the access token nor the refresh token is accepted afterwards',
  'Account API':
    "is refused without a token, and reads a member's own profile with one; reads the schema",
  '/mcp without a token': 'lists the public tools with the SDK of MCP',
  '/mcp as an operator': 'calls a tool, is asked to sign in, registers, and calls it again',
  '/mcp as a member': "the same with a member's client, and sees no tool of operators",
  'revocation ends both': 'revokes that grant: the Account API and `/mcp` respond with 401',
} as const

const frameworkOf = ({ mount }: Cell): string =>
  mount.package === undefined
    ? mount.title
    : mount.title.replace(/(?= \(|$)/, () => ` ${versionOf(mount.package!)}`)

/** A cell in words, with the versions that it ran with. */
export const nameOf = (cell: Cell): string => `${cell.on} | ${frameworkOf(cell)} | ${cell.database}`

const isSame = (one: Cell) => (other: Cell) => other.on === one.on && other.mount === one.mount
const signsOf = (cell: Cell): readonly string[] =>
  DATABASES.map((database) => (CELLS.filter(isSame(cell)).some((one) => one.database === database) ? '✓' : '–')) // prettier-ignore
/** The first cell of each row. */
const rows = CELLS.filter((cell, index) => CELLS.findIndex(isSame(cell)) === index)

const table = (head: readonly string[], body: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const linked = ({ mount }: Cell, text: string): string =>
  mount.page === null ? text : `[${text}](${mount.page.replace('docs/', '../')})`

/** The cells, and the steps of the flow, of `docs/look-up/runtimes.md`. */
export function runtimesPage(): string {
  return [
    '# Runs on',
    `\`npm run test:everywhere\` starts one small school on each of these runtimes and frameworks, in a process of its own,
and sends it ${Object.keys(STEPS).length} steps through the network. The code of a framework is that of its guide, which the run takes out of the
page. ✓: every step passed on ${ran().ranOn}; CI runs all of them again. –: not run.`,
    table(
      ['runtime', 'mounted by', ...DATABASES],
      rows.map((cell) => [cell.on, linked(cell, frameworkOf(cell)), ...signsOf(cell)]),
    ),
    `MariaDB is that of Debian, over \`mysql2\` ${versionOf('mysql2')}; [MySQL](../do/mysql.md) was not run.
SQLite is a file: \`node:sqlite\` on Node, which has it from 22.13 on, and on Deno; \`bun:sqlite\` on Bun. D1 is Miniflare
${versionOf('miniflare')}, with which Wrangler serves a worker on your computer, and which has this workerd in it; Cloudflare's own was not tried.
[Stores on SQLite](../testing.md#stores-on-sqlite) has the drivers that pass the contract.`,
    `Next.js, Express, Hono and Fastify also serve the [examples](../../examples/school/README.md), which
have tests of their own. NestJS on Fastify, SvelteKit 3 and React Router 8 were not run.`,
    '## The steps',
    `The first twelve use a server as a client from another vendor does, through
[openid-client](https://github.com/panva/openid-client) and a browser without script; \`test/everywhere/flow.ts\` has them all.
Each needs those before it.`,
    table(
      ['#', 'step', 'what it does'],
      Object.entries(STEPS).map(([step, what], index) => [String(index + 1), step, what]),
    ),
    'They do not cover client metadata documents, the admin API or load.',
  ].join('\n\n')
}

/** The sentence of the README: where it ran. */
export function readmeSentence(): string {
  const named = (texts: readonly string[]): string =>
    [...new Set(texts)].reduce((line, text) => `${line}, ${text.replace(/^Node /, '')}`)
  const runtimes = named(rows.map(({ on }) => on))
  const frameworks = named(rows.filter(({ mount }) => mount.package !== undefined).map(frameworkOf))
  return `On ${ran().ranOn}, \`npm run test:everywhere\` passed: sign-in, tokens, Account API and \`/mcp\` on ${runtimes}; on ${frameworks}. [Which databases on which](docs/look-up/runtimes.md).`
}
