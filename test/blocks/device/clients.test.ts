import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { describe, expect, it } from 'vitest'
import { createDeviceSchool, type DeviceSchool } from '../../support/school/device-school.js'
import { DESK_CLI } from '../../support/school/flow.js'
import { hashToken } from 'hallpass/token'
import { ISSUER } from '../../support/school/school.js'

/** A `fetch` that reaches the school, and sees each poll. */
function fetchOf(
  { school }: DeviceSchool,
  onPoll: () => Promise<void>,
): (url: string, init: object) => Promise<Response> {
  return async (url, init) => {
    const request = new Request(url, init)
    const response = await school.fetch(request)
    if (request.url.endsWith('/api/oauth/token')) await onPoll()
    return response
  }
}

/** The scopes of an access token that the school knows. */
const scopesOf = async ({ school }: DeviceSchool, token: string): Promise<unknown> =>
  (await school.store.findAccessToken(hashToken(token)))?.accessToken.scopes

describe('a library of others', () => {
  it('openid-client asks, polls while the person decides, and gets tokens', async () => {
    const one = await createDeviceSchool()
    let code = ''
    let polls = 0
    const customFetch = fetchOf(one, async () => {
      one.school.clock.now += 5
      if (++polls !== 2) return
      await one.enter(code)
      await one.decide('allow')
    })
    const configuration = await openid.discovery(
      new URL(ISSUER), DESK_CLI.clientId, undefined, openid.None(), { [openid.customFetch]: customFetch },
    ) // prettier-ignore
    const parameters = { scope: 'courses:read', resource: ISSUER }
    const asked = await openid.initiateDeviceAuthorization(configuration, parameters)
    code = asked.user_code
    expect(asked.verification_uri_complete).toContain(code)
    // Its own clock is not that of the school: it would wait for five seconds between polls.
    const paced = { ...asked, interval: 0.01 }
    const tokens = await openid.pollDeviceAuthorizationGrant(configuration, paced, {
      resource: ISSUER,
    })
    expect(polls).toBe(3)
    expect(tokens.scope).toBe('courses:read')
    expect(await scopesOf(one, tokens.access_token)).toEqual(['courses:read'])
    const refreshed = await openid.refreshTokenGrant(configuration, tokens.refresh_token!)
    expect(refreshed.access_token).not.toBe(tokens.access_token)
  })

  it('oauth4webapi asks, is told why it has to wait, and gets tokens', async () => {
    const one = await createDeviceSchool()
    const options = { [oauth.customFetch]: fetchOf(one, async () => {}) }
    const issuer = new URL(ISSUER)
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options }),
    )
    const client = { client_id: DESK_CLI.clientId }
    const asked = await oauth.processDeviceAuthorizationResponse(
      server,
      client,
      await oauth.deviceAuthorizationRequest(
        server,
        client,
        oauth.None(),
        { scope: 'courses:read' },
        options,
      ),
    )
    const poll = async (): Promise<string> => {
      const response = await oauth.deviceCodeGrantRequest(
        server,
        client,
        oauth.None(),
        asked.device_code,
        options,
      )
      try {
        return (await oauth.processDeviceCodeResponse(server, client, response)).access_token
      } catch (fault) {
        return (fault as oauth.ResponseBodyError).error
      }
    }
    expect([await poll(), await poll()]).toEqual(['authorization_pending', 'slow_down'])
    await one.enter(asked.user_code)
    await one.decide('allow')
    expect(await scopesOf(one, await poll())).toEqual(['courses:read'])
  })
})
