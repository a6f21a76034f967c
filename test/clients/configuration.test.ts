import { OptionsError } from 'hallpass'
import { createClientManagement } from 'hallpass/clients'
import { testSite } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import { DRAFT, granted, MANAGER } from './support.js'

describe('createClientManagement', () => {
  it('needs a site, and has a default for everything else', async () => {
    const { site, clock } = testSite()
    const administration = createClientManagement(site)
    const redirectUris = ['vscode://publisher.diary/cb', 'http://localhost/cb']
    const created = await administration.create(MANAGER, { ...DRAFT, redirectUris })
    const { client } = granted(created)
    expect(await site.store.findClient(client.clientId)).toEqual(client)
    expect(client.createdAt).toBe(clock.now())
  })

  it('refuses options that it does not know and schemes that are no application’s, all at once', () => {
    const options = {
      issuer: 'https://school.example',
      appSchemes: ['diary', 'javascript', 'Diary', 'https', 'diary:', ['diary']],
      onRefusal: () => {},
    }
    expect(() => createClientManagement(testSite().site, options as never)).toThrow(
      new OptionsError('client management', [
        'issuer is not an option',
        'onRefusal is not an option',
        'appSchemes[1] must be the scheme of an app, such as obsidian',
        'appSchemes[2] must be the scheme of an app, such as obsidian',
        'appSchemes[3] must be the scheme of an app, such as obsidian',
        'appSchemes[4] must be the scheme of an app, such as obsidian',
        'appSchemes[5] must be the scheme of an app, such as obsidian',
      ]),
    )
  })
})
