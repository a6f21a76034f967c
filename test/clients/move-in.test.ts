import { defineClient, moveGrant } from 'hallpass/clients'
import { Provider } from 'oidc-provider'
import * as oauth from 'openid-client'
import { expect, it } from 'vitest'
import { createSchool, ISSUER, STUDENT, T } from '../support/school/school.js'

const DAY = 86_400

interface Row {
  consumed?: number
  readonly jti: string
  readonly clientId: string
  readonly accountId: string
  readonly scope: string
  readonly exp: number
}

/** oidc-provider with its rows in a map, as an adapter to a database would have them. */
function createOldServer(redirectUri: string) {
  const rows = new Map<string, Row>()
  const adapterOf = (name: string) => ({
    upsert: async (id: string, payload: Row) => void rows.set(`${name} ${id}`, payload),
    find: async (id: string) => rows.get(`${name} ${id}`),
    findByUserCode: async () => undefined,
    findByUid: async () => undefined,
    consume: async (id: string) => void (rows.get(`${name} ${id}`)!.consumed = T),
    destroy: async (id: string) => void rows.delete(`${name} ${id}`),
    revokeByGrantId: async () => {},
  })
  const provider = new Provider(ISSUER, {
    adapter: adapterOf,
    clients: [
      {
        client_id: 'timetable',
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    scopes: ['openid', 'offline_access', 'account:read'],
    cookies: { keys: ['only for a test'] },
    ttl: { RefreshToken: 14 * DAY, Grant: 14 * DAY },
  })
  return { provider, rows }
}

it('a client of oidc-provider refreshes at hallpass with the token that it has [MOVE-01]', async () => {
  const redirectUri = 'https://timetable.example/callback'
  const { provider, rows } = createOldServer(redirectUri)
  const client = (await provider.Client.find('timetable'))!
  const { subject: accountId } = STUDENT
  const grant = new provider.Grant({ accountId, clientId: 'timetable' })
  grant.addOIDCScope('openid offline_access account:read')
  const grantId = await grant.save()
  const issue = (): Promise<string> =>
    new provider.RefreshToken({
      accountId,
      client,
      grantId,
      gty: 'authorization_code',
      scope: 'openid offline_access account:read',
    }).save()
  const token = await issue()
  const used = await issue()
  await (await provider.RefreshToken.find(used)).consume()

  const school = await createSchool()
  const live = [...rows].filter(([key, row]) => key.startsWith('RefreshToken ') && !row.consumed)
  expect(live).toHaveLength(1)
  school.clock.now = live[0]![1].exp - 14 * DAY
  await school.store.insertClient(
    defineClient({
      clientId: 'timetable',
      kind: 'member',
      name: 'Timetable',
      redirectUris: [redirectUri],
      scopes: ['account:read'],
      createdAt: T,
    }),
  )
  for (const [, { jti, clientId, accountId: account, scope, exp }] of live)
    expect(
      await moveGrant(school.site, {
        clientId,
        subject: account,
        scopes: scope.split(' '),
        redirectUri,
        refreshToken: jti,
        expiresAt: exp,
      }),
    ).toEqual({ ok: true, outcome: 'moved' })

  const fetch = school.fetch as oauth.CustomFetch
  const options = { [oauth.customFetch]: fetch }
  const server = await oauth.discovery(
    new URL(ISSUER),
    'timetable',
    undefined,
    oauth.None(),
    options,
  )
  const tokens = await oauth.refreshTokenGrant(server, token)
  expect(tokens).toMatchObject({ scope: 'openid account:read', expires_in: 3600 })
  const info = await oauth.fetchUserInfo(server, tokens.access_token, accountId)
  expect(info.sub).toBe(accountId)
  await expect(oauth.refreshTokenGrant(server, used)).rejects.toMatchObject({
    error: 'invalid_grant',
  })

  // Who has a copy of the old token comes late.
  school.clock.now += 601
  await expect(oauth.refreshTokenGrant(server, token)).rejects.toMatchObject({
    error: 'invalid_grant',
  })
  await expect(oauth.refreshTokenGrant(server, tokens.refresh_token!)).rejects.toMatchObject({
    error: 'invalid_grant',
  })
  expect(school.refusals.map(({ reason }) => reason)).toEqual([
    'refresh_token_unknown',
    'refresh_token_reused',
    'grant_revoked',
  ])
})
