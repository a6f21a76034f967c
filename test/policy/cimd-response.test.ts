import { describe, expect, it } from 'vitest'
import { decideDocumentResponse } from '../../src/policy/cimd-response.js'

describe('decideDocumentResponse', () => {
  const OK = { status: 200, contentType: 'application/json', contentEncoding: null }

  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json ; charset=utf8; profile=x',
    'application/json;',
    'application/foo+json',
    'application/vnd.notes.client-1+json; charset=utf-8',
  ])('reads %j [CIMD-16]', (contentType) => {
    expect(decideDocumentResponse({ ...OK, contentType })).toEqual({ ok: true })
  })

  it.each([
    [null],
    [''],
    ['text/html'],
    ['text/plain'],
    ['text/json'],
    ['application/jsonp'],
    ['application/json5'],
    ['application/+json'],
    ['application/x json'],
    ['application/json, text/html'],
    ['text/html; application/json'],
    ['xapplication/json'],
    ['application/json; charset=iso-8859-1'],
    ['application/json; charset=utf-16'],
    ['application/json; charset'],
    ['application/json; charset=latin1 charset=utf-8'],
    ['application/json; charset=utf-8; charset=utf-16'],
    ['application/json; charset=utf-8, text/html'],
  ])('does not read the media type %j [CIMD-16]', (contentType) => {
    expect(decideDocumentResponse({ ...OK, contentType })).toEqual({
      ok: false,
      error: 'invalid_client',
      reason: 'document_media_type_not_json',
      description: 'the client ID metadata document could not be read',
    })
  })

  it.each([100, 201, 203, 204, 206, 301, 302, 303, 304, 307, 308, 400, 403, 404, 429, 500, 503])(
    'does not read the status %d [CIMD-15]',
    (status) => {
      expect(decideDocumentResponse({ ...OK, status })).toEqual({
        ok: false,
        error: 'invalid_client',
        reason: 'document_status_not_200',
        description: 'the client ID metadata document could not be read',
      })
    },
  )

  it('reads what is not encoded, and nothing else [CIMD-18]', () => {
    for (const contentEncoding of [null, '', 'identity', 'Identity', ' identity '])
      expect(decideDocumentResponse({ ...OK, contentEncoding })).toEqual({ ok: true })
    for (const contentEncoding of ['gzip', 'br', 'deflate', 'zstd', 'identity, gzip', 'x'])
      expect(decideDocumentResponse({ ...OK, contentEncoding })).toEqual({
        ok: false,
        error: 'invalid_client',
        reason: 'document_content_encoding_not_identity',
        description: 'the client ID metadata document could not be read',
      })
  })
})
