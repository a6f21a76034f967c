import type { RefusalNotice, SiteEvent } from 'hallpass'
import { explainRefusal } from 'hallpass/clients'
import { attemptPath } from '../../../pages/applications/paths.js'
import type { AuditEvent } from './audit.js'
import type { Log } from './hooks.js'
import { cut, printable, type Terminal, type TerminalLine } from './terminal.js'
import { within } from './within.js'

/** Finds what the people and apps of one school are called. */
export interface Names {
  readonly client: (clientId: string) => Promise<string | null>
  readonly person: (subject: string) => Promise<string | null>
}

/** A school that the story is about. */
interface StorySchool {
  /** Its `site` in the entries of the log. */
  readonly id: string
  readonly origin: string
  /** Text in front of its lines. Default: none */
  readonly tag?: string | undefined
  readonly names: Names
}

/** The log of a process on a terminal. */
export interface Story {
  readonly log: Log
  /** Adds a school. Until then its lines have identifiers. */
  readonly add: (school: StorySchool) => void
}

/** The facts of a line. All of them may come from clients. */
interface Facts {
  readonly client: string
  readonly person: string
  readonly scopes: string
  /** The reason, or the outcome. */
  readonly reason: string
  readonly entry: Readonly<Record<string, unknown>>
}

type Line = Pick<TerminalLine, 'mark' | 'text'>
type Say = (facts: Facts) => Line | null

const line =
  (mark: TerminalLine['mark'], text: (facts: Facts) => string): Say =>
  (facts) => ({ mark, text: text(facts) })
const done = (text: (facts: Facts) => string): Say => line('done', text)
const warning = (text: (facts: Facts) => string): Say => line('warning', text)
const refused = (text: (facts: Facts) => string): Say => line('refused', text)
/** Leaves out what another line says, and what decides nothing. */
const nothing: Say = () => null

/** The line of each event. */
const LINES: Readonly<Record<SiteEvent['type'] | AuditEvent['type'], Say>> = {
  'oauth.client.registered': done(({ client }) => `${client} registered itself`),
  'oauth.client.refused': nothing,
  'oauth.client.cimd.fetched': done(({ client }) => `${client} is known by its document`),
  'oauth.client.cimd.changed': warning(
    ({ client, entry }) =>
      `The document of ${client} has changed${entry['reviewLost'] === true ? ': it needs a review again' : ''}`,
  ),
  'oauth.client.cimd.fetch_failed': refused(
    ({ client, reason }) => `The document of ${client} cannot be fetched: ${reason}`,
  ),
  'oauth.authorization.requested': line('note', ({ client, scopes }) => `${client} asks for ${scopes}`), // prettier-ignore
  'oauth.authorization.denied': refused(({ client, person }) => `${person} refused ${client}`),
  'oauth.authorization.approved': done(
    ({ client, person, scopes, entry }) =>
      `${client} got a code for ${person}${entry['remembered'] === true ? ', who had allowed it' : ''}: ${scopes}`,
  ),
  'oauth.authorization.code_redeemed': done(
    ({ client, person }) => `${client} got tokens for ${person}`,
  ),
  'oauth.authorization.code_replayed': refused(
    ({ client }) => `${client} sent a code twice: its access has ended`,
  ),
  'oauth.grant.created': nothing,
  'oauth.token.issued': nothing,
  'oauth.grant.widened': done(
    ({ client, person, scopes }) => `${person} lets ${client} do more: ${scopes}`,
  ),
  'oauth.token.refreshed': done(({ client, person }) => `${client} renewed its tokens for ${person}`), // prettier-ignore
  'oauth.grant.reuse_recovered': warning(
    ({ client, person }) => `${client} sent a used refresh token, and got new tokens for ${person}`,
  ),
  'oauth.grant.reuse_frequent': warning(
    ({ client, person }) => `${client} often sends used refresh tokens for ${person}`,
  ),
  'oauth.grant.reuse_detected': refused(
    ({ client }) => `${client} sent a used refresh token: its access has ended`,
  ),
  'oauth.grant.used_after_end': refused(
    ({ client, reason }) => `${client} still sends tokens of ended access: ${reason}`,
  ),
  'oauth.grant.revoked': done(({ client, person }) => `The access of ${client} for ${person} has ended`), // prettier-ignore
  'oauth.token.revoked': done(({ client, person }) => `${client} gave up a token for ${person}`),
  'oauth.grants.revoked': warning(() => 'All access has ended: everyone has to allow apps again'),
  'oauth.client.created': done(({ client, person }) => `${person} created ${client}`),
  'oauth.client.updated': done(({ client, person }) => `${person} changed ${client}`),
  'oauth.client.disabled': done(({ client, person }) => `${person} disabled ${client}`),
  'oauth.client.enabled': done(({ client, person }) => `${person} enabled ${client}`),
  'oauth.client.secret_rotated': done(({ client, person }) => `${person} gave ${client} a new secret`), // prettier-ignore
  'oauth.client.old_secret_ended': done(({ client, person }) => `${person} ended the old secret of ${client}`), // prettier-ignore
  'oauth.client.deleted': done(({ client, person }) => `${person} deleted ${client}`),
  'oauth.client.cimd.blocked': done(({ client, person }) => `${person} blocked ${client}`),
  'oauth.client.cimd.unblocked': done(({ client, person }) => `${person} unblocked ${client}`),
  'oauth.client.cimd.reviewed': done(
    ({ client, person, scopes }) => `${person} reviewed ${client}: ${scopes}`,
  ),
  'oauth.client.end_set': done(({ client, person }) => `${person} set when ${client} ends`),
  'oauth.client.disconnected': done(({ client, person }) => `${person} disconnected ${client}`),
  'oauth.person.erased': done(() => 'A member was erased'),
  'member.erased': nothing,
  'service.created': done(({ client }) => `${client} is a service now`),
  'service.ended': done(({ client }) => `The service ${client} has ended`),
  'oauth.key.published': nothing,
  'oauth.key.activated': nothing,
  'oauth.key.retired': nothing,
  'oauth.key.resealed': nothing,
  'oauth.key.none_active': warning(() => 'No signing key is active: no ID token is issued'),
  'oauth.clock.skewed': refused(
    ({ entry }) =>
      `The clock differs from that of the database by ${String(entry['skewSeconds'])} seconds: nothing is issued`,
  ),
  'oauth.clock.corrected': done(() => 'The clock agrees with that of the database again'),
  'oauth.clock.leapt': warning(
    ({ entry }) => `The clock leapt by ${String(entry['leapSeconds'])} seconds: nothing is deleted`,
  ),
  'api.write': ({ client, person, reason, entry }) =>
    outcome(`${client} called ${String(entry['operation'])} for ${person}`, reason),
  // Without a client, the line of the refusal follows.
  'api.denied': ({ client, person, reason, entry }) =>
    entry['clientId'] === null
      ? null
      : outcome(`${client} called ${String(entry['operation'])} for ${person}`, reason),
  'mcp.tool_called': ({ client, person, reason, entry }) =>
    outcome(`${client} called ${String(entry['tool'])} for ${person}`, reason),
  // The line of the refusal follows.
  'mcp.denied': nothing,
  'session.signed_in': done(({ person }) => `${person} signed in`),
  'session.failed': refused(
    ({ person, reason }) => `The sign-in of ${person} was refused: ${reason}`,
  ),
  'feature.enabled': done(({ person, entry }) => `${person} switched ${String(entry['feature'])} on`), // prettier-ignore
  'feature.disabled': done(({ person, entry }) => `${person} switched ${String(entry['feature'])} off`), // prettier-ignore
}

const outcome = (text: string, reason: string): Line =>
  reason === '' || reason === 'done' ? { mark: 'done', text } : { mark: 'refused', text: `${text}: ${reason}` } // prettier-ignore

/** Entries that are for machines. Elsewhere than on a terminal they are in the log. */
const LEFT_OUT: ReadonlySet<unknown> = new Set(['request', 'maintained'])

/** A name that is longer hides what happened. */
const NAME_COLUMNS = 32
const SHOWN_SCOPES = 3
/** How long a line waits for names. */
const NAMES_MILLISECONDS = 1000
/** How many lines wait for names. More are counted, because anyone can cause them. */
const MAX_WAITING_LINES = 100

/**
 * Creates the log of a process on a terminal: one line for each decision, with the names of people and apps. Requests
 * of pages and files have none.
 */
export function createStory(terminal: Pick<Terminal, 'line'>): Story {
  const schools = new Map<unknown, StorySchool>()
  const waiting: Readonly<Record<string, unknown>>[] = []
  let isTelling = false
  let lost = 0

  async function tell(): Promise<void> {
    isTelling = true
    for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
      const told = await lineOf(entry, schools.get(entry['site']))
      if (told !== null) terminal.line(told)
    }
    isTelling = false
    if (lost > 0)
      terminal.line({ mark: 'warning', text: `${lost} more lines came too fast to be shown` })
    lost = 0
  }

  return {
    add: (school) => void schools.set(school.id, school),
    log(entry) {
      if (LEFT_OUT.has(entry['type'])) return
      // Needs no name, and may be the last word of the process.
      if (!isDecision(entry['type'])) terminal.line(plainLine(entry))
      else if (waiting.length >= MAX_WAITING_LINES) lost += 1
      else waiting.push(entry)
      if (!isTelling && waiting.length > 0) void tell()
    },
  }
}

const isDecision = (type: unknown): boolean =>
  type === 'refused' || Object.hasOwn(LINES, String(type))

async function lineOf(
  entry: Readonly<Record<string, unknown>>,
  school: StorySchool | undefined,
): Promise<TerminalLine | null> {
  const say = entry['type'] === 'refused' ? sayRefused : LINES[entry['type'] as SiteEvent['type']]
  const said = say === nothing ? null : say(await factsOf(entry, school?.names))
  if (said === null) return null
  const { tag } = school ?? {}
  const text = tag === undefined ? said.text : `${tag}: ${said.text}`
  return { ...said, text, link: linkOf(entry, school?.origin) }
}

/** A client asks without a token first, to learn where tokens are: that is how a connection begins. */
const sayRefused: Say = ({ client, reason, entry }) =>
  reason === 'access_token_missing'
    ? { mark: 'note', text: `${client} was shown where to get a token` }
    : { mark: 'refused', text: `${client} was refused at ${String(entry['endpoint'])}: ${reason}` }

function linkOf(
  { type, error, reason, attemptId }: Readonly<Record<string, unknown>>,
  origin: string | undefined,
): TerminalLine['link'] {
  if (type !== 'refused' || reason === 'access_token_missing') return undefined
  if (typeof attemptId === 'string' && origin !== undefined)
    return { label: 'its attempt', url: origin + attemptPath(attemptId) }
  const explained = explainRefusal({ error, reason } as RefusalNotice)
  return explained === null ? undefined : { label: 'what it means', url: explained.url }
}

async function factsOf(entry: Readonly<Record<string, unknown>>, names?: Names): Promise<Facts> {
  const { clientName, clientId, subject, actor, scopes, reason, outcome: result } = entry
  const [client, person] = await Promise.all([
    typeof clientName === 'string' ? clientName : nameOf(clientId, names?.client),
    nameOf(actor ?? subject, names?.person),
  ])
  return {
    client: cut(printable(client ?? 'A client'), NAME_COLUMNS),
    person: cut(printable(person ?? 'someone'), NAME_COLUMNS),
    scopes: listOf(Array.isArray(scopes) ? scopes.map(String) : []),
    reason: typeof reason === 'string' ? reason : typeof result === 'string' ? result : '',
    entry,
  }
}

/** Returns the name, and the identifier where there is none, or where none comes. */
async function nameOf(
  id: unknown,
  find: Names['client'] = async () => null,
): Promise<string | null> {
  if (typeof id !== 'string') return null
  return (await within(NAMES_MILLISECONDS, find(id)).catch(() => null)) ?? id
}

function listOf(scopes: readonly string[]): string {
  const shown = scopes.slice(0, SHOWN_SCOPES).join(' ')
  return scopes.length > SHOWN_SCOPES ? `${shown} and ${scopes.length - SHOWN_SCOPES} more` : shown
}

/** Returns the line of any other entry, such as a fault. It is whole, because it may say what to do. */
function plainLine({ type, ...rest }: Readonly<Record<string, unknown>>): TerminalLine {
  const { setting, reason, endpoint, fault, patienceMilliseconds, isUp } = rest
  const mark = type === 'fault' ? 'refused' : isUp === true ? 'done' : 'warning'
  const whole = (text: string): TerminalLine => ({ mark, text, isWhole: true })
  if (type === 'fault') return whole(`A fault in ${String(endpoint)}: ${String(fault)}`)
  if (type === 'waiting' && patienceMilliseconds !== undefined)
    return whole(
      `${String(setting)}: nothing answers yet; waiting up to ${Number(patienceMilliseconds) / 1000} s: ${String(reason)}`,
    )
  if (type === 'counters')
    return whole(
      isUp === true
        ? `${String(setting)}: it answers, so all processes count together`
        : `${String(setting)}: it does not answer, so no process knows what the others count: ${String(reason)}`,
    )
  const facts = Object.entries(rest)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return whole([String(type), ...facts].join('  '))
}
