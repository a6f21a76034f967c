import { accountPage } from '../account-layout.js'
import type { ApplicationConfirmView, BetaView, ConfirmKind } from './views.js'
import { applicationPath } from './words.js'
import { ENTER_SENDS_NOTHING, field, ties } from '../form-parts.js'
import { type Html, html } from '../html.js'
import { foreign, type Site } from '../layout.js'
import { appName, hidden, notice } from '../parts.js'
import { countInWords } from '../wording.js'

interface Words {
  readonly title: (name: Html | string) => Html
  readonly what: string
  readonly button: string
  readonly path: string
}

const WORDS: Readonly<Record<ConfirmKind, Words>> = {
  disable: {
    title: (name) => html`Turn off ${name}?`,
    what: 'All permissions are kept, so the app works again as soon as you turn it back on.',
    button: 'Turn off',
    path: 'disable',
  },
  delete: {
    title: (name) => html`Delete ${name}?`,
    what: 'Its client ID and secret stop working for good. A new app gets new ones. The activity log keeps its name.',
    button: 'Delete for good',
    path: 'delete',
  },
  disconnect_all: {
    title: (name) => html`Disconnect everyone from ${name}?`,
    what: 'The app itself doesn’t change. People can connect it again, and are asked for permission again.',
    button: 'Disconnect everyone',
    path: 'disconnect-all',
  },
  block: {
    title: (name) => html`Block ${name}?`,
    what: 'No one can connect it until someone unblocks it, even if its document changes. After that, everyone has to connect it again.',
    button: 'Block',
    path: 'block',
  },
}

/** Renders the page that asks before an action that stops an app for people. */
export function applicationConfirmPage({
  site,
  view,
}: {
  site: Site
  view: ApplicationConfirmView
}): Html {
  const { clientId, name, confirm, typedName } = view
  const { title, what, button, path } = WORDS[confirm]
  return accountPage({
    site,
    view,
    title: typedName === null ? `${button}: ${name}` : `Error: ${button}: ${name}`,
    here: 'applications',
    back: { href: applicationPath(clientId), label: name },
    narrow: true,
    body: html`<h1>${title(appName(name))}</h1>
      <p class="lead"><strong>${effect(view)}</strong> ${what}</p>
      <form class="stack" method="post" action="${applicationPath(clientId, path)}">
        ${hidden('csrf_token', view.csrfToken)}
        ${confirm === 'delete' ? html`${ENTER_SENDS_NOTHING}${typeTheName(view)}` : null}
        ${choice({ button, back: applicationPath(clientId) })}
      </form>`,
  })
}

/** Renders the page that asks before MCP connections are turned off or on. */
export function betaPage({ site, view }: { site: Site; view: BetaView }): Html {
  const { enabled, people, applications } = view
  const button = enabled ? 'Turn off' : 'Turn on'
  return accountPage({
    site,
    view,
    title: `${button} MCP connections`,
    here: 'applications',
    back: { href: '/oauth/applications', label: 'OAuth applications' },
    narrow: true,
    body: html`<h1>${button} MCP connections?</h1>
      <p class="lead">
        <strong>${countInWords(people, 'person', 'people')}</strong> ${
          enabled
            ? html`${people === 1 ? 'is' : 'are'} connected to
              ${countInWords(applications, 'member app', 'member apps')}, and
              ${people === 1 ? 'loses' : 'lose'} access right away.`
            : html`connected ${countInWords(applications, 'member app', 'member apps')} before, and
              ${people === 1 ? 'gets' : 'get'} access back right away.`
        }
      </p>
      <p>
        ${
          enabled
            ? 'Nothing is deleted, so everything works again as soon as you turn it back on. Platforms, document apps and apps on a computer aren’t affected.'
            : 'Members can then connect the apps that you set up for them.'
        }
      </p>
      <form class="stack" method="post" action="/oauth/applications/beta">
        ${hidden('csrf_token', view.csrfToken)}${hidden('enabled', enabled ? 'off' : 'on')}
        ${choice({ button, back: '/oauth/applications', grave: enabled })}
      </form>`,
  })
}

const effect = ({ people, confirm }: ApplicationConfirmView): string =>
  people === 0
    ? 'No one is connected now.'
    : confirm === 'disable'
      ? `${countInWords(people, 'person loses', 'people lose')} access right away.`
      : `${countInWords(people, 'person is', 'people are')} disconnected right away.`

function typeTheName({ name, typedName }: ApplicationConfirmView): Html {
  const parts = {
    id: 'name',
    label: 'Type the name of the app',
    hint: html`Its name is <strong class="letters">${foreign(name)}</strong>.`,
    fault: typedName === null ? null : 'That isn’t its name.',
  }
  return html`${parts.fault !== null && notice('error', html`<p><strong>Nothing was deleted.</strong> Type the name again.</p>`)}
  ${field(
    parts,
    html`<input
      id="name"
      name="name"
      type="text"
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
      required
      value="${typedName ?? ''}"
      ${ties(parts)}
    />`,
  )}`
}

const choice = ({
  button,
  back,
  grave = true,
}: {
  button: string
  back: string
  grave?: boolean
}): Html =>
  html`<div class="send">
    <button class="${grave ? 'button button-stop' : 'button button-main'}" type="submit">
      ${button}
    </button>
    <a class="button button-plain" href="${back}">Keep it as it is</a>
  </div>`
