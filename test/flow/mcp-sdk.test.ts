import {
  auth,
  extractWWWAuthenticateParams,
  type OAuthClientProvider,
} from '@modelcontextprotocol/sdk/client/auth.js'
import type {
  OAuthClientInformationMixed,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type SharedExample, sharedExample } from '../support/processes/example.js'
import {
  createFormBrowser,
  listenForCallback,
  signInAndAllow,
} from '../support/http/form-browser.js'

let school: SharedExample

beforeAll(async () => {
  school = await sharedExample()
})
afterAll(() => school.stop())

it('the MCP SDK client discovers, registers and signs in from a 401 alone', async () => {
  const app = await listenForCallback()
  let information: OAuthClientInformationMixed | undefined
  let tokens: OAuthTokens | undefined
  let verifier = ''
  let authorizationUrl: URL | undefined
  const provider: OAuthClientProvider = {
    redirectUrl: app.redirectUri,
    clientMetadata: { client_name: 'SDK client', redirect_uris: [app.redirectUri] },
    state: () => 'state-of-the-sdk-client',
    clientInformation: () => information,
    saveClientInformation: (saved) => void (information = saved),
    tokens: () => tokens,
    saveTokens: (saved) => void (tokens = saved),
    redirectToAuthorization: (url) => void (authorizationUrl = url),
    saveCodeVerifier: (saved) => void (verifier = saved),
    codeVerifier: () => verifier,
  }

  const refused = await fetch(`${school.origin}/api/oauth/userinfo`)
  expect(refused.status).toBe(401)
  const { resourceMetadataUrl } = extractWWWAuthenticateParams(refused)
  const options = { serverUrl: `${school.origin}/mcp`, resourceMetadataUrl: resourceMetadataUrl! }

  expect(await auth(provider, options)).toBe('REDIRECT')
  expect(information?.client_id).toMatch(/^\S+$/)
  expect(authorizationUrl?.searchParams.get('resource')).toMatch(school.origin)
  const callback = await signInAndAllow(createFormBrowser(school.origin), authorizationUrl!, {
    email: 'tomasz.wilk@example.com',
  })
  app.close()
  const authorizationCode = callback.searchParams.get('code')!
  expect(await auth(provider, { ...options, authorizationCode })).toBe('AUTHORIZED')

  const userinfo = async (): Promise<unknown> =>
    (
      await fetch(`${school.origin}/api/oauth/userinfo`, {
        headers: { authorization: `Bearer ${tokens!.access_token}` },
      })
    ).json()
  expect(await userinfo()).toMatchObject({ name: 'Tomasz Wilk', roles: ['manager'] })

  const before = tokens!.access_token
  expect(await auth(provider, options)).toBe('AUTHORIZED')
  expect(tokens!.access_token).not.toBe(before)
  expect(await userinfo()).toMatchObject({ name: 'Tomasz Wilk' })
})
