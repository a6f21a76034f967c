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
    title: (name) => html`Switch off ${name}?`,
    what: 'It then works for nobody. What members allowed is kept: when you switch it on again, it goes on where it stopped.',
    button: 'Switch off',
    path: 'disable',
  },
  delete: {
    title: (name) => html`Delete ${name}?`,
    what: 'Its client ID and secret stop working for good, and a new application gets other ones. The log keeps its name.',
    button: 'Delete for good',
    path: 'delete',
  },
  disconnect_all: {
    title: (name) => html`Disconnect everybody from ${name}?`,
    what: 'The application stays as it is. Everybody can connect it again, and is asked again.',
    button: 'Disconnect everybody',
    path: 'disconnect-all',
  },
  block: {
    title: (name) => html`Block ${name}?`,
    what: 'Nobody can connect it until somebody unblocks it, whatever its document says by then. After that everybody has to connect it again.',
    button: 'Block',
    path: 'block',
  },
}

/** The question before something that disconnects people. */
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

/** The question before MCP connections are switched off, or on. */
export function betaPage({ site, view }: { site: Site; view: BetaView }): Html {
  const { enabled, people, applications } = view
  const button = enabled ? 'Switch off' : 'Switch on'
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
              ${people === 1 ? 'loses' : 'lose'} the connection at once.`
            : html`connected ${countInWords(applications, 'member app', 'member apps')} before, and
              ${people === 1 ? 'is' : 'are'} connected again at once.`
        }
      </p>
      <p>
        ${
          enabled
            ? 'Nothing is deleted: when you switch it on again, everything goes on where it stopped. Platforms, document apps and apps on somebody’s computer are not touched.'
            : 'Members can then connect the member apps that you set up.'
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
    ? 'Nobody is connected now.'
    : `${countInWords(people, 'person is', 'people are')} disconnected at once${
        confirm === 'disable' ? ', until you switch it on again' : ''
      }.`

function typeTheName({ name, typedName }: ApplicationConfirmView): Html {
  const parts = {
    id: 'name',
    label: 'Type the name of the application',
    hint: html`It is <strong class="letters">${foreign(name)}</strong>.`,
    fault: typedName === null ? null : 'This is not its name.',
  }
  return html`${parts.fault !== null && notice('error', html`<p><strong>Nothing is deleted.</strong> Type the name again.</p>`)}
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
