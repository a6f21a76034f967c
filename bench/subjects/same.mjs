import { createRouter } from 'hallpass/authorization-server'
import { times } from './common.mjs'
import { createHallpass } from './hallpass-core.mjs'

const PATH = '/.well-known/oauth-authorization-server'

/** A handler of `node:http` that does nothing but send what hallpass sends: the lower bound for the same response. */
export async function createSubject({ origin }) {
  const { server } = await createHallpass({ origin })
  const response = await createRouter(server)(new Request(origin + PATH))
  const body = await response.text()
  const headers = [...response.headers, ['content-length', String(Buffer.byteLength(body))]].flat()
  return {
    listener: (_req, res) => res.writeHead(response.status, headers).end(body),
    scenarios: {
      discovery: {
        expect: ['issuer', 'token_endpoint'],
        prepare: (count) => times(count, () => ({ path: PATH })),
      },
    },
  }
}
