import {
  type Attempt,
  type AttemptExplanation,
  type AttemptOutcome,
  type AttemptStep,
  explainRefusal,
} from 'hallpass/clients'
import type { OAuthErrorCode } from 'hallpass/policy'
import { attemptPath } from '../../../pages/applications/paths.js'
import type { AttemptRow } from '../../../pages/applications/views.js'
import { redirectTo } from '../../../pages/response.js'
import type { OfManager, Parts } from './parts.js'

const OUTCOMES: readonly AttemptOutcome[] = ['stopped', 'waiting', 'connected']
const ID = /^att_[\w-]{16}$/

/** `GET /oauth/applications/attempts`. A search for an identifier opens its attempt. */
export const attemptsPlace = ({ attempts }: Parts): OfManager => ({
  async get({ pages, frame, query, manager, show }) {
    const search = textOf(query.get('search'))
    if (ID.test(search) && (await attempts.explainAttempt(manager, search)) !== null)
      return redirectTo(attemptPath(search))
    const filter = {
      search,
      outcome: OUTCOMES.find((outcome) => outcome === query.get('outcome')) ?? null,
      clientId: textOf(query.get('client'), 256) || null,
    }
    const { clientId, outcome } = filter
    const found = await attempts.list(manager, {
      search,
      before: beforeOf(query.get('before')),
      ...(clientId !== null && { clientId }),
      ...(outcome !== null && { outcome }),
    })
    const rows = found.attempts.map((attempt) => rowOf(attempt, attempt.explanation))
    const { counts, next } = found
    return show(pages.attempts({ ...frame, filter, attempts: rows, counts, next }))
  },
})

/** `GET /oauth/applications/attempts/:id` */
export const attemptPlace = ({ attempts, known }: Parts, id: string): OfManager => ({
  async get({ pages, frame, manager, show, notFound }) {
    const found = await attempts.explainAttempt(manager, id)
    if (found === null) return notFound()
    const { attempt, explanation } = found
    const { clientId, resource, scopes, steps } = attempt
    const view = {
      ...frame,
      ...rowOf(attempt, explanation),
      clientId,
      isKnown: clientId !== null && (await known.find(clientId)) !== null,
      resource,
      scopes,
      change: explanation.change,
      steps: steps.map((step) => ({ ...step, url: urlOf(step) })),
    }
    return show(pages.attempt(view))
  },
})

/** The address of the reason in the documentation; `undefined` for a step that no refusal ended. */
export const urlOf = ({ error, reason }: AttemptStep): string | undefined =>
  error === null || reason === null
    ? undefined
    : explainRefusal<string>({ error: error as OAuthErrorCode, reason })?.url

const rowOf = (
  { id, clientName, clientId, startedAt }: Attempt,
  { outcome, stage, reason, sentence, turn }: AttemptExplanation,
): AttemptRow => ({
  id,
  name: clientName ?? clientId,
  outcome,
  stage,
  reason,
  startedAt,
  sentence,
  turn,
})

// Some databases reject queries with control characters.
const textOf = (text: string | null, length = 100): string =>
  (text ?? '')
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, length)
    .trim()

/** Returns a place in the list as `next` gave it; `null` for any other text. */
const beforeOf = (text: string | null): string | null =>
  text !== null && /^\d{1,12}\.att_[\w-]{16}$/.test(text) ? text : null
