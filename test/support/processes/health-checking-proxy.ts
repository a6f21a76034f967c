import { passTime } from './wait.js'
import { openPort } from './ports.js'
import { createServer, request } from 'node:http'
import { onTestFinished } from 'vitest'
import { codeForm, keepingAgent, refreshForm, type Reply, send } from '../http/code-load.js'

/** How long a server goes on after SIGTERM, for its `HALLPASS_LEAD_SECONDS`: ten health checks of the proxy. */
export const LEAD_SECONDS = '0.5'
const CHECK_MILLISECONDS = 50

/**
 * A proxy that keeps connections. It sends nothing more to a server whose health check fails, and a request to the next
 * one if a server refuses the connection. It repeats nothing else, because a request that was sent may have been
 * carried out.
 */
export async function openProxy(
  ports: readonly number[],
): Promise<{ origin: string; port: number }> {
  const agents = ports.map(() => keepingAgent())
  const isUp = ports.map(() => true)
  const checks = ports.map((port, index) =>
    setInterval(() => {
      const check = request(
        { host: '127.0.0.1', port, path: '/livez', timeout: 1000 },
        (response) => {
          isUp[index] = response.statusCode === 200
          response.resume()
        },
      )
      check.once('error', () => void (isUp[index] = false))
      check.once('timeout', () => check.destroy())
      check.end()
    }, CHECK_MILLISECONDS),
  )
  let turn = 0
  /** The next server in turn, of those that are up. */
  const inTurn = (): number => {
    turn++
    const all = ports.map((_, index) => (turn + index) % ports.length)
    return all.find((index) => isUp[index]) ?? all[0]!
  }
  const proxy = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.once('end', () => forward(inTurn(), 50))
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
          void passTime(20).then(() => forward(inTurn(), left - 1))
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
  const port = await openPort(proxy)
  onTestFinished(() => {
    for (const check of checks) clearInterval(check)
    for (const agent of agents) agent.destroy()
    proxy.close()
    proxy.closeAllConnections()
  })
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
    await passTime(5)
  }
}
