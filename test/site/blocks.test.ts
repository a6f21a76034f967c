import { createServer, OptionsError } from 'hallpass'
import * as all from 'hallpass/blocks'
import { createClientManagement } from 'hallpass/clients'
import { createMemoryStore } from 'hallpass/store'
import { testSite } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import { BARE_SERVER } from '../support/school/bare-server.js'
import { SEALING } from '../support/school/signing-client.js'
import { coreOf } from '../support/school/stores.js'

const store = createMemoryStore()

/** Every function of hallpass/blocks that makes a block. */
type Maker = {
  [Name in keyof typeof all]: (typeof all)[Name] extends (...given: never[]) => all.Block
    ? Name
    : never
}[keyof typeof all]
const BLOCKS: Readonly<Record<Exclude<Maker, 'defineClientAuthentication'>, () => all.Block>> = {
  clientCredentials: () => all.clientCredentials({ serviceOf: () => null }),
  clientSecretBasic: () => all.clientSecretBasic(),
  deviceGrant: () => all.deviceGrant({ page: () => new Response() }),
  dpop: () => all.dpop(),
  fapi2: () => all.fapi2(),
  identityAssertion: () =>
    all.identityAssertion({
      providers: {
        'https://idp.example': { keys: { keys: [] }, clients: ['agent'], personOf: () => null },
      },
    }),
  privateKeyJwt: () => all.privateKeyJwt(),
  pushedRequests: () => all.pushedRequests({ required: true }),
}

const defined = (...blocks: readonly all.Block[]) =>
  testSite({ store, blocks: blocks as readonly all.Block<never>[] }).site
const mistaken = (mistake: string) => new OptionsError('site', [mistake])

describe('the blocks of a site', () => {
  it.each(Object.entries(BLOCKS))('are named once: %s [BLK-05, BLK-13]', (_, make) => {
    const block = make()
    const site = defined(block)
    expect(site.refusals).toEqual(block.refusals === undefined ? [] : [block.refusals])
    expect(() => defined(block, make())).toThrow(mistaken(`blocks names ${block.name} twice`))
  })

  it.each(['dpop', 'pushedRequests', 'fapi2'] as const)(
    'have no second one in its place: %s [DPOP-39]',
    (name) => {
      const block = BLOCKS[name]()
      expect(() => defined(BLOCKS.privateKeyJwt(), block, { ...block, name: 'other' })).toThrow(
        mistaken(`blocks names ${block.name} and other, of which a site can have one`),
      )
    },
  )

  it.each(['dpop', 'identityAssertion', 'privateKeyJwt'] as const)(
    'need the group `once` of the store of the site, or another store: %s [BLK-05]',
    (name) => {
      const make = (own: object) => () =>
        testSite({
          store: coreOf(store) as typeof store,
          blocks: [{ ...BLOCKS[name](), ...own } as never],
        })
      expect(make({})).toThrow(
        mistaken(
          `${BLOCKS[name]().name} needs the group "once" of the store: it lacks useOnce, giveBack. Pass another store to it as once`,
        ),
      )
      const { isOnceOfSite } = all.dpop({ once: 'memory' })
      expect(make({ isOnceOfSite })).not.toThrow()
    },
  )

  it('are of every server, and of client management', async () => {
    const site = defined(...Object.values(BLOCKS).map((make) => make()))
    expect(site.refusals).toHaveLength(6)
    expect(site.senderConstraint?.scheme).toBe('DPoP')
    expect(site.returnTo('/oauth/device')).toBe('/oauth/device')
    const { interact } = BARE_SERVER
    expect(() => createServer(site, { interact, ...SEALING })).toThrow('fapi2: ')
    const without = Object.entries(BLOCKS).filter(([name]) => !/^(?:fapi2|clientSecret)/.test(name))
    const others = defined(...without.map(([, make]) => make()))
    const read = async () => {
      const url = 'https://school.example/.well-known/openid-configuration'
      const answer = await createServer(others, { interact, ...SEALING })(new Request(url))
      return (await answer.json()) as Readonly<Record<string, unknown>>
    }
    const metadata = await read()
    expect(metadata).toMatchObject({
      require_pushed_authorization_requests: true,
      dpop_signing_alg_values_supported: expect.any(Array) as unknown,
      token_endpoint_auth_methods_supported: ['client_secret_post', 'none', 'private_key_jwt'],
    })
    expect(metadata['grant_types_supported']).toHaveLength(5)
    expect(await read()).toEqual(metadata)
    createClientManagement(others)
  })
})
