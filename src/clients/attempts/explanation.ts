import { REFUSALS, type RefusalReason, type RefusalTable } from '../../policy/refusals.js'
import {
  type Attempt,
  type AttemptOutcome,
  type AttemptReason,
  type AttemptStage,
  type AttemptStep,
  decisiveStep,
  MAX_DETAIL,
  outcomeOf,
} from './attempt.js'
import type { AttemptTurn, RefusalExplanation } from './refusal-explanation.js'

/**
 * Why an attempt stopped without a refusal: the step that had to follow did not, for ten minutes.
 *
 * @group Explanations
 */
export type AttemptSilence =
  | 'nothing_after_discovery'
  | 'nothing_after_registration'
  | 'nothing_after_document'
  | 'nothing_after_authorize'
  | 'sign_in_abandoned'
  | 'consent_abandoned'
  | 'code_not_exchanged'

/**
 * The result of an attempt, in words for a manager.
 *
 * @group Explanations
 */
export interface AttemptExplanation {
  readonly id: string
  readonly outcome: AttemptOutcome
  /** The stage that decided the outcome. */
  readonly stage: AttemptStage
  /** The cause, as `reason` of {@link AttemptStep}, or an {@link AttemptSilence}; `null` unless the attempt has stopped. */
  readonly reason: string | null
  /**
   * The cause, or how far the attempt got. What others wrote is in “ ”: the name of the client of at most 100 characters,
   * and a detail of at most 200. Characters that are invisible, that change the direction of text or that end the
   * quotation are shown as `\u{202e}`. Escape it for HTML.
   */
  readonly sentence: string
  readonly turn: AttemptTurn
  /** The correction; `null` if nothing is to be done. */
  readonly change: string | null
}

interface Words {
  readonly sentence: string
  readonly change: string
  /** Who has to act. */
  readonly turn: AttemptTurn
}

/** The words of failures without a refusal. The table of refusals has the others. */
const WORDS: Readonly<Record<Exclude<AttemptReason, RefusalReason>, Words>> = {
  service_unavailable: {
    sentence: 'A storage of the site failed or did not respond in time.',
    change: 'Repair the storage: `onFault` received the exception. Then connect again.',
    turn: 'developer',
  },
  clock_skewed: {
    sentence: 'The clock of the server differs from that of its store, so nothing is issued.',
    change: 'Correct the clock of the server. Then connect again.',
    turn: 'developer',
  },
  request_not_readable: {
    sentence: 'Its request could not be read, or it disconnected before the response.',
    change: 'Send the request in the form that the endpoint expects, and wait for the response.',
    turn: 'client',
  },
  internal_error: {
    sentence: 'The server failed because of an exception.',
    change: 'Find the exception: `onFault` received it with the identifier of the request.',
    turn: 'developer',
  },
}

interface Silence extends Words {
  /** The step that has to follow. */
  readonly waits: string
  readonly reason: AttemptSilence
}

/** The meaning of a stage that succeeded and that nothing follows. */
const SILENCES: Readonly<Record<Exclude<AttemptStage, 'token' | 'first_call'>, Silence>> = {
  discovery: {
    reason: 'nothing_after_discovery',
    turn: 'client',
    waits: 'to register, or to open the browser',
    sentence:
      'It was challenged and read the metadata, but did not register or open the browser from the same network.',
    change:
      'Look for a later attempt of the client: one that runs on a server continues from another network. If there is none, see whether the client supports registration or metadata documents.',
  },
  registration: {
    reason: 'nothing_after_registration',
    turn: 'client',
    waits: 'to open the browser',
    sentence: 'It registered, but did not open the browser from the same network.',
    change:
      'Look for a later attempt of the client, whose browser may have another network. If there is none, connect again from the client, and see whether a browser opens.',
  },
  document: {
    reason: 'nothing_after_document',
    turn: 'client',
    waits: 'to continue the authorization request',
    sentence: 'Its metadata document was fetched, but no authorization request was completed.',
    change: 'Connect again from the client.',
  },
  authorize: {
    reason: 'nothing_after_authorize',
    turn: 'person',
    waits: 'for the browser to follow the redirect',
    sentence: 'The authorization request was valid, but the browser did not follow the redirect.',
    change: 'Connect again, and allow the browser to open the page.',
  },
  sign_in: {
    reason: 'sign_in_abandoned',
    turn: 'person',
    waits: 'for the person to sign in',
    sentence: 'The sign-in page was shown, but no one signed in and returned.',
    change:
      'Sign in within ten minutes. If the sign-in succeeded, it did not lead back: tell the people who run the site.',
  },
  consent: {
    reason: 'consent_abandoned',
    turn: 'person',
    waits: 'for the person to allow or cancel',
    sentence: 'The consent page was shown, but no one allowed or cancelled the request.',
    change: 'Connect again, and press Allow.',
  },
  code: {
    reason: 'code_not_exchanged',
    turn: 'client',
    waits: 'to exchange the code',
    sentence:
      'The person allowed the request, but the client did not exchange its code for tokens.',
    change:
      'Check that the redirect reaches the client: its program must run and listen at the redirect URI.',
  },
}

/** The part of the protocol that a stage is, at the beginning of a sentence. */
const STAGES: Readonly<Record<AttemptStage, string>> = {
  discovery: 'During discovery',
  registration: 'At its registration',
  document: 'With its metadata document',
  authorize: 'At its authorization request',
  sign_in: 'At the sign-in',
  consent: 'At the consent page',
  code: 'Before its code was issued',
  token: 'At the exchange of its code',
  first_call: 'At a call with its access token',
}

type Rows = Readonly<Record<string, RefusalExplanation>>

/**
 * Explains an attempt: what stopped it, whose turn it is, and what to change. Reads and writes nothing.
 *
 * A step that failed explains the attempt unless a later one succeeded. If nothing follows a step for ten
 * minutes, that is the cause.
 *
 * @param attempt - from the storage of attempts
 * @param now - epoch seconds
 * @returns the explanation: `reason` and `change` are `null` while nothing is wrong
 * @group Explanations
 * @example
 * ```ts
 * import { type Attempt, explanationOf } from 'hallpass/clients'
 *
 * const at = 1_795_165_200
 * const step = { at, stage: 'sign_in', ok: true, error: null, reason: null, requestId: null, detail: null, network: null } as const
 * const attempt: Attempt = {
 *   id: 'att_qTo0UaDHr9Zv7dRk', startedAt: at, lastAt: at, clientId: 'app_1', clientName: 'Notes',
 *   resource: 'https://school.example', scopes: ['courses:read'], network: null, grantId: null, steps: [step],
 * }
 * explanationOf(attempt, at + 60).sentence // => '“Notes” waits for the person to sign in.'
 * explanationOf(attempt, at + 600).reason // => 'sign_in_abandoned'
 * ```
 */
export function explanationOf(
  attempt: Attempt,
  now: number,
  tables: readonly RefusalTable[] = [],
): AttemptExplanation {
  const { id } = attempt
  const step = decisiveStep(attempt)
  const { stage, ok } = step
  const called = attempt.clientName ?? attempt.clientId
  const name = called === null ? 'A client' : quoted(called, MAX_NAME)
  const outcome = outcomeOf(attempt, now)
  if (!ok) return { id, outcome, stage, ...refused(step, { name, tables }) }
  if (stage === 'token' || stage === 'first_call') {
    const sentence =
      stage === 'token'
        ? `${name} has connected: it received tokens, and has not used them yet.`
        : `${name} has connected, and has called the site.`
    return { id, outcome, stage, reason: null, sentence, turn: 'nobody', change: null }
  }
  const { turn, waits, reason, sentence, change } = SILENCES[stage]
  return outcome === 'waiting'
    ? { id, outcome, stage, turn, reason: null, sentence: `${name} waits ${waits}.`, change: null }
    : { id, outcome, stage, turn, reason, sentence: `${name} stopped. ${sentence}`, change }
}

const MAX_NAME = 100
// Neither joiners nor variation selectors, which are spelling, and cannot hide or move what follows.
const UNSAFE = /(?! |\u200c|\u200d|\ufe0e|\ufe0f)[\p{C}\p{Z}\p{DI}"“”„‟«»]/gu
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Returns what an outsider wrote as a quotation, which cannot end early, hide anything or reorder the words around it. */
function quoted(text: string, most: number): string {
  const characters = Array.from(text)
  const cut = characters.slice(0, most).join('') + (characters.length > most ? '…' : '')
  const safe = cut
    .replace(STACKED_MARKS, '$1')
    .replace(UNSAFE, (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`)
  return RIGHT_TO_LEFT.test(safe) ? `“\u2068${safe}\u2069”` : `“${safe}”`
}

/** Explains a step that failed. */
function refused(
  { stage, error, reason, detail }: AttemptStep,
  { name, tables }: { name: string; tables: readonly RefusalTable[] },
): Pick<AttemptExplanation, 'reason' | 'sentence' | 'turn' | 'change'> {
  const known = reason as AttemptReason
  const { sentence, change, turn } = wordsOf(known, { error, tables }) ?? {
    sentence: `The reason was ${reason}.`,
    change: null,
    turn: 'developer',
  }
  const about = detail === null ? '' : ` (${quoted(detail, MAX_DETAIL)})`
  return {
    reason,
    sentence: `${STAGES[stage]}, ${name} was refused. ${sentence}${about}`,
    turn,
    change,
  }
}

/** Finds the words of a reason under its error code, or else under any. */
function wordsOf(
  reason: AttemptReason,
  { error, tables }: { error: string | null; tables: readonly RefusalTable[] },
): Words | null {
  if (isFailure(reason)) return WORDS[reason]
  const rows = [REFUSALS, ...tables].flatMap((table) =>
    Object.entries(table as Record<string, Rows>),
  )
  const [, under] =
    rows.find(([code, under]) => code === error && Object.hasOwn(under, reason)) ??
    rows.find(([, under]) => Object.hasOwn(under, reason)) ??
    []
  if (under === undefined) return null
  const { meaning, advice, turn } = under[reason]!
  return {
    sentence: meaning.replace(/^Client management: /, ''),
    change: turn === 'developer' ? advice : advice.replace(FOR_PROGRAMMERS, ''),
    turn,
  }
}

/** The part of an advice that only the programmers of the site can follow. The link of the reason leads to it. */
const FOR_PROGRAMMERS = / Host application: .*$/

const isFailure = (reason: AttemptReason): reason is keyof typeof WORDS =>
  Object.hasOwn(WORDS, reason)
