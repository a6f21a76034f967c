import { accountPage } from '../account-layout.js'
import { addressField } from './addresses.js'
import { iconField, methodField, METHODS, nameFields, scopeField } from './fields.js'
import type { ApplicationFaults, ApplicationFormView } from './views.js'
import { applicationPath } from './words.js'
import { type Html, html } from '../html.js'
import type { Site } from '../layout.js'
import { address, hidden, notice } from '../parts.js'

/** Renders the form that creates or edits a member app. */
export function applicationFormPage({
  site,
  view,
}: {
  site: Site
  view: ApplicationFormView
}): Html {
  const { editing, faults } = view
  const heading = editing === null ? 'New app' : 'Edit app'
  const path = editing === null ? '/oauth/applications/new' : applicationPath(editing.clientId)
  const send = editing === null ? 'Create app' : 'Save changes'
  return accountPage({
    site,
    view,
    title: faults === null ? heading : `Error: ${heading}`,
    here: 'applications',
    back:
      editing === null
        ? { href: '/oauth/applications', label: 'OAuth applications' }
        : { href: path, label: editing.name },
    narrow: true,
    body: html`<h1>${heading}</h1>
      ${
        editing === null &&
        html`<p class="lead">
          A member app acts for one member of ${site.name} at a time, and only if they allow it.
        </p>`
      }
      ${summary(view)}
      <form
        class="stack stack-wide"
        method="post"
        action="${editing === null ? path : `${path}/edit`}"
      >
        ${hidden('csrf_token', view.csrfToken)}
        ${editing !== null && hidden('revision', String(editing.revision))}
        <button type="submit" hidden>${send}</button>
        ${editing !== null && fixedFacts(editing.clientId, view)} ${nameFields(view)}
        ${iconField(view)} ${editing === null && methodField(view)} ${addressField(view)}
        ${scopeField(view)}
        <div class="send">
          <button class="button button-main" type="submit">${send}</button>
          <a class="button button-plain" href="${editing === null ? '/oauth/applications' : path}"
            >Cancel</a
          >
        </div>
      </form>`,
  })
}

const FIELDS: readonly (readonly [fault: keyof ApplicationFaults, id: string, label: string])[] = [
  ['name', 'name', 'Name'],
  ['description', 'description', 'Description'],
  ['icon', 'icon', 'Icon'],
  ['authMethod', 'auth_method', 'Where it runs'],
  ['redirectUris', 'redirect_uris', 'Redirect addresses'],
  ['scopes', 'scopes', 'What it can ask for'],
]

function summary({ faults, addresses }: ApplicationFormView): Html | null {
  if (faults === null) return null
  const items = [
    ...FIELDS.flatMap(([name, id, label]) =>
      faults[name] === null ? [] : [{ id, label, fault: faults[name] }],
    ),
    ...addresses.flatMap(({ line, fault }) =>
      fault === null
        ? []
        : [{ id: 'redirect_uris', label: `Redirect addresses, line ${line}`, fault }],
    ),
  ]
  return notice(
    'error',
    html`<p><strong>Nothing was saved.</strong> ${faults.form ?? 'Please check these:'}</p>
      ${
        items.length > 0 &&
        html`<ul class="plain-list">
          ${items.map(({ id, label, fault }) => html`<li><a href="#${id}">${label}</a>: ${fault}</li>`)}
        </ul>`
      }`,
    'form-error',
  )
}

const fixedFacts = (clientId: string, { values }: ApplicationFormView): Html =>
  html`<dl class="facts facts-row">
    <div>
      <dt>Client ID (can’t be changed)</dt>
      <dd>${address(clientId)}</dd>
    </div>
    <div>
      <dt>Where it runs (can’t be changed)</dt>
      <dd>${METHODS[values.authMethod].label}</dd>
    </div>
  </dl>`
