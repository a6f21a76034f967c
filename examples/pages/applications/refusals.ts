import type {
  decideEdit,
  decideReview,
  decideSecretRotation,
  DraftIssue,
  DraftReason,
} from 'hallpass/clients'
import type { ReasonsOf } from 'hallpass/policy'
import type { DocumentReason } from '../error.js'
import type { ApplicationsWords } from '../words/applications/en.js'

/** A reason for which something in the admin area is refused. */
export type AreaReason =
  | DraftReason
  | DocumentReason
  | ReasonsOf<typeof decideEdit | typeof decideReview | typeof decideSecretRotation>
  | 'client_end_malformed'
  | 'client_is_a_document'
  | 'client_unknown'
  | 'document_fetch_paced'
  | 'document_unavailable'
  | 'member_clients_off'

/** Says why something was refused. */
export const refusalInWords = (
  reason: string,
  { refusals, refusedOtherwise }: ApplicationsWords,
): string => (Object.hasOwn(refusals, reason) ? refusals[reason as AreaReason] : refusedOtherwise)

/** Says what is wrong with a field, each thing once. `null` if nothing is. */
export function faultsInWords(
  faults: readonly Pick<DraftIssue, 'reason'>[],
  { refusals }: ApplicationsWords,
): string | null {
  const words = new Set(faults.map(({ reason }) => refusals[reason]))
  return words.size === 0 ? null : [...words].join(' ')
}
