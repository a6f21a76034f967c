import { REDIRECT_URI } from './engine/audit.js'

/**
 * A file that the operator publishes for the audit, as `application/json`.
 *
 * @group Client documents
 */
export interface ClientDocument {
  /** Its name below the base URL, such as `client.json`. */
  readonly name: string
  readonly content: string
}

/**
 * Returns the client metadata documents of the audit. `client.json` and `control.json` are right, and so is
 * `redirect-here.json`. Each of the others is wrong in one way, and a server has to refuse it.
 *
 * Publish all of them, on a host from which the server accepts documents. Then give the URL of `client.json` to
 * {@link auditServer} as `clientDocument`. They name no secret and no person, and nothing ever listens at their redirect
 * URI.
 *
 * @param baseUrl - where they will be, such as `https://audit.school.example/`
 * @throws Error - if the base URL is not https, does not end with `/`, or has a query or a fragment
 * @example
 * ```ts
 * import { clientDocuments } from 'hallpass-audit'
 *
 * const [right] = clientDocuments('https://audit.school.example/')
 * right?.name // => 'client.json'
 * clientDocuments('https://audit.school.example/documents') // throws Error
 * ```
 * @group Client documents
 */
export function clientDocuments(baseUrl: string): readonly ClientDocument[] {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : null
  if (base?.protocol !== 'https:' || base.href !== baseUrl || !/^[^?#@]+\/$/.test(baseUrl))
    throw new Error(`${baseUrl} is not a base URL such as https://audit.school.example/`)
  const urls = urlsOf(baseUrl)
  const document = (name: DocumentName, changes: object = {}): ClientDocument => ({
    name: `${name}.json`,
    content: JSON.stringify({
      client_id: urls[name],
      client_name: 'Audit of this server',
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...changes,
    }),
  })
  return [
    document('client'),
    document('control'),
    document('other-client-id', { client_id: urls.client }),
    document('without-redirect-uris', { redirect_uris: undefined }),
    document('shared-secret', { token_endpoint_auth_method: 'client_secret_post' }),
    document('published-secret', { client_secret: 'published', client_secret_expires_at: 0 }),
    document('redirect-here', { redirect_uris: [`${baseUrl}callback`] }),
    document('redirect-elsewhere', { redirect_uris: ['https://elsewhere.example/callback'] }),
    document('http'),
    document('fragment'),
    document('credentials'),
    document('dot-segments'),
    document('large', { hallpass_audit_padding: 'a'.repeat(256 * 1024) }),
  ]
}

type DocumentName =
  | 'client'
  | 'control'
  | 'other-client-id'
  | 'without-redirect-uris'
  | 'shared-secret'
  | 'published-secret'
  | 'redirect-here'
  | 'redirect-elsewhere'
  | 'http'
  | 'fragment'
  | 'credentials'
  | 'dot-segments'
  | 'large'
  | 'missing'

/** The client identifiers of the documents, by their names. Nothing is published as `missing`. */
export function urlsOf(baseUrl: string): Readonly<Record<DocumentName, string>> {
  const at = (name: string): string => `${baseUrl}${name}.json`
  return {
    client: at('client'),
    control: at('control'),
    'other-client-id': at('other-client-id'),
    'without-redirect-uris': at('without-redirect-uris'),
    'shared-secret': at('shared-secret'),
    'published-secret': at('published-secret'),
    'redirect-here': at('redirect-here'),
    'redirect-elsewhere': at('redirect-elsewhere'),
    // Each is fetched from where it is published: a client sends neither a fragment nor dot segments.
    http: at('http').replace(/^https:/, 'http:'),
    fragment: `${at('fragment')}#client`,
    credentials: at('credentials').replace('https://', 'https://client@'),
    'dot-segments': at('./dot-segments'),
    large: at('large'),
    missing: at('missing'),
  }
}
