import type { Check } from '../check.js'
import { SCHOOL } from './school.js'

/**
 * Further checks by the name of their profile, for `--profile`. A profile has what one kind of server promises and no
 * specification demands.
 *
 * @group Checks
 */
export const PROFILES: Readonly<Record<string, readonly Check[]>> = { school: SCHOOL }
