import { ALLOWANCES } from 'hallpass/operations'
import { MOST_DAYS } from '../../../scripts/old-facts.js'
import { configureAccountApi } from '../../../src/account/api/configuration.js'
import { DEFAULT_LIMITS } from '../../../src/account/api/limits.js'
import { configureAuthorizationServer } from '../../../src/authorization-server/configuration.js'
import { configureMcp } from '../../../src/mcp/configuration.js'
import { accountTools } from '../../../src/mcp.js'
import { REFUSALS } from '../../../src/policy/refusals.js'
import { schoolScopes } from '../../../src/scope.js'
import { STORE_RESULTS } from '../../../src/store/returned.js'
import { storeContract, testSite } from '../../../src/testing.js'
import { JWKS_MAX_AGE_SECONDS } from '../../../src/token/key-ring.js'
import { LIBRARIES } from '../../real-clients/clients.js'
import { readSource } from '../source/compile.js'
import { limitOf } from './limits.js'

/** Numbers that pages state in one sentence, and what they are in the code. */
interface Claim {
  readonly name: string
  /** A group for each number. */
  readonly pattern: RegExp
  readonly actual: readonly number[]
}

/** What a page says, and what it would have to say. */
interface WrongClaim {
  readonly said: string
  readonly actual: readonly number[]
}

const WORDS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split(
    ' ',
  )
const TENS = ['thirty', 'forty', 'fifty']

/** The number that a word or digits say; `null` for any other word. */
export function numberOf(text: string): number | null {
  const word = text.toLowerCase().replaceAll(/[^a-z\d]/g, '')
  if (/^\d+$/.test(word)) return Number(word)
  if (TENS.includes(word)) return 30 + 10 * TENS.indexOf(word)
  const at = WORDS.indexOf(word)
  return at === -1 ? null : at
}

/** Every sentence of a text that states the numbers of a claim, and those that state others. */
export function statementsOf(
  text: string,
  { pattern, actual }: Claim,
): { readonly stated: number; readonly wrong: readonly WrongClaim[] } {
  const statements = [...text.replaceAll(/\s+/g, ' ').matchAll(pattern)]
    .map(([said, ...groups]) => ({
      said,
      numbers: groups.filter((group) => group !== undefined).map((group) => numberOf(group)),
    }))
    .filter(({ numbers }) => !numbers.includes(null))
  const wrong = statements.filter(({ numbers }) => numbers.join() !== actual.join())
  return { stated: statements.length, wrong: wrong.map(({ said }) => ({ said, actual })) }
}

const { exports, dependencies } = JSON.parse(readSource('package.json')) as {
  exports: object
  dependencies: object
}
const between = (path: string, begin: string, end: string): string =>
  readSource(path).split(begin)[1]!.split(end)[0]!
const METHODS = [
  ...between('src/account/source.ts', 'export interface AccountSource {', '\n}\n').matchAll(
    /^ {2}readonly (\w+): \(/gm,
  ),
].map(([, name]) => name!)
const errorsOfReason = Object.values(REFUSALS).flatMap((reasons) => Object.keys(reasons))
const shared = errorsOfReason.filter((reason, index) => errorsOfReason.indexOf(reason) !== index)
const { tokens, depth, aliases, directives, fragments, rootFields, cost } = DEFAULT_LIMITS

/** Every number that pages may state. */
export const NUMBERS: readonly Claim[] = [
  {
    name: 'entries of the package',
    pattern: /(\S+) entries of the package/g,
    actual: [Object.keys(exports).length - 1],
  },
  {
    name: 'packages that are installed',
    pattern: /(?:install hallpass`?|hallpass itself) installs (\S+) packages/g,
    actual: [Object.keys(dependencies).length + 1],
  },
  {
    name: 'methods of Store',
    pattern: /`Store` interface of (\S+) methods/g,
    actual: [Object.keys(STORE_RESULTS).length],
  },
  {
    name: 'checks of storeContract',
    pattern: /promises of a store as (\S+) checks/g,
    actual: [storeContract(() => Promise.reject(new Error('not opened'))).length],
  },
  {
    name: 'methods of AccountSource',
    pattern: /`AccountSource`: (\S+)(?: short)? methods/g,
    actual: [METHODS.length],
  },
  {
    name: 'member tools',
    pattern: /(\S+) (?:member tools|tools for members)\b/g,
    actual: [accountTools({} as never).length],
  },
  {
    name: 'clients that are run',
    pattern: /runs (\S+) clients that others wrote/g,
    actual: [LIBRARIES.filter(({ family }) => family !== 'java').length],
  },
  {
    name: 'days that facts about clients are current',
    pattern: /facts more than (\S+) days old/g,
    actual: [MOST_DAYS],
  },
  {
    name: 'scopes of the school',
    pattern:
      /(\S+) scopes (?:of the (?:scope table|service description)|are those of the service)/g,
    actual: [schoolScopes.names.length],
  },
  {
    name: 'reasons with more than one error',
    pattern: /(\S+) reasons come with two or three errors/g,
    actual: [new Set(shared).size],
  },
  {
    name: 'limits of a GraphQL document',
    pattern:
      /(\S+) tokens, (\S+) levels, (\S+) aliases or repeated fields, (\S+) directives, (\S+) fragments, (\S+) root fields or (\S+) points/g,
    actual: [tokens, depth, aliases, directives, fragments, rootFields, cost],
  },
  {
    name: 'fetches of client metadata documents a minute',
    pattern:
      /(\S+) fetches a minute for a document; (?:and )?of new (?:ones|documents) (?:\S+ for a network, )?(\S+) for a host(?:,| and) (\S+) for a site/g,
    actual: [
      ALLOWANCES.fetchesOfDocument.amount,
      ALLOWANCES.fetchesOfHost.amount,
      ALLOWANCES.fetchesOfSite.amount,
    ],
  },
  {
    name: 'seconds and KiB of a fetch',
    pattern: /(\S+) seconds and (\S+) KiB/g,
    actual: [
      limitOf('src/node/document-fetcher.ts', 'deadlineMilliseconds') / 1000,
      limitOf('src/site/fetch-document.ts', 'DOCUMENT.limitBytes') / 1024,
    ],
  },
  {
    name: 'fetches at the same time',
    pattern:
      /at most (\S+) fetches (?:run )?at the same time, (\S+) of one host|: (\S+), and (\S+) of one host/gi,
    actual: ['slotFor.total', 'slotFor.perKey'].map((slots) =>
      limitOf('src/node/document-fetcher.ts', slots),
    ),
  },
  {
    name: 'seconds and hours for which a document is fresh',
    pattern: /fresh for (\S+) seconds to (\S+) hours/g,
    actual: [
      limitOf('src/policy/cimd-freshness.ts', 'MIN_SECONDS'),
      limitOf('src/policy/cimd-freshness.ts', 'MAX_SECONDS') / 3600,
    ],
  },
  {
    name: 'days of the last good copy',
    pattern: /last good copy for (?:up to )?(\S+) days/g,
    actual: [limitOf('src/policy/cimd-lifecycle.ts', 'STALE_DOCUMENT_SECONDS') / 86_400],
  },
  {
    name: 'points of a grant',
    pattern: /bucket of (\S+) points that refills with (\S+) points/g,
    actual: ['DEFAULT_BUCKET.capacity', 'DEFAULT_BUCKET.restoreRate'].map((points) =>
      limitOf('src/account/api/cost-bucket.ts', points),
    ),
  },
  {
    name: 'KiB of a JSON-RPC message',
    pattern: /JSON-RPC message of at most (\S+) KiB/g,
    actual: [limitOf('src/http/body.ts', 'JSON_BODY.limitBytes') / 1024],
  },
  {
    name: 'seconds of a code',
    pattern: /code is valid for (\S+) seconds|More than (\S+) seconds passed/g,
    actual: [limitOf('src/authorization-server/configuration.ts', 'codeSeconds')],
  },
  {
    name: 'seconds within which a code may be sent again',
    pattern: /(?:sent twice|sends the code again) within (\S+) seconds/g,
    actual: [limitOf('src/policy/code-redemption.ts', 'RESEND_SECONDS')],
  },
  {
    name: 'seconds of an ID token',
    pattern: /ID token is valid for (\S+) seconds/g,
    actual: [limitOf('src/token/id-token.ts', 'ID_TOKEN_SECONDS')],
  },
  {
    name: 'hours of two client secrets',
    pattern: /overlap of up to (\S+) h\b/g,
    actual: [limitOf('src/clients/client-changes.ts', 'MAX_SECRET_OVERLAP_SECONDS') / 3600],
  },
  {
    name: 'seconds of a request that is sent slowly',
    pattern: /is ended after (\S+) seconds/g,
    actual: [limitOf('examples/express/src/server.ts', 'SEND_LIMITS.requestTimeout') / 1000],
  },
]

const nothing = (): never => {
  throw new Error('only configured')
}
const { site } = testSite()
const methods = <Name extends string>(names: readonly Name[]): Record<Name, typeof nothing> =>
  Object.fromEntries(names.map((name) => [name, nothing])) as Record<Name, typeof nothing>
const server = configureAuthorizationServer(site, {
  keys: methods(['jwks', 'signer', 'refreshSecrets']),
  interact: methods(['currentPerson', 'signIn', 'consent', 'error']),
})
const account = configureAccountApi(site, { source: methods(METHODS) as never })
const mcp = configureMcp(site, { tools: [], adapter: () => nothing })
const [, days] = /ROTATE_SECONDS = (\d+) \* DAY_SECONDS/.exec(readSource('src/token/key-ring.ts'))!
const [, reload] = /RELOAD_SECONDS = (\d+)/.exec(readSource('src/token/key-ring.ts'))!

/** Options by name, with the value that they have where nothing is said. */
export const DEFAULTS: Readonly<Record<string, number>> = {
  codeSeconds: server.codeSeconds,
  accessTokenSeconds: server.accessTokenSeconds,
  refreshIdleSeconds: server.refreshIdleSeconds,
  grantSeconds: server.grantSeconds,
  interactionSeconds: server.interactionSeconds,
  callDeadlineMilliseconds: server.callDeadlineMilliseconds,
  deadlineMilliseconds: account.deadlineMilliseconds,
  maxListedTools: mcp.list.maxListedTools,
  jwksMaxAgeSeconds: JWKS_MAX_AGE_SECONDS,
  rotateAfterSeconds: Number(days) * 86_400,
  reloadAfterSeconds: Number(reload),
}

/** Every default that a text states behind the name of an option, and those that are others. */
export function defaultsOf(text: string): {
  readonly stated: readonly string[]
  readonly wrong: readonly WrongClaim[]
} {
  const statements = [
    ...text
      .replaceAll(/\s+/g, ' ')
      .matchAll(/`(\w+)`(?: \(|: |, )([\d,]+)( days)?(?=\)| by default|:| seconds by default)/g),
  ].filter(([, name]) => Object.hasOwn(DEFAULTS, name!))
  const wrong = statements.filter(
    ([, name, digits, unit]) =>
      Number(digits!.replaceAll(',', '')) * (unit === undefined ? 1 : 86_400) !== DEFAULTS[name!],
  )
  return {
    stated: statements.map(([, name]) => name!),
    wrong: wrong.map(([said, name]) => ({ said, actual: [DEFAULTS[name!]!] })),
  }
}
