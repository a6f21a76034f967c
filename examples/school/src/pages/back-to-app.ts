import type { BackToAppView } from 'hallpass/authorization-server'
import { type Html, html } from './html.js'
import { foreign, page, type Site } from './layout.js'
import { appName } from './parts.js'

/**
 * Renders the page after a decision about more permissions for a connected app. It has no link, because the app
 * waits for no response: the person goes back and tries again.
 */
export function backToAppPage({ site, view }: { site: Site; view: BackToAppView }): Html {
  const { client, allowed } = view
  return page({
    site,
    title: `Go back to ${client.name}`,
    body: html`
      <h1>Go back to ${appName(client.name)}${allowed && ' and try again'}</h1>
      <p class="lead">
        ${
          allowed
            ? html`${foreign(client.name)} can now do what you allowed.`
            : html`Nothing has changed. ${foreign(client.name)} can do what it could before.`
        }
      </p>
      <p>
        You can close this page. Under <strong>Account › Connected apps</strong>, you can disconnect
        the app at any time.
      </p>
    `,
  })
}
