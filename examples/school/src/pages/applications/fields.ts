import { APPLICATION_ICONS, appIcon } from './icons.js'
import type { ApplicationFormView } from './views.js'
import { field, fieldGroup, lines, radioCard, ties } from '../form-parts.js'
import { type Html, html } from '../html.js'
import { notice } from '../parts.js'
import { scopeRows } from '../scope-list.js'
import { peopleInWords } from '../wording.js'

/** What people call it: name and description. */
export function nameFields({ values, faults }: ApplicationFormView): Html {
  const name = {
    id: 'name',
    label: 'Name',
    hint: 'Members read it when the app asks to connect.',
    fault: faults?.name ?? null,
  }
  const description = {
    id: 'description',
    label: 'Description (optional)',
    hint: 'For the people who look after this list. Members do not see it.',
    fault: faults?.description ?? null,
  }
  return html`${field(
    name,
    html`<input
      id="name"
      name="name"
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
      rows="2"
      maxlength="300"
      ${ties(description)}
    >
${lines(values.description)}</textarea>`,
  )}`
}

/** The sign it wears. */
export const iconField = ({ values, faults }: ApplicationFormView): Html =>
  fieldGroup(
    { id: 'icon', label: 'Icon', hint: null, fault: faults?.icon ?? null },
    html`<div class="icons">
      ${[['', 'Letter'] as const, ...Object.entries(APPLICATION_ICONS)].map(([icon, entry]) => {
        const id = `icon-${icon === '' ? 'letter' : icon}`
        return html`<div class="icon-choice">
          <input
            class="unseen"
            id="${id}"
            name="icon"
            type="radio"
            value="${icon}"
            ${(values.icon ?? '') === icon && html`checked`}
          />
          <label for="${id}"
            >${appIcon({ name: values.name === '' ? 'A' : values.name, icon })}<span
              >${typeof entry === 'string' ? entry : entry.label}</span
            ></label
          >
        </div>`
      })}
    </div>`,
  )

/** Where an application runs, in words. */
export const METHODS: Readonly<
  Record<ApplicationFormView['values']['authMethod'], { label: string; text: string }>
> = {
  none: {
    label: 'On members’ own devices (public)',
    text: 'A phone, desktop or browser app, or an AI app. It gets no secret: whatever is on a device can be read there.',
  },
  client_secret_post: {
    label: 'On a server (confidential)',
    text: 'A web app with a server of its own, which keeps a secret that only it knows.',
  },
}

/** Where it runs, which decides whether it gets a secret. */
export const methodField = ({ values, faults }: ApplicationFormView): Html =>
  fieldGroup(
    {
      id: 'auth_method',
      label: 'Where it runs',
      hint: 'This cannot be changed later.',
      fault: faults?.authMethod ?? null,
    },
    (['none', 'client_secret_post'] as const).map((value) =>
      radioCard({
        name: 'auth_method',
        value,
        checked: values.authMethod === value,
        ...METHODS[value],
      }),
    ),
  )

/** What it may ask for: the member scopes to tick, and the ones it always has. */
export function scopeField({
  editing,
  values,
  faults,
  choices,
  identity,
}: ApplicationFormView): Html {
  const held = editing?.scopes ?? []
  return fieldGroup(
    {
      id: 'scopes',
      label: 'What it may ask for',
      hint:
        editing === null
          ? 'Each member still decides. You can change this later.'
          : 'What you add, members are asked for when they next connect. What you take away is gone at once.',
      fault: faults?.scopes ?? null,
    },
    html`${scopeRows(choices, ({ scope }) => ({
        tick: { checked: values.scopes.includes(scope), held: held.includes(scope) },
      }))}
      ${editing !== null && narrowing(editing.people)}
      <p class="always">Always included</p>
      ${scopeRows(identity)}`,
  )
}

// Shown by the stylesheet as soon as a tick that was there is taken away.
const narrowing = (people: number): Html =>
  html`<div class="narrowing">
    ${notice(
      'warn',
      html`<p>
        <strong>You are taking something away.</strong> ${
          people === 0
            ? 'Nobody is connected now, so nobody notices.'
            : html`${peopleInWords(people)} connected now: from the moment you save, the app can do
              less for them, without asking anybody. To get it back, each has to connect again.`
        }
      </p>`,
    )}
  </div>`
