import { type Html, html, type HtmlValue } from './html.js'

/** A field with what stands around it. */
interface Field {
  /** Both the id and the name. */
  readonly id: string
  readonly label: string
  /** Below the label; empty = none. */
  readonly hint: HtmlValue
  /** What is wrong with the value; `null` = nothing. */
  readonly fault: string | null
  /** Further ids that describe the field. */
  readonly described?: readonly string[]
}

/** The attributes that tie a control to its hint and its fault. */
export function ties({ id, hint, fault, described = [] }: Omit<Field, 'label'>): Html {
  const ids = [
    ...(hint === null ? [] : [`${id}-hint`]),
    ...(fault === null ? [] : [`${id}-fault`]),
    ...described,
  ]
  return html`${ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`}${
    fault !== null && html` aria-invalid="true"`
  }`
}

/** What is wrong with a field, for its control to be described by. */
const faultLine = (id: string, fault: string | null): Html | null =>
  fault === null ? null : html`<p class="fault" id="${id}-fault">${fault}</p>`

/** What to know before filling a field in. */
const hintLine = (id: string, hint: HtmlValue): Html | null =>
  hint === null ? null : html`<p class="quiet" id="${id}-hint">${hint}</p>`

/** A control below its label and hint. */
export const field = (parts: Field, control: HtmlValue): Html =>
  html`<div class="field">
    <label for="${parts.id}">${parts.label}</label>
    ${hintLine(parts.id, parts.hint)} ${faultLine(parts.id, parts.fault)} ${control}
  </div>`

/** Several controls under one heading. */
export const fieldGroup = (parts: Field, controls: HtmlValue): Html =>
  html`<fieldset class="group" id="${parts.id}" ${ties(parts)}>
    <legend>${parts.label}</legend>
    ${hintLine(parts.id, parts.hint)} ${faultLine(parts.id, parts.fault)} ${controls}
  </fieldset>`

/** One of several that exclude each other, with a line that explains it. */
export const radioCard = ({
  name,
  value,
  checked,
  label,
  text,
}: {
  name: string
  value: string
  checked: boolean
  label: string
  text: HtmlValue
}): Html => {
  const id = `${name}-${value.replace(/_/g, '-')}`
  return html`<div class="choice">
    <input
      class="tick"
      id="${id}"
      name="${name}"
      type="radio"
      value="${value}"
      aria-describedby="${id}-text"
      ${checked && html`checked`}
    />
    <div>
      <label for="${id}">${label}</label>
      <p class="quiet" id="${id}-text">${text}</p>
    </div>
  </div>`
}

/**
 * Stops Enter from sending a form that must be sent by pressing a button. Enter presses a form's first
 * button, and this one closes a dialog where there is none. One that is merely disabled will not do:
 * Enter in a tick box then presses the next.
 *
 * @see HTML, implicit submission; form submission algorithm, method `dialog`
 */
export const ENTER_SENDS_NOTHING: Html = html`<button
  type="submit"
  formmethod="dialog"
  formnovalidate
  hidden
></button>`

/** Several lines as the content of a `textarea`. */
export const lines = (text: string): Html =>
  html`${text.split(/\r\n?|\n/).map((line, index) => [index > 0 && LINE_BREAK, line])}`

// Written as a reference: `html` makes a line break of a string visible, as it could hide words.
const LINE_BREAK = html`&#10;`
