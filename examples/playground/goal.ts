import { type Preset, PRESETS, type StepId } from '../school/src/playground/presets.js'
import type { Session } from './session.js'
import { type School, type Situation, type Unmet, unmetOf, unmetStep } from './unmet.js'

/** A request to get ready: a preset, or that of a step as it should be. */
export type Goal = { readonly preset: string } | { readonly step: StepId }

/** Returns a preset by its identifier. */
export const presetOf = (id: string | undefined): Preset | undefined =>
  PRESETS.find((one) => one.id === id)

/** Says why a request is not ready, or returns `null` if it is. */
export const unmetFor = (goal: Goal, situation: Situation): Unmet | null =>
  'step' in goal ? unmetStep(goal.step, situation) : unmetOf(presetOf(goal.preset)!, situation)

/** The acts that lead to a goal. */
export interface Acts {
  readonly situation: () => Situation
  /** Sends the request of a step. Returns whether it succeeded, or `left` if the browser leaves with it. */
  readonly send: (step: StepId) => Promise<boolean | 'left'>
  /** Begins a session at another school, on this page. */
  readonly startAt: (school: School) => void
  /** Opens the page of another school. */
  readonly open: (school: School) => void
}

/** More than the longest way has. */
const MOST_ACTS = 16

/**
 * Meets what a request needs first, step by step.
 *
 * @returns `met`; `left` if the browser has left, and `wait` if time has to pass, before it continues; `stopped`
 */
export async function meet(goal: Goal, acts: Acts): Promise<'met' | 'left' | 'wait' | 'stopped'> {
  for (let count = 0; count < MOST_ACTS; count++) {
    const unmet = unmetFor(goal, acts.situation())
    if (unmet === null) return 'met'
    const { next } = unmet
    if (next === 'wait') return next
    if (next === null) return 'stopped'
    if (typeof next === 'object') {
      if (next.isOwnPage) {
        acts.open(next.school)
        return 'left'
      }
      acts.startAt(next.school)
    } else {
      const sent = await acts.send(next)
      if (sent === 'left') return sent
      if (!sent) return 'stopped'
    }
  }
  return 'stopped'
}

/**
 * Marks the last outcome of a preset if a school did something else with it than the preset is for.
 *
 * @param schools - the origins of those of this demo
 */
export function judged(
  session: Session,
  preset: Preset | null,
  schools: readonly string[],
): Session {
  const last = session.outcomes.at(-1)
  const isSchool = schools.includes(session.values['issuer'] ?? '')
  if (preset?.refused === undefined || last === undefined || !isSchool) return session
  const isFor = last.why === null ? !last.ok : last.why.reason === preset.refused.reason
  if (isFor) return session
  const { at, needs = [] } = preset
  const conditions = [...(at === undefined ? [] : [at]), ...needs.map(({ says }) => says)]
  const strayed = [
    `Not what this break is for: \`${preset.refused.reason}\`.`,
    ...(conditions.length === 0 ? [] : [`It needs: ${conditions.join(', and ')}.`]),
    ...(preset.note === undefined ? [] : [preset.note]),
  ].join(' ')
  return { ...session, outcomes: [...session.outcomes.slice(0, -1), { ...last, strayed }] }
}
