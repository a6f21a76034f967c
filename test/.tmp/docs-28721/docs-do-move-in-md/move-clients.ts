// move-clients.ts
import type { Site } from 'hallpass'
import { defineClient } from 'hallpass/clients'
import type { ClientFields, ClientSecret } from 'hallpass/policy'
import { hashToken } from 'hallpass/token'
import type { OAuthClientInformationFull } from '@modelcontextprotocol/sdk/shared/auth.js'

type OldClient = Pick<ClientFields, 'clientId' | 'name' | 'redirectUris'> & {
  readonly secret: ClientSecret | null
}

/** @returns `exists` if a client has this identifier already */
export function moveClient(
  site: Site,
  { secret, ...old }: OldClient,
  decided: Pick<ClientFields, 'kind' | 'scopes'>,
): Promise<'inserted' | 'exists'> {
  const client = defineClient({
    ...old,
    ...decided,
    tokenEndpointAuthMethod: secret === null ? 'none' : 'client_secret_post',
    secrets: secret === null ? [] : [secret],
    createdAt: site.now(),
  })
  return site.store.insertClient(client)
}

/** A row of `oauthClient`: its secret is hashed as hallpass hashes it, if `storeClientSecret` has its default. */
export const ofBetterAuth = (row: {
  clientId: string
  clientSecret: string | null
  name: string | null
  redirectUris: string[]
}): OldClient => ({
  clientId: row.clientId,
  name: row.name ?? row.clientId,
  redirectUris: row.redirectUris,
  secret: row.clientSecret === null ? null : { hash: row.clientSecret, expiresAt: null },
})

/** Client metadata as `clients` of oidc-provider, its model `Client`, or `clientsStore` of the MCP SDK has them. */
export const ofMetadata = (client: OAuthClientInformationFull): OldClient => ({
  clientId: client.client_id,
  name: client.client_name ?? client.client_id,
  redirectUris: client.redirect_uris,
  secret:
    client.client_secret === undefined
      ? null
      : {
          hash: hashToken(client.client_secret),
          // RFC 7591: 0 means that it does not expire.
          expiresAt: client.client_secret_expires_at || null,
        },
})
