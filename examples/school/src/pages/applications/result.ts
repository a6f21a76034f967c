import { accountPage } from '../account-layout.js'
import type { ApplicationResultView } from './views.js'
import { applicationPath } from './words.js'
import { lines } from '../form-parts.js'
import { type Html, html } from '../html.js'
import type { Site } from '../layout.js'
import { appName, moment, notice } from '../parts.js'

/** Renders the response to creating an app or a secret. It is the only page that shows the secret. */
export function applicationResultPage({
  site,
  view,
}: {
  site: Site
  view: ApplicationResultView
}): Html {
  const { cause, clientId, name, secret } = view
  const title = cause === 'created' ? `${name} is set up` : `New secret for ${name}`
  return accountPage({
    site,
    view,
    title,
    here: 'applications',
    back: { href: '/oauth/applications', label: 'OAuth applications' },
    narrow: true,
    script: '/assets/copy.js',
    body: html`<h1>
        ${cause === 'created' ? html`${appName(name)} is set up` : html`New secret for ${appName(name)}`}
      </h1>
      ${secret !== null && keepNow(view)}
      <section class="card stack" aria-labelledby="for-app">
        <h2 id="for-app">For the people who make the app</h2>
        ${copyable({ id: 'client_id', label: 'Client ID', text: clientId, rows: 1 })}
        ${
          secret !== null &&
          copyable({ id: 'client_secret', label: 'Client secret', text: secret, rows: 2 })
        }
      </section>
      ${cause === 'created' && memberCard({ site, view })}
      <div class="send">
        <a class="button button-main" href="${applicationPath(clientId)}"
          >${secret === null ? 'Go to the app' : 'I’ve saved the secret'}</a
        >
      </div>`,
  })
}

const keepNow = (view: ApplicationResultView): Html =>
  notice(
    'warn',
    html`<p>
        <strong>Copy the secret now. You won’t see it again.</strong> We keep only a fingerprint of
        it. Share it so that no one else can read it, and never put it into an app that runs on
        members’ devices.
      </p>
      ${
        view.cause === 'rotated' &&
        html`<p>
          ${
            view.previousSecretUntil === null
              ? 'The old secret no longer works.'
              : html`The old secret works until ${moment(view.previousSecretUntil, view)}.`
          }
        </p>`
      }`,
  )

// A read-only field, so that a click and "select all" select its whole text without the script that adds a button.
const copyable = ({
  id,
  label,
  text,
  rows,
}: {
  id: string
  label: string
  text: string
  rows: number
}): Html =>
  html`<div class="field">
    <label for="${id}">${label}</label>
    <textarea class="letters" id="${id}" rows="${rows}" readonly spellcheck="false" data-copy>
${lines(text)}</textarea>
  </div>`

function memberCard({ site, view }: { site: Site; view: ApplicationResultView }): Html {
  const { name, mcpUrl, clientId } = view
  const { name: school } = site
  const start =
    view.secret === null
      ? [
          `MCP server URL: ${mcpUrl}`,
          `OAuth client ID: ${clientId}`,
          '',
          '1. In your app, add a connector (also called an MCP server) with the URL above.',
          '2. If it asks for an OAuth client ID, enter the one above. You don’t need a client secret.',
        ]
      : [
          `1. Open ${name} and choose to connect your account at ${school}.`,
          `2. If it asks for an MCP server URL, enter ${mcpUrl}`,
          `   If it asks for an OAuth client ID, enter ${clientId}`,
        ]
  const text = [
    `Connect ${name} to ${school}`,
    '',
    ...start,
    `3. Sign in to ${school} in the window that opens.`,
    '4. Read what the app asks for, and choose Allow.',
    '',
    `To disconnect it later: ${school}, Account, Connected apps, Disconnect.`,
  ].join('\n')
  return html`<section class="card stack" aria-labelledby="for-members">
    <div>
      <h2 id="for-members">For members</h2>
      <p class="quiet">Paste this where your members can read it.</p>
    </div>
    ${copyable({ id: 'member_card', label: 'How to connect', text, rows: 14 })}
  </section>`
}
