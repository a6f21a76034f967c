import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { openPort } from '../processes/ports.js'
import { createIdentityProvider } from './identity-provider.js'

/** An identity provider on a port of this computer, by the real clock, which serves its keys there. */
export type ServedProvider = Awaited<ReturnType<typeof serveIdentityProvider>>

/** Starts an identity provider that other processes can ask for its keys. */
export async function serveIdentityProvider() {
  let handle: (request: Request) => Promise<Response>
  const answer = async ({ url }: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const response = await handle(new Request(`http://127.0.0.1${url}`))
    outgoing.writeHead(response.status, { 'content-type': 'application/json' })
    outgoing.end(await response.text())
  }
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing))
  const issuer = `http://127.0.0.1:${await openPort(server)}`
  const provider = await createIdentityProvider({
    issuer,
    // oxlint-disable-next-line no-restricted-properties -- the school runs by the real clock
    now: () => Math.floor(Date.now() / 1000),
  })
  ;({ handle } = provider)
  return {
    ...provider,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
