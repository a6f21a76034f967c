import { clientDocuments } from 'hallpass-audit'
import { describe, expect, it } from 'vitest'

const BASE = 'https://audit.example/documents/'
const documents = clientDocuments(BASE).map(({ name, content }) => ({
  name,
  ...(JSON.parse(content) as { client_id: string }),
}))

describe('clientDocuments', () => {
  it('begins with the document that is right', () => {
    expect(documents[0]).toMatchObject({
      name: 'client.json',
      client_id: `${BASE}client.json`,
      redirect_uris: ['http://127.0.0.1:47317/callback'],
    })
  })

  it('names each document by the URL from which it is fetched, but for one', () => {
    const others = documents.filter(({ name, client_id }) => {
      const { host, pathname } = new URL(client_id)
      return `https://${host}${pathname}` !== BASE + name
    })
    expect(others.map(({ name }) => name)).toEqual(['other-client-id.json'])
  })

  it.each([
    'http://audit.example/',
    'https://audit.example',
    'https://audit.example/documents',
    'https://audit.example/?a=/',
    'https://audit.example/#/',
    'https://me@audit.example/',
    'https://audit.example/a/../',
    'audit.example',
  ])('refuses %s', (baseUrl) => {
    expect(() => clientDocuments(baseUrl)).toThrow('is not a base URL such as')
  })
})
