import { Resolver } from 'node:dns/promises'
import { isIP, isIPv4, isIPv6 } from 'node:net'

/** Returns every IP address of a host name. Stops when the signal is aborted. */
export type LookUp = (host: string, signal: AbortSignal) => Promise<readonly string[]>

/** Errors by which a name server says that a name has no address of a family. */
const NONE: readonly unknown[] = ['ENODATA', 'ENOTFOUND']

/**
 * Creates a look-up that asks the name servers directly. `dns.lookup`, that of the operating system, cannot
 * be canceled, and holds one of the few threads of the process until it ends. Name servers that do not
 * respond would stop every look-up of the process.
 *
 * @param options - `nameServers`: `undefined` for those of the system. `patienceMilliseconds`: how long
 *   to wait for a response before the question is repeated; twice as long before the second repetition
 * @returns a function that resolves to the A records, then the AAAA records. It rejects if either is not
 *   known, because an unknown address cannot be judged.
 */
export function createLookUp({
  nameServers,
  patienceMilliseconds,
}: {
  nameServers: readonly string[] | undefined
  patienceMilliseconds: number
}): LookUp {
  return async (host, signal) => {
    signal.throwIfAborted()
    const resolver = new Resolver({ timeout: patienceMilliseconds, tries: 3 })
    if (nameServers !== undefined) resolver.setServers(nameServers)
    const cancel = (): void => resolver.cancel()
    signal.addEventListener('abort', cancel)
    try {
      const found = await Promise.all([
        resolver.resolve4(host).catch(noneOf),
        resolver.resolve6(host).catch(noneOf),
      ])
      return found.flat()
    } finally {
      signal.removeEventListener('abort', cancel)
      // If one question failed, the other one is still open.
      cancel()
    }
  }
}

function noneOf(fault: NodeJS.ErrnoException): string[] {
  if (NONE.includes(fault.code)) return []
  throw fault
}

/** Whether a value is a list of name servers, as `Resolver.setServers` reads it. */
export function areNameServers(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isNameServer)
}

function isNameServer(text: unknown): boolean {
  if (typeof text !== 'string') return false
  if (isIP(text) !== 0) return true
  // Checked here, because Node takes 65589 for 53 and ends the process for 0.
  const [, v4 = '', v6 = '', port] = /^(?:([\d.]+)|\[([^\]]+)\]):(\d{1,5})$/.exec(text) ?? []
  return (isIPv4(v4) || isIPv6(v6)) && Number(port) >= 1 && Number(port) <= 65_535
}
