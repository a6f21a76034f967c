import { accountPage, type Shown } from '../account-layout.js'
import { applicationPath } from './paths.js'
import type { ApplicationConfirmView, BetaView, ConfirmKind } from './views.js'
import { choice, ENTER_SENDS_NOTHING, field, ties } from '../form-parts.js'
import { type Html, html } from '../html.js'
import { foreign } from '../layout.js'
import { appName, hidden, notice, sentences } from '../parts.js'
import { wordsOf } from '../words/languages.js'

const PATHS: Readonly<Record<ConfirmKind, string>> = {
  disable: 'disable',
  delete: 'delete',
  disconnect_all: 'disconnect-all',
  block: 'block',
}

/** Renders the page that asks before an action that stops an app for people. */
export function applicationConfirmPage(shown: Shown<ApplicationConfirmView>): Html {
  const { site, view } = shown
  const { clientId, name, confirm, typedName, people } = view
  const { confirm: words, form, keep } = wordsOf(site).applications
  const button = words.buttons[confirm]
  const effect = confirm === 'disable' ? words.loseAccess : words.areDisconnected
  const title = `${button}: ${name}`
  return accountPage({
    site,
    view,
    title: typedName === null ? title : form.error(title),
    here: 'applications',
    back: { href: applicationPath(clientId), label: name },
    narrow: true,
    body: html`<h1>${words.questions[confirm](appName(name))}</h1>
      <p class="lead">
        ${sentences(site, [html`<strong>${effect(people)}</strong>`, words.texts[confirm]])}
      </p>
      <form class="stack" method="post" action="${applicationPath(clientId, PATHS[confirm])}">
        ${hidden('csrf_token', view.csrfToken)}
        ${confirm === 'delete' ? html`${ENTER_SENDS_NOTHING}${typeTheName(shown)}` : null}
        ${choice({ button, back: applicationPath(clientId), keep })}
      </form>`,
  })
}

/** Renders the page that asks before MCP connections are turned off or on. */
export function betaPage({ site, view }: Shown<BetaView>): Html {
  const { enabled, people, applications } = view
  const words = wordsOf(site)
  const { beta, keep } = words.applications
  const { title, question, effect, text, submit } = beta[enabled ? 'off' : 'on']
  return accountPage({
    site,
    view,
    title,
    here: 'applications',
    back: { href: '/oauth/applications', label: words.account.applications },
    narrow: true,
    body: html`<h1>${question}</h1>
      <p class="lead">${effect(people, applications)}</p>
      <p>${text}</p>
      <form class="stack" method="post" action="/oauth/applications/beta">
        ${hidden('csrf_token', view.csrfToken)}${hidden('enabled', enabled ? 'off' : 'on')}
        ${choice({ button: submit, back: '/oauth/applications', keep, grave: enabled })}
      </form>`,
  })
}

function typeTheName({ site, view: { name, typedName } }: Shown<ApplicationConfirmView>): Html {
  const words = wordsOf(site).applications.confirm
  const parts = {
    id: 'name',
    label: words.typeName,
    hint: words.itsName(html`<strong class="letters">${foreign(name)}</strong>`),
    fault: typedName === null ? null : words.otherName,
  }
  return html`${parts.fault !== null && notice('error', html`<p>${words.notDeleted}</p>`)}
  ${field(
    parts,
    html`<input
      id="name"
      name="name"
      dir="auto"
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
