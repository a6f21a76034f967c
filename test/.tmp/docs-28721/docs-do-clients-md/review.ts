// review.ts
import { createClientManagement, fetchLogo, type Logo, type Manager } from 'hallpass/clients'
import { createLogoFetcher } from 'hallpass/node'
import { site } from './site.js'

/** Your table of logos: one for each client. `null` deletes it. */
declare function keepLogo(
  clientId: string,
  logoUri: string | null,
  logo: Logo | null,
): Promise<void>

const management = createClientManagement(site)
const fetchImage = createLogoFetcher()

/** A manager has read the document with this digest. */
export async function review(
  manager: Manager,
  read: { clientId: string; digest: string; scopes: readonly string[] },
): Promise<string> {
  const reviewed = await management.review(manager, read)
  if (!reviewed.ok) return `Nothing was saved: ${reviewed.description}.`
  const { client } = reviewed
  const fetched = await fetchLogo({ client, fetchImage })
  await keepLogo(client.clientId, client.about?.logoUri ?? null, fetched.ok ? fetched.logo : null)
  return fetched.ok || fetched.reason === 'logo_absent'
    ? 'Reviewed.'
    : 'Reviewed, without its logo.'
}

/** The copy as a response: nothing in it can run, and no browser takes it for anything else. */
export const logoResponse = ({ bytes, mediaType }: Logo): Response =>
  new Response(new Uint8Array(bytes), {
    headers: {
      'content-type': mediaType,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'public, max-age=31536000, immutable',
    },
  })
