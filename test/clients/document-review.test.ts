import { differencesSinceReview, keptMetadata } from 'hallpass/clients'
import { type Client, clientOfDocument } from 'hallpass/policy'
import { describe, expect, it } from 'vitest'
import { T } from '../support/school/school.js'
import type { ClientAbout } from '../../src/policy/client-about.js'

const ABOUT: ClientAbout = {
  clientUri: 'https://notes.example/',
  policyUri: 'https://notes.example/privacy',
  tosUri: null,
  logoUri: null,
  contacts: ['mei@notes.example'],
}
const DOCUMENT = {
  clientId: 'https://notes.example/client.json',
  name: 'Notes',
  redirectUris: ['https://notes.example/a', 'https://notes.example/b'],
  tokenEndpointAuthMethod: 'none',
  about: ABOUT,
} as const
const CLIENT = clientOfDocument({ known: null, document: DOCUMENT, now: T, freshUntil: T }).client
const reviewed = (content: Partial<Pick<Client, 'name' | 'redirectUris' | 'about'>>): Client => {
  const { name, redirectUris, about } = CLIENT
  return {
    ...CLIENT,
    document: { ...CLIENT.document!, reviewed: { name, redirectUris, about, ...content } },
  }
}

describe('what changed since a review', () => {
  it('is not known where there was none', () => {
    expect(differencesSinceReview(CLIENT)).toBe(null)
    expect(differencesSinceReview({ ...CLIENT, document: null })).toBe(null)
  })

  it('is nothing where only the order, or the contacts, are others', () => {
    const redirectUris = DOCUMENT.redirectUris.toReversed()
    expect(differencesSinceReview(reviewed({ redirectUris }))).toEqual([])
    expect(differencesSinceReview(reviewed({ about: { ...ABOUT, contacts: [] } }))).toEqual([])
  })

  it('is told member by member, with what is gone and what is new [SAY-07]', () => {
    const before = reviewed({
      name: 'Old Notes',
      redirectUris: ['https://notes.example/a', 'https://notes.example/old'],
      about: { ...ABOUT, policyUri: null, tosUri: 'https://notes.example/terms', logoUri: null },
    })
    expect(differencesSinceReview(before)).toEqual([
      { member: 'client_name', removed: ['Old Notes'], added: ['Notes'] },
      {
        member: 'redirect_uris',
        removed: ['https://notes.example/old'],
        added: ['https://notes.example/b'],
      },
      { member: 'policy_uri', removed: [], added: ['https://notes.example/privacy'] },
      { member: 'tos_uri', removed: ['https://notes.example/terms'], added: [] },
    ])
  })

  it('is every link where the review knew none', () => {
    const members = differencesSinceReview(reviewed({ about: null }))?.map(({ member }) => member)
    expect(members).toEqual(['client_uri', 'policy_uri'])
  })
})

describe('the document as the school keeps it', () => {
  it('has the names of the document, and what it says of itself', () => {
    expect(keptMetadata(CLIENT)).toEqual({
      client_id: 'https://notes.example/client.json',
      client_name: 'Notes',
      redirect_uris: ['https://notes.example/a', 'https://notes.example/b'],
      token_endpoint_auth_method: 'none',
      client_uri: 'https://notes.example/',
      policy_uri: 'https://notes.example/privacy',
      contacts: ['mei@notes.example'],
    })
    expect(Object.keys(keptMetadata({ ...CLIENT, about: null }))).toHaveLength(4)
  })
})
