import type { BackToAppView } from 'hallpass/authorization-server'
import { type Html, html } from './html.js'
import { foreign, page, type Site } from './layout.js'
import { appName, sentences } from './parts.js'
import { wordsOf } from './words/languages.js'

/**
 * Renders the page after a decision about more permissions for a connected app. It has no link, because the app
 * waits for no response: the person goes back and tries again.
 */
export function backToAppPage({ site, view }: { site: Site; view: BackToAppView }): Html {
  const { client, allowed } = view
  const { backToApp: words, consent } = wordsOf(site)
  const app = foreign(client.name)
  return page({
    site,
    title: words.title(client.name),
    body: html`
      <h1>${(allowed ? words.headingAllowed : words.heading)(appName(client.name))}</h1>
      <p class="lead">${(allowed ? words.allowed : words.denied)(app)}</p>
      <p>${sentences(site, [words.close, consent.disconnect])}</p>
    `,
  })
}
