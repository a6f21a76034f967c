import type { FetchDocument } from 'hallpass'
import type { Client } from 'hallpass/policy'
import type { Fields } from './flow.js'
import { createSchool, type School } from './school.js'

export const NOTES_URL = 'https://notes.example/client.json'
export const NOTES_CALLBACK = 'https://notes.example/cb'

/** What Notes publishes about itself. */
export const NOTES_DOCUMENT: Readonly<Record<string, unknown>> = {
  client_id: NOTES_URL,
  client_name: 'Notes',
  redirect_uris: [NOTES_CALLBACK, 'http://127.0.0.1/cb'],
}

/** What Notes asks, over `authorizationUrl`. */
export const NOTES_REQUEST: Fields = {
  client_id: NOTES_URL,
  redirect_uri: NOTES_CALLBACK,
  scope: 'openid courses:read',
}

/** An answer with a document. */
export function documentAnswer(
  document: unknown = NOTES_DOCUMENT,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json(document, { headers })
}

/** The hosts of documents. What none of them serves is 404. */
export interface DocumentHosts {
  readonly fetchDocument: FetchDocument
  /** Every URL that was fetched, in order. */
  readonly fetched: string[]
  /** Changes what is answered, for every URL. */
  answer: (url: string) => Response | Promise<Response>
}

/** Hosts that serve the document of Notes until they are told otherwise. */
function createDocumentHosts(): DocumentHosts {
  const fetched: string[] = []
  const hosts: DocumentHosts = {
    fetched,
    answer: (url) => (url === NOTES_URL ? documentAnswer() : new Response(null, { status: 404 })),
    async fetchDocument(url) {
      fetched.push(url)
      return hosts.answer(url)
    },
  }
  return hosts
}

/** A school that lets documents of notes.example in, with the hosts behind it. */
export async function createDocumentSchool({
  documents = { allowedHosts: ['notes.example'] },
  ...more
}: {
  documents?: { allowedHosts?: readonly string[]; openRegistration?: boolean }
} & NonNullable<Parameters<typeof createSchool>[0]> = {}): Promise<{
  readonly school: School
  readonly hosts: DocumentHosts
}> {
  const hosts = createDocumentHosts()
  const { fetchDocument } = hosts
  const options = { documents: { fetchDocument, ...documents }, ...more.options }
  return { school: await createSchool({ ...more, options }), hosts }
}

/** Changes a client as it is stored, as an operator does. */
export async function changeClient(
  { store }: Pick<School, 'store'>,
  clientId: string,
  change: (client: Client) => Partial<Client>,
): Promise<void> {
  const client = (await store.findClient(clientId))!
  const changed = { ...client, ...change(client), revision: client.revision + 1 }
  const outcome = await store.replaceClient(changed)
  if (outcome !== 'replaced') throw new Error(`not replaced: ${outcome}`)
}

/** Lets the document of Notes write. */
export const reviewNotes = (school: School, ...scopes: readonly string[]): Promise<void> =>
  changeClient(school, NOTES_URL, ({ document, name, redirectUris, about }) => ({
    scopes,
    document: {
      ...document!,
      reviewedAt: school.clock.now,
      reviewed: { name, redirectUris, about },
    },
  }))

/** A promise that a test settles when it wants to. */
export function later<Value>(): {
  readonly promise: Promise<Value>
  readonly resolve: (value: Value) => void
  readonly reject: (fault: unknown) => void
} {
  let resolve!: (value: Value) => void
  let reject!: (fault: unknown) => void
  const promise = new Promise<Value>((settle, fail) => {
    resolve = settle
    reject = fail
  })
  return { promise, resolve, reject }
}
