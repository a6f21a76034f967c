import { pageResponse, redirectTo } from '../../../pages/response.js'
import type { RequestContext } from '../platform/request-context.js'
import { readForm } from '../sign-in/form.js'
import type { SignIn } from '../sign-in/sign-in.js'
import type { Visitors } from '../sign-in/visitors.js'
import type { SiteDefinition } from '../sites.js'
import type { OpenedSchools } from './opened.js'
import { openedPage, type OpenFailure } from './page.js'

/** Creates the endpoint of `/schools` and of the school below it. `null`: there is no such page. */
export function createOpenedAnswer({
  site,
  origin,
  opened,
  visitors,
  outOfDate,
}: {
  site: SiteDefinition
  origin: string
  opened: Pick<OpenedSchools, 'add' | 'find' | 'newest'>
  visitors: Visitors
  outOfDate: SignIn['outOfDate']
}): (request: Request, context: RequestContext) => Promise<Response | null> {
  async function show(
    request: Request,
    { label, failure = null }: { label: string; failure?: OpenFailure | null },
  ): Promise<Response | null> {
    const school = label === '' ? null : await opened.find(label)
    if (school === null && label !== '') return null
    const id = visitors.idOf(request)
    const view = { site, school, schools: await opened.newest(), failure }
    return pageResponse(openedPage({ ...view, csrfToken: visitors.csrfToken(id) }), {
      origin,
      status: failure === null ? 200 : failure === 'no_name' ? 400 : 429,
      script: 'without calls',
      cookie: visitors.cookie(id),
    })
  }
  return async (request, { address }) => {
    const [, label = ''] = /^\/schools\/([a-z\d-]{1,40})$/.exec(new URL(request.url).pathname) ?? []
    if (request.method !== 'POST') return show(request, { label })
    const form = await readForm(request)
    if (form === null || !visitors.isOwnForm(request, form.get('csrf_token')))
      return outOfDate(request)
    const added = await opened.add(form.get('name') ?? '', { address })
    return typeof added === 'string'
      ? show(request, { label, failure: added })
      : redirectTo(`/schools/${added.host.split('.')[0]}`)
  }
}
