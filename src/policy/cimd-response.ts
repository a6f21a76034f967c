import { type Decision, refuse } from './decision.js'

const UNREADABLE = 'the client ID metadata document could not be read'

/**
 * Decides whether an HTTP response contains a client metadata document. All refusals have the same
 * description, because more detail would reveal to an unknown client which services respond on a
 * port.
 *
 * @param response - `status`: of the response; `contentType` and `contentEncoding`: the headers as
 *   received, `null` if absent
 * @returns `{ ok: true }`, or a refusal with `invalid_client`
 * @see [OAuth Client ID Metadata Document, section 4](https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/)
 *
 * @example
 * ```ts
 * import { decideDocumentResponse } from 'hallpass/policy'
 *
 * const response = { status: 200, contentType: 'application/json', contentEncoding: null }
 * decideDocumentResponse(response) // => { ok: true }
 *
 * const moved = decideDocumentResponse({ ...response, status: 301 })
 * moved.ok ? null : moved.reason // => 'document_status_not_200'
 * ```
 *
 * @group Client metadata documents
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
  // The request asked for identity. The size limit applies to the bytes sent, not to the decompressed content.
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
