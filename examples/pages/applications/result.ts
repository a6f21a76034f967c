import { accountPage, type Shown } from '../account-layout.js'
import { applicationPath } from './paths.js'
import { settingsForLibrary } from './settings.js'
import type { ApplicationResultView } from './views.js'
import { type Html, html } from '../html.js'
import { appName, copyable, moment, notice } from '../parts.js'
import { languageOf, wordsOf } from '../words/languages.js'

/** Renders the response to creating an app or a secret. It is the only page that shows the secret. */
export function applicationResultPage(shown: Shown<ApplicationResultView>): Html {
  const { site, view } = shown
  const { cause, clientId, name, secret } = view
  const { account, applications } = wordsOf(site)
  const words = applications.result
  return accountPage({
    site,
    view,
    title: words.titles[cause](name),
    here: 'applications',
    back: { href: '/oauth/applications', label: account.applications },
    narrow: true,
    script: '/assets/copy.js',
    body: html`<h1>${words.headings[cause](appName(name))}</h1>
      ${secret !== null && keepNow(shown)}
      <section class="card stack" aria-labelledby="for-app">
        <h2 id="for-app">${words.forMakers}</h2>
        ${copyable({ site, id: 'client_id', label: applications.clientId, text: clientId, rows: 1 })}
        ${
          secret !== null &&
          copyable({ site, id: 'client_secret', label: words.clientSecret, text: secret, rows: 2 })
        }
        ${settingsForLibrary(shown)}
      </section>
      ${cause === 'created' && memberCard(shown)}
      <div class="send">
        <a class="button button-main" href="${applicationPath(clientId)}"
          >${secret === null ? words.toApp : words.secretSaved}</a
        >
      </div>`,
  })
}

function keepNow({ site, view }: Shown<ApplicationResultView>): Html {
  const language = languageOf(site)
  const { copyNow, oldStopped, oldWorksUntil } = language.words.applications.result
  const until = view.previousSecretUntil
  return notice(
    'warn',
    html`<p>${copyNow}</p>
      ${
        view.cause === 'rotated' &&
        html`<p>${until === null ? oldStopped : oldWorksUntil(moment(until, view, language))}</p>`
      }`,
  )
}

function memberCard({ site, view }: Shown<ApplicationResultView>): Html {
  const { name: app, origin, clientId, secret } = view
  const words = wordsOf(site).applications.result
  const card = secret === null ? words.publicCard : words.confidentialCard
  const text = card({ app, school: site.name, mcpUrl: `${origin}/mcp/member`, clientId }).join('\n')
  return html`<section class="card stack" aria-labelledby="for-members">
    <div>
      <h2 id="for-members">${words.forMembers}</h2>
      <p class="quiet">${words.paste}</p>
    </div>
    ${copyable({ site, id: 'member_card', label: words.howTo, text, rows: 14 })}
  </section>`
}
