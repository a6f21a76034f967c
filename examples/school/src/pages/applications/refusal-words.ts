import type {
  decideEdit,
  decideReview,
  decideSecretRotation,
  DraftIssue,
  DraftReason,
} from 'hallpass/clients'
import type { ReasonsOf } from 'hallpass/policy'
import type { DocumentReason } from '../error.js'

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

/** The sentence that a manager reads, for each reason. */
export const REFUSAL_WORDS: Readonly<Record<AreaReason, string>> = {
  name_malformed:
    'Enter a name of at most 100 characters, without line breaks and invisible characters.',
  description_malformed:
    'Enter at most 300 characters, without line breaks and invisible characters.',
  icon_malformed: 'Choose one of the icons.',
  redirect_uris_missing: 'Enter at least one address.',
  redirect_uris_too_many: 'Enter at most 10 addresses.',
  redirect_uri_malformed:
    'This isn’t a complete address. Enter all of it, from https:// on, without a # and without “..” in its path.',
  redirect_uri_not_allowed:
    'Use https:// and a host name in small letters. Only an address on a person’s own computer, such as http://127.0.0.1/callback, can begin with http://.',
  auth_method_not_supported: 'Choose where the app runs.',
  scopes_missing: 'Tick at least one.',
  scope_unknown: 'One of these isn’t a permission of this school. Reload the page and tick again.',
  scope_of_other_audience: 'Apps for members can’t ask for one of these. Tick only what is shown.',

  member_clients_off: 'MCP connections are off. Turn them on first, then save again.',
  client_changed_meanwhile:
    'Someone else changed this app in the meantime. Look at it in another window first: saving again replaces their changes with yours.',
  client_kind_not_editable: 'This app wasn’t set up here, so it can’t be edited here.',
  client_has_no_secret: 'This app has no secret, so there is none to replace.',
  overlap_out_of_range: 'The current secret can be kept for 72 hours at most.',
  client_end_malformed: 'That isn’t a day. Enter it as year, month and day.',
  client_is_a_document: 'This app can be blocked, but not turned off.',
  client_not_a_document: 'This app has no document to review.',
  client_unknown: 'This app no longer exists.',

  document_changed_meanwhile:
    'The document changed while you were reading. Look at it again, then review it.',
  scope_not_reviewable: 'One of these can’t be allowed by a review. Tick only what is shown.',
  scope_beyond_reviewer:
    'You ticked something that your own role doesn’t include. Someone whose role includes it has to allow it.',

  document_unavailable: 'Its host didn’t respond, or not with a valid document.',
  document_fetch_paced: 'We’ve fetched many documents just now. Wait a minute, then try again.',
  document_url_malformed: 'The address of the document isn’t one that we accept.',
  document_host_not_public: 'Its host isn’t on the public internet.',
  document_port_not_allowed: 'Its address names a port other than the usual one of https.',
  document_host_not_allowed: 'Its host is no longer on the school’s list.',
  document_status_not_200: 'Its host responded, but not with the document.',
  document_content_encoding_not_identity:
    'Its host sent the document compressed, although we didn’t ask for that.',
  document_media_type_not_json: 'What its host sent isn’t labelled as JSON.',
  document_not_an_object: 'What its host sent isn’t a valid document.',
  document_client_id_mismatch: 'The document names another address than its own.',
  document_name_malformed: 'The document has no name of the app that we can show.',
  document_name_resembles_vendor:
    'The name in the document looks like that of a known platform, which it isn’t.',
  document_redirect_uris_malformed: 'The document has no valid list of redirect addresses.',
  document_redirect_uri_malformed: 'A redirect address in the document isn’t a complete address.',
  document_redirect_uri_of_other_host:
    'A redirect address in the document leads to another host than the document’s.',
  document_secret_published: 'The document contains a secret, which everyone can read there.',
  document_auth_method_not_supported:
    'The document asks for a way to authenticate that the school doesn’t support.',
  document_grant_types_not_supported:
    'The document asks for ways to connect that the school doesn’t support.',
  document_response_types_not_supported:
    'The document asks for responses that the school doesn’t support.',
  document_link_malformed: 'A link in the document isn’t a web address.',
  document_contacts_malformed: 'The contacts in the document aren’t a list of short texts.',
}

const UNKNOWN = 'That wasn’t possible. Load the page again, then repeat it.'

/** Says why something was refused. */
export const refusalInWords = (reason: string): string =>
  Object.hasOwn(REFUSAL_WORDS, reason) ? REFUSAL_WORDS[reason as AreaReason] : UNKNOWN

/** Says what is wrong with a field, each thing once. `null` if nothing is. */
export function faultsInWords(faults: readonly Pick<DraftIssue, 'reason'>[]): string | null {
  const words = new Set(faults.map(({ reason }) => REFUSAL_WORDS[reason]))
  return words.size === 0 ? null : [...words].join(' ')
}
