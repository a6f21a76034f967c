import { explainRefusal } from 'hallpass/clients'
import { type AuthorizationServerOptions, createStepUp } from 'hallpass/authorization-server'
import type { PeopleOfApp } from '../applications/known.js'
import type { Logos } from '../applications/logos.js'
import { backToAppPage } from '../../../pages/back-to-app.js'
import { consentPage } from '../../../pages/consent.js'
import { errorPage } from '../../../pages/error.js'
import { pasteAddressPage } from '../../../pages/paste-address.js'
import { isForApp, pageResponse } from '../../../pages/response.js'
import { forReader } from '../../../pages/words/languages.js'
import type { SiteDefinition } from '../sites.js'
import type { SignIn } from './sign-in.js'
import type { Visitors } from './visitors.js'

/** Creates the `interact` option of hallpass: who is signed in, and the pages to show while an app waits. */
export function createInteract({
  site,
  origin,
  visitors,
  signIn,
  logoOf,
  peopleOf,
}: {
  site: SiteDefinition
  origin: string
  visitors: Visitors
  signIn: Pick<SignIn, 'currentPerson' | 'page'>
  logoOf: Logos['pathOf']
  peopleOf: PeopleOfApp
}): AuthorizationServerOptions['interact'] {
  return {
    currentPerson: signIn.currentPerson,
    signIn: signIn.page,
    async consent(request, view) {
      const visitor = visitors.idOf(request)
      const signOutToken = visitors.csrfToken(visitor)
      const [logo, people] = await Promise.all([logoOf(view.client), peopleOf(view.client)])
      const page = consentPage({
        site: forReader(site, request, view.uiLocales),
        view,
        signOutToken,
        logo,
        people,
        timeZone: site.timeZone,
      })
      return pageResponse(page, { origin, forApp: true, cookie: visitors.cookie(visitor) })
    },
    stepUp: createStepUp({
      backToApp: (request, view) =>
        pageResponse(backToAppPage({ site: forReader(site, request), view }), {
          origin,
          forApp: true,
        }),
    }),
    pasteAddress: (request, view) =>
      pageResponse(pasteAddressPage({ site: forReader(site, request, view.uiLocales), view }), {
        origin,
        forApp: true,
        script: 'without calls',
      }),
    error(request, view) {
      const { status } = view
      const retryAfterSeconds = status === 503 ? 60 : null
      const { url } = explainRefusal<string>(view) ?? {}
      return pageResponse(errorPage({ site: forReader(site, request), view: { ...view, url } }), {
        origin,
        forApp: isForApp(new URL(request.url).pathname),
        status,
        retryAfterSeconds,
      })
    },
  }
}
