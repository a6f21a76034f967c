import type { Failure } from '../http/frame.js'
import type { Decision } from '../policy/decision.js'
import type { TokenResponse } from './token-response.js'

/** The response of a refresh. */
export interface Refreshed {
  readonly response: TokenResponse
  /** Whose used token was answered, although its policy expects one holder who keeps the newest token. */
  readonly again?: { readonly grantId: string; readonly subject: string }
}

/** The result of an exchange. */
export type Exchanged = Decision<Refreshed> | Failure
