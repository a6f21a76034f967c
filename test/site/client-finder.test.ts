import type { Client } from 'hallpass/policy'
import { describe, expect, it } from 'vitest'
import { type ClientSources, createClientFinder } from '../../src/site/client-finder.js'
import { DESK_CLI } from '../support/school/policy-samples.js'
import { ACME, STUDY_BUDDY } from '../support/school/school.js'

const NOTES = {
  metadata: {
    client_id: 'https://notes.example/client.json',
    client_name: 'Notes',
    redirect_uris: ['https://notes.example/cb'],
  },
  scopes: null,
  checkedOn: '2026-11-01',
}

/** A finder over a store with these clients, and what it asked the store for. */
function finder(stored: readonly Client[], sources: Partial<ClientSources> = {}) {
  const asked: string[] = []
  const find = createClientFinder(
    {
      async findClient(clientId) {
        asked.push(clientId)
        return stored.find((one) => one.clientId === clientId) ?? null
      },
    },
    { vendors: [], pinnedDocuments: [], memberClients: null, ...sources },
  )
  return { find, asked }
}

describe('a client is found', () => {
  it.each(['~', ' a', 'a'.repeat(2048)])('in the store by %j', async (clientId) => {
    const client = { ...STUDY_BUDDY, clientId }
    expect(await finder([client]).find(clientId)).toBe(client)
  })

  it.each(['', 'a'.repeat(2049), 'a\n', '\ta', 'a\u0000', 'é', 'a\u007f'])(
    'nowhere by %j, which no store is asked for',
    async (clientId) => {
      const { find, asked } = finder([{ ...STUDY_BUDDY, clientId }])
      expect(await find(clientId)).toBeNull()
      expect(asked).toEqual([])
    },
  )

  it('in the configuration before the store, as a vendor before a pinned document', async () => {
    const [clientId, vendorId] = [NOTES.metadata.client_id, ACME.clientId]
    const stored = [
      { ...STUDY_BUDDY, clientId },
      { ...STUDY_BUDDY, clientId: vendorId },
    ]
    const { find, asked } = finder(stored, { vendors: [ACME], pinnedDocuments: [NOTES] })
    expect(await find(clientId)).toMatchObject({ kind: 'document', name: 'Notes' })
    expect(await find(vendorId)).toMatchObject({ kind: 'vendor', name: 'Acme Agents' })
    const both = { vendors: [{ ...ACME, clientId }], pinnedDocuments: [NOTES] }
    expect(await finder([], both).find(clientId)).toMatchObject({ kind: 'vendor' })
    expect(asked).toEqual([])
  })
})

describe('a member client', () => {
  it('is found as it is where the site lets members in, or has no switch', async () => {
    for (const memberClients of [null, () => true, async () => true])
      expect(await finder([STUDY_BUDDY], { memberClients }).find('study-buddy')).toBe(STUDY_BUDDY)
  })

  it('is found disabled where the site lets none in', async () => {
    for (const memberClients of [() => false, async () => false])
      expect(await finder([STUDY_BUDDY], { memberClients }).find('study-buddy')).toEqual({
        ...STUDY_BUDDY,
        disabled: true,
        disabledBy: 'member_clients_off',
      })
  })

  it('is the only one that the switch is asked about', async () => {
    const memberClients = (): never => {
      throw new Error('asked')
    }
    const { find } = finder([STUDY_BUDDY, DESK_CLI], { memberClients })
    expect(await find(DESK_CLI.clientId)).toBe(DESK_CLI)
    expect(await find('nobody')).toBeNull()
    await expect(find('study-buddy')).rejects.toThrow('asked')
  })
})

describe('a pinned document that is none', () => {
  it('stops the start, with what is wrong', () => {
    const metadata = { ...NOTES.metadata, client_id: 'http://notes.example/client.json' }
    expect(() => finder([], { pinnedDocuments: [{ ...NOTES, metadata }] })).toThrow(
      new TypeError(
        'pinnedDocuments: document_url_malformed: a client_id URL must be https with a lower-case host and a path, and without fragment, user information, dot segments, :443, or characters that need escaping',
      ),
    )
  })
})
