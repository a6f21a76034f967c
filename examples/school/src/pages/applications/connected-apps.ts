import { accountPage } from '../account-layout.js'
import { appIcon } from './icons.js'
import type {
  ConnectedAppView,
  ConnectedAppsView,
  DisconnectAllAppsView,
  DisconnectAppView,
} from './views.js'
import { activityList } from './words.js'
import { type Html, html } from '../html.js'
import { foreign, type Site } from '../layout.js'
import { ago, appName, hidden, knownAs, moment, notice } from '../parts.js'
import { scopeRows } from '../scope-list.js'
import { countOf } from '../wording.js'

const PATH = '/oauth/authorized_applications'

/** Renders the apps that a person connected, what each can do, and how to disconnect it. */
export function connectedAppsPage({ site, view }: { site: Site; view: ConnectedAppsView }): Html {
  return accountPage({
    site,
    view,
    title: 'Connected apps',
    here: 'apps',
    body: html`<h1>Connected apps</h1>
      <p class="lead">
        These apps can act for you at ${site.name}. When you disconnect an app, it stops working
        right away. It can ask you again later.
      </p>
      ${
        view.disconnected !== null &&
        notice(
          'done',
          html`<p>
            <strong>${foreign(view.disconnected)} is disconnected.</strong> It can’t use your
            account any more. It may still have what it read before: ask its makers to delete it.
          </p>`,
        )
      }
      ${
        view.isAllDone &&
        notice(
          'done',
          html`<p>
            <strong>All your apps are disconnected.</strong> None of them can use your account any
            more. They may still have what they read before: ask their makers to delete it.
          </p>`,
        )
      }
      ${
        view.apps.length === 0
          ? empty(site)
          : html`<ul class="apps">
              ${view.apps.map((app) => card({ site, app, view }))}
            </ul>`
      }
      ${
        view.apps.length > 1 &&
        html`<p class="more">
          <a class="button button-plain" href="${PATH}/disconnect-all"
            >Disconnect all ${countOf(view.apps.length)} apps…</a
          >
        </p>`
      }`,
  })
}

const empty = (site: Site): Html =>
  html`<section class="empty" aria-labelledby="empty">
    <h2 id="empty">No apps connected</h2>
    <p>
      When you connect an app, it asks you here first. You see who made it and what it wants to do,
      and you decide. After that, it appears in this list.
    </p>
    <p class="quiet">Not sure how? ${site.name} can tell you which apps it offers.</p>
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
        <p class="quiet">${knownAs({ site, client: app, elsewhere: true })}</p>
      </div>
    </div>
    ${
      app.state === 'off' &&
      notice(
        'note',
        html`<p>
          <strong>Turned off by ${site.name}.</strong> It can’t do anything now. If the school turns
          it back on, it works as before, unless you disconnect it.
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
      <div>
        <dt>${app.endsAt <= view.now ? 'Ended' : 'Ends'}</dt>
        <dd>${moment(app.endsAt, view)}</dd>
      </div>
    </dl>
    <h3>What it can do</h3>
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
        <summary>Recent activity</summary>
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

/** Renders the page that asks before all apps of a person are disconnected. */
export function disconnectAllAppsPage({
  site,
  view,
}: {
  site: Site
  view: DisconnectAllAppsView
}): Html {
  const { names, csrfToken } = view
  return accountPage({
    site,
    view,
    title: 'Disconnect all apps',
    here: 'apps',
    back: { href: PATH, label: 'Connected apps' },
    narrow: true,
    body: html`<h1>Disconnect all apps?</h1>
      <p class="lead">
        ${names.length === 1 ? 'This app stops' : 'These apps stop'} working right away, and can no
        longer see or change anything of yours:
      </p>
      <ul class="dashes">
        ${names.map((name) => html`<li>${foreign(name)}</li>`)}
      </ul>
      <p>You can connect each of them again at any time. It will ask for your permission again.</p>
      <form class="stack" method="post" action="${PATH}/disconnect-all">
        ${hidden('csrf_token', csrfToken)}
        <div class="send">
          <button class="button button-stop" type="submit">Disconnect all</button>
          <a class="button button-plain" href="${PATH}">Keep them</a>
        </div>
      </form>`,
  })
}

/** Renders the page that asks before an app is disconnected. */
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
        It stops working right away, and can no longer see or change anything of yours.
        ${
          lastUsedAt === null
            ? 'It was never used.'
            : html`It was last used ${ago(lastUsedAt, view)}.`
        }
      </p>
      <p>You can connect it again at any time. It will ask for your permission again.</p>
      <form class="stack" method="post" action="${PATH}/disconnect">
        ${hidden('csrf_token', csrfToken)}${hidden('client_id', clientId)}
        <div class="send">
          <button class="button button-stop" type="submit">Disconnect</button>
          <a class="button button-plain" href="${PATH}">Keep it</a>
        </div>
      </form>`,
  })
}
