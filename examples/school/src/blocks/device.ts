import type { GrantType } from 'hallpass/blocks'
import { deviceGrant } from 'hallpass/blocks'
import { devicePage } from '../../../pages/device.js'
import { pageResponse } from '../../../pages/response.js'
import { forReader } from '../../../pages/words/languages.js'
import type { Logos } from '../applications/logos.js'
import type { PeopleOfApp } from '../applications/known.js'
import { addressOf } from '../platform/request-context.js'
import type { Visitors } from '../sign-in/visitors.js'
import type { SiteDefinition } from '../sites.js'

/** The parts of a school that its pages for a device need. */
export interface DevicePageParts {
  readonly visitors: Visitors
  readonly logoOf: Logos['pathOf']
  readonly peopleOf: PeopleOfApp
}

/**
 * Creates the device grant of one school, with its pages.
 *
 * @param options - `parts`: is called for each page, because the sign-in is created later
 */
export const createDeviceGrant = ({
  site,
  origin,
  parts,
}: {
  site: SiteDefinition
  origin: string
  parts: () => DevicePageParts
}): GrantType =>
  deviceGrant({
    // An app that a manager created without a redirect address is a device.
    mayUse: ({ kind, redirectUris }) =>
      kind === 'loopback' || (kind === 'member' && redirectUris.length === 0),
    fromWhere: addressOf,
    async page(request, view) {
      const { visitors, logoOf, peopleOf } = parts()
      const visitor = visitors.idOf(request)
      const client = view.page === 'consent' ? view.consent.client : null
      const [logo, people] =
        client === null ? [null, 0] : await Promise.all([logoOf(client), peopleOf(client)])
      const page = devicePage({
        site: forReader(site, request),
        view,
        signOutToken: visitors.csrfToken(visitor),
        logo,
        people,
        timeZone: site.timeZone,
      })
      const status = view.page === 'code' && view.notice !== null ? 400 : 200
      return pageResponse(page, { origin, status, cookie: visitors.cookie(visitor) })
    },
  })
