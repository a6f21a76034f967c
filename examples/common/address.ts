// The address of the server, and the network of a request.
import { networkOf as networkOfConnection, networkOfAddress } from 'hallpass/node'

export const port = Number(process.env['PORT'] || 3000)
/** The address on which the server listens: `0.0.0.0` in a container. Otherwise no one but this computer reaches it. */
export const host = process.env['HOST'] || '127.0.0.1'
/** The origin that browsers see: in production https, which a proxy on this computer forwards to the port. */
export const origin = process.env['ORIGIN'] || `http://127.0.0.1:${port}`

/** Whether a request is to a public origin: only a loopback one has http. */
export const isPublic = ({ url }: Request): boolean => url.startsWith('https:')

/** The network that sent a request, or `null`. Your proxy must append the address of its client to `X-Forwarded-For`. */
export function networkOf(request: Request): string | null {
  if (!isPublic(request)) return networkOfConnection(request)
  const nearest = request.headers.get('x-forwarded-for')?.split(',').at(-1) ?? ''
  return networkOfAddress(nearest.trim())
}
