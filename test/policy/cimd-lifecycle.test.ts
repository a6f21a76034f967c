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
import { isAboutReviewed } from '../../src/policy/cimd-lifecycle.js'
import { T } from '../support/school/school.js'
import type { ClientAbout } from '../../src/policy/client-about.js'

const NOTES: MetadataDocument = {
  clientId: 'https://notes.example/client.json',
  name: 'Notes',
  redirectUris: ['https://notes.example/cb', 'http://127.0.0.1/cb'],
  tokenEndpointAuthMethod: 'none',
  about: null,
}
const HOUR = 3600

const fetched = (
  document: MetadataDocument,
  known: Client | null,
  now = T,
): ReturnType<typeof clientOfDocument> =>
  clientOfDocument({ known, document, now, freshUntil: now + HOUR })

const NEW = fetched(NOTES, null).client
const CONTENT = { name: NOTES.name, redirectUris: NOTES.redirectUris, about: null }
/** As a version of hallpass stored it that kept no links. */
const REVIEWED_EARLIER: Client = {
  ...NEW,
  revision: 2,
  scopes: ['courses:write'],
  document: { ...NEW.document!, reviewedAt: T + 10 },
}
const REVIEWED: Client = {
  ...REVIEWED_EARLIER,
  document: { ...REVIEWED_EARLIER.document!, reviewed: CONTENT },
}
const ABOUT: ClientAbout = {
  clientUri: 'https://notes.example/',
  policyUri: 'https://notes.example/privacy',
  tosUri: 'https://notes.example/terms',
  logoUri: 'https://notes.example/logo.png',
  contacts: ['help@notes.example'],
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
    ['links', { about: ABOUT }],
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
          reviewed: CONTENT,
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

describe('what a document says of its client', () => {
  const saying = (about: Partial<ClientAbout>): MetadataDocument => ({
    ...NOTES,
    about: { ...ABOUT, ...about },
  })
  const KNOWN = fetched(saying({}), null).client
  const OF_REVIEW = { ...CONTENT, about: ABOUT }
  const KNOWN_REVIEWED: Client = {
    ...KNOWN,
    scopes: [],
    document: { ...KNOWN.document!, reviewedAt: T + 10, reviewed: OF_REVIEW },
  }

  it.each<[string, Partial<ClientAbout>]>([
    ['site', { clientUri: 'https://other.example/' }],
    ['privacy policy', { policyUri: null }],
    ['terms', { tosUri: 'https://notes.example/terms#2' }],
    ['logo', { logoUri: 'https://notes.example/logo-2.png' }],
  ])('is covered by the review: another %s ends it [SAY-02]', (_, about) => {
    const { change, client } = fetched(saying(about), KNOWN_REVIEWED, T + 100)
    expect([change, client.scopes, client.document!.reviewed]).toEqual(['changed', null, OF_REVIEW])
    expect(client.about).toEqual({ ...ABOUT, ...about })
  })

  it('is covered by the review but for the contacts, which only managers see', () => {
    const { change, client } = fetched(saying({ contacts: [] }), KNOWN_REVIEWED, T + 100)
    expect([change, client.scopes, client.about?.contacts]).toEqual(['none', [], []])
  })

  it('does not end a review that an earlier version made without it [SAY-03]', () => {
    const { change, client } = fetched(saying({}), REVIEWED_EARLIER, T + 100)
    expect([change, client.scopes, client.about]).toEqual(['none', ['courses:write'], ABOUT])
    expect(client.document).toMatchObject({ reviewedAt: T + 10, reviewed: CONTENT })
    expect(isAboutReviewed(client)).toBe(false)
    const next = fetched(saying({ tosUri: null }), client, T + 200)
    expect([next.change, next.client.scopes]).toEqual(['changed', null])
  })

  it('ends the review of an earlier version together with another name', () => {
    const renamed = { ...saying({}), name: 'Notes Pro' }
    const { change, client } = fetched(renamed, REVIEWED_EARLIER, T + 100)
    expect([change, client.scopes, client.document!.reviewed]).toEqual(['changed', null, CONTENT])
  })

  it.each<[string, boolean, Client]>([
    ['a member client', false, { ...KNOWN, kind: 'member', document: null }],
    ['a client that registered itself', false, { ...KNOWN, kind: 'loopback', document: null }],
    ['a vendor', true, { ...KNOWN, kind: 'vendor', document: null }],
    ['a pinned document that is not reviewed', false, { ...KNOWN, document: null }],
    ['a pinned document', true, { ...KNOWN, document: null, scopes: [] }],
    [
      'a client of another kind with a reviewed document',
      false,
      { ...KNOWN_REVIEWED, kind: 'loopback' },
    ],
    ['a document', false, KNOWN],
    ['a document of which it is not known what was reviewed', false, { ...KNOWN, scopes: [] }],
    ['a document that changed', false, { ...KNOWN_REVIEWED, scopes: null }],
    ['a reviewed document', true, KNOWN_REVIEWED],
  ])('is vouched for, of %s: %j [SAY-04]', (_, expected, client) => {
    expect(isAboutReviewed(client)).toBe(expected)
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
