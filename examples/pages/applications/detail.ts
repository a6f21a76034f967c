import { accountPage, type Shown } from '../account-layout.js'
import { activityPath } from './activity.js'
import { appIcon } from './icons.js'
import { documentSection, documentWarning } from './document.js'
import { activityList, stateBadge } from './parts.js'
import { peopleSection } from './people.js'
import { secretSection } from './secret.js'
import { settingsForLibrary } from './settings.js'
import { endSection, switchSection } from './switches.js'
import { applicationPath, attemptsPath } from './paths.js'
import type { ApplicationDetailView } from './views.js'
import { type Html, html } from '../html.js'
import { foreign } from '../layout.js'
import { address, ago, appLogo, appName, moment, notice } from '../parts.js'
import { scopeGroups } from '../scope-list.js'
import { countOf } from '../wording.js'
import { languageOf, wordsOf } from '../words/languages.js'

/** Renders one app: what it is, who connected it, and what a manager can do with it. */
export function applicationDetailPage(shown: Shown<ApplicationDetailView>): Html {
  const { site, view } = shown
  const { name, icon, logo, kind, document, description } = view
  const { account, applications } = wordsOf(site)
  const { isService = false } = view
  const kindOfTheApplication = isService ? applications.services.kind : applications.kinds[kind]
  const people = isService ? null : peopleSection(shown)
  return accountPage({
    site,
    view,
    title: name,
    here: 'applications',
    back: { href: '/oauth/applications', label: account.applications },
    ...(view.kind === 'member' && { script: '/assets/copy.js' }),
    body: html`<div class="heading">
        <div class="heading-name">
          ${logo === null ? appIcon({ name, icon }) : appLogo(logo)}
          <div>
            <h1>${appName(name)}</h1>
            <p class="quiet heading-kind">
              ${kindOfTheApplication} ${stateBadge(view, applications)}
            </p>
          </div>
        </div>
        ${
          view.actions.includes('edit') &&
          html`<a class="button button-plain" href="${applicationPath(view.clientId, 'edit')}"
            >${applications.detail.edit}</a
          >`
        }
      </div>
      ${news(shown)} ${document !== null && documentWarning({ site, view, document })}
      <div class="detail">
        <div class="detail-main">
          ${description !== null && html`<p class="lead">${foreign(description)}</p>`}
          ${factsSection(shown)} ${settingsSection(shown)} ${saidSection(shown)}
          ${document !== null && documentSection({ site, view, document })} ${secretSection(shown)}
          ${endSection(shown)} ${people} ${logSection(shown)}
        </div>
        <div>${scopeSection(shown)} ${switchSection(shown)}</div>
      </div>`,
  })
}

function news({ site, view }: Shown<ApplicationDetailView>): Html {
  const { done, mcpOff, turnOn } = wordsOf(site).applications.detail
  return html`${view.done !== null && notice('done', html`<p>${done[view.done]}</p>`)}
  ${
    view.kind === 'member' &&
    !view.enabled &&
    notice('warn', html`<p>${mcpOff} <a href="/oauth/applications">${turnOn}</a></p>`)
  }`
}

function factsSection({ site, view }: Shown<ApplicationDetailView>): Html {
  const language = languageOf(site)
  const { clientId, members, never, detail, services } = language.words.applications
  return html`<dl class="facts facts-row">
    <div class="facts-all">
      <dt>${view.kind === 'document' ? detail.documentId : clientId}</dt>
      <dd>${address(view.clientId)}</dd>
    </div>
    <div class="facts-all">
      <dt>${members.redirect_uris}</dt>
      ${
        view.isService === true
          ? html`<dd>${services.noAddresses}</dd>`
          : view.redirectUris.map((uri) => html`<dd>${address(uri)}</dd>`)
      }
    </div>
    <div>
      <dt>${detail.authentication}</dt>
      <dd>${detail.authMethods[view.authMethod]}</dd>
    </div>
    <div>
      <dt>${detail.lastUsed}</dt>
      <dd>${view.lastUsedAt === null ? never : ago(view.lastUsedAt, view, language)}</dd>
    </div>
    ${
      view.createdAt !== null &&
      html`<div>
        <dt>${view.kind === 'member' ? detail.setUp : detail.firstSeen}</dt>
        <dd>${moment(view.createdAt, view, language)}</dd>
      </div>`
    }
    ${
      view.endsAt !== null &&
      html`<div>
        <dt>${view.endsAt <= view.now ? detail.ended : detail.ends}</dt>
        <dd>${moment(view.endsAt, view, language)}</dd>
      </div>`
    }
  </dl>`
}

// A self-registered app or a document reads its settings from the metadata. The maker of a member app needs them here.
function settingsSection(shown: Shown<ApplicationDetailView>): Html | null {
  if (shown.view.kind !== 'member') return null
  return html`<details class="section">
    <summary>${wordsOf(shown.site).applications.settings.title}</summary>
    ${settingsForLibrary(shown)}
  </details>`
}

// Text, and no links: the app chose the addresses, and the manager who would open one is signed in here.
function saidSection({ site, view: { said } }: Shown<ApplicationDetailView>): Html | null {
  if (said.length === 0) return null
  const { members, detail } = wordsOf(site).applications
  return html`<section class="section" aria-labelledby="said">
    <h2 id="said">${detail.said}</h2>
    <dl class="facts">
      ${said.map(
        ({ member, values }) =>
          html`<div>
            <dt>${members[member]}</dt>
            ${values.map((value) => html`<dd>${address(value)}</dd>`)}
          </div>`,
      )}
    </dl>
  </section>`
}

function scopeSection({ site, view }: Shown<ApplicationDetailView>): Html {
  const { scopes, kind, isService = false } = view
  const language = languageOf(site)
  const { detail, services } = language.words.applications
  const decides = kind === 'member' ? detail.memberDecides : detail.personDecides
  const groups = scopeGroups(scopes, undefined, site)
  return html`<section class="panel" aria-labelledby="may">
    <h2 id="may">${detail.scopes}</h2>
    <p class="quiet">${isService ? services.roleDecides : decides}</p>
    ${
      scopes.length > 8
        ? html`<details>
            <summary>${detail.showAll(countOf(scopes.length, language))}</summary>
            ${groups}
          </details>`
        : groups
    }
  </section>`
}

function logSection({ site, view }: Shown<ApplicationDetailView>): Html {
  const language = languageOf(site)
  const { activity, detail } = language.words.applications
  return html`<section class="section" aria-labelledby="log">
    <h2 id="log">${activity}</h2>
    ${
      view.log.length === 0
        ? html`<p class="nothing">${detail.nothingYet}</p>`
        : activityList(view.log, view, language)
    }
    <p class="more">
      <a href="${attemptsPath({ client: view.clientId })}">${detail.attempts}</a>
      <a href="${activityPath({ search: view.clientId.slice(0, 100) })}">${detail.activity}</a>
    </p>
  </section>`
}
