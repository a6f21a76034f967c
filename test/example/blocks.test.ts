import type { Execute } from 'hallpass/postgres'
import { createMemoryStore } from 'hallpass/store'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBlocks } from '../../examples/school/src/blocks/blocks.js'
import { BLOCK_NAMES, type BlockName } from '../../examples/school/src/blocks/names.js'
import { createPeople } from '../../examples/school/src/members/people.js'
import { createServices } from '../../examples/school/src/services/services.js'
import { LANTERN } from '../../examples/school/src/sites.js'
import { createFormBrowser, signInAndAllow } from '../support/http/form-browser.js'
import { authorizeUrl, redeemAt } from '../support/http/running-flow.js'
import { type RunningExample, startExample } from '../support/processes/example.js'
import { openAreaDatabase, openAreaSite, ORIGIN } from './support/area.js'
import { serveIdentityProvider } from '../support/school/served-provider.js'
import { encode } from '../support/school/flow.js'
import { T } from '../support/school/school.js'

type Json = Readonly<Record<string, unknown>>

const DOCUMENTS = [
  'openid-configuration',
  'oauth-authorization-server',
  'oauth-protected-resource',
  'oauth-protected-resource/mcp',
  'oauth-protected-resource/account/graphql',
].map((name) => `/.well-known/${name}`)
const RESOURCE = { client_id: 'desk-cli', scope: 'openid courses:read' }
const OWNER = 'ines.duarte@example.com'

/** A provider that no test asks: clients of no block send it no assertion. */
const PROVIDER = 'https://idp.example https://idp.example/jwks'
/** All but the profile, which refuses clients that use no block. */
const ADDITIVE = BLOCK_NAMES.filter((name) => name !== 'fapi2')
const PARTS = ['private-key-jwt', 'dpop', 'par'] as const

const start = (blocks: string): Promise<RunningExample> =>
  startExample({ environment: { SCHOOL_BLOCKS: blocks, SCHOOL_IDENTITY_PROVIDER: PROVIDER } })

/** The documents of a school, in which its own origin has no port. */
async function documentsOf({ origin }: RunningExample): Promise<Readonly<Record<string, Json>>> {
  const texts = await Promise.all(
    DOCUMENTS.map(async (path) => [path, await (await fetch(origin + path)).text()] as const),
  )
  return Object.fromEntries(
    texts.map(([path, text]) => [path, JSON.parse(text.replaceAll(origin, 'ORIGIN')) as Json]),
  )
}

/** The members of a document that say less than before, or something else. */
const lost = (before: Json, after: Json): readonly string[] =>
  Object.entries(before).flatMap(([name, value]) => {
    const now = after[name]
    const kept = Array.isArray(value) && Array.isArray(now) ? now.slice(0, value.length) : now
    return JSON.stringify(kept) === JSON.stringify(value) ? [] : [name]
  })

/** What a client gets that knows nothing of blocks: from sign-in to `/mcp`. */
async function flowOf({ origin }: RunningExample): Promise<Json> {
  const request = { ...RESOURCE, resource: `${origin}/mcp` }
  const callback = await signInAndAllow(createFormBrowser(origin), authorizeUrl(origin, request), {
    email: OWNER,
  })
  const redeemed = await redeemAt(origin, callback.searchParams.get('code')!, request)
  const tokens = (await redeemed.json()) as Record<string, string>
  const refreshed = await fetch(`${origin}/api/oauth/token`, {
    method: 'POST',
    body: encode({
      grant_type: 'refresh_token',
      client_id: RESOURCE.client_id,
      refresh_token: tokens['refresh_token']!,
    }),
  })
  const again = (await refreshed.json()) as Record<string, string>
  const call = async (authorization?: string): Promise<Json> => {
    const answer = await fetch(`${origin}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(authorization !== undefined && { authorization }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    })
    return { status: answer.status, text: (await answer.text()).replaceAll(origin, 'ORIGIN') }
  }
  return {
    exchange: shapeOf(redeemed, tokens),
    refresh: shapeOf(refreshed, again),
    owner: await call(`Bearer ${again['access_token']}`),
    anonymous: await call(),
    wrong: await call('Bearer hp_at_none'),
  }
}

const shapeOf = ({ status }: Response, tokens: Readonly<Record<string, string>>): Json => ({
  status,
  members: Object.keys(tokens),
  type: tokens['token_type'],
  scope: tokens['scope'],
})

describe('SCHOOL_BLOCKS', () => {
  let plain: { readonly documents: Readonly<Record<string, Json>>; readonly flow: Json }
  beforeAll(async () => {
    const school = await start('')
    try {
      plain = { documents: await documentsOf(school), flow: await flowOf(school) }
    } finally {
      await school.stop()
    }
  })

  it('adds nothing to the options while it is empty', () => {
    expect(blocksOf([])).toEqual([])
  })

  it('names the blocks in the order of their names', () => {
    const blocks = blocksOf(['client-secret-basic', 'private-key-jwt'])
    expect(blocks.map(({ name }) => name)).toEqual(['client_secret_basic', 'private_key_jwt'])
  })

  it('leads to a flow that ends at the tools of the owner', () => {
    expect(plain.flow).toMatchObject({
      exchange: { status: 200, type: 'Bearer', scope: RESOURCE.scope },
      refresh: { status: 200, type: 'Bearer', scope: RESOURCE.scope },
      owner: { status: 200 },
      anonymous: { status: 200 },
      wrong: { status: 401 },
    })
    expect((plain.flow['owner'] as Json)['text']).not.toBe(
      (plain.flow['anonymous'] as Json)['text'],
    )
  })

  describe.each([...ADDITIVE, ADDITIVE.join(', ')])('with %s', (blocks) => {
    let school: RunningExample
    beforeAll(async () => {
      school = await start(blocks)
    })
    afterAll(() => school.stop())

    it('says all that it said before', async () => {
      const documents = await documentsOf(school)
      expect(
        DOCUMENTS.map((path) => [path, lost(plain.documents[path]!, documents[path]!)]),
      ).toEqual(DOCUMENTS.map((path) => [path, []]))
      expect(documents, 'the block says nothing of itself').not.toEqual(plain.documents)
    })

    it('answers at each address that it publishes', async () => {
      const [metadata = {}] = Object.values(await documentsOf(school))
      const paths = Object.values(metadata)
        .filter((value) => typeof value === 'string' && value.startsWith('ORIGIN/'))
        .map((value) => String(value).slice('ORIGIN'.length))
      expect(paths).toContain('/api/oauth/token')
      // A post without a form is refused, and a page shows itself; nothing is not found.
      const statuses = await Promise.all(
        paths.map(async (path) => [
          path,
          (await fetch(school.origin + path, { method: 'POST' })).status,
        ]),
      )
      expect(statuses.filter(([, status]) => status === 404)).toEqual([])
    })

    // A test that is skipped is a fault in CI.
    if (blocks === 'device')
      it('has a page for devices as strict as any that no app waits for', async () => {
        const { status, headers } = await fetch(`${school.origin}/oauth/device`)
        expect([status, headers.get('cross-origin-opener-policy')]).toEqual([200, 'same-origin'])
        expect(headers.get('content-security-policy')).toContain("form-action 'self';")
      })

    it('changes nothing for a client that uses no block', async () => {
      expect(await flowOf(school)).toEqual(plain.flow)
    })
  })
})

describe('id-jag with a provider on this computer', () => {
  it('accepts what it signs, with keys that it serves', async () => {
    const idp = await serveIdentityProvider()
    const school = await startExample({
      environment: {
        SCHOOL_BLOCKS: 'id-jag',
        SCHOOL_IDENTITY_PROVIDER: `${idp.issuer} ${idp.issuer}/jwks`,
      },
    })
    try {
      const claims = { sub: 'mem_l01', aud: school.origin, client_id: 'acme-agents', scope: 'courses:read' } // prettier-ignore
      const answer = await fetch(`${school.origin}/api/oauth/token`, {
        method: 'POST',
        body: encode({
          grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
          client_id: 'acme-agents',
          assertion: await idp.idJag(claims),
        }),
      })
      expect([answer.status, await answer.json()]).toEqual([
        200,
        expect.objectContaining({ token_type: 'Bearer', scope: 'courses:read' }) as unknown,
      ])
    } finally {
      await school.stop()
      idp.close()
    }
  })
})

describe('fapi2 with its parts', () => {
  it('makes a school that takes signed and pushed requests only, with keys and algorithms of the profile', async () => {
    const database = await openAreaDatabase()
    try {
      const school = await openAreaSite(database, ['fapi2', ...PARTS])
      const answer = await school.fetch(
        new Request(`${ORIGIN}/.well-known/oauth-authorization-server`),
      )
      expect(await answer.json()).toMatchObject({
        token_endpoint_auth_methods_supported: ['private_key_jwt'],
        token_endpoint_auth_signing_alg_values_supported: ['ES256', 'PS256', 'Ed25519', 'EdDSA'],
        require_pushed_authorization_requests: true,
        dpop_signing_alg_values_supported: expect.arrayContaining(['ES256']) as unknown,
      })
    } finally {
      await database.close()
    }
  })
})

const execute: Execute = async () => ({ rows: [] })
const blocksOf = (names: readonly BlockName[]): ReturnType<typeof createBlocks> =>
  createBlocks(names, {
    site: LANTERN,
    origin: 'https://lantern.example',
    store: createMemoryStore(),
    sealingSecret: 'x'.repeat(32),
    people: createPeople({ execute, site: LANTERN.id }),
    identityProvider: null,
    services: createServices({ execute, transaction: (work) => work(execute), site: LANTERN.id }),
    fetchDocument: async () => new Response(),
    now: () => T,
    pageParts: () => {
      throw new Error('no page is shown')
    },
  })
