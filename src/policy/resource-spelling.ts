import type { ResourceNames } from './resource-indicator.js'

// ASCII only: `toLowerCase` turns some other letters into ASCII letters.
const ORIGIN = /^([a-zA-Z]+:\/\/(?:[\w.-]+|\[[\w:]+\]))(:\d+)?/
// The addresses of `/mcp` that always ask, and all of them with a toolset.
const OF_MCP = /(\/mcp)(?:\/signed-in|\/member)?\/?(?:\?toolset=[a-z][a-z0-9_-]{0,39})?$/

/**
 * Adds the spellings of each address that mean the same: scheme and host in upper case, the default port, and a slash
 * at the end. Adds the addresses of `/mcp` that always ask or name a toolset. None is parsed, because a URL parser
 * accepts many more.
 *
 * @see [RFC 3986, section 6.2.2.1](https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2.1)
 * @see [RFC 3986, section 6.2.3](https://www.rfc-editor.org/rfc/rfc3986#section-6.2.3)
 */
export function withSpellings({ canonical, accepted }: ResourceNames): ResourceNames {
  const get = (address: string): string | undefined =>
    accepted.get(address) ?? accepted.get(usualSpelling(address))
  return { canonical, accepted: { get } }
}

const usualSpelling = (address: string): string =>
  address
    .replace(ORIGIN, (_, origin: string, port = '') => {
      const lower = origin.toLowerCase()
      return port === (lower.startsWith('https') ? ':443' : ':80') ? lower : lower + port
    })
    .replace(OF_MCP, '$1')
    .replace(/([^/])\/$/, '$1')

/**
 * Returns an address as the target of a request spells it: with the slash at its end, and with the toolset if it is an
 * address of `/mcp`. Its metadata has to name it so.
 *
 * @see [RFC 9728, section 3.3](https://www.rfc-editor.org/rfc/rfc9728#section-3.3)
 */
export function spelledAs(address: string, target: string): string {
  const slash = /^[^?]*\/(?:\?|$)/.test(target) ? '/' : ''
  const query = /\?.*/.exec(target)?.[0] ?? ''
  return address + slash + (OF_MCP.test(address + query) ? query : '')
}
