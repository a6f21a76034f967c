import type { Answer, Sent } from './wire.js'
import { ROOT } from '../source/root.js'

const FOLDER = ROOT.replace(/\/$/, '')

/** What only a failure would show: paths of the server, stack traces, its database, its packages. */
const LEAKS: readonly RegExp[] = [
  /\n\s+at .{1,200}:\d+:\d+/,
  /node_modules/,
  /\bnode:internal\b/,
  /postgres(?:ql)?:\/\//,
  /\b(?:syntax error at or near|violates (?:foreign key|unique|check|not-null)|invalid input syntax|invalid byte sequence|relation "|duplicate key)/,
  /\bhallpass_(?:client|grant|code|pending|access_token|refresh_token|key)\b/,
  /\bschool_(?:person|session|audit)\b/,
  /\b(?:Type|Reference|Range|Syntax)Error\b/,
  /ZodError|PostgresError|DatabaseError/,
  /"sealed_private_key"|"password_hash"|scrypt/,
]

/** What a response gives away that it may not, or `null`. What the request itself sent is no secret. */
export function leakIn(
  { headers, text }: Answer,
  { secrets, request }: { secrets: ReadonlySet<string>; request: Sent },
): string | null {
  if (headers['x-injected'] !== undefined) return 'a header that the request made up'
  const whole = `${JSON.stringify({ ...headers, 'set-cookie': undefined })}\n${text}`
  if (whole.includes(FOLDER)) return 'a path of the server'
  const pattern = LEAKS.find((one) => one.test(whole))
  if (pattern !== undefined) return `what looks like a fault: ${pattern.source}`
  const sent = JSON.stringify(request)
  // There are hundreds of secrets, and most are tokens: those can only be where a text looks like one.
  const likeTokens = (whole.match(/[\w-]{32,}/g) ?? []).join(' ')
  for (const secret of secrets)
    if (
      (isLikeToken(secret) ? likeTokens : whole).includes(secret) &&
      !sent.includes(secret) &&
      !isPublished(secret)
    )
      return 'a secret'
  return null
}

const isLikeToken = (secret: string): boolean => /^[\w-]{32,}$/.test(secret)

/** The demo's password is on its front page, for everybody to read. */
const isPublished = (secret: string): boolean => secret === 'hallpass-demo'

/** Where the demo's apps and vendors may be answered, as the demo registers them. */
const REGISTERED = [
  /^http:\/\/127\.0\.0\.1(?::[1-9]\d{0,4})?\/callback$/,
  /^https:\/\/(?:notes|desk|bad)\.example\/callback$/,
  /^https:\/\/claude\.(?:ai|com)\/api\/mcp\/auth_callback$/,
]

/** Whether a response leads nowhere, to a path of its own site, or to a redirect URI that is registered. */
export function isAllowedLocation({ headers }: Answer, origin: string): boolean {
  const location = headers['location']
  if (location === undefined) return true
  if (typeof location !== 'string' || /[\0-\x20\\\x7f]/.test(location)) return false
  if (/^\/(?!\/)/.test(location) || location.startsWith(`${origin}/`)) return true
  const [address = ''] = location.split('?', 1)
  return REGISTERED.some((pattern) => pattern.test(address))
}
