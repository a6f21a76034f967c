import { createRouter } from 'hallpass/authorization-server'
import { toNodeHandler } from 'hallpass/node'
import { createProtectedResource } from 'hallpass'
import { createHallpass } from './hallpass-core.mjs'

/** hallpass on bare `node:http`, and a gate around a handler by hand. */
export async function createSubject({ origin, blocks }) {
  const { site, server, scenarios, ...rest } = await createHallpass({ origin, blocks })
  const handle = toNodeHandler(createRouter(server), { origin })
  const gate = createProtectedResource(site).gate('openid')
  const gated = async (req, res) => {
    const access = await gate({
      method: req.method,
      url: origin + req.url,
      headers: { get: (name) => req.headers[name] ?? null },
    })
    if (access instanceof Response) return res.writeHead(access.status).end()
    const { subject: sub, name, email } = access.person
    const body = JSON.stringify({ sub, name, email })
    return res
      .writeHead(200, {
        'content-type': 'application/json',
        'cache-control': 'no-store',
        'content-length': Buffer.byteLength(body),
      })
      .end(body)
  }
  const { bearer } = scenarios
  const gateScenario = {
    ...bearer,
    prepare: async (count) =>
      (await bearer.prepare(count)).map((request) => ({ ...request, path: '/gated' })),
  }
  return {
    listener: (req, res) => (req.url === '/gated' ? gated(req, res) : handle(req, res)),
    scenarios: { ...scenarios, gate: gateScenario },
    ...rest,
  }
}
