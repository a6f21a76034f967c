import type { OAuthErrorCode, RefusalReason } from 'hallpass/policy'
import type { StepId, Track } from '../school/src/playground/presets.js'
import type { Check } from '../walk/check.js'
import type { Exchange } from '../walk/exchange.js'
import { type Draft, TOKENS, type Values } from './draft.js'

/** Why a school refused a request, as it writes it into its log. */
export interface Why {
  readonly error: OAuthErrorCode
  readonly reason: RefusalReason
  readonly meaning: string
  readonly advice: string
  readonly source: string
  /** The address of the reason in the documentation. */
  readonly url: string
}

/** A request that was sent, as the page shows it. It contains no secret. */
export interface Sent extends Exchange {
  readonly to: 'server' | 'api'
  /** The decision of a person before the response. Default: no person was asked */
  readonly person?: 'Allow' | 'Cancel'
}

/** The result of one try of a step. */
export interface Outcome {
  readonly step: StepId
  readonly label: string
  readonly ok: boolean
  /** One or two sentences for the person. */
  readonly said: string
  readonly sent: readonly Sent[]
  readonly checks: readonly Check[]
  /** The error code of the response, or `null`. */
  readonly error: string | null
  /** The reason in the log of the school; `null` if there is none, or if the server does not say. */
  readonly why: Why | null
  /** Header and claims of the ID token in the response, or `null`. */
  readonly idToken: { readonly header: unknown; readonly claims: unknown } | null
  /** The request with its variables, to copy and to send again; `null` if several were sent. */
  readonly draft: Draft | null
  /** The purpose of the request, if a school did something else with it. */
  readonly strayed?: string
}

/** The request that the browser has left for the authorization endpoint with. */
interface Left {
  readonly draft: Draft
  readonly label: string
  /** The request, as the page shows it. */
  readonly sent: Pick<Sent, 'to' | 'title' | 'request'>
  /** Changes to the response. */
  readonly answer: Readonly<Record<string, string>>
}

/** The state of the playground. */
export interface Session {
  /** The address of the server. */
  readonly target: string
  readonly track: Track
  readonly metadata: Readonly<Record<string, unknown>> | null
  /** The origins that may get secrets: those of the endpoints that the metadata names. */
  readonly trusted: readonly string[]
  readonly values: Values
  readonly outcomes: readonly Outcome[]
  /** Epoch seconds; `null` if no code waits to be exchanged. */
  readonly codeArrivedAt: number | null
  /** When the code was exchanged for the tokens. */
  readonly exchangedAt: number | null
  /** When the tokens were renewed. */
  readonly renewedAt: number | null
  readonly renewals: number
  /** When a person allowed something. */
  readonly allowedAt: number | null
  /** Whether the grant of the tokens has ended. */
  readonly isEnded: boolean
  readonly left: Left | null
}

/** A session that has not begun. */
export const newSession = (target: string, track: Track, redirectUri: string): Session => ({
  target,
  track,
  metadata: null,
  trusted: [],
  values: { issuer: target.replace(/\/$/, ''), redirect_uri: redirectUri },
  outcomes: [],
  codeArrivedAt: null,
  exchangedAt: null,
  renewedAt: null,
  renewals: 0,
  allowedAt: null,
  isEnded: false,
  left: null,
})

/** A session that begins at another server. The token of one school can be shown to another. */
export function movedTo(before: Session, target: string, track: Track): Session {
  const { access_token: token, issuer, redirect_uri: redirectUri } = before.values
  const session = newSession(target, track, redirectUri!)
  if (token === undefined || issuer === session.values['issuer']) return session
  return { ...session, values: { ...session.values, other_token: token } }
}

const OF_REQUEST = ['code', 'code_verifier', 'code_challenge', 'state', 'nonce']

/** Returns the session without some of its values. */
export const without = (session: Session, names: readonly string[]): Session => ({
  ...session,
  values: Object.fromEntries(
    Object.entries(session.values).filter(([name]) => !names.includes(name)),
  ),
})

/** Returns what is kept while the browser is at the authorization endpoint: no token, but the verifier. */
export const keptToReturn = (session: Session): Session => without(session, [...TOKENS, 'code'])

/** Returns what is kept to be shown when the page is loaded again: nothing that is secret. */
export const keptToShow = (session: Session): Session => ({
  ...without(session, [...TOKENS, ...OF_REQUEST]),
  codeArrivedAt: null,
  exchangedAt: null,
  left: null,
})

/** Whether a step has succeeded. */
export const isDone = ({ outcomes }: Session, step: StepId): boolean =>
  outcomes.some((one) => one.step === step && one.ok)
