import { once } from 'node:events'
import { createBareTools, scenariosOf } from './common.mjs'

/** The floor: a handler of `node:http` that answers `tools/call` and checks nothing. */
export async function createSubject({ origin }) {
  const call = await createBareTools({ origin })
  const listener = async (request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (chunk) => (text += chunk))
    await once(request, 'end')
    const { id, params } = JSON.parse(text)
    const body = JSON.stringify({ jsonrpc: '2.0', id, result: await call(params) })
    response
      .writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      })
      .end(body)
  }
  return { listener, scenarios: scenariosOf({ envelope: true }) }
}
