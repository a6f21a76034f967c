// move-consents.ts
import type { Site } from 'hallpass'
import { type Client, consentKey, mayRememberConsent } from 'hallpass/policy'
import type { Execute } from 'hallpass/postgres'

/** @param storeSite - the `site` that `createPostgresStore` was given */
export async function moveConsent(
  { site, execute, storeSite }: { site: Site; execute: Execute; storeSite: string },
  client: Client,
  consent: { subject: string; scopes: readonly string[] },
): Promise<boolean> {
  const { clientId } = client
  const [redirectUri, ...others] = client.redirectUris
  if (redirectUri === undefined || others.length > 0) return false
  if (!mayRememberConsent(client)) return false
  const scopes = consent.scopes.filter((scope) => scope !== 'offline_access')
  const { subject } = consent
  const key = consentKey({
    subject,
    clientId,
    redirectUri,
    scopes,
    resource: site.resource.canonical,
  })
  await execute(
    `insert into hallpass_consent (site, consent_key, client_id, subject)
     values ($1, $2, $3, $4) on conflict do nothing`,
    [storeSite, key, clientId, subject],
  )
  return true
}
