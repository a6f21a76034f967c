import { accountPage, type Shown } from '../account-layout.js'
import { appIcon } from './icons.js'
import type {
  AskForAppView,
  ConnectedAppView,
  ConnectedAppsView,
  DisconnectAllAppsView,
  DisconnectAppView,
  PagesOfConnectedApps,
  SignedInFrame,
} from './views.js'
import { activityList, pager } from './parts.js'
import { pathWith } from './paths.js'
import { pagesOfArea } from '../error.js'
import { choice } from '../form-parts.js'
import { type Html, html } from '../html.js'
import { foreign, type Site } from '../layout.js'
import { ago, appName, hidden, knownAs, moment, notice, sentences } from '../parts.js'
import { scopeRows } from '../scope-list.js'
import { countOf } from '../wording.js'
import { languageOf, wordsOf } from '../words/languages.js'

const PATH = '/oauth/authorized_applications'

/** Renders the apps that a person connected, what each can do, and how to disconnect it. */
export function connectedAppsPage({ site, view }: Shown<ConnectedAppsView>): Html {
  const language = languageOf(site)
  const { account, apps: words } = language.words
  return accountPage({
    site,
    view,
    title: account.apps,
    here: 'apps',
    body: html`<h1>${account.apps}</h1>
      <p class="lead">${words.lead(site.name)}</p>
      ${
        view.disconnected !== null &&
        notice('done', html`<p>${words.disconnected(foreign(view.disconnected))}</p>`)
      }
      ${view.asked !== null && notice('done', html`<p>${words.ask.done(foreign(view.asked))}</p>`)}
      ${view.isAllDone && notice('done', html`<p>${words.allDisconnected}</p>`)}
      ${
        view.apps.length === 0
          ? empty(site)
          : html`<ul class="apps">
              ${view.apps.map((app) => card({ site, app, view }))}
            </ul>`
      }
      ${pager(view, (page) => pathWith(PATH, { page: page === 1 ? null : String(page) }), language)}
      ${
        view.count > 1 &&
        html`<p class="more">
          <a class="button button-plain" href="${PATH}/disconnect-all"
            >${words.disconnectAll(countOf(view.count, language))}</a
          >
        </p>`
      }`,
  })
}

function empty(site: Site): Html {
  const { title, text, how } = wordsOf(site).apps.empty
  return html`<section class="empty" aria-labelledby="empty">
    <h2 id="empty">${title}</h2>
    <p>${text}</p>
    <p class="quiet">${how(site.name)}</p>
  </section>`
}

function card({
  site,
  app,
  view,
}: {
  site: Site
  app: ConnectedAppView
  view: ConnectedAppsView
}): Html {
  const language = languageOf(site)
  const words = language.words.apps
  const list = scopeRows(app.scopes, undefined, site)
  return html`<li class="app">
    <div class="app-head">
      ${appIcon(app)}
      <div>
        <h2>${foreign(app.name)}</h2>
        <p class="quiet">${knownAs({ site, client: app, elsewhere: true })}</p>
      </div>
    </div>
    ${app.state === 'off' && notice('note', html`<p>${words.turnedOff(site.name)}</p>`)}
    <dl class="facts facts-row">
      <div>
        <dt>${words.connected}</dt>
        <dd>${moment(app.since, view, language)}</dd>
      </div>
      <div>
        <dt>${words.lastUsed}</dt>
        <dd>${app.lastUsedAt === null ? words.never : ago(app.lastUsedAt, view, language)}</dd>
      </div>
      <div>
        <dt>${app.endsAt <= view.now ? words.ended : words.ends}</dt>
        <dd>${moment(app.endsAt, view, language)}</dd>
      </div>
    </dl>
    <h3>${words.can}</h3>
    ${
      app.scopes.length > 6
        ? html`<details>
            <summary>${words.showAll(countOf(app.scopes.length, language))}</summary>
            ${list}
          </details>`
        : list
    }
    ${
      app.recent.length > 0 &&
      html`<details>
        <summary>${words.recent}</summary>
        ${activityList(app.recent, view, language)}
      </details>`
    }
    <p>
      <a
        class="button button-plain button-small"
        href="${PATH}/disconnect?client_id=${encodeURIComponent(app.clientId)}"
        >${words.disconnect}<span class="unseen"> ${foreign(app.name)}</span></a
      >
    </p>
  </li>`
}

/** Renders the page that asks before all apps of a person are disconnected. */
export function disconnectAllAppsPage({ site, view }: Shown<DisconnectAllAppsView>): Html {
  const { title, heading, effect, again, submit, keep } = wordsOf(site).apps.confirmAll
  return questionPage({
    site,
    view,
    title,
    question: html`<h1>${heading}</h1>
      <p class="lead">${effect}</p>
      <ul class="dashes">
        ${view.names.map((name) => html`<li>${foreign(name)}</li>`)}
      </ul>
      <p>${again}</p>`,
    action: 'disconnect-all',
    button: submit,
    keep,
  })
}

/** Renders the page on which a person asks for an app that their role does not allow. */
export function askForAppPage({ site, view }: Shown<AskForAppView>): Html {
  const { name, clientId } = view
  const { title, heading, effect, submit, keep } = wordsOf(site).apps.ask
  return questionPage({
    site,
    view,
    title: title(name),
    question: html`<h1>${heading(appName(name))}</h1>
      <p class="lead">${effect(site.name)}</p>`,
    action: 'ask',
    clientId,
    button: submit,
    grave: false,
    keep,
  })
}

/** Renders the page that asks before an app is disconnected. */
export function disconnectAppPage({ site, view }: Shown<DisconnectAppView>): Html {
  const { name, clientId, lastUsedAt } = view
  const language = languageOf(site)
  const { apps } = language.words
  const { title, heading, effect, neverUsed, lastUsed, again, keep } = apps.confirm
  return questionPage({
    site,
    view,
    title: title(name),
    question: html`<h1>${heading(appName(name))}</h1>
      <p class="lead">
        ${sentences(site, [
          effect,
          lastUsedAt === null ? neverUsed : lastUsed(ago(lastUsedAt, view, language)),
        ])}
      </p>
      <p>${again}</p>`,
    action: 'disconnect',
    clientId,
    button: apps.disconnect,
    keep,
  })
}

/** Renders a page with one question, a button, and a link back. */
function questionPage({
  site,
  view,
  title,
  question,
  action,
  clientId = null,
  ...chosen
}: Shown<SignedInFrame> & {
  title: string
  question: Html
  action: 'ask' | 'disconnect' | 'disconnect-all'
  clientId?: string | null
  button: string
  grave?: boolean
  keep: string
}): Html {
  return accountPage({
    site,
    view,
    title,
    here: 'apps',
    back: { href: PATH, label: wordsOf(site).account.apps },
    narrow: true,
    body: html`${question}
      <form class="stack" method="post" action="${PATH}/${action}">
        ${hidden('csrf_token', view.csrfToken)}
        ${clientId !== null && hidden('client_id', clientId)} ${choice({ ...chosen, back: PATH })}
      </form>`,
  })
}

/** Creates the pages of the connected apps. `site`: with the reader's language. */
export const pagesOfConnectedApps = (site: Site): PagesOfConnectedApps => ({
  ...pagesOfArea(site),
  someone: wordsOf(site).applications.someone,
  list: (view) => connectedAppsPage({ site, view }),
  ask: (view) => askForAppPage({ site, view }),
  disconnect: (view) => disconnectAppPage({ site, view }),
  disconnectAll: (view) => disconnectAllAppsPage({ site, view }),
})
