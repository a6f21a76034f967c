import type { FetchDocument } from 'hallpass'
import type { ClientView } from 'hallpass/authorization-server'
import { fetchLogo } from 'hallpass/clients'
import type { Client } from 'hallpass/policy'
import type { Execute } from 'hallpass/postgres'

/** Copies of the logos of reviewed apps. No page loads a logo from the host of its app. */
export interface Logos {
  /**
   * Fetches the logo of an app that was just reviewed, in place of the copy that there was.
   *
   * @returns whether the app has a logo that cannot be used
   */
  readonly keep: (client: Client) => Promise<boolean>
  /** Returns the path of the copy, or `null` if there is none of this `logo_uri`. */
  readonly pathOf: (client: Pick<ClientView, 'clientId' | 'logoUri'>) => Promise<string | null>
  /** Responds to `GET /app-logos/:digest`. Returns `null` if there is no such copy. */
  readonly answer: (request: Request) => Promise<Response | null>
}

const PATH = '/app-logos/'

/** Creates the copies of the logos of one site, in its table. */
export function createLogos({
  execute,
  site,
  fetchImage,
}: {
  execute: Execute
  site: string
  fetchImage: FetchDocument
}): Logos {
  return {
    async keep(client) {
      const fetched = await fetchLogo({ client, fetchImage })
      if (!fetched.ok) {
        await execute('delete from school_app_logo where site = $1 and client_id = $2', [
          site,
          client.clientId,
        ])
        return fetched.reason !== 'logo_absent'
      }
      const { digest, mediaType, bytes } = fetched.logo
      await execute(
        `insert into school_app_logo (site, client_id, logo_uri, digest, media_type, bytes)
         values ($1, $2, $3, $4, $5, $6)
         on conflict (site, client_id) do update set
           logo_uri = excluded.logo_uri, digest = excluded.digest,
           media_type = excluded.media_type, bytes = excluded.bytes`,
        [
          site,
          client.clientId,
          client.about!.logoUri,
          digest,
          mediaType,
          Buffer.from(bytes).toString('base64'),
        ],
      )
      return false
    },
    async pathOf({ clientId, logoUri }) {
      if (logoUri === null) return null
      const { rows } = await execute(
        'select digest from school_app_logo where site = $1 and client_id = $2 and logo_uri = $3',
        [site, clientId, logoUri],
      )
      const [row] = rows as { digest: string }[]
      return row === undefined ? null : PATH + row.digest
    },
    async answer(request) {
      const digest = new URL(request.url).pathname.slice(PATH.length)
      if (!/^[\w-]{43}$/.test(digest)) return null
      const { rows } = await execute(
        `select media_type as "mediaType", bytes from school_app_logo
         where site = $1 and digest = $2 limit 1`,
        [site, digest],
      )
      const [row] = rows as { mediaType: string; bytes: string }[]
      if (row === undefined) return null
      return new Response(Buffer.from(row.bytes, 'base64'), {
        headers: {
          'content-type': row.mediaType,
          'x-content-type-options': 'nosniff',
          'content-security-policy': "default-src 'none'; sandbox",
          'cross-origin-resource-policy': 'same-origin',
          // The name is the digest of the bytes, so that other bytes have another name.
          'cache-control': 'public, max-age=31536000, immutable',
        },
      })
    },
  }
}
