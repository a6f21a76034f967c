import type { SiteOptions } from 'hallpass'
import { authorizationUrl } from './flow.js'
import {
  createDocumentSchool,
  documentAnswer,
  NOTES_CALLBACK,
  NOTES_DOCUMENT,
} from './metadata-documents.js'
import { from, networkOf } from './networks.js'
import { ISSUER, type School } from './school.js'

export const WITHDRAWN = 'https://notes.example/withdrawn'
export const IMAGE = { 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors' }
export const FRAME = { 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' }
export const WINDOW = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' }

export interface Asked {
  readonly network: string
  readonly client?: string
  readonly redirectUri?: string
  readonly prompt?: string
  readonly headers?: Readonly<Record<string, string>>
}

export function ask(school: School, { network, client, redirectUri, prompt, headers }: Asked) {
  const url = authorizationUrl({
    ...(client !== undefined && { client_id: client, redirect_uri: redirectUri ?? NOTES_CALLBACK }),
    ...(client !== undefined && { scope: 'openid courses:read' }),
    ...(prompt !== undefined && { prompt }),
  })
  return school.fetch(url, { headers: { ...from(network), ...headers } })
}

export const registerFrom = (school: School, network: string, origin: string): Promise<Response> =>
  school.fetch(`${ISSUER}/api/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin, ...from(network) },
    body: JSON.stringify({ client_name: 'Page', redirect_uris: ['http://127.0.0.1/cb'] }),
  })

/** A school whose document hosts serve every path of notes.example, and let its copies be kept for a minute. */
export async function createNotesSchool(options: Partial<SiteOptions> = {}) {
  const made = await createDocumentSchool({
    documents: { openRegistration: true },
    options: { networkOf, ...options },
  })
  const withdrawal = { at: Infinity }
  made.hosts.answer = (url) => {
    if (!url.startsWith('https://notes.example/')) return new Response(null, { status: 404 })
    const isWithdrawn = made.school.clock.now >= withdrawal.at
    const redirect_uris = isWithdrawn ? [NOTES_CALLBACK] : [NOTES_CALLBACK, WITHDRAWN]
    const document = { ...NOTES_DOCUMENT, client_id: url, redirect_uris }
    return documentAnswer(document, { 'cache-control': 'max-age=60' })
  }
  return { ...made, withdrawal }
}
