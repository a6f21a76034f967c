import type { Facts, Preset, StepId } from '../school/src/playground/presets.js'
import { type Draft, draftOf, edited, missingIn } from './draft.js'
import type { Session } from './session.js'

/** A school of this demo. */
export interface School {
  readonly name: string
  readonly origin: string
}

/** Why a request is not ready, and what leads to it next. */
export interface Unmet {
  readonly says: string
  /** A step to send, a school to go to, or to wait; `null` if only the reader can do it. */
  readonly next: StepId | ToSchool | 'wait' | null
}

/** Another school of the demo. */
interface ToSchool {
  readonly school: School
  /** Whether it has to be its own page. The tokens of this one are not there. */
  readonly isOwnPage: boolean
}

/** The facts that decide whether a request is ready. */
export interface Situation {
  readonly session: Session
  readonly schools: readonly School[]
  /** The `client_id` of this page that is a metadata document. */
  readonly document: string | null
  /** Epoch seconds. */
  readonly now: number
}

/** Returns the request of a step as a well-behaved client sends it. */
export function asItShouldBe(
  step: StepId,
  { session, document }: Pick<Situation, 'session' | 'document'>,
  { isAgent = session.track === 'mcp' } = {},
): Draft {
  const hasDocument = session.values['client_id'] === document
  const draft = draftOf(step, { hasDocument, isAgent })
  const isBound = session.metadata === null || session.values['resource'] !== undefined
  return isBound ? draft : edited(draft, { set: { resource: null } })
}

/** Returns the request of a preset. */
export const draftOfPreset = (
  { step, edit }: Preset,
  around: Pick<Situation, 'session' | 'document'>,
): Draft => edited(asItShouldBe(step, around, { isAgent: false }), edit)

/** The variables that are made for each request. */
const MADE = ['random', 'code_challenge', 'state', 'nonce']

/** The step that each variable comes from. Every other one is in the metadata. */
const FROM: Readonly<Record<string, StepId>> = {
  client_id: 'register',
  code: 'authorize',
  code_verifier: 'authorize',
  access_token: 'exchange',
  refresh_token: 'exchange',
  previous_refresh_token: 'refresh',
  first_refresh_token: 'refresh',
}

/** Returns the first variable that a request of a step still lacks, or `null`. */
export function lackingIn(step: StepId, draft: Draft, { values }: Session): string | null {
  const made = step === 'authorize' ? [...MADE, 'code_verifier'] : MADE
  return missingIn(draft, values).find((name) => !made.includes(name)) ?? null
}

/** Says why a preset is not ready, or returns `null` if it is. */
export function unmetOf(preset: Preset, situation: Situation): Unmet | null {
  const { at, step, needs = [] } = preset
  const elsewhere =
    elsewhereOf(at ?? schoolOf(step, situation), situation) ?? pageOf(preset, situation)
  if (elsewhere !== null) {
    const says = [elsewhere.says, ...needs.map((need) => need.says)].join(', and ')
    return { ...elsewhere, says }
  }
  const lacking = lackingIn(step, draftOfPreset(preset, situation), situation.session)
  if (lacking !== null) return { says: `{${lacking}}`, next: wayTo(lacking, situation) }
  for (const { says, next } of needs) {
    const way = next(factsOf(situation))
    if (way !== null) return { says, next: way === 'reader' ? null : readyFor(way, situation) }
  }
  return null
}

/** Says why the request of a step is not ready, or returns `null` if it is. */
export function unmetStep(step: StepId, situation: Situation): Unmet | null {
  const elsewhere = elsewhereOf(schoolOf(step, situation), situation)
  if (elsewhere !== null) return elsewhere
  const lacking = lackingIn(step, asItShouldBe(step, situation), situation.session)
  return lacking === null ? null : { says: `{${lacking}}`, next: wayTo(lacking, situation) }
}

type SchoolName = NonNullable<Preset['at']>

/** The only school whose members may have apps, for the steps in which the client takes part. */
function schoolOf(step: StepId, { session, schools }: Situation): SchoolName | null {
  const isSchool = schools.some(({ origin }) => origin === session.target)
  const isClient =
    step === 'authorize' || step === 'exchange' || step === 'refresh' || step === 'revoke'
  return session.track === 'member' && isSchool && isClient ? 'Lantern Street' : null
}

function elsewhereOf(wanted: SchoolName | null, { session, schools }: Situation): Unmet | null {
  if (wanted === null) return null
  const there = schools.find(({ name }) => name.startsWith(wanted))
  if (there === undefined) return { says: wanted, next: null }
  if (there.origin === session.target) return null
  const isOwnPage = there.origin !== pageOrigin(session)
  return { says: wanted, next: { school: there, isOwnPage } }
}

const pageOrigin = ({ values }: Session): string => new URL(values['redirect_uri']!).origin

// A request that no browser comes back from can only be asked by a page of the same school.
function pageOf({ step, refused }: Preset, { session, schools }: Situation): Unmet | null {
  const school = schools.find(({ origin }) => origin === session.target)
  if (step !== 'authorize' || refused === undefined || school === undefined) return null
  if (school.origin === pageOrigin(session)) return null
  return { says: `the page of ${school.name}`, next: { school, isOwnPage: true } }
}

function wayTo(variable: string, situation: Situation): Unmet['next'] {
  const { session, schools } = situation
  if (variable === 'other_token') {
    if (session.values['access_token'] === undefined) return wayTo('access_token', situation)
    const other = schools.find(({ origin }) => origin !== session.target)
    return other === undefined ? null : { school: other, isOwnPage: false }
  }
  const from = FROM[variable] ?? 'discover'
  // A code is of no use for tokens twice.
  return readyFor(
    from === 'exchange' && session.codeArrivedAt === null ? 'authorize' : from,
    situation,
  )
}

/** The step itself, or the one before it that has to be sent first. */
function readyFor(step: StepId | 'wait', situation: Situation): Unmet['next'] {
  if (step === 'wait') return step
  const unmet = unmetStep(step, situation)
  return unmet === null ? step : unmet.next
}

function factsOf({ session, document, now }: Situation): Facts {
  const since = (at: number | null): number | null => (at === null ? null : now - at)
  return {
    codeAge: since(session.codeArrivedAt),
    exchangedAge: since(session.exchangedAt),
    renewedAge: since(session.renewedAt),
    renewals: session.renewals,
    allowedAge: since(session.allowedAt),
    isEnded: session.isEnded,
    isDocument: document !== null && session.values['client_id'] === document,
  }
}
