import { realClients } from 'hallpass-lab'
import { defineClient } from 'hallpass/clients'
import { clientOfDocument, decideDocument, decideDocumentUrl } from 'hallpass/policy'
import { createPostgresStore } from 'hallpass/postgres'
import { hashToken } from 'hallpass/token'
import { openDatabase } from '../../examples/school/src/platform/database.js'
import { demo } from '../support/databases/templates.js'
import { startPostgres } from '../support/databases/test-database.js'
import { startExpressExample } from '../support/processes/example.js'
import { type Person, servePeople, wordsOf } from './person.js'

export const OWNER = 'ines.duarte@example.com'
export const STUDENT = 'jonas.brandt@example.com'

/** What a school gave the maker of an app. */
interface App {
  readonly id: string
  readonly secret: string | null
}

/** The school on Express, and the people who use the clients. */
export interface TrialSchool {
  readonly origin: string
  /** Where other processes find the people: {@link servePeople}. */
  readonly people: string
  readonly person: (email: string) => Person
  /** An app of members, as a manager creates it. */
  readonly createApp: (app: {
    name: string
    redirectUris: readonly string[]
    isPublic: boolean
  }) => Promise<App>
  /** What the school's record says of the newest attempts of a client, for whoever reads a red row. */
  readonly attemptsOf: (clientId: string | null) => Promise<string>
  readonly close: () => Promise<void>
}

/** Starts the school, with the documents of hosted vendors in it: no network is asked for one. */
export async function startSchool(): Promise<TrialSchool> {
  const { url, stop } = await startPostgres(demo)
  const environment = { DATABASE_URL: url, HALLPASS_RATE_LIMITS: 'off' }
  const example = await startExpressExample({ environment })
  const database = await openDatabase({ url, folder: null, connections: 1 })
  const store = createPostgresStore({ execute: database.execute, site: 'site_lantern' })
  // oxlint-disable-next-line no-restricted-properties -- that of the example
  const now = Math.floor(Date.now() / 1000)
  for (const { document } of realClients) {
    if (document === null) continue
    const policy = { allowedHosts: [], openRegistration: true, ports: [443] }
    const allowed = decideDocumentUrl({ clientId: document.url, policy })
    if (!allowed.ok) throw new Error(allowed.reason)
    const decided = decideDocument({ url: allowed.url, metadata: document.content })
    // Some cannot be used as they are published: the school has its own copy of these.
    if (!decided.ok) continue
    const times = { now, freshUntil: now + 86_400 }
    await store.insertClient(
      clientOfDocument({ known: null, document: decided.document, ...times }).client,
    )
  }
  const people = await servePeople(example.origin)
  let created = 0
  return {
    origin: example.origin,
    people: people.url,
    person: people.of,
    async createApp({ name, redirectUris, isPublic }) {
      const clientId = `trial-${++created}`
      const secret = isPublic ? null : `secret-of-${clientId}`
      const client = defineClient({
        clientId,
        kind: 'member',
        name,
        redirectUris,
        scopes: ['account:read', 'account:write'],
        createdAt: now,
        ...(secret !== null && {
          tokenEndpointAuthMethod: 'client_secret_post',
          secrets: [{ hash: hashToken(secret), expiresAt: null }],
        }),
      })
      await store.insertClient(client)
      return { id: clientId, secret }
    },
    async attemptsOf(clientId) {
      const address = new URL('/oauth/applications/attempts', example.origin)
      if (clientId !== null) address.searchParams.set('client', clientId)
      const { html } = await people.of(OWNER).open(address.href)
      const links = [...html.matchAll(/href="([^"]*\/attempts\/att_[\w-]{16})"/g)].slice(0, 2)
      const records = links.map(async ([, link]) => {
        const page = await people.of(OWNER).open(new URL(link!, example.origin).href)
        return `${link}: ${wordsOf(page.html)}`
      })
      return (await Promise.all(records)).join('\n') || 'no attempt is recorded'
    },
    async close() {
      people.close()
      await example.stop()
      await database.close()
      await stop()
    },
  }
}
