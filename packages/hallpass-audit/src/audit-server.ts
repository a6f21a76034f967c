import { type Against, againstOf } from './against.js'
import { type Check, DEPTHS, type Depth } from './check.js'
import { type Clause, DOCUMENTS } from './clause.js'
import type { Created, Finding, Left, Verdict } from './finding.js'
import { notReached, Stop } from './finding.js'
import { type Audit, createAudit } from './engine/audit.js'
import { requireServer } from './engine/begin.js'
import { createHttp } from './engine/http.js'
import type { Handler } from './engine/network.js'
import { createMask, type Mask } from './engine/mask.js'
import { requirePermission } from './engine/permission.js'
import { isLoopback, originsOf, readIssuer, readOrigin } from './issuer.js'
import { count, cut } from './reports/text.js'
import { selectChecks, type Selection } from './select.js'
import { secretsOf, type SignIn } from './sign-in.js'
import { version } from './version.js'

/**
 * The result of {@link auditServer}: a row for each check, in the order of the subjects.
 *
 * @group Audits
 */
export interface AuditReport {
  /** The issuer identifier: an origin, and a path if the server has one. */
  readonly issuer: string
  /** When the audit began, such as `2026-11-28T09:30:00.000Z`. */
  readonly startedAt: string
  /** The version of hallpass-audit. */
  readonly version: string
  readonly depth: Depth
  readonly rows: readonly AuditRow[]
  /** How many rows have each verdict. */
  readonly counts: Readonly<Record<Verdict, number>>
  /** How many requests were sent. */
  readonly requests: number
  /** Clients and authorization requests that were created at the server. */
  readonly created: Created
  /** The part of it that is still there, because the server did not permit its removal. */
  readonly left: Left
  /** How many checks need more than this depth, and were not part of the audit. */
  readonly beyond: number
  /** The test plan of others that the audit was set against; `null` if none was named. */
  readonly against: Against | null
  /** Why people of the sign-in could not sign in, in a sentence for each. */
  readonly refused: readonly string[]
}

/**
 * The result of one check.
 *
 * @group Audits
 */
export interface AuditRow {
  /** Such as `pkce/wrong-verifier`. */
  readonly check: string
  readonly verdict: Verdict
  /** Says what the server did, or why the check does not apply or was not reached. */
  readonly found: string
  readonly clause: Clause
  /** The address of the section; empty if the document has none. */
  readonly url: string
  /** The request that decided, without secrets; `null` if none was sent. */
  readonly request: string | null
  readonly answer: string | null
  /** The change to make in a server that breaks the requirement. */
  readonly change: string
}

/**
 * Options of {@link auditServer}.
 *
 * @group Audits
 */
export interface AuditServerOptions extends Selection {
  /**
   * The issuer of a handler in this process, as its metadata names it. Default: `http://127.0.0.1:3000`. For a server
   * on the network the first argument is its issuer.
   */
  readonly origin?: string
  /**
   * Further origins of the server, such as `https://api.school.example`: requests go there as well. The file of the
   * sign-in names its own in `surfaces`, `mcp` and `endpoints`. Default: none.
   */
  readonly otherOrigins?: readonly string[]
  /** How people sign in. Default: no one does, and the depth is `anonymous`. */
  readonly signIn?: SignIn
  /** How far the audit goes. Default: `people` with `signIn`, otherwise `anonymous`. */
  readonly depth?: Depth
  /**
   * The URL of `client.json`, if you publish the files of {@link clientDocuments} for the audit. Default: that of the
   * sign-in, if any. Without one, checks that need a client metadata document are not reached.
   */
  readonly clientDocument?: string
  /**
   * The text that the server serves at `/.well-known/hallpass-audit` of each origin, which proves that its operator wants
   * the audit. Default: none, with which a server on another computer is not audited.
   */
  readonly token?: string
  /** Milliseconds between two requests: up to 60,000. Default: 0 on this computer, otherwise 200. */
  readonly pause?: number
  /** Milliseconds after which a request is unanswered: up to 600,000. Default: 10,000. */
  readonly timeout?: number
  /** The most requests. Default: 3000. */
  readonly most?: number
  /**
   * Called before the first check begins, with all of them, and with a function that returns what was created so far.
   * Default: none.
   */
  readonly onBegin?: (checks: readonly Check[], created: () => Created) => void
  /** Called after each check. Default: none. */
  readonly onRow?: (row: AuditRow) => void
  /** Called before the audit waits because the server limits requests, with the seconds. Default: none. */
  readonly onWait?: (seconds: number) => void
  /** Ends the audit early, with the rows that there are, and removes what it created. Default: none. */
  readonly signal?: AbortSignal
}

/** The longest that one check takes, in milliseconds, without what it waits for: after it, the check is not reached. */
const CHECK_MILLISECONDS = 90_000
/** The longest that an audit removes what it created, at its end and if it is stopped. */
const LAST_MILLISECONDS = 60_000
const HASTY_MILLISECONDS = 10_000
/** The options that are numbers, with the least and the most of each. */
const BOUNDS = [
  ['pause', 0, 60_000],
  ['timeout', 1, 600_000],
  ['most', 1, 1_000_000],
  ['patient', 1, 120],
] as const
/** Characters of a sentence that names values of a server, which may be of any length. */
const MOST_FOUND = 500

/**
 * Audits a server of OAuth 2.1, OpenID Connect and MCP: sends the requests of every check, and reports which clauses it
 * holds.
 *
 * It registers clients, and with `signIn` it lets two people grant them access. {@link plannedCreations} tells how many.
 * At its end it revokes the tokens and deletes the clients, as far as the server lets it, and nothing that was there
 * before. Requests go to the origins that are named and to no other.
 *
 * @param server - the issuer of a server, such as `http://127.0.0.1:3000`, or its handler in this process
 * @throws Error - if the issuer is not one, a name in `only` is unknown, the server does not answer or serve `token`, or it
 *   speaks neither OAuth nor MCP
 * @example
 * ```ts
 * import { auditServer } from 'hallpass-audit'
 *
 * const handler = () => Response.json({ code_challenge_methods_supported: ['plain'] })
 * const report = await auditServer(handler, { only: ['pkce'] })
 * report.rows.map(({ verdict }) => verdict).includes('held') // => false
 * ```
 * @group Audits
 */
export async function auditServer(
  server: string | Handler,
  options: AuditServerOptions = {},
): Promise<AuditReport> {
  if (typeof server !== 'string' && typeof server !== 'function')
    throw new Error('the server must be its issuer, or its function from a Request to a Response')
  const issuer = readIssuer(
    typeof server === 'string' ? server : (options.origin ?? 'http://127.0.0.1:3000'),
  )
  const depth = options.depth ?? (options.signIn === undefined ? 'anonymous' : 'people')
  for (const [name, least, most] of BOUNDS) requireNumber(name, options[name], least, most)
  if (!DEPTHS.includes(depth)) throw new Error(`depth must be one of ${DEPTHS.join(', ')}`)
  const { origin } = new URL(issuer)
  const { checks, beyond } = selectChecks(options, depth)
  // Nothing that is asked about must not look like nothing that is wrong.
  if (checks.length === 0)
    throw new Error(
      beyond === 0
        ? 'no check runs: `only` names none'
        : `no check runs at the depth ${depth}: ${count(beyond, 'check')} ${beyond === 1 ? 'needs' : 'need'} ${depth === 'passive' ? 'a greater one' : 'a sign-in'}`,
    )
  const named = (options.otherOrigins ?? []).map(readOrigin)
  const origins = new Set([origin, ...named, ...originsOf(options.signIn, origin)])
  const isHandler = typeof server !== 'string'
  const isNear = isHandler || [...origins].every(isLoopback)
  const mask = createMask(options.signIn === undefined ? undefined : secretsOf(options.signIn))
  const http = createHttp({
    mask,
    ...(isHandler && { handler: server }),
    origins,
    pause: options.pause ?? (isNear ? 0 : 200),
    timeout: options.timeout ?? 10_000,
    most: options.most ?? 3000,
    onWait: options.onWait,
  })
  if (!isHandler) await requirePermission(http, origins, options.token)
  const audit = createAudit({
    issuer,
    origins: [...origins],
    http,
    signIn: options.signIn ?? null,
    mayAsk: depth === 'people',
    clientDocument: options.clientDocument ?? options.signIn?.clientDocument ?? null,
    patience: 60 * (options.patient ?? 0),
  })
  const startedAt = new Date().toISOString()
  await requireServer(audit)
  options.onBegin?.(checks, audit.created)
  const rows: AuditRow[] = []
  const stopped = abortOf(options.signal)
  let left: Left = { clients: [], grants: 0 }
  try {
    for (const check of checks) {
      const row = await Promise.race([runCheck(check, { audit, mask }), stopped])
      if (row === null) break
      rows.push(row)
      options.onRow?.(row)
    }
  } finally {
    http.close()
    left = await audit.removeAll(options.signal?.aborted === true ? HASTY_MILLISECONDS : LAST_MILLISECONDS) // prettier-ignore
  }
  return {
    issuer,
    startedAt,
    version: version(),
    depth,
    rows,
    counts: countsOf(rows),
    requests: http.sent(),
    created: audit.created(),
    left,
    beyond,
    against: options.against === undefined ? null : againstOf(rows, options.against),
    refused: audit.refused().map((sentence) => mask.hide(sentence)),
  }
}

/** Resolves when the signal is aborted. */
const abortOf = (signal: AbortSignal | undefined): Promise<null> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) resolve(null)
    signal?.addEventListener('abort', () => resolve(null), { once: true })
  })

async function runCheck(
  check: Check,
  { audit, mask }: { audit: Audit; mask: Mask },
): Promise<AuditRow> {
  const { verdict, found, exchange } = await findingOf(check, audit)
  const { document, section } = check.clause
  return {
    check: check.id,
    verdict: verdict === 'violated' && check.clause.level === 'advice' ? 'advice' : verdict,
    found: cut(mask.hide(found.slice(0, 4 * MOST_FOUND)), MOST_FOUND),
    clause: check.clause,
    url: urlOf(document, section),
    request: exchange?.request ?? null,
    answer: exchange?.answer ?? null,
    change: check.change,
  }
}

async function findingOf(check: Check, audit: Audit): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Finding>((resolve) => {
    const longest = CHECK_MILLISECONDS + (check.patient === true ? 1000 * audit.patience : 0)
    timer = setTimeout(() => resolve(notReached('the check took too long')), longest)
  })
  try {
    return await Promise.race([check.run(audit), late])
  } catch (error) {
    if (error instanceof Stop) return error.finding
    // A server may answer with anything, so a check that cannot read it does not end the audit.
    return notReached(`the check failed: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    clearTimeout(timer)
  }
}

/** The address of a section. Only the documents of the IETF number their anchors. */
function urlOf(document: string, section: string): string {
  const base = DOCUMENTS[document] ?? ''
  return /^[\d.]+$/.test(section) && /rfc-editor|datatracker/.test(base)
    ? `${base}#section-${section}`
    : base
}

function requireNumber(name: string, value: number | undefined, least: number, most: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= least && value <= most)) return
  throw new Error(`${name} must be a whole number from ${least} to ${most}, not ${value}`)
}

function countsOf(rows: readonly AuditRow[]): Record<Verdict, number> {
  const counts = { held: 0, violated: 0, advice: 0, 'not applicable': 0, 'not reached': 0 }
  for (const { verdict } of rows) counts[verdict] += 1
  return counts
}
