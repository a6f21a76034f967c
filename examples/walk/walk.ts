import type { Client } from 'hallpass/policy'
import type { Check } from './check.js'
import type { Exchange } from './exchange.js'

/** The steps of the sequence, in order. */
export type StepId =
  'discover' | 'register' | 'authorize' | 'exchange' | 'use' | 'refresh' | 'revoke'

/** What a button of the page does; the part behind the dot breaks a step on purpose. */
export type ActId =
  | StepId
  | 'register.fixed'
  | 'authorize.scope'
  | 'authorize.resource'
  | 'exchange.verifier'
  | 'exchange.resource'
  | 'exchange.replay'

/** What an act came to, as the page shows it. */
export interface Outcome {
  readonly act: ActId
  readonly ok: boolean
  /** One sentence. */
  readonly said: string
  readonly exchanges: readonly Exchange[]
  readonly checks: readonly Check[]
}

/** An authorization request, kept until its answer comes. */
export interface Asked {
  readonly act: 'authorize' | 'authorize.scope' | 'authorize.resource'
  /** The query, as sent. */
  readonly query: string
  readonly verifier: string
  readonly challenge: string
  readonly state: string
  readonly nonce: string
}

/** A code with what the client knows of it. Times are epoch seconds. */
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

/** How the grant ended, as the server keeps it. */
export type Ended = 'code_replayed' | 'client_revoked'

/** Everything that the walk knows so far. */
export interface Walk {
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly client: Client | null
  readonly asked: Asked | null
  readonly code: Code | null
  readonly tokens: Tokens | null
  readonly ended: Ended | null
  /** Roles of the person, once a token told. */
  readonly roles: readonly string[]
  readonly outcomes: readonly Outcome[]
}

/** A walk that has not begun. */
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

/** Whether an act can be done now. */
export const isOpen = (act: ActId, walk: Walk): boolean => OPEN[act](walk)

/** The walk with what an act came to. A second try of the same act takes the place of the first. */
export const withOutcome = (walk: Walk, outcome: Outcome): Walk => ({
  ...walk,
  outcomes: [...walk.outcomes.filter(({ act }) => act !== outcome.act), outcome],
})
