import { CHECKS } from './checks/index.js'
import type { Check, Clause, Depth } from './check.js'
import type { Created, Finding, Verdict } from './finding.js'
import { DEPTHS, DOCUMENTS } from './check.js'
import { notReached, Stop } from './finding.js'
import { type Audit, createAudit, MOST_SHARED_GRANTS } from './engine/audit.js'
import { createHttp, type Http } from './engine/http.js'
import type { Handler } from './engine/network.js'
import { createMask, type Mask } from './engine/mask.js'
import { requirePermission } from './engine/permission.js'
import { nearest } from './nearest.js'
import { count, cut } from './reports/text.js'
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
  /** How many checks need more than this depth, and were not part of the audit. */
  readonly beyond: number
}

/**
 * The result of one check.
 *
 * @group Audits
 */
export interface AuditRow extends Finding {
  /** Such as `pkce/wrong-verifier`. */
  readonly check: string
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
export interface AuditServerOptions {
  /**
   * The issuer of a handler in this process, as its metadata names it. Default: `http://127.0.0.1:3000`. For a server
   * on the network the first argument is its issuer.
   */
  readonly origin?: string
  /** How people sign in. Default: no one does, and the depth is `anonymous`. */
  readonly signIn?: SignIn
  /** How far the audit goes. Default: `people` with `signIn`, otherwise `anonymous`. */
  readonly depth?: Depth
  /** Subjects such as `pkce`, or single checks such as `pkce/plain`. Default: all. */
  readonly only?: readonly string[]
  /** Further checks, such as what one kind of server promises and no specification demands. Default: none. */
  readonly checks?: readonly Check[]
  /**
   * The URL of `client.json`, if you publish the files of {@link clientDocuments} for the audit. Default: that of the
   * sign-in, if any. Without one, checks that need a client metadata document are not reached.
   */
  readonly clientDocument?: string
  /**
   * The text that the server serves at `/.well-known/hallpass-audit`, which proves that its operator wants the audit.
   * Default: none, with which a server on another computer is not audited.
   */
  readonly token?: string
  /** Milliseconds between two requests. Default: 0 on this computer, otherwise 200. */
  readonly pause?: number
  /** Milliseconds after which a request is unanswered. Default: 10,000. */
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
}

/** The longest that one check takes, in milliseconds: after it, the check is not reached. */
const CHECK_MILLISECONDS = 90_000
/** Characters of a sentence that names values of a server, which may be of any length. */
const MOST_FOUND = 500

/**
 * Audits a server of OAuth 2.1, OpenID Connect and MCP: sends the requests of every check, and reports which clauses it
 * holds.
 *
 * It registers clients, and with `signIn` it lets two people grant them access. {@link plannedCreations} tells how many.
 * It deletes nothing that was there before. Requests go to the origin and to no other.
 *
 * @param server - the issuer of a server, such as `http://127.0.0.1:3000`, or its handler in this process
 * @throws Error - if the issuer is not one, a name in `only` is unknown, or the server does not answer or serve `token`
 * @example
 * ```ts
 * import { auditServer } from 'hallpass-audit'
 *
 * const handler = () => new Response(null, { status: 404 })
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
  const isNear = typeof server !== 'string' || isLoopback(origin)
  const mask = createMask(options.signIn === undefined ? undefined : secretsOf(options.signIn))
  const http = createHttp({
    mask,
    ...(typeof server !== 'string' && { handler: server }),
    origins: new Set([origin]),
    pause: options.pause ?? (isNear ? 0 : 200),
    timeout: options.timeout ?? 10_000,
    most: options.most ?? 3000,
  })
  if (!isNear) await requirePermission(http, origin, options.token)
  const audit = createAudit({
    issuer,
    http,
    signIn: options.signIn ?? null,
    mayAsk: depth === 'people',
    clientDocument: options.clientDocument ?? options.signIn?.clientDocument ?? null,
  })
  const startedAt = new Date().toISOString()
  await requireAnswer(audit)
  options.onBegin?.(checks, audit.created)
  const rows: AuditRow[] = []
  for (const check of checks) {
    const row = await runCheck(check, { audit, http, mask })
    rows.push(row)
    options.onRow?.(row)
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
    beyond,
  }
}

/** Throws if there is no server, which no check would find out sooner. */
async function requireAnswer(audit: Audit): Promise<void> {
  try {
    await audit.serverAnswer()
  } catch (error) {
    // A server that publishes no metadata has answered.
    if (error instanceof Stop && error.finding.verdict === 'not applicable') return
    throw new Error(`${audit.origin} does not answer: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/**
 * Returns the checks that an audit with these options runs, and how many need more than its depth.
 *
 * @throws Error - if a name in `only` is unknown
 * @example
 * ```ts
 * import { selectChecks } from 'hallpass-audit'
 *
 * const { checks } = selectChecks({ only: ['pkce/s256-named'] }, 'passive')
 * checks.map(({ id }) => id) // => ['pkce/s256-named']
 * ```
 * @group Checks
 */
export function selectChecks(
  { only, checks: further = [] }: Pick<AuditServerOptions, 'only' | 'checks'>,
  depth: Depth,
): { readonly checks: readonly Check[]; readonly beyond: number } {
  const all = [...CHECKS, ...further]
  for (const name of only ?? []) {
    if (all.some(({ id }) => isNamed(id, name))) continue
    const subjects = subjectsOf(all)
    const meant = nearest(name, [...subjects, ...all.map(({ id }) => id)])
    throw new Error(
      `no check is named ${name}: ${meant === null ? `subjects are ${subjects.join(', ')}` : `did you mean ${meant}?`}`,
    )
  }
  const wanted = all.filter(
    ({ id }) => only === undefined || only.some((name) => isNamed(id, name)),
  )
  const checks = wanted.filter((check) => DEPTHS.indexOf(check.depth) <= DEPTHS.indexOf(depth))
  return { checks, beyond: wanted.length - checks.length }
}

/**
 * Returns what an audit creates at most, so that the operator of the server knows before it begins.
 *
 * @example
 * ```ts
 * import { plannedCreations, selectChecks } from 'hallpass-audit'
 *
 * plannedCreations(selectChecks({}, 'passive').checks) // => { clients: 0, authorizations: 0 }
 * ```
 * @group Audits
 */
export function plannedCreations(checks: readonly Check[]): Created {
  // Next to what each check spends, all share three clients, and a grant that the server may end.
  const needs = (depth: Depth): number => (checks.some((check) => check.depth === depth) ? 1 : 0)
  const shared = new Map(checks.flatMap(({ shares = [] }) => shares.map((one) => [one.name, one])))
  const sum = (what: keyof Created): number =>
    [...checks.map(({ creates }) => creates), ...shared.values()].reduce(
      (total, creates) => total + (creates?.[what] ?? 0),
      0,
    )
  return {
    clients: Math.max(needs('people'), needs('anonymous')) * 3 + sum('clients'),
    authorizations: needs('people') * MOST_SHARED_GRANTS + sum('authorizations'),
  }
}

const isNamed = (id: string, name: string): boolean => id === name || id.startsWith(`${name}/`)

const subjectsOf = (checks: readonly Check[]): readonly string[] => [
  ...new Set(checks.map(({ id }) => id.slice(0, id.indexOf('/')))),
]

async function runCheck(
  check: Check,
  { audit, http, mask }: { audit: Audit; http: Http; mask: Mask },
): Promise<AuditRow> {
  http.begin()
  const { verdict, found } = await findingOf(check, audit)
  const last = http.exchanges().at(-1) ?? null
  const { document, section } = check.clause
  return {
    check: check.id,
    verdict,
    found: cut(mask.hide(found.slice(0, 4 * MOST_FOUND)), MOST_FOUND),
    clause: check.clause,
    url: urlOf(document, section),
    request: last?.request ?? null,
    answer: last?.answer ?? null,
    change: check.change,
  }
}

async function findingOf(check: Check, audit: Audit): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Finding>((resolve) => {
    timer = setTimeout(() => resolve(notReached('the check took too long')), CHECK_MILLISECONDS)
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

function countsOf(rows: readonly AuditRow[]): Record<Verdict, number> {
  const counts = { held: 0, violated: 0, 'not applicable': 0, 'not reached': 0 }
  for (const { verdict } of rows) counts[verdict] += 1
  return counts
}

/** An issuer identifier has no query, and no slash at its end. */
function readIssuer(text: string): string {
  if (/^[\w.-]+(?::\d+)?(?:\/|$)/.test(text) && URL.canParse(`http://${text}`))
    throw new Error(`${text} has no scheme: name ${isLoopback(`http://${text}`) ? 'http' : 'https'}://${text}`) // prettier-ignore
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new Error(`${text} is not an issuer such as https://school.example`)
  const { origin, pathname, search, hash, hostname, username, password } = new URL(text)
  const issuer = origin + pathname.replace(/\/$/, '')
  if (username + password !== '')
    throw new Error(`an issuer has no user name and no password: name ${issuer}`)
  if (search + hash !== '') throw new Error(`${text} has a query or a fragment: name ${issuer}`)
  if (hostname === '0.0.0.0' || hostname === '[::]')
    throw new Error(`${text} is every address of a computer: name ${issuer.replace(hostname, '127.0.0.1')}`) // prettier-ignore
  return issuer
}

const isLoopback = (origin: string): boolean =>
  /^(?:127(?:\.\d+){3}|\[::1\]|localhost|[\w.-]+\.localhost)$/.test(new URL(origin).hostname)
