import type { AttemptOutcome, AttemptStage, AttemptTurn } from 'hallpass/attempts'
import type { AttemptRow } from './views.js'
import { type Html, html } from '../html.js'
import { foreign } from '../layout.js'

const ATTEMPTS = '/oauth/applications/attempts'

/** Returns the path of the list of attempts, or of one attempt. */
export const attemptPath = (id: string | null = null): string =>
  id === null ? ATTEMPTS : `${ATTEMPTS}/${encodeURIComponent(id)}`

/** Returns the path of the list with a filter. */
export function attemptsPath(filter: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filter))
    if (value !== null && value !== '') query.set(name, value)
  return query.size === 0 ? ATTEMPTS : `${ATTEMPTS}?${query.toString()}`
}

/** Names of the outcomes, for filters and badges. */
export const OUTCOME_WORDS: Readonly<Record<AttemptOutcome, string>> = {
  stopped: 'Tried to connect',
  waiting: 'Connecting now',
  connected: 'Connected',
}

const OUTCOME_LOOKS: Readonly<Record<AttemptOutcome, string>> = {
  stopped: 'badge badge-warn',
  waiting: 'badge',
  connected: 'badge badge-good',
}

/** Renders the outcome as a badge. */
export const outcomeBadge = (outcome: AttemptOutcome): Html =>
  html`<span class="${OUTCOME_LOOKS[outcome]}">${OUTCOME_WORDS[outcome]}</span>`

/** Says whose turn it is. */
export const TURN_WORDS: Readonly<Record<AttemptTurn, string>> = {
  client: 'The people who make the app',
  person: 'The person who connects it',
  manager: 'You, or another manager',
  developer: 'The people who run this website',
  nobody: 'No one: it works',
}

/** Names of the stages, in the words of a manager. */
export const STAGE_WORDS: Readonly<Record<AttemptStage, string>> = {
  discovery: 'Looked the school up',
  registration: 'Registered',
  document: 'Its document was fetched',
  authorize: 'Asked to connect',
  sign_in: 'The sign-in page was shown',
  consent: 'The page with the permissions was shown',
  code: 'The person allowed it',
  token: 'Got access',
  first_call: 'Used its access',
}

/** Names of the stages of steps that failed. */
export const FAILED_WORDS: Readonly<Record<AttemptStage, string>> = {
  discovery: 'Could not look the school up',
  registration: 'Could not register',
  document: 'Its document was refused',
  authorize: 'Its request was refused',
  sign_in: 'The person could not sign in',
  consent: 'The person could not allow it, or did not',
  code: 'The permission was not issued',
  token: 'Did not get access',
  first_call: 'Its access was refused',
}

/** Renders the name of an app that tried to connect. */
export const attemptName = ({ name }: Pick<AttemptRow, 'name'>): Html =>
  name === null ? html`An app without a name` : foreign(name)

/**
 * Renders a sentence about an attempt. The name of the app does not affect the direction of the words around
 * it, and what is between backticks outside of the name is code.
 */
export const attemptSentence = (text: string, name: string | null): Html =>
  html`${(name === null || name === '' ? [text] : text.split(name)).map(
    (part, index) => html`${index > 0 && foreign(name!)}${withCode(part)}`,
  )}`

const withCode = (text: string): readonly Html[] =>
  text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
