import type { Endpoint } from 'hallpass/authorization-server'
import type { SiteDefinition } from '../../sites.js'
import type { Html } from '../../../../pages/html.js'
import { fileResponse } from '../../pages/file.js'
import { pageResponse } from '../../../../pages/response.js'
import type { Description } from './description.js'
import { referencePage } from './reference-page.js'

const NAME = '/docs'

/**
 * Serves the reference of the admin API: a page to read it and to try it on. This site serves all files itself.
 *
 * @param options - `openapi`: the endpoint of the document to show. It is read at the first request for the page.
 * @returns a function that returns the response, or `null` if there is no such file
 */
export function createReference({
  site,
  origin,
  openapi,
}: {
  site: SiteDefinition
  origin: string
  openapi: Endpoint
}): (request: Request) => Promise<Response | null> {
  let made: Html | null = null
  const make = async (): Promise<Html> => {
    const response = await openapi(new Request(`${origin}/openapi.json`))
    return referencePage({ site, description: (await response.json()) as Description })
  }
  return async (request) => {
    switch (new URL(request.url).pathname.slice(NAME.length)) {
      case '':
        return pageResponse((made ??= await make()), { origin, script: true })
      case '/try.js':
        return fileResponse(new URL('try.js', import.meta.url), 'text/javascript')
      case '/reference.css':
        return fileResponse(new URL('reference.css', import.meta.url), 'text/css')
      default:
        return null
    }
  }
}
