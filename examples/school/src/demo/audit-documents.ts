/** The host at which the demo publishes the client metadata documents of `hallpass-audit`. */
const BASE = 'https://audit.example/'

const DOCUMENT = {
  client_name: 'Audit of this server',
  redirect_uris: ['http://127.0.0.1:47317/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

/** The members of each that are not those of `DOCUMENT`. The first two documents are right. */
const CHANGES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  client: {},
  control: {},
  'other-client-id': { client_id: `${BASE}client.json` },
  'without-redirect-uris': { redirect_uris: undefined },
  'shared-secret': { token_endpoint_auth_method: 'client_secret_post' },
  'published-secret': { client_secret: 'published', client_secret_expires_at: 0 },
  'redirect-here': { redirect_uris: [`${BASE}callback`] },
  'redirect-elsewhere': { redirect_uris: ['https://elsewhere.example/callback'] },
  http: { client_id: `${BASE.replace('https', 'http')}http.json` },
  fragment: { client_id: `${BASE}fragment.json#client` },
  credentials: { client_id: `${BASE.replace('//', '//client@')}credentials.json` },
  'dot-segments': { client_id: `${BASE}./dot-segments.json` },
  large: { hallpass_audit_padding: 'a'.repeat(256 * 1024) },
}

/** Returns one of the documents of an audit; `null` for any other address. */
export function auditDocument(url: string): Readonly<Record<string, unknown>> | null {
  const name = url.startsWith(BASE) ? url.slice(BASE.length).replace(/\.json$/, '') : ''
  const changes = CHANGES[name]
  return changes === undefined ? null : { client_id: url, ...DOCUMENT, ...changes }
}
