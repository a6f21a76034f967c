import type { IncomingMessage, RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import { sha256Base64url } from '../../src/encoding/hash.js'

const VERIFIER = 'a-verifier-that-every-request-of-the-suite-shares'
const CHALLENGE = {
  code_challenge: sha256Base64url(VERIFIER),
  code_challenge_method: 'S256',
}

/**
 * Adds PKCE to the requests that have none, so that modules whose client sends no PKCE reach what they are about. Each
 * authorization request without a challenge gets the same one, and each exchange without a verifier its verifier.
 */
export const withPkce =
  (listener: RequestListener): RequestListener =>
  async (req, res) => {
    const [path, query = ''] = req.url!.split('?', 2)
    const isForm =
      req.method === 'POST' && (path === '/oauth/authorize' || path === '/api/oauth/token')
    if (path === '/oauth/authorize' && req.method === 'GET')
      req.url = `${path}?${added(query, CHALLENGE)}`
    if (!isForm) return listener(req, res)
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const form = Buffer.concat(chunks).toString()
    const isExchange = path === '/api/oauth/token'
    const body = !isExchange
      ? added(form, CHALLENGE)
      : new URLSearchParams(form).get('grant_type') === 'authorization_code'
        ? added(form, { code_verifier: VERIFIER })
        : form
    listener(withBody(req, Buffer.from(body)), res)
  }

/** Adds fields, unless the first of them is there. */
function added(form: string, fields: Readonly<Record<string, string>>): string {
  const [first = ''] = Object.keys(fields)
  if (new URLSearchParams(form).has(first)) return form
  return [form, new URLSearchParams(fields).toString()].filter(Boolean).join('&')
}

/** The same request with another body. */
function withBody(req: IncomingMessage, body: Buffer): IncomingMessage {
  const { method, url, headers, rawHeaders, httpVersion, socket } = req
  const length = String(body.length)
  return Object.assign(Readable.from([body]), {
    method,
    url,
    httpVersion,
    socket,
    headers: { ...headers, 'content-length': length },
    rawHeaders: rawHeaders.map((value, at) =>
      at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === 'content-length' ? length : value,
    ),
  }) as unknown as IncomingMessage
}
