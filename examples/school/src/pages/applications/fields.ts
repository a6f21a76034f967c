import { APPLICATION_ICONS, appIcon } from './icons.js'
import type { ApplicationFormView } from './views.js'
import { field, fieldGroup, lines, radioCard, ties } from '../form-parts.js'
import { type Html, html } from '../html.js'
import { notice } from '../parts.js'
import { scopeRows } from '../scope-list.js'
import { countInWords } from '../wording.js'

/** Renders the fields for the name and the description. */
export function nameFields({ values, faults }: ApplicationFormView): Html {
  const name = {
    id: 'name',
    label: 'Name',
    hint: 'Members see it when the app asks to connect.',
    fault: faults?.name ?? null,
  }
  const description = {
    id: 'description',
    label: 'Description (optional)',
    hint: 'For the people who manage the apps. Members don’t see it.',
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

/** Renders the choice of an icon. */
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

/** Names and explanations of where an app can run. */
export const METHODS: Readonly<
  Record<ApplicationFormView['values']['authMethod'], { label: string; text: string }>
> = {
  none: {
    label: 'On members’ own devices (public)',
    text: 'A phone, desktop, browser or AI app. It gets no secret, because a device can’t keep one.',
  },
  client_secret_post: {
    label: 'On a server (confidential)',
    text: 'A web app with its own server, which can keep a secret.',
  },
}

/** Renders the choice of where the app runs, which decides whether it gets a secret. */
export const methodField = ({ values, faults }: ApplicationFormView): Html =>
  fieldGroup(
    {
      id: 'auth_method',
      label: 'Where it runs',
      hint: 'You can’t change this later.',
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

/** Renders what the app can ask for: the member scopes to tick, and those it always has. */
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
      label: 'What it can ask for',
      hint:
        editing === null
          ? 'Each member still decides. You can change this later. An AI assistant has to see something to change it.'
          : 'If you add something, members are asked for it the next time they connect. If you remove something, the app loses it right away.',
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

// The stylesheet shows this as soon as a checkbox that was ticked is cleared.
const narrowing = (people: number): Html =>
  html`<div class="narrowing">
    ${notice(
      'warn',
      html`<p>
        <strong>You’re removing something.</strong> ${
          people === 0
            ? 'No one is connected now, so no one is affected.'
            : html`${countInWords(people, 'person is', 'people are')} connected now. As soon as you
              save, the app can do less for them, and they aren’t asked. To restore it, they have to
              connect again.`
        }
      </p>`,
    )}
  </div>`
