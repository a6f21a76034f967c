import { once } from 'node:events'

/** A client with a secret that each server knows. */
export const CLIENT = {
  id: 'features',
  secret: 'a secret of the client that asks what there is',
  redirectUri: 'http://127.0.0.1:7777/callback',
}

/** Lets a server listen on a free port of this computer. */
export async function listening(server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { server, origin: `http://127.0.0.1:${server.address().port}`, stop }
}
