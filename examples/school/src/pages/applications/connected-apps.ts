import { accountPage } from '../account-layout.js'
import { appIcon } from './icons.js'
import type { ConnectedAppView, ConnectedAppsView, DisconnectAppView } from './views.js'
import { activityList } from './words.js'
import { type Html, html } from '../html.js'
import { foreign, type Site } from '../layout.js'
import { ago, appName, hidden, knownAs, moment, notice } from '../parts.js'
import { scopeRows } from '../scope-list.js'

const PATH = '/oauth/authorized_applications'

/** The apps that somebody connected, what each may do, and how to end it. */
export function connectedAppsPage({ site, view }: { site: Site; view: ConnectedAppsView }): Html {
  return accountPage({
    site,
    view,
    title: 'Connected apps',
    here: 'apps',
    body: html`<h1>Connected apps</h1>
      <p class="lead">
        What may act for you at ${site.name}. Disconnecting an app stops it at once; it can ask you
        again later.
      </p>
      ${
        view.disconnected !== null &&
        notice(
          'done',
          html`<p>
            <strong>${foreign(view.disconnected)} is disconnected.</strong> What it held no longer
            works. What it read before, it may still have: ask its makers to delete it.
          </p>`,
        )
      }
      ${
        view.apps.length === 0
          ? empty(site)
          : html`<ul class="apps">
              ${view.apps.map((app) => card({ site, app, view }))}
            </ul>`
      }`,
  })
}

const empty = (site: Site): Html =>
  html`<section class="empty" aria-labelledby="empty">
    <h2 id="empty">No app is connected</h2>
    <p>
      When you connect an app, it asks you here first. You see who made it and what it wants to do,
      and you decide. From then on it stands in this list.
    </p>
    <p class="quiet">Not sure how? ${site.name} tells its members which apps it offers.</p>
  </section>`

const card = ({
  site,
  app,
  view,
}: {
  site: Site
  app: ConnectedAppView
  view: ConnectedAppsView
}): Html =>
  html`<li class="app">
    <div class="app-head">
      ${appIcon(app)}
      <div>
        <h2>${foreign(app.name)}</h2>
        <p class="quiet">${knownAs({ site, client: app, computer: 'a computer' })}</p>
      </div>
    </div>
    ${
      app.state === 'off' &&
      notice(
        'note',
        html`<p>
          <strong>Switched off by ${site.name}.</strong> It cannot do anything now. If it is
          switched on again, it works as before, unless you disconnect it.
        </p>`,
      )
    }
    <dl class="facts facts-row">
      <div>
        <dt>Connected</dt>
        <dd>${moment(app.since, view)}</dd>
      </div>
      <div>
        <dt>Last used</dt>
        <dd>${app.lastUsedAt === null ? 'Never' : ago(app.lastUsedAt, view)}</dd>
      </div>
    </dl>
    <h3>What it may do</h3>
    ${
      app.scopes.length > 6
        ? html`<details>
            <summary>Show all ${app.scopes.length}</summary>
            ${scopeRows(app.scopes)}
          </details>`
        : scopeRows(app.scopes)
    }
    ${
      app.recent.length > 0 &&
      html`<details>
        <summary>What it did lately</summary>
        ${activityList(app.recent, view)}
      </details>`
    }
    <p>
      <a
        class="button button-plain button-small"
        href="${PATH}/disconnect?client_id=${encodeURIComponent(app.clientId)}"
        >Disconnect<span class="unseen"> ${foreign(app.name)}</span></a
      >
    </p>
  </li>`

/** The question before an app is disconnected. */
export function disconnectAppPage({ site, view }: { site: Site; view: DisconnectAppView }): Html {
  const { name, clientId, lastUsedAt, csrfToken } = view
  return accountPage({
    site,
    view,
    title: `Disconnect ${name}`,
    here: 'apps',
    back: { href: PATH, label: 'Connected apps' },
    narrow: true,
    body: html`<h1>Disconnect ${appName(name)}?</h1>
      <p class="lead">
        It stops at once: it can see and change nothing of yours any more.
        ${
          lastUsedAt === null
            ? 'It was never used.'
            : html`It was last used ${ago(lastUsedAt, view)}.`
        }
      </p>
      <p>You can connect it again whenever you like. It then asks you again.</p>
      <form class="stack" method="post" action="${PATH}/disconnect">
        ${hidden('csrf_token', csrfToken)}${hidden('client_id', clientId)}
        <div class="send">
          <button class="button button-stop" type="submit">Disconnect</button>
          <a class="button button-plain" href="${PATH}">Keep it</a>
        </div>
      </form>`,
  })
}
