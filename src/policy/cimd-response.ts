import { type Decision, refuse } from './decision.js'

const UNREADABLE = 'the client ID metadata document could not be read'

/**
 * Decides whether an answer holds a document at all. One description for every fault: more would tell
 * a stranger what answers on a port.
 *
 * @param response - headers as received, `null` = absent
 * @returns refusals are `invalid_client`
 * @see draft-ietf-oauth-client-id-metadata-document-02 §4, §5
 */
export function decideDocumentResponse({
  status,
  contentType,
  contentEncoding,
}: {
  status: number
  contentType: string | null
  contentEncoding: string | null
}): Decision<
  unknown,
  | 'document_status_not_200'
  | 'document_content_encoding_not_identity'
  | 'document_media_type_not_json'
> {
  if (status !== 200) return refuse('invalid_client', 'document_status_not_200', UNREADABLE)
  // Asked for was identity. The limit on the size counts what was sent, not what it unpacks to.
  if (!/^(?:identity)?$/i.test(contentEncoding?.trim() ?? ''))
    return refuse('invalid_client', 'document_content_encoding_not_identity', UNREADABLE)
  return isJsonType(contentType ?? '')
    ? { ok: true }
    : refuse('invalid_client', 'document_media_type_not_json', UNREADABLE)
}

function isJsonType(contentType: string): boolean {
  const [type = '', ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim())
  return (
    /^application\/(?:[\w!#$&^.-]+\+)?json$/.test(type) &&
    parameters.every((one) => !one.startsWith('charset') || /^charset="?utf-?8"?$/.test(one))
  )
}
