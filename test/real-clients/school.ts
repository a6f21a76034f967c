import { type RealClient, realClients } from 'hallpass-lab'
import { clientOfDocument, decideDocument, decideDocumentUrl } from 'hallpass/policy'
import { createPostgresStore } from 'hallpass/postgres'
import { openDatabase } from '../../examples/school/demo.js'
import { demo } from '../support/databases/templates.js'
import { startPostgres } from '../support/databases/test-database.js'
import { startExpressExample } from '../support/processes/example.js'
import { decode } from '../support/http/forms.js'
import { servePeople, wordsOf } from './person.js'
import { startRecordedSchool } from './recording.js'

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
  /** An app of members, created with the form of managers. */
  readonly createApp: (app: {
    name: string
    redirectUris: readonly string[]
    isPublic: boolean
  }) => Promise<App>
  /** What the school's record says of the newest attempts of a client, for whoever reads a red row. */
  readonly attemptsOf: (clientId: string | null) => Promise<string>
}

interface RecordedSchools {
  /** The same school at an address of its own, where it is recorded what one client sends. */
  readonly record: (name: string) => Promise<TrialSchool & { readonly client: () => RealClient }>
  readonly close: () => Promise<void>
}

/** Starts the school, with the documents of hosted vendors in it: no network is asked for one. */
export async function startSchool(): Promise<TrialSchool & RecordedSchools> {
  const { url, stop } = await startPostgres(demo)
  const environment = {
    DATABASE_URL: url,
    HALLPASS_RATE_LIMITS: 'off',
    // All of them open the keys that the first one made.
    HALLPASS_SECRET: 'the secret of every school of this run',
  }
  await insertDocuments(url)
  const closing: (() => unknown)[] = [stop]
  async function open(origin: string): Promise<TrialSchool> {
    const people = await servePeople(origin)
    closing.unshift(people.close)
    return placeOf(origin, people)
  }
  const example = await startExpressExample({ environment })
  closing.unshift(() => example.stop())
  return {
    ...(await open(example.origin)),
    async record(name) {
      const recorded = await startRecordedSchool(name, environment)
      closing.unshift(recorded.close)
      const school = await open(recorded.origin)
      return {
        ...school,
        async createApp(app) {
          const created = await school.createApp(app)
          recorded.leaveOut(created.id)
          return created
        },
        client: recorded.client,
      }
    },
    async close() {
      for (const close of closing) await close()
    },
  }
}

/** Puts the documents of `realClients` into the database of the school. */
async function insertDocuments(url: string): Promise<void> {
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
  await database.close()
}

/** Starts a school with opt-in blocks, and the people who use the clients of these. */
export async function startSchoolWith(
  blocks: string,
): Promise<TrialSchool & Pick<RecordedSchools, 'close'> & { createService: () => Promise<App> }> {
  const example = await startExpressExample({
    environment: { HALLPASS_RATE_LIMITS: 'off', SCHOOL_BLOCKS: blocks },
  })
  const people = await servePeople(example.origin)
  return {
    ...placeOf(example.origin, people),
    async createService() {
      const { status, html } = await people
        .of(OWNER)
        .send(`${example.origin}/oauth/applications/services/new`, /^create service/i, {
          name: 'Nightly export',
          role: 'manager',
          scope: ['courses:read', 'orders:read'],
        })
      const id = shownIn(html, 'client_id')
      if (id === null) throw new Error(`no service: ${status} ${wordsOf(html)}`)
      return { id, secret: shownIn(html, 'client_secret') }
    },
    async close() {
      people.close()
      await example.stop()
    },
  }
}

function placeOf(origin: string, people: Awaited<ReturnType<typeof servePeople>>): TrialSchool {
  return {
    origin,
    people: people.url,
    async createApp({ name, redirectUris, isPublic }) {
      const { status, html } = await people
        .of(OWNER)
        .send(`${origin}/oauth/applications/new`, /^create app/i, {
          name,
          redirect_uris: redirectUris.join('\n'),
          auth_method: isPublic ? 'none' : 'client_secret_post',
          scope: ['account:read', 'account:write'],
        })
      const id = shownIn(html, 'client_id')
      if (id === null) throw new Error(`no app of ${name}: ${status} ${wordsOf(html)}`)
      return { id, secret: shownIn(html, 'client_secret') }
    },
    async attemptsOf(clientId) {
      const address = new URL('/oauth/applications/attempts', origin)
      if (clientId !== null) address.searchParams.set('client', clientId)
      const { html } = await people.of(OWNER).open(address.href)
      const links = [...html.matchAll(/href="([^"]*\/attempts\/att_[\w-]{16})"/g)].slice(0, 2)
      const records = links.map(async ([, link]) => {
        const page = await people.of(OWNER).open(new URL(link!, origin).href)
        return `${link}: ${wordsOf(page.html)}`
      })
      return (await Promise.all(records)).join('\n') || 'no attempt is recorded'
    },
  }
}

/** What a page shows for copying, by the identifier of its field. */
function shownIn(html: string, id: string): string | null {
  const [, text] = new RegExp(`<textarea[^>]* id="${id}"[^>]*>([^]*?)</textarea>`).exec(html) ?? []
  return text === undefined ? null : decode(text).trim()
}
