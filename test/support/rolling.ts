import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { codeForm, keepingAgent, refreshForm, type Reply, send } from './code-load.js'

/** Ports that Linux gives to no connection by itself. */
export const STEADY: number = 21_000 + 200 * (process.pid % 50)

/**
 * A proxy that keeps connections, and sends a request to the next server if one refuses the connection. It repeats
 * nothing else, because a request that was sent may have been carried out.
 */
export async function openProxy(
  ports: readonly number[],
): Promise<{ origin: string; port: number }> {
  const agents = ports.map(() => keepingAgent())
  let turn = 0
  const proxy = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.once('end', () => forward(turn++ % ports.length, 50))
    const forward = (index: number, left: number): void => {
      const { method, url, headers } = incoming
      const to = request(
        { host: '127.0.0.1', port: ports[index], agent: agents[index], method, path: url, headers },
        (response) => {
          const { connection: _, 'keep-alive': __, ...rest } = response.headers
          outgoing.writeHead(response.statusCode!, rest)
          response.pipe(outgoing)
          response.once('error', () => outgoing.destroy())
        },
      )
      to.once('error', (fault: NodeJS.ErrnoException) => {
        if (fault.code === 'ECONNREFUSED' && left > 0)
          setTimeout(forward, 20, (index + 1) % ports.length, left - 1)
        else if (outgoing.headersSent) outgoing.destroy()
        else
          outgoing
            .writeHead(502)
            .end(
              `lost: ${fault.code ?? fault.message}, on a ${to.reusedSocket ? 'kept' : 'new'} connection`,
            )
      })
      to.end(Buffer.concat(chunks))
    }
  })
  proxy.keepAliveTimeout = 60_000
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    for (const agent of agents) agent.destroy()
    proxy.close()
    proxy.closeAllConnections()
  })
  const { port } = proxy.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, port }
}

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

/** A client that signs in, reads who its person is, refreshes, and begins again until it is over. */
export async function work(
  origin: string,
  { codes, replies, isOver }: { codes: string[]; replies: Reply[]; isOver: () => boolean },
): Promise<void> {
  const agent = keepingAgent()
  onTestFinished(() => agent.destroy())
  const ask = async (
    path: string,
    options: Omit<Parameters<typeof send>[1], 'agent'>,
  ): Promise<Reply> => {
    const reply = await send(origin + path, { agent, ...options })
    replies.push(reply)
    return reply
  }
  while (!isOver()) {
    const code = codes.pop()
    if (code === undefined) throw new Error('no code is left')
    const exchanged = await ask('/api/oauth/token', { form: codeForm(code, origin) })
    if (exchanged.status !== 200) continue
    const { access_token, refresh_token } = JSON.parse(exchanged.text) as Tokens
    await ask('/api/oauth/userinfo', { headers: { authorization: `Bearer ${access_token}` } })
    await ask('/api/oauth/token', { form: refreshForm(refresh_token) })
    await pause(5)
  }
}
