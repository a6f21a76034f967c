import { type Html, html, type HtmlValue } from './html.js'

/** A form field with its label, hint and error. */
interface Field {
  /** The `id` and the `name` of the control. */
  readonly id: string
  readonly label: string
  /** Shown below the label, or `null` for no hint. */
  readonly hint: HtmlValue
  /** The error of this field, or `null` if it has none. */
  readonly fault: string | null
  /** Ids of further elements that describe the field. */
  readonly described?: readonly string[]
}

/** Renders the ARIA attributes that link a control to its hint and its error. */
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

/** Renders the error of a field, which describes its control. */
const faultLine = (id: string, fault: string | null): Html | null =>
  fault === null ? null : html`<p class="fault" id="${id}-fault">${fault}</p>`

/** Renders the hint of a field. */
const hintLine = (id: string, hint: HtmlValue): Html | null =>
  hint === null ? null : html`<p class="quiet" id="${id}-hint">${hint}</p>`

/** Renders a control below its label and hint. */
export const field = (parts: Field, control: HtmlValue): Html =>
  html`<div class="field">
    <label for="${parts.id}">${parts.label}</label>
    ${hintLine(parts.id, parts.hint)} ${faultLine(parts.id, parts.fault)} ${control}
  </div>`

/** Renders several controls under one legend. */
export const fieldGroup = (parts: Field, controls: HtmlValue): Html =>
  html`<fieldset class="group" id="${parts.id}" ${ties(parts)}>
    <legend>${parts.label}</legend>
    ${hintLine(parts.id, parts.hint)} ${faultLine(parts.id, parts.fault)} ${controls}
  </fieldset>`

/** Renders a radio button with a line that explains it. */
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
  label: HtmlValue
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

/** Renders the button of a form and the link that leaves it. `grave`: what it does is not easily undone. */
export const choice = ({
  button,
  back,
  keep,
  grave = true,
}: {
  button: string
  back: string
  keep: string
  grave?: boolean
}): Html =>
  html`<div class="send">
    <button class="${grave ? 'button button-stop' : 'button button-main'}" type="submit">
      ${button}
    </button>
    <a class="button button-plain" href="${back}">${keep}</a>
  </div>`

/**
 * A hidden first button that stops Enter from submitting a form. Enter activates the first button of a
 * form; this one closes the surrounding dialog, and there is none. A disabled button would not be
 * enough: in a checkbox, Enter then activates the next one.
 *
 * @see [HTML, implicit submission](https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#implicit-submission)
 */
export const ENTER_SENDS_NOTHING: Html = html`<button
  type="submit"
  formmethod="dialog"
  formnovalidate
  hidden
></button>`

/** Renders several lines as the content of a `textarea`. */
export const lines = (text: string): Html =>
  html`${text.split(/\r\n?|\n/).map((line, index) => [index > 0 && LINE_BREAK, line])}`

// A character reference, because `html` replaces the line breaks of a string: they could hide words.
const LINE_BREAK = html`&#10;`
