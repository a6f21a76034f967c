import { createHash } from 'node:crypto'
import { createAccess, scenariosOf } from './common.mjs'
import { pageOf } from './page.mjs'

/** The floor: a handler of `node:http` that knows its tokens by their hashes and reads nothing else. */
export async function createSubject({ origin }) {
  const { accessTokens } = await createAccess({ origin })
  const hashOf = (text) => createHash('sha256').update(text).digest('base64url')
  const known = new Map(accessTokens.map((token) => [hashOf(token), true]))
  const query = { state: 'published', limit: 20, sort: '-created_at' }
  const listener = (req, res) => {
    const token = req.headers.authorization?.slice('Bearer '.length) ?? ''
    if (!known.has(hashOf(token))) return res.writeHead(401).end()
    const body = JSON.stringify(pageOf(query))
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'content-length': Buffer.byteLength(body),
    }
    return res.writeHead(200, headers).end(body)
  }
  return { listener, scenarios: scenariosOf(accessTokens) }
}
