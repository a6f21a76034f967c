import * as v2 from '@modelcontextprotocol/client'
import * as v1 from '@modelcontextprotocol/sdk/client/auth.js'
import * as openid from 'openid-client'
import { describe, expect, it } from 'vitest'
import { createSchool, ISSUER, OWNER, PORTFOLIO_SECRET } from '../support/school/school.js'
import {
  approve,
  DESK_REQUEST,
  PORTFOLIO_REQUEST,
  REDIRECT,
  STATE,
  VERIFIER,
} from '../support/school/flow.js'

const LOOPBACK = 'http://127.0.0.1:3000/cb'

describe.each([
  ['MCP SDK 1', v1],
  ['MCP SDK 2', v2 as unknown as typeof v1],
])('%s, where the methods of client authentication begin with client_secret_post', (_, sdk) => {
  it.each<['none' | 'client_secret_post' | undefined, boolean]>([
    ['none', false],
    [undefined, false],
    ['client_secret_post', true],
  ])('signs in a client that registers with %s [DISC-30]', async (method, hasSecret) => {
    const school = await createSchool()
    const fetchFn = school.fetch
    const metadata = await sdk.discoverAuthorizationServerMetadata(ISSUER, { fetchFn })
    expect(metadata?.token_endpoint_auth_methods_supported).toEqual(['client_secret_post', 'none'])
    const clientMetadata = {
      client_name: 'Desk CLI',
      redirect_uris: [LOOPBACK],
      ...(method !== undefined && { token_endpoint_auth_method: method }),
    }
    const clientInformation = await sdk.registerClient(ISSUER, {
      metadata: metadata!,
      clientMetadata,
      fetchFn,
    })
    expect([
      clientInformation.token_endpoint_auth_method,
      'client_secret' in clientInformation,
    ]).toEqual([method ?? 'none', hasSecret])
    const request = {
      ...DESK_REQUEST,
      client_id: clientInformation.client_id,
      redirect_uri: LOOPBACK,
    }
    const exchange = {
      metadata: metadata!,
      clientInformation,
      authorizationCode: await approve(school, request, OWNER),
      codeVerifier: VERIFIER,
      redirectUri: LOOPBACK,
      resource: new URL(ISSUER),
      fetchFn,
      // Version 2 compares it with the issuer.
      iss: ISSUER,
    }
    const tokens = await sdk.exchangeAuthorization(ISSUER, exchange)
    expect(tokens.refresh_token).toBeTypeOf('string')
  })
})

describe('openid-client, where they begin with client_secret_post', () => {
  it('signs in a client with a secret that names no method [DISC-30]', async () => {
    const school = await createSchool()
    const config = await openid.discovery(
      new URL(ISSUER),
      'portfolio-hub',
      PORTFOLIO_SECRET,
      undefined,
      { [openid.customFetch]: school.fetch as openid.CustomFetch },
    )
    const code = await approve(school, { ...PORTFOLIO_REQUEST, scope: 'account:read' })
    const callback = new URL(REDIRECT)
    callback.search = new URLSearchParams({ code, state: STATE, iss: ISSUER }).toString()
    const tokens = await openid.authorizationCodeGrant(
      config,
      callback,
      { pkceCodeVerifier: VERIFIER, expectedState: STATE },
      { resource: ISSUER },
    )
    expect(tokens.token_type).toBe('bearer')
  })
})
