import type { Refusal } from '../policy/decision.js'

/** Turns a refusal of a block into one of the site, whose type has its reasons. */
export const ofSite = (refusal: Refusal<string>): Refusal => refusal as Refusal
