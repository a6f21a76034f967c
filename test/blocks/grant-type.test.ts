import { createServer, OptionsError } from 'hallpass'
import type { GrantType } from 'hallpass/blocks'
import type { AuthenticatedClient } from 'hallpass/policy'
import { createMemoryStore, type Store } from 'hallpass/store'
import { testSite } from 'hallpass/testing'
import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import type { ClientRequest } from '../../src/authorization-server/block.js'
import { withMembers } from '../../src/blocks/members.js'
import { openGrant } from '../../src/blocks/open-grant.js'
import { endpointFrom } from '../../src/http/exchange.js'
import { json } from '../../src/http/respond.js'
import { GRANT } from '../../src/site/block.js'
import { INTERACT, SEALING } from '../support/school/signing-client.js'

const VENDOR = {
  clientId: 'notes',
  name: 'Notes',
  redirectUris: ['https://notes.example/cb'],
  scopes: null,
  reviewedOn: '2026-11-20',
}
const NAME = 'urn:example:grant'

/** A grant that gives an hour of one scope to a subject that the form names. */
const grant = (more: Partial<GrantType> = {}): GrantType<never> => ({
  kind: GRANT,
  name: NAME,
  parameters: { who: { type: 'string' } },
  forServer: {
    describe: (known, endpoints, issuer) =>
      withMembers('grants: example', known, {
        example_endpoint: issuer + '/api/oauth/example',
        example_served: endpoints.token !== undefined,
      }),
  },
  create: () => ({
    load: async (request: ClientRequest) => {
      request.context.operation = 'client_credentials'
      const subject = request.parameters.single('who') ?? ''
      const { resource } = request.configuration
      return {
        presented: null,
        exchange: (client: AuthenticatedClient) =>
          openGrant(request, client, {
            subject,
            scopes: ['courses:read'],
            resource: resource.canonical,
            seconds: 3600,
          }),
      }
    },
    endpoints: {
      '/api/oauth/example': endpointFrom(async () => json(200, { served: true })),
    },
  }),
  ...(more as object),
})

async function schoolWith(grants: readonly GrantType<never>[], options: object = {}) {
  const test = testSite({ vendors: [VENDOR], lookalikes: {}, blocks: grants, ...options })
  const server = createServer(test.site, { ...SEALING, interact: INTERACT })
  await server.maintain()
  const send = (path: string, form?: Record<string, string>) =>
    server(
      new Request(
        `https://school.example${path}`,
        form && { method: 'POST', body: new URLSearchParams(form) },
      ),
    )
  const ask = (more: Record<string, string>) =>
    send('/api/oauth/token', { client_id: 'notes', ...more })
  return { ...test, send, ask }
}

describe('a further grant type', () => {
  it('opens a grant without a code: an access token that works, and no refresh token', async () => {
    const { ask, site, clock, people } = await schoolWith([grant()])
    people.set('per_ada', { subject: 'per_ada', orgId: 'school.example', roles: ['owner'], name: null, email: null, picture: null }) // prettier-ignore
    const response = await ask({ grant_type: NAME, who: 'per_ada' })
    expect(response.headers.get('cache-control')).toBe('no-store')
    const body = (await response.json()) as { access_token: string }
    expect(body).toEqual({
      access_token: expect.stringMatching(/^hpa_[\w-]{43}$/) as string,
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'courses:read',
    })
    const found = await site.store.findAccessToken(hashToken(body.access_token))
    expect(found?.grant).toMatchObject({
      clientId: 'notes',
      subject: 'per_ada',
      scopes: ['courses:read'],
      expiresAt: clock.now() + 3600,
      revokedAt: null,
    })
    expect(found?.accessToken.expiresAt).toBe(clock.now() + 3600)
  })

  it('is refused to an erased person', async () => {
    const { ask, site, clock } = await schoolWith([grant()])
    await site.store.erasePerson({ subject: 'per_ada', loginHints: [], erasedAt: clock.now() })
    const erased = await ask({ grant_type: NAME, who: 'per_ada' })
    expect([erased.status, await erased.json()]).toMatchObject([400, { error: 'invalid_grant' }])
  })

  it('is listed, with its members, and its endpoint is served', async () => {
    const { send } = await schoolWith([grant()])
    const metadata = await (await send('/.well-known/oauth-authorization-server')).json()
    expect(metadata).toMatchObject({
      grant_types_supported: ['authorization_code', 'refresh_token', NAME],
      example_endpoint: 'https://school.example/api/oauth/example',
      example_served: true,
    })
    expect(await (await send('/api/oauth/example')).json()).toEqual({ served: true })
  })

  it('is named by the error about another one, and unknown without the block', async () => {
    const described = async (grants: readonly GrantType<never>[]) =>
      (await (await (await schoolWith(grants)).ask({ grant_type: 'password' })).json()) as object
    expect(await described([grant()])).toMatchObject({
      error: 'unsupported_grant_type',
      error_description: `grant_type must be authorization_code or refresh_token or ${NAME}`,
    })
    expect(await described([])).toMatchObject({
      error_description: 'grant_type must be authorization_code or refresh_token',
    })
    const { ask } = await schoolWith([])
    expect((await ask({ grant_type: NAME, who: 'per_ada' })).status).toBe(400)
  })

  it('is no further grant type if a member is there already', () => {
    const twice = grant({
      forServer: { describe: (known) => withMembers('example', known, { issuer: 'other' }) },
    })
    expect(() => {
      const { site } = testSite({ blocks: [twice] })
      createServer(site, { ...SEALING, interact: INTERACT })
    }).toThrow(OptionsError)
  })

  it('is one that hallpass made', () => {
    expect(() => testSite({ blocks: [{ name: NAME } as never] })).toThrow('blocks[0] lacks kind')
  })

  it('gives nothing if the grants of its client are ended between its two changes', async () => {
    const memory = createMemoryStore()
    const store: Store = {
      ...memory,
      async issueCode(...issue) {
        const issued = await memory.issueCode(...issue)
        await memory.revokeGrantsOfClient({
          clientId: 'notes',
          revokedAt: 1,
          revokedReason: 'ended',
        })
        return issued
      },
    }
    const { ask, refusals } = await schoolWith([grant()], { store })
    const response = await ask({ grant_type: NAME, who: 'per_ada' })
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: 'invalid_grant' },
    ])
    expect(refusals.at(-1)?.reason).toBe('grant_revoked')
  })
})
