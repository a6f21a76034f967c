import {
  type Client,
  clientOfDocument,
  clientOfPinnedDocument,
  documentDigest,
  type MetadataDocument,
  type PinnedDocument,
  STALE_DOCUMENT_SECONDS,
} from 'hallpass/policy'
import { describe, expect, it } from 'vitest'
import { T } from '../support/school.js'

const NOTES: MetadataDocument = {
  clientId: 'https://notes.example/client.json',
  name: 'Notes',
  redirectUris: ['https://notes.example/cb', 'http://127.0.0.1/cb'],
  tokenEndpointAuthMethod: 'none',
}
const HOUR = 3600

const fetched = (
  document: MetadataDocument,
  known: Client | null,
  now = T,
): ReturnType<typeof clientOfDocument> =>
  clientOfDocument({ known, document, now, freshUntil: now + HOUR })

const NEW = fetched(NOTES, null).client
const REVIEWED: Client = {
  ...NEW,
  revision: 2,
  scopes: ['courses:write'],
  document: { ...NEW.document!, reviewedAt: T + 10 },
}

describe('clientOfDocument', () => {
  it('begins anew with a client whose store lost what it knew of the document', () => {
    const known = { ...REVIEWED, document: null }
    expect(fetched(NOTES, known)).toStrictEqual({ change: 'new', client: NEW })
  })

  it('makes an unreviewed client of a document that nobody has seen before', () => {
    expect(fetched(NOTES, null)).toStrictEqual({
      change: 'new',
      client: {
        ...NOTES,
        kind: 'document',
        secrets: [],
        scopes: null,
        disabled: false,
        description: null,
        icon: null,
        revision: 1,
        createdAt: T,
        usedAt: null,
        deletedAt: null,
        endsAt: null,
        document: {
          firstSeenAt: T,
          fetchedAt: T,
          freshUntil: T + HOUR,
          digest: documentDigest(NOTES),
          reviewedAt: null,
          changedAt: null,
        },
      },
    })
  })

  it.each<[string, Client, MetadataDocument]>([
    ['a document', NEW, NOTES],
    ['a reviewed document', REVIEWED, NOTES],
    [
      'a document with its redirect URIs in another order',
      REVIEWED,
      { ...NOTES, redirectUris: NOTES.redirectUris.toReversed() },
    ],
    ['a blocked document', { ...REVIEWED, disabled: true }, NOTES],
    [
      'a document that lost its review before',
      { ...NEW, document: { ...NEW.document!, changedAt: T + 5 } },
      NOTES,
    ],
  ])('refreshes %s that has not changed, and nothing else about it', (_, known, document) => {
    expect(fetched(document, known, T + 100)).toStrictEqual({
      change: 'none',
      client: {
        ...known,
        redirectUris: document.redirectUris,
        revision: known.revision + 1,
        document: { ...known.document!, fetchedAt: T + 100, freshUntil: T + 100 + HOUR },
      },
    })
  })

  const CHANGES: readonly (readonly [string, Partial<MetadataDocument>])[] = [
    ['another name', { name: 'Notes Pro' }],
    ['one redirect URI more', { redirectUris: [...NOTES.redirectUris, 'http://[::1]/cb'] }],
    ['one redirect URI less', { redirectUris: ['http://127.0.0.1/cb'] }],
  ]

  it.each(CHANGES)('takes the review from a document with %s [CIMD-14]', (_, fields) => {
    const document = { ...NOTES, ...fields }
    expect(fetched(document, REVIEWED, T + 100)).toStrictEqual({
      change: 'changed',
      client: {
        ...REVIEWED,
        ...fields,
        revision: 3,
        scopes: null,
        document: {
          firstSeenAt: T,
          fetchedAt: T + 100,
          freshUntil: T + 100 + HOUR,
          digest: documentDigest(document),
          reviewedAt: null,
          changedAt: T + 100,
        },
      },
    })
  })

  it.each(CHANGES)('notes no lost review of an unreviewed document with %s', (_, fields) => {
    const { client, change } = fetched({ ...NOTES, ...fields }, NEW, T + 100)
    expect([change, client.scopes, client.document!.changedAt]).toEqual(['changed', null, null])
  })

  it('counts a review that allowed nothing as one', () => {
    const readOnly = { ...REVIEWED, scopes: [] }
    expect(fetched(NOTES, readOnly, T + 100).client.scopes).toEqual([])
    const { client } = fetched({ ...NOTES, name: 'Other' }, readOnly, T + 100)
    expect([client.scopes, client.document!.changedAt]).toEqual([null, T + 100])
  })

  it('leaves a blocked document blocked, however it changes, and when it was first used', () => {
    const blocked = { ...REVIEWED, disabled: true, usedAt: T + 20 }
    for (const [, fields] of CHANGES)
      expect(fetched({ ...NOTES, ...fields }, blocked).client).toMatchObject({
        disabled: true,
        usedAt: T + 20,
        createdAt: T,
      })
  })

  it('keeps the day of the last lost review while the document goes on changing', () => {
    const once = fetched({ ...NOTES, name: 'Second' }, REVIEWED, T + 100).client
    const twice = fetched({ ...NOTES, name: 'Third' }, once, T + 200).client
    expect([twice.document!.changedAt, twice.revision]).toEqual([T + 100, 4])
  })

  it('does not give the review back to a document that becomes what it was [CIMD-14]', () => {
    const changed = fetched({ ...NOTES, name: 'Other' }, REVIEWED, T + 100).client
    const { client, change } = fetched(NOTES, changed, T + 200)
    expect([change, client.scopes, client.document!.reviewedAt]).toEqual(['changed', null, null])
  })
})

describe('STALE_DOCUMENT_SECONDS', () => {
  it('is seven days', () => {
    expect(STALE_DOCUMENT_SECONDS).toBe(604_800)
  })
})

describe('clientOfPinnedDocument', () => {
  const METADATA = {
    client_id: NOTES.clientId,
    client_name: NOTES.name,
    redirect_uris: NOTES.redirectUris,
  }
  const pinned = (fields: Partial<PinnedDocument> = {}): PinnedDocument => ({
    metadata: METADATA,
    scopes: null,
    checkedOn: '2026-11-01',
    ...fields,
  })

  it.each([[null], [[]], [['courses:write']]])(
    'makes a client that is never fetched, with the scopes %j',
    (scopes) => {
      expect(clientOfPinnedDocument(pinned({ scopes }))).toStrictEqual({
        ok: true,
        client: {
          ...NOTES,
          kind: 'document',
          secrets: [],
          scopes,
          disabled: false,
          description: null,
          icon: null,
          revision: 1,
          createdAt: 0,
          usedAt: null,
          deletedAt: null,
          endsAt: null,
          document: null,
        },
      })
    },
  )

  it.each<[string, unknown, string]>([
    ['nothing', null, 'document_url_malformed'],
    ['a text', 'https://notes.example/client.json', 'document_url_malformed'],
    ['no client_id', { ...METADATA, client_id: undefined }, 'document_url_malformed'],
    ['a number for client_id', { ...METADATA, client_id: 7 }, 'document_url_malformed'],
    ['an http URL', { ...METADATA, client_id: 'http://notes.example/c' }, 'document_url_malformed'],
    [
      'an address for a host',
      { ...METADATA, client_id: 'https://10.0.0.7/c' },
      'document_host_not_public',
    ],
    [
      'another port',
      { ...METADATA, client_id: 'https://notes.example:8443/c' },
      'document_port_not_allowed',
    ],
    ['no name', { ...METADATA, client_name: ' ' }, 'document_name_malformed'],
    [
      'a redirect URI elsewhere',
      { ...METADATA, redirect_uris: ['https://evil.example/cb'] },
      'document_redirect_uri_of_other_host',
    ],
    ['a secret', { ...METADATA, client_secret: 'x' }, 'document_secret_published'],
  ])('refuses %s', (_, metadata, reason) => {
    expect(clientOfPinnedDocument(pinned({ metadata }))).toEqual({
      ok: false,
      error: 'invalid_client',
      reason,
      description: expect.stringMatching(/^[\x20-\x7e]+$/),
    })
  })
})
