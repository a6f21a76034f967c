import type { Shown } from '../account-layout.js'
import { APPLICATION_ICONS, type ApplicationIcon, appIcon } from './icons.js'
import type { ApplicationFormView } from './views.js'
import { field, fieldGroup, lines, radioCard, ties } from '../form-parts.js'
import { type Html, html } from '../html.js'
import { notice, sentences } from '../parts.js'
import { scopeRows } from '../scope-list.js'
import { wordsOf } from '../words/languages.js'

/** Renders the fields for the name and the description. */
export function nameFields({ site, view: { values, faults } }: Shown<ApplicationFormView>): Html {
  const { labels, hints, optional } = wordsOf(site).applications.form
  const name = {
    id: 'name',
    label: labels.name,
    hint: hints.name,
    fault: faults?.name ?? null,
  }
  const description = {
    id: 'description',
    label: optional(labels.description),
    hint: hints.description,
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

/** Renders the choice of an icon. */
export function iconField({ site, view: { values, faults } }: Shown<ApplicationFormView>): Html {
  const { form, icons } = wordsOf(site).applications
  const names = ['letter', ...(Object.keys(APPLICATION_ICONS) as ApplicationIcon[])] as const
  return fieldGroup(
    { id: 'icon', label: form.labels.icon, hint: null, fault: faults?.icon ?? null },
    html`<div class="icons">
      ${names.map((name) => {
        const icon = name === 'letter' ? '' : name
        return html`<div class="icon-choice">
          <input
            class="unseen"
            id="icon-${name}"
            name="icon"
            type="radio"
            value="${icon}"
            ${(values.icon ?? '') === icon && html`checked`}
          />
          <label for="icon-${name}"
            >${appIcon({ name: values.name === '' ? 'A' : values.name, icon })}<span
              >${icons[name]}</span
            ></label
          >
        </div>`
      })}
    </div>`,
  )
}

/** Renders the choice of where the app runs, which decides whether it gets a secret. */
export function methodField({
  site,
  view: { values, faults, methods },
}: Shown<ApplicationFormView>): Html {
  const { labels, hints, authMethods } = wordsOf(site).applications.form
  return fieldGroup(
    {
      id: 'auth_method',
      label: labels.authMethod,
      hint: hints.authMethod,
      fault: faults?.authMethod ?? null,
    },
    methods.map((value) =>
      radioCard({
        name: 'auth_method',
        value,
        checked: values.authMethod === value,
        ...authMethods[value],
      }),
    ),
  )
}

/** Renders the field for the public keys of an app that signs; nothing if no app can have any here. */
export function keysField({ site, view }: Shown<ApplicationFormView>): Html | null {
  const { editing, values, faults, methods } = view
  const isOffered = editing === null ? methods : [values.authMethod]
  if (!isOffered.includes('private_key_jwt')) return null
  const { labels, hints } = wordsOf(site).applications.form
  const keys = { id: 'keys', label: labels.keys, hint: hints.keys, fault: faults?.keys ?? null }
  return field(
    keys,
    html`<textarea
      id="keys"
      name="keys"
      dir="ltr"
      rows="3"
      maxlength="16384"
      autocomplete="off"
      spellcheck="false"
      ${ties(keys)}
    >
${lines(values.keys)}</textarea>`,
  )
}

/** Renders what the app can ask for: the member scopes to tick, and those it always has. */
export function scopeField(shown: Shown<ApplicationFormView>): Html {
  const { site, view } = shown
  const { editing, values, faults, choices, identity } = view
  const { labels, hints, always } = wordsOf(site).applications.form
  const held = editing?.scopes ?? []
  return fieldGroup(
    {
      id: 'scopes',
      label: labels.scopes,
      hint: editing === null ? hints.newScopes : hints.scopes,
      fault: faults?.scopes ?? null,
    },
    html`${scopeRows(
        choices,
        ({ scope }) => ({
          tick: { checked: values.scopes.includes(scope), held: held.includes(scope) },
        }),
        site,
      )}
      ${editing !== null && narrowing(shown, editing.people)}
      <p class="always">${always}</p>
      ${scopeRows(identity, undefined, site)}`,
  )
}

// The stylesheet shows this as soon as a checkbox that was ticked is cleared.
function narrowing({ site }: Shown<ApplicationFormView>, people: number): Html {
  const { removing, removes } = wordsOf(site).applications.form
  return html`<div class="narrowing">
    ${notice('warn', html`<p>${sentences(site, [html`<strong>${removing}</strong>`, removes(people)])}</p>`)}
  </div>`
}
