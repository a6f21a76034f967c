import type { Page } from './browser.js'
import { elementsIn } from './html.js'

/** A Content Security Policy: the values of each directive. */
export type ContentPolicy = ReadonlyMap<string, readonly string[]>

/** The policies of a page, all of which apply: those of its headers, and those of its `meta` elements. */
export function policiesOf(page: Pick<Page, 'headers' | 'text' | 'exchange'>): {
  readonly ofHeaders: readonly ContentPolicy[]
  readonly ofPage: readonly ContentPolicy[]
} {
  const metas = elementsIn(page)
    .filter(
      ({ tag, attributes }) =>
        tag === 'meta' && attributes['http-equiv']?.toLowerCase() === 'content-security-policy',
    )
    .map(({ attributes }) => attributes['content'] ?? '')
  return {
    ofHeaders: (page.headers.get('content-security-policy') ?? '').split(',').map(readPolicy),
    ofPage: metas.map(readPolicy),
  }
}

/** The source list of each policy that has one of these directives: the first of them that it has. */
export const sourceLists = (
  policies: readonly ContentPolicy[],
  ...names: readonly string[]
): readonly (readonly string[])[] =>
  policies.flatMap((policy) => {
    const name = names.find((one) => policy.has(one))
    return name === undefined ? [] : [policy.get(name)!]
  })

function readPolicy(text: string): ContentPolicy {
  const policy = new Map<string, readonly string[]>()
  for (const directive of text.split(';')) {
    const [name = '', ...values] = directive.trim().split(/\s+/)
    // The first of two directives with one name applies.
    if (name !== '' && !policy.has(name.toLowerCase())) policy.set(name.toLowerCase(), values)
  }
  return policy
}

/** Whether a source list matches a URL, for a page of the origin `self`, as Content Security Policy Level 3 has it. */
export const matches = (sources: readonly string[], url: URL, self: URL): boolean =>
  sources.some((source) => isMatch(source.toLowerCase(), url, self))

const HOST = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\*|(?:\*\.)?[a-z0-9_.-]+|\[[0-9a-f:]+\])(?::(\d+|\*))?(?:\/.*)?$/ // prettier-ignore

/** The path of a source is not compared: after a redirect it does not apply. */
function isMatch(source: string, url: URL, self: URL): boolean {
  if (source === "'self'") return url.origin === self.origin
  if (source === '*') return /^https?:$/.test(url.protocol) || url.protocol === self.protocol
  if (/^[a-z][a-z0-9+.-]*:$/.test(source)) return isUpgrade(source, url.protocol)
  const [, scheme, host = '', port] = HOST.exec(source) ?? []
  const isHost = host.startsWith('*') ? url.hostname.endsWith(host.slice(1)) : url.hostname === host
  const isPort = port === '*' || (port ?? '') === url.port || isDefault(port, url)
  return host !== '' && isHost && isPort && isUpgrade(scheme === undefined ? self.protocol : `${scheme}:`, url.protocol) // prettier-ignore
}

/** Whether a scheme is the one that is named, or its secure form. */
const isUpgrade = (named: string, scheme: string): boolean =>
  named === scheme || (named === 'http:' && scheme === 'https:')

const isDefault = (port: string | undefined, { port: own, protocol }: URL): boolean =>
  own === '' && port === (protocol === 'https:' ? '443' : '80')
