import type { Client } from 'hallpass/policy'
import type { Check } from './check.js'
import type { Exchange } from './exchange.js'

/** The steps of the sequence, in order. */
export type StepId =
  'discover' | 'register' | 'authorize' | 'exchange' | 'use' | 'refresh' | 'revoke'

/** The act of a button. The part after the dot breaks a step on purpose. */
export type ActId =
  | StepId
  | 'register.fixed'
  | 'authorize.scope'
  | 'authorize.resource'
  | 'exchange.verifier'
  | 'exchange.resource'
  | 'exchange.replay'

/** The outcome of an act, as the page shows it. */
export interface Outcome {
  readonly act: ActId
  readonly ok: boolean
  /** One or two sentences for the person. */
  readonly said: string
  readonly exchanges: readonly Exchange[]
  readonly checks: readonly Check[]
}

/** An authorization request, kept until its response arrives. */
export interface Asked {
  readonly act: 'authorize' | 'authorize.scope' | 'authorize.resource'
  /** The query, as sent. */
  readonly query: string
  readonly verifier: string
  readonly challenge: string
  readonly state: string
  readonly nonce: string
}

/** A code, with what the client knows about it. Times are in seconds since the epoch. */
export interface Code {
  readonly value: string
  readonly arrivedAt: number
  readonly redeemedAt: number | null
}

/** Tokens as the client holds them. */
export interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string
  readonly scopes: readonly string[]
  readonly issuedAt: number
  readonly expiresAt: number
}

/** How the grant ended, as the server stores it. */
export type Ended = 'code_replayed' | 'client_revoked'

/** The state of the walk. */
export interface Walk {
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly client: Client | null
  readonly asked: Asked | null
  readonly code: Code | null
  readonly tokens: Tokens | null
  readonly ended: Ended | null
  /** The roles of the person, once an ID token or UserInfo contains them. */
  readonly roles: readonly string[]
  readonly outcomes: readonly Outcome[]
}

/** A walk that has not started. */
export const NEW_WALK: Walk = {
  metadata: null,
  client: null,
  asked: null,
  code: null,
  tokens: null,
  ended: null,
  roles: [],
  outcomes: [],
}

const hasClient = ({ client }: Walk): boolean => client !== null
const canRegister = ({ metadata, client }: Walk): boolean => metadata !== null && client === null
const hasFreshCode = ({ code }: Walk): boolean => code !== null && code.redeemedAt === null
const hasLiveTokens = ({ tokens, ended }: Walk): boolean => tokens !== null && ended === null

const OPEN: Readonly<Record<ActId, (walk: Walk) => boolean>> = {
  discover: ({ metadata }) => metadata === null,
  register: canRegister,
  'register.fixed': canRegister,
  authorize: hasClient,
  'authorize.scope': hasClient,
  'authorize.resource': hasClient,
  exchange: hasFreshCode,
  'exchange.verifier': hasFreshCode,
  'exchange.resource': hasFreshCode,
  'exchange.replay': hasLiveTokens,
  use: ({ tokens }) => tokens !== null,
  refresh: hasLiveTokens,
  revoke: hasLiveTokens,
}

/** Whether an act is possible now. */
export const isOpen = (act: ActId, walk: Walk): boolean => OPEN[act](walk)

/** Returns the walk with the outcome of an act. A second try of the same act replaces the first. */
export const withOutcome = (walk: Walk, outcome: Outcome): Walk => ({
  ...walk,
  outcomes: [...walk.outcomes.filter(({ act }) => act !== outcome.act), outcome],
})
