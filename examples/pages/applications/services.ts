import { accountPage, type Shown } from '../account-layout.js'
import { choice, field, fieldGroup, lines, radioCard, ties } from '../form-parts.js'
import { type Html, html } from '../html.js'
import { foreign } from '../layout.js'
import {
  address,
  ago,
  appName,
  copyable,
  hidden,
  moment,
  notice,
  sentences,
  unseen,
} from '../parts.js'
import { scopeGroups, scopeTexts } from '../scope-list.js'
import { countOf, rolesInWords } from '../wording.js'
import { languageOf, wordsOf } from '../words/languages.js'
import { applicationPath, servicePath } from './paths.js'
import type {
  ServiceEndView,
  ServiceFormView,
  ServiceResultView,
  ServiceRow,
  ServicesView,
} from './views.js'

const NEW = servicePath('new')

/** Renders the services of a school: programs that act without a person. */
export function servicesPage(shown: Shown<ServicesView>): Html {
  const { site, view } = shown
  const { account, applications } = wordsOf(site)
  const words = applications.services
  return accountPage({
    site,
    view,
    title: words.title,
    here: 'applications',
    back: { href: '/oauth/applications', label: account.applications },
    body: html`<div class="heading">
        <h1>${words.title}</h1>
        <a class="button button-main" href="${NEW}">${words.add}</a>
      </div>
      ${view.ended !== null && notice('done', html`<p>${words.done(appName(view.ended))}</p>`)}
      <p class="lead">${words.lead(site.name)}</p>
      ${
        view.services.length === 0
          ? html`<p class="nothing">${words.none}</p>`
          : html`<ul class="rows">
              ${view.services.map((service) => row(service, shown))}
            </ul>`
      }`,
  })
}

function row(service: ServiceRow, { site, view }: Shown<ServicesView>): Html {
  const { clientId, name, role, scopes, lastUsedAt, endedAt, state } = service
  const language = languageOf(site)
  const { applications } = language.words
  const { services: words } = applications
  return html`<li class="row row-person">
    <div class="row-main">
      <span>
        <a class="row-name" href="${applicationPath(clientId)}">${foreign(name)}</a>
        <span class="${state === 'active' ? 'badge badge-good' : 'badge'}"
          >${words.states[state]}</span
        >
      </span>
      <span class="quiet"
        >${rolesInWords([role], language)} ·
        ${lastUsedAt === null ? applications.list.neverUsed : applications.list.used(ago(lastUsedAt, view, language))}${
          endedAt !== null && html` · ${words.endedOn(moment(endedAt, view, language))}`
        }</span
      >
      <details>
        <summary>${applications.permissions(scopes.length)}</summary>
        <ul class="dashes">
          ${scopeTexts(scopes, site).map((text) => html`<li>${text}</li>`)}
        </ul>
      </details>
    </div>
    ${
      endedAt === null &&
      html`<a class="button button-plain button-small" href="${servicePath(clientId)}"
        >${words.end}${unseen(html` ${foreign(name)}`)}</a
      >`
    }
  </li>`
}

/** Renders the form that creates a service. */
export function serviceFormPage(shown: Shown<ServiceFormView>): Html {
  const { site, view } = shown
  const { faults } = view
  const { applications } = wordsOf(site)
  const { services: words, form } = applications
  return accountPage({
    site,
    view,
    title: faults === null ? words.add : form.error(words.add),
    here: 'applications',
    back: { href: servicePath(), label: words.title },
    narrow: true,
    body: html`<h1>${words.add}</h1>
      <p class="lead">${words.formLead}</p>
      ${
        faults !== null &&
        notice(
          'error',
          html`<p>
            ${sentences(site, [html`<strong>${form.nothingSaved}</strong>`, faults.form ?? form.check])}
          </p>`,
          'form-error',
        )
      }
      <form class="stack stack-wide" method="post" action="${NEW}">
        ${hidden('csrf_token', view.csrfToken)}
        <button type="submit" hidden>${words.create}</button>
        ${textFields(shown)}
        ${fieldGroup(
          { id: 'role', label: words.role, hint: words.roleHint, fault: faults?.role ?? null },
          view.roles.map((role) =>
            radioCard({
              name: 'role',
              value: role,
              checked: view.values.role === role,
              label: rolesInWords([role], languageOf(site)),
              text: words.roles[role],
            }),
          ),
        )}
        ${fieldGroup(
          {
            id: 'scopes',
            label: form.labels.scopes,
            hint: words.scopesHint,
            fault: faults?.scopes ?? null,
          },
          scopeGroups(
            view.choices,
            ({ scope }) => ({ tick: { checked: view.values.scopes.includes(scope) } }),
            site,
            2,
          ),
        )}
        <div class="send">
          <button class="button button-main" type="submit">${words.create}</button>
          <a class="button button-plain" href="${servicePath()}">${form.cancel}</a>
        </div>
      </form>`,
  })
}

function textFields({ site, view: { values, faults } }: Shown<ServiceFormView>): Html {
  const { services: words, form } = wordsOf(site).applications
  const name = {
    id: 'name',
    label: form.labels.name,
    hint: words.nameHint,
    fault: faults?.name ?? null,
  }
  const description = {
    id: 'description',
    label: form.optional(form.labels.description),
    hint: null,
    fault: faults?.description ?? null,
  }
  return html`${field(
    name,
    html`<input
      id="name"
      name="name"
      dir="auto"
      type="text"
      autocomplete="off"
      maxlength="100"
      required
      value="${values.name}"
      ${ties(name)}
    />`,
  )}
  ${field(
    description,
    html`<textarea
      id="description"
      name="description"
      dir="auto"
      rows="2"
      maxlength="300"
      ${ties(description)}
    >
${lines(values.description)}</textarea>`,
  )}`
}

/** Renders the response to creating a service. It is the only page that shows the secret. */
export function serviceResultPage({ site, view }: Shown<ServiceResultView>): Html {
  const { applications } = wordsOf(site)
  const { services: words, result } = applications
  const { name, clientId, secret, origin, scopes } = view
  return accountPage({
    site,
    view,
    title: words.createdTitle(name),
    here: 'applications',
    back: { href: servicePath(), label: words.title },
    narrow: true,
    script: '/assets/copy.js',
    body: html`<h1>${words.created(appName(name))}</h1>
      ${notice('warn', html`<p>${words.copyNow}</p>`)}
      <section class="card stack" aria-labelledby="for-service">
        <h2 id="for-service">${words.forMakers}</h2>
        ${copyable({ site, id: 'client_id', label: applications.clientId, text: clientId, rows: 1 })}
        ${copyable({ site, id: 'client_secret', label: result.clientSecret, text: secret, rows: 2 })}
        ${copyable({
          site,
          id: 'library_settings',
          label: applications.settings.title,
          text: [
            `token_endpoint: ${origin}/api/oauth/token`,
            'grant_type: client_credentials',
            'token_endpoint_auth_method: client_secret_post',
            `resource: ${origin}`,
            `scope: ${scopes.join(' ')}`,
          ].join('\n'),
          rows: 6,
        })}
        <p class="quiet">${words.noPerson}</p>
      </section>
      <div class="send">
        <a class="button button-main" href="${servicePath()}">${result.secretSaved}</a>
      </div>`,
  })
}

/** Renders the page that asks before a service is ended. */
export function serviceEndPage({ site, view }: Shown<ServiceEndView>): Html {
  const { name, clientId, grants } = view
  const language = languageOf(site)
  const { services: words, keep } = language.words.applications
  return accountPage({
    site,
    view,
    title: words.endTitle(name),
    here: 'applications',
    back: { href: servicePath(), label: words.title },
    narrow: true,
    body: html`<h1>${words.endQuestion(appName(name))}</h1>
      <p class="lead">
        ${sentences(site, [html`<strong>${words.endEffect}</strong>`, words.endText])}
      </p>
      <dl class="facts facts-row">
        <div class="facts-all">
          <dt>${language.words.applications.clientId}</dt>
          <dd>${address(clientId)}</dd>
        </div>
        <div>
          <dt>${words.openTokens}</dt>
          <dd>${countOf(grants, language)}</dd>
        </div>
      </dl>
      <form class="stack" method="post" action="${servicePath(clientId)}">
        ${hidden('csrf_token', view.csrfToken)}
        ${choice({ button: words.endButton, back: servicePath(), keep })}
      </form>`,
  })
}
