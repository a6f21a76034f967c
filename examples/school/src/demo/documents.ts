import type { FetchDocument } from 'hallpass'
import {
  type Client,
  clientOfDocument,
  decideDocument,
  decideDocumentUrl,
  type MetadataDocument,
} from 'hallpass/policy'
import { auditDocument } from './audit-documents.js'

const DAY = 86_400
const SLOW_MILLISECONDS = 5000
/** The `client_id` of the demo's reviewed app. */
export const DESK = 'https://desk.example/client.json'
const DESK_LOGO_URI = 'https://desk.example/logo.png'

const documentOf = (name: string, host: string): Readonly<Record<string, unknown>> => ({
  client_id: `https://${host}/client.json`,
  client_name: name,
  client_uri: `https://${host}/`,
  redirect_uris: [`https://${host}/callback`, 'http://127.0.0.1/callback'],
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
})

const DESK_LOGO = [
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQMAAACQp+OdAAAABlBMVEUPXGT///8dKG+WAAAAXElEQVR42s3LsQ2A',
  'IBBGYQgFpSM4CqPJaIziCJYWxEfOO2nUhJKrvuT+59x857MhFEPcf9E3vUrVADYBHUXQbIHjxgqnRqDZBpfV1j/w',
  'gvyJICiDeF+SVx3EXNcAA6BiILhAyt0AAAAASUVORK5CYII=',
].join('')

/** The client metadata documents of the demo's made-up hosts. */
const DOCUMENTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = Object.fromEntries(
  [
    {
      ...documentOf('Margin Notes', 'notes.example'),
      policy_uri: 'https://letters.example/privacy',
    },
    {
      ...documentOf('Front Desk', 'desk.example'),
      policy_uri: 'https://desk.example/privacy',
      tos_uri: 'https://desk.example/terms',
      logo_uri: DESK_LOGO_URI,
      contacts: ['help@desk.example'],
    },
    documentOf('Bad Actor', 'bad.example'),
  ].map((document) => [document['client_id'], document]),
)

/**
 * Returns the same transport, but serves the demo's made-up hosts itself: no one can register a name below
 * `.example` (RFC 2606). `slow.example` takes too long.
 */
export function withDemoDocuments(fetchDocument: FetchDocument): FetchDocument {
  return async (url, asked) => {
    const document = DOCUMENTS[url] ?? auditDocument(url)
    if (document !== null)
      return Response.json(document, { headers: { 'cache-control': 'max-age=3600' } })
    if (!url.startsWith('https://slow.example/')) return fetchDocument(url, asked)
    await new Promise((resolve) => setTimeout(resolve, SLOW_MILLISECONDS))
    throw new Error(`no response within ${SLOW_MILLISECONDS} ms`)
  }
}

/** Returns the logo of the demo's reviewed app: a PNG image. */
export const demoLogo = (): Buffer<ArrayBuffer> => Buffer.from(DESK_LOGO, 'base64')

/** Returns the same transport, but serves the logo of the demo's reviewed app itself. */
export function withDemoLogo(fetchImage: FetchDocument): FetchDocument {
  return async (url, asked) =>
    url === DESK_LOGO_URI
      ? new Response(demoLogo(), { headers: { 'content-type': 'image/png' } })
      : fetchImage(url, asked)
}

/** Client metadata documents that the school has stored: one unreviewed, one reviewed and one blocked. */
export function demoDocumentClients(now: number): readonly Client[] {
  const seen = (host: string, days: number): Client => {
    const document = judged(`https://${host}/client.json`)
    const at = now - days * DAY
    return clientOfDocument({ known: null, document, now: at, freshUntil: at + DAY }).client
  }
  const desk = seen('desk.example', 15)
  const { name, redirectUris, about } = desk
  return [
    seen('notes.example', 3),
    {
      ...desk,
      scopes: ['courses:write'],
      document: {
        ...desk.document!,
        reviewedAt: now - 14 * DAY,
        reviewed: { name, redirectUris, about },
      },
    },
    { ...seen('bad.example', 8), disabled: true },
  ]
}

function judged(clientId: string): MetadataDocument {
  const policy = { allowedHosts: [], openRegistration: true, ports: [443] }
  const allowed = decideDocumentUrl({ clientId, policy })
  if (!allowed.ok) throw new Error(allowed.reason)
  const decided = decideDocument({ url: allowed.url, metadata: DOCUMENTS[clientId] })
  if (!decided.ok) throw new Error(decided.reason)
  return decided.document
}
