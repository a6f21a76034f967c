import { type AdministrationOptions, createClientAdministration } from 'hallpass/administration'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore } from 'hallpass/store'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { T } from '../support/school.js'
import { DRAFT, granted, MANAGER } from './support.js'

const LEAST: AdministrationOptions = {
  store: createMemoryStore(),
  scopes: schoolScopes,
  roles: schoolRoles,
}

describe('createClientAdministration', () => {
  it('needs a store, the scopes and the roles, and has a default for everything else', async () => {
    vi.useFakeTimers({ now: T * 1000 + 999, toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const administration = createClientAdministration(LEAST)
    const redirectUris = ['vscode://publisher.diary/cb', 'http://localhost/cb']
    const created = await administration.create(MANAGER, { ...DRAFT, redirectUris })
    const { client } = granted(created)
    expect(await LEAST.store.findClient(client.clientId)).toEqual(client)
    expect(client.createdAt).toBe(T)
  })

  it('refuses options that it does not know and schemes that are no application’s, all at once', () => {
    const options = {
      ...LEAST,
      issuer: 'https://school.example',
      appSchemes: ['diary', 'javascript', 'Diary', 'https', 'diary:'],
      onRefusal: () => {},
    }
    expect(() => createClientAdministration(options)).toThrow(
      new TypeError(
        [
          'client administration: unknown option "issuer"',
          'unknown option "onRefusal"',
          'appSchemes: "javascript" cannot be an application\'s own scheme',
          'appSchemes: "Diary" cannot be an application\'s own scheme',
          'appSchemes: "https" cannot be an application\'s own scheme',
          'appSchemes: "diary:" cannot be an application\'s own scheme',
        ].join('; '),
      ),
    )
  })
})
