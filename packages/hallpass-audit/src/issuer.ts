import type { SignIn } from './sign-in.js'

/** An issuer identifier has no query, and no slash at its end. */
export function readIssuer(text: string): string {
  if (/^[\w.-]+(?::\d+)?(?:\/|$)/.test(text) && URL.canParse(`http://${text}`))
    throw new Error(`${text} has no scheme: name ${isLoopback(`http://${text}`) ? 'http' : 'https'}://${text}`) // prettier-ignore
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new Error(`${text} is not an issuer such as https://school.example`)
  const { origin, pathname, search, hash, hostname, username, password } = new URL(text)
  const issuer = origin + pathname.replace(/\/$/, '')
  if (username + password !== '')
    throw new Error(`an issuer has no user name and no password: name ${issuer}`)
  if (search + hash !== '') throw new Error(`${text} has a query or a fragment: name ${issuer}`)
  if (hostname === '0.0.0.0' || hostname === '[::]')
    throw new Error(`${text} is every address of a computer: name ${issuer.replace(hostname, '127.0.0.1')}`) // prettier-ignore
  return issuer
}

/** Whether a URL is of this computer. */
export const isLoopback = (url: string): boolean =>
  /^(?:127(?:\.\d+){3}|\[::1\]|localhost|[\w.-]+\.localhost)$/.test(new URL(url).hostname)

/** A further origin of a server. */
export function readOrigin(text: string): string {
  const { origin } = new URL(readIssuer(text))
  return origin
}

/** The origins that a sign-in names, which are the operator's own. */
export function originsOf(signIn: SignIn | undefined, origin: string): readonly string[] {
  const { surfaces = [], mcp, endpoints = {} } = signIn ?? {}
  const named = [...surfaces.map(({ path }) => path), ...(mcp === undefined ? [] : [mcp]), ...Object.values(endpoints)]
  return named.flatMap((one) => (URL.canParse(one, origin) ? new URL(one, origin).origin : []))
} // prettier-ignore
