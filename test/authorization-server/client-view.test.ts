import { type Client, clientOfVendor } from 'hallpass/policy'
import { describe, expect, it } from 'vitest'
import { viewOf } from '../../src/authorization-server/client-view.js'
import { clientOfDocument } from '../../src/policy/cimd-lifecycle.js'
import { ACME, ISSUER, T } from '../support/school/school.js'
import { DESK_CLI } from '../support/school/policy-samples.js'
import type { ClientAbout } from '../../src/policy/client-about.js'

const ABOUT: ClientAbout = {
  clientUri: 'https://Notes.example:443/about?a=1',
  policyUri: 'http://b%C3%BCcher.example:8080/privacy',
  tosUri: 'https://xn--bcher-kva.example/terms',
  logoUri: 'https://notes.example/logo.png',
  contacts: ['mei@notes.example'],
}
const CALLBACK = 'https://notes.example/cb'
const UNREVIEWED = clientOfDocument({
  known: null,
  document: {
    clientId: 'https://notes.example/client.json',
    name: 'Notes',
    redirectUris: [CALLBACK, 'http://127.0.0.1/cb'],
    tokenEndpointAuthMethod: 'none',
    about: ABOUT,
  },
  now: T,
  freshUntil: T + 60,
}).client
const { name, redirectUris, about } = UNREVIEWED
const REVIEWED: Client = {
  ...UNREVIEWED,
  scopes: [],
  document: { ...UNREVIEWED.document!, reviewed: { name, redirectUris, about } },
}

const view = (client: Client) =>
  viewOf(client, client.redirectUris[0]!, { issuer: ISSUER, loopbackHosts: ['127.0.0.1'] })
const hrefs = (client: Client) => view(client).links.map(({ href }) => href)

describe('the links of a client, as a page shows them', () => {
  it('have an address and a host in ASCII where a review covers them [SAY-06]', () => {
    expect(view(REVIEWED)).toMatchObject({
      links: [
        { page: 'site', host: 'notes.example', isElsewhere: false, href: ABOUT.clientUri },
        {
          page: 'policy',
          host: 'xn--bcher-kva.example:8080',
          isElsewhere: true,
          href: ABOUT.policyUri,
        },
        { page: 'terms', host: 'xn--bcher-kva.example', isElsewhere: true, href: ABOUT.tosUri },
      ],
      logoUri: ABOUT.logoUri,
    })
  })

  it.each<[string, Client]>([
    ['that no one has reviewed', UNREVIEWED],
    ['whose review ended', { ...REVIEWED, scopes: null }],
    [
      'whose review covers other links',
      {
        ...REVIEWED,
        document: { ...REVIEWED.document!, reviewed: { name, redirectUris, about: null } },
      },
    ],
    ['that registered itself', { ...DESK_CLI, about: ABOUT }],
  ])('have no address, and no logo, of a client %s [SAY-06]', (_, client) => {
    expect(hrefs(client)).toEqual([null, null, null])
    expect(view(client).links.map(({ host }) => host)).toContain('notes.example')
    expect(view(client).logoUri).toBe(null)
  })

  it('have an address where the configuration names them', () => {
    expect(hrefs(clientOfVendor({ ...ACME, about: ABOUT }))).toEqual([
      ABOUT.clientUri,
      ABOUT.policyUri,
      ABOUT.tosUri,
    ])
  })

  it.each<[string, readonly string[]]>([
    ['a program on this computer', ['http://127.0.0.1/cb']],
    ['a scheme with the same host', ['notes://notes.example/cb']],
    ['a scheme with a web address in it', ['notes://notes.example/https://notes.example/']],
    ['a subdomain', ['https://app.notes.example/cb']],
    ['another port', ['https://notes.example:8443/cb']],
  ])('are elsewhere where the code goes to %s', (_, uris) => {
    const client = clientOfVendor({ ...ACME, redirectUris: uris, about: ABOUT })
    expect(view(client).links[0]).toMatchObject({ host: 'notes.example', isElsewhere: true })
  })

  it.each<[string, Partial<Client>]>([
    ['the code goes to', { ...clientOfVendor(ACME), redirectUris: [CALLBACK] }],
    ['the code goes to without TLS', { ...clientOfVendor(ACME), redirectUris: ['http://notes.example/cb'] }],
    ['its document is on', { redirectUris: ['http://127.0.0.1/cb'] }],
  ])('are not elsewhere on the host that %s', (_, changes) => {
    const client = { ...UNREVIEWED, ...changes, about: ABOUT }
    expect(view(client).links[0]).toMatchObject({ host: 'notes.example', isElsewhere: false })
  }) // prettier-ignore

  it('are elsewhere on this computer, even if the code goes there', () => {
    const about = { ...ABOUT, clientUri: 'http://127.0.0.1:3000/about' }
    const redirectUris = ['http://127.0.0.1:3000/cb']
    expect(view({ ...REVIEWED, redirectUris, about }).links[0]).toMatchObject({ isElsewhere: true })
  })

  it('are only those that the client names', () => {
    const client = { ...REVIEWED, about: { ...ABOUT, clientUri: null, tosUri: null } }
    expect(view(client).links.map(({ page }) => page)).toEqual(['policy'])
  })

  it('are none of a client that says nothing', () => {
    expect(view({ ...REVIEWED, about: null })).toMatchObject({ links: [], logoUri: null })
  })
})
