import type { AttemptOutcome, AttemptSilence } from 'hallpass/clients'
import type { AttemptRow } from './views.js'
import { type Html, html } from '../html.js'
import { foreign } from '../layout.js'
import { withCode } from '../parts.js'
import { inEnglish } from '../scope-list.js'
import type { ApplicationsWords } from '../words/applications/en.js'
import type { Language } from '../words/words.js'

const OUTCOME_LOOKS: Readonly<Record<AttemptOutcome, string>> = {
  stopped: 'badge badge-warn',
  waiting: 'badge',
  connected: 'badge badge-good',
}

/** Renders the outcome as a badge. */
export const outcomeBadge = (outcome: AttemptOutcome, { attempt }: ApplicationsWords): Html =>
  html`<span class="${OUTCOME_LOOKS[outcome]}">${attempt.outcomes[outcome]}</span>`

/** Renders the name of an app that tried to connect. */
export const attemptName = (
  { name }: Pick<AttemptRow, 'name'>,
  { attempt }: ApplicationsWords,
): Html => (name === null ? html`${attempt.nameless}` : foreign(name))

/**
 * Renders a sentence about an attempt, which is in English. The name of the app does not affect the direction of the
 * words around it, and what is between backticks outside of the name is code.
 */
export function attemptSentence(text: string, name: string | null, language: Language): Html {
  const parts = name === null || name === '' ? [text] : text.split(name)
  const sentence = html`${parts.map(
    (part, index) => html`${index > 0 && foreign(name!)}${withCode(part)}`,
  )}`
  return language.words.applications.attempt.silences === null ? sentence : inEnglish(sentence)
}

/**
 * Says how far an attempt got, for a reader who may not know the English of {@link attemptSentence}. `null` if the
 * language of the page is English.
 */
export function attemptSummary(
  { outcome, stage, reason }: Pick<AttemptRow, 'outcome' | 'stage' | 'reason'>,
  { attempt: { silences, stages, failures } }: ApplicationsWords,
): string | null {
  if (silences === null) return null
  if (outcome !== 'stopped') return stages[stage]
  return reason !== null && Object.hasOwn(silences, reason)
    ? silences[reason as AttemptSilence]
    : failures[stage]
}
