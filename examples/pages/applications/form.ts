import { accountPage, type Shown } from '../account-layout.js'
import { addressField } from './addresses.js'
import { iconField, keysField, methodField, nameFields, scopeField } from './fields.js'
import { applicationPath } from './paths.js'
import type { ApplicationFaults, ApplicationFormView } from './views.js'
import { type Html, html } from '../html.js'
import { address, hidden, notice, sentences } from '../parts.js'
import { countOf } from '../wording.js'
import { languageOf, wordsOf } from '../words/languages.js'

/** Renders the form that creates or edits a member app. */
export function applicationFormPage(shown: Shown<ApplicationFormView>): Html {
  const { site, view } = shown
  const { editing, faults } = view
  const { account, applications } = wordsOf(site)
  const words = applications.form
  const heading = editing === null ? words.add : words.edit
  const path = editing === null ? '/oauth/applications/new' : applicationPath(editing.clientId)
  const send = editing === null ? words.create : words.save
  return accountPage({
    site,
    view,
    title: faults === null ? heading : words.error(heading),
    here: 'applications',
    back:
      editing === null
        ? { href: '/oauth/applications', label: account.applications }
        : { href: path, label: editing.name },
    narrow: true,
    body: html`<h1>${heading}</h1>
      ${editing === null && html`<p class="lead">${words.lead(site.name)}</p>`} ${summary(shown)}
      <form
        class="stack stack-wide"
        method="post"
        action="${editing === null ? path : `${path}/edit`}"
      >
        ${hidden('csrf_token', view.csrfToken)}
        ${editing !== null && hidden('revision', String(editing.revision))}
        <button type="submit" hidden>${send}</button>
        ${editing !== null && fixedFacts(editing.clientId, shown)} ${nameFields(shown)}
        ${iconField(shown)} ${editing === null && methodField(shown)} ${keysField(shown)}
        ${addressField(shown)} ${scopeField(shown)}
        <div class="send">
          <button class="button button-main" type="submit">${send}</button>
          <a class="button button-plain" href="${editing === null ? '/oauth/applications' : path}"
            >${words.cancel}</a
          >
        </div>
      </form>`,
  })
}

const FIELDS: readonly (readonly [fault: Exclude<keyof ApplicationFaults, 'form'>, id: string])[] =
  [
    ['name', 'name'],
    ['description', 'description'],
    ['icon', 'icon'],
    ['authMethod', 'auth_method'],
    ['keys', 'keys'],
    ['redirectUris', 'redirect_uris'],
    ['scopes', 'scopes'],
  ]

function summary({ site, view: { faults, addresses } }: Shown<ApplicationFormView>): Html | null {
  if (faults === null) return null
  const language = languageOf(site)
  const { labels, line: lineOf, nothingSaved, check } = language.words.applications.form
  const items = [
    ...FIELDS.flatMap(([name, id]) =>
      faults[name] === null ? [] : [{ id, label: labels[name], fault: faults[name] }],
    ),
    ...addresses.flatMap(({ line, fault }) => {
      const label = lineOf(labels.redirectUris, countOf(line, language))
      return fault === null ? [] : [{ id: 'redirect_uris', label, fault }]
    }),
  ]
  return notice(
    'error',
    html`<p>${sentences(site, [html`<strong>${nothingSaved}</strong>`, faults.form ?? check])}</p>
      ${
        items.length > 0 &&
        html`<ul class="plain-list">
          ${items.map(({ id, label, fault }) => html`<li><a href="#${id}">${label}</a>: ${fault}</li>`)}
        </ul>`
      }`,
    'form-error',
  )
}

function fixedFacts(
  clientId: string,
  { site, view: { values } }: Shown<ApplicationFormView>,
): Html {
  const { clientId: label, form } = wordsOf(site).applications
  return html`<dl class="facts facts-row">
    <div>
      <dt>${form.fixed(label)}</dt>
      <dd>${address(clientId)}</dd>
    </div>
    <div>
      <dt>${form.fixed(form.labels.authMethod)}</dt>
      <dd>${form.authMethods[values.authMethod].label}</dd>
    </div>
  </dl>`
}
