import { accountPage } from '../account-layout.js'
import { activityPath } from './activity.js'
import { attemptsPath } from './attempt-words.js'
import { appIcon } from './icons.js'
import { documentSection, documentWarning } from './document.js'
import { peopleSection } from './people.js'
import { secretSection } from './secret.js'
import { endSection, switchSection } from './switches.js'
import type { ApplicationDetailView, ApplicationDone } from './views.js'
import { activityList, applicationPath, KIND_WORDS, stateBadge } from './words.js'
import { type Html, html } from '../html.js'
import { foreign, type Site } from '../layout.js'
import { address, ago, appLogo, appName, moment, notice } from '../parts.js'
import { scopeGroups } from '../scope-list.js'

/** Renders one app: what it is, who connected it, and what a manager can do with it. */
export function applicationDetailPage({
  site,
  view,
}: {
  site: Site
  view: ApplicationDetailView
}): Html {
  const { name, icon, logo, kind, document, description } = view
  return accountPage({
    site,
    view,
    title: name,
    here: 'applications',
    back: { href: '/oauth/applications', label: 'OAuth applications' },
    body: html`<div class="heading">
        <div class="heading-name">
          ${logo === null ? appIcon({ name, icon }) : appLogo(logo)}
          <div>
            <h1>${appName(name)}</h1>
            <p class="quiet heading-kind">${KIND_WORDS[kind]} ${stateBadge(view)}</p>
          </div>
        </div>
        ${
          view.actions.includes('edit') &&
          html`<a class="button button-plain" href="${applicationPath(view.clientId, 'edit')}"
            >Edit</a
          >`
        }
      </div>
      ${news(view)} ${document !== null && documentWarning({ site, view, document })}
      <div class="detail">
        <div class="detail-main">
          ${description !== null && html`<p class="lead">${foreign(description)}</p>`}
          ${factsSection(view)} ${saidSection(view)}
          ${document !== null && documentSection({ site, view, document })} ${peopleSection(view)}
          ${logSection(view)}
        </div>
        <div>
          ${scopeSection(view)} ${secretSection(view)} ${endSection(view)} ${switchSection(view)}
        </div>
      </div>`,
  })
}

const DONE: Readonly<Record<ApplicationDone, string>> = {
  saved: 'Saved. Your changes apply right away, also to people who are connected.',
  old_secret_ended: 'The old secret no longer works.',
  end_set: 'The end is changed. It applies right away, also to people who are connected.',
  disabled: 'Turned off. It no longer works for anyone.',
  enabled: 'Turned on. It works again for everyone who is connected.',
  disconnected: 'Disconnected. The app can no longer act for this person.',
  all_disconnected: 'Everyone is disconnected. The app can no longer act for them.',
  reviewed: 'Reviewed. People who connect it see that the school has reviewed it.',
  reviewed_without_logo:
    'Reviewed. People who connect it see that the school has reviewed it, but not its logo: we couldn’t fetch a small PNG, JPEG or WebP image.',
  blocked: 'Blocked. Everyone is disconnected, and no one can connect it.',
  unblocked: 'Unblocked. People can connect it again.',
  fetched: 'The document was fetched again.',
}

const news = (view: ApplicationDetailView): Html =>
  html`${view.done !== null && notice('done', html`<p>${DONE[view.done]}</p>`)}
  ${
    view.kind === 'member' &&
    !view.enabled &&
    notice(
      'warn',
      html`<p>
        <strong>MCP connections are off</strong>, so member apps don’t work.
        <a href="/oauth/applications">Turn them on</a>
      </p>`,
    )
  }`

const factsSection = (view: ApplicationDetailView): Html =>
  html`<dl class="facts facts-row">
    <div class="facts-all">
      <dt>${view.kind === 'document' ? 'Document (also its client ID)' : 'Client ID'}</dt>
      <dd>${address(view.clientId)}</dd>
    </div>
    <div class="facts-all">
      <dt>Redirect addresses</dt>
      ${view.redirectUris.map((uri) => html`<dd>${address(uri)}</dd>`)}
    </div>
    <div>
      <dt>Authentication</dt>
      <dd>
        ${view.authMethod === 'none' ? 'Without a secret (public)' : 'With a secret (confidential)'}
      </dd>
    </div>
    <div>
      <dt>Last used</dt>
      <dd>${view.lastUsedAt === null ? 'Never' : ago(view.lastUsedAt, view)}</dd>
    </div>
    ${
      view.createdAt !== null &&
      html`<div>
        <dt>${view.kind === 'member' ? 'Set up' : 'First seen'}</dt>
        <dd>${moment(view.createdAt, view)}</dd>
      </div>`
    }
    ${
      view.endsAt !== null &&
      html`<div>
        <dt>${view.endsAt <= view.now ? 'Ended' : 'Ends'}</dt>
        <dd>${moment(view.endsAt, view)}</dd>
      </div>`
    }
  </dl>`

// Text, and no links: the app chose the addresses, and the manager who would open one is signed in here.
const saidSection = ({ said }: ApplicationDetailView): Html | null =>
  said.length === 0
    ? null
    : html`<section class="section" aria-labelledby="said">
        <h2 id="said">What it says about itself</h2>
        <dl class="facts">
          ${said.map(
            ({ label, values }) =>
              html`<div>
                <dt>${label}</dt>
                ${values.map((value) => html`<dd>${address(value)}</dd>`)}
              </div>`,
          )}
        </dl>
      </section>`

const scopeSection = ({ scopes, kind }: ApplicationDetailView): Html =>
  html`<section class="panel" aria-labelledby="may">
    <h2 id="may">What it can ask for</h2>
    <p class="quiet">
      ${
        kind === 'member'
          ? 'Each member decides for their own account.'
          : 'Each person decides, but can’t allow more than their role does.'
      }
    </p>
    ${
      scopes.length > 8
        ? html`<details>
            <summary>Show all ${scopes.length}</summary>
            ${scopeGroups(scopes)}
          </details>`
        : scopeGroups(scopes)
    }
  </section>`

const logSection = (view: ApplicationDetailView): Html =>
  html`<section class="section" aria-labelledby="log">
    <h2 id="log">Activity</h2>
    ${
      view.log.length === 0
        ? html`<p class="nothing">Nothing has happened yet.</p>`
        : activityList(view.log, view)
    }
    <p class="more">
      <a href="${attemptsPath({ client: view.clientId })}">Connection attempts of this app</a>
      <a href="${activityPath({ search: view.clientId.slice(0, 100) })}">All its activity</a>
    </p>
  </section>`
