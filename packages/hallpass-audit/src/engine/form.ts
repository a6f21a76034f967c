import type { Element } from './html.js'
import { newSecret } from './random.js'

/**
 * A form of a page. One with `method="dialog"` is left out, since it sends nothing.
 *
 * @group Sign-in
 */
export interface Form extends Sending {
  /** Its fields in the order of the page, several of one name too. Buttons and what is disabled are left out. */
  readonly fields: readonly Field[]
  readonly buttons: readonly Button[]
}

/** The address to which a form is sent, and how. */
interface Sending {
  readonly action: URL
  readonly method: 'GET' | 'POST'
  readonly enctype: (typeof ENCTYPES)[number]
}

/**
 * A field of a form, as it is filled in. Each option of a list in which several can be selected is a field.
 *
 * @group Sign-in
 */
export interface Field {
  readonly name: string
  readonly value: string
  /** The type that scripts see, such as `text`, `hidden`, `checkbox`, `select-one`, `select-multiple` or `textarea`. */
  readonly type: string
  /** Whether the form sends it: `false` for a box that is not checked. */
  readonly isSent: boolean
}

/**
 * A button that sends a form. What it says of `action`, `method` and `enctype` replaces what the form says.
 *
 * @group Sign-in
 */
export interface Button extends Partial<Sending> {
  /** The words that people get: `aria-label`, the text, or that of a picture, and `title`. */
  readonly label: string
  readonly name: string | null
  readonly value: string
  readonly type: 'submit' | 'image'
  /** How many fields of the form are before it. */
  readonly index: number
}

/**
 * Values of fields by their names. A list is sent as several fields of one name, and an empty list as none.
 *
 * @group Sign-in
 */
export type Values = Readonly<Record<string, string | readonly string[]>>

const ENCTYPES = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'] as const

/** Whether people can check a field, or select it in a list. */
export const isBox = ({ type }: Field): boolean => type === 'checkbox' || type === 'select-multiple'

export const hasPassword = ({ fields }: Form): boolean =>
  fields.some(({ type }) => type === 'password')

/** The names of fields or cookies, each once. */
export const namesOf = (named: readonly { readonly name: string }[]): readonly string[] => [
  ...new Set(named.map(({ name }) => name)),
]

/** The same form with all its boxes checked. */
export const withBoxes = (form: Form): Form => ({
  ...form,
  fields: form.fields.map((field) => (isBox(field) ? { ...field, isSent: true } : field)),
})

/** The forms of a page, as a browser without script reads them. */
export function formsOf(elements: readonly Element[], url: URL): readonly Form[] {
  const controls = elements.filter((one) => typeOf(one) !== null && isEnabled(one, elements))
  const named = elements.find(({ tag, attributes }) => tag === 'base' && 'href' in attributes)
  const href = named?.attributes['href'] ?? ''
  const base = URL.canParse(href, url) ? new URL(href, url) : url

  /** Reads the attributes of a form or a button; `null` if nothing is sent. */
  function sendingOf(action?: string, method?: string, enctype?: string): Partial<Sending> | null {
    if (method?.toLowerCase() === 'dialog' || !URL.canParse(action ?? '', base)) return null
    return {
      ...(action !== undefined && { action: action === '' ? url : new URL(action, base) }),
      ...(method !== undefined && { method: method.toLowerCase() === 'post' ? 'POST' : 'GET' }),
      ...(enctype !== undefined && {
        enctype: ENCTYPES.find((one) => one === enctype.toLowerCase()) ?? ENCTYPES[0],
      }),
    }
  }

  return elements.flatMap((form): readonly Form[] => {
    if (form.tag !== 'form') return []
    const { action, method, enctype } = form.attributes
    const sending = sendingOf(action, method, enctype)
    if (sending === null) return []
    const fields: Field[] = []
    const buttons: Button[] = []
    for (const control of controls.filter((one) => ownerOf(one, elements) === form)) {
      const { formaction, formmethod, formenctype } = control.attributes
      const own = sendingOf(formaction, formmethod, formenctype)
      if (!/^(?:submit|image)$/.test(typeOf(control)!)) fields.push(...fieldsOf(control, elements))
      else if (own !== null) buttons.push({ ...own, ...readButton(control), index: fields.length })
    }
    return [{ action: url, method: 'GET', enctype: ENCTYPES[0], ...sending, fields, buttons }]
  })
}

/** The type of a field, or of a button that sends a form; `null` for any other element. */
function typeOf({ tag, attributes: { type = 'text' } }: Element): string | null {
  if (tag === 'select' || tag === 'textarea') return tag
  if ((tag !== 'input' && tag !== 'button') || /^(?:button|reset)$/i.test(type)) return null
  return tag === 'button' ? 'submit' : type.toLowerCase()
}

function ancestorsOf({ parent }: Element): readonly Element[] {
  const all: Element[] = []
  for (let at = parent; at !== null; at = at.parent) all.push(at)
  return all
}

function isEnabled(control: Element, elements: readonly Element[]): boolean {
  const around = [control, ...ancestorsOf(control)]
  return !around.some((one, index) => {
    if (!('disabled' in one.attributes)) return false
    // The first legend of a fieldset that is disabled stays enabled.
    const legend = elements.find(({ tag, parent }) => tag === 'legend' && parent === one)
    return one === control || (one.tag === 'fieldset' && around[index - 1] !== legend)
  })
}

function ownerOf(control: Element, elements: readonly Element[]): Element | null {
  const id = control.attributes['form']
  if (id !== undefined) return elements.find(({ attributes }) => attributes['id'] === id) ?? null
  return control.form ?? ancestorsOf(control).find(({ tag }) => tag === 'form') ?? null
}

function readButton(control: Element): Omit<Button, 'index'> {
  const { name, value, alt, title, 'aria-label': spoken } = control.attributes
  const type = typeOf(control) === 'image' ? 'image' : 'submit'
  const isPlain = control.tag === 'input' && type === 'submit'
  const text = isPlain ? (value ?? 'Submit') : control.text
  const labels = [spoken, text, alt, title].map((one) => collapse(one ?? ''))
  return {
    label: [...new Set(labels)].filter((one) => one !== '').join(' '),
    name: name || null,
    value: value ?? (isPlain ? 'Submit' : ''),
    type,
  }
}

function fieldsOf(control: Element, elements: readonly Element[]): readonly Field[] {
  const { name = '', value, multiple, size } = control.attributes
  const type = typeOf(control)!
  const one = (value: string, isSent = true): Field => ({ name, value, type, isSent })
  if (name === '') return []
  if (type === 'textarea') return [one(control.text)]
  if (type === 'file') return [one('')]
  if (type === 'checkbox' || type === 'radio')
    return [one(value ?? 'on', 'checked' in control.attributes)]
  if (type === 'hidden') return [one(name === '_charset_' ? 'UTF-8' : (value ?? ''))]
  if (type !== 'select') return [one((value ?? '').replace(/[\r\n]/g, ''))]

  const options = elements
    .filter((option) => option.tag === 'option' && [option.parent, option.parent?.parent].includes(control))
    .map(({ attributes, parent, text }) => ({
      value: attributes['value'] ?? collapse(text),
      isSelected: 'selected' in attributes,
      isEnabled: ![attributes, parent?.tag === 'optgroup' ? parent.attributes : {}].some((of) => 'disabled' in of),
    }))
  const enabled = options.filter((option) => option.isEnabled)
  if (multiple !== undefined)
    return enabled.map((option) => ({ ...one(option.value, option.isSelected), type: 'select-multiple' }))
  const chosen = options.findLast((option) => option.isSelected) ?? (Number(size ?? 1) > 1 ? undefined : enabled[0])
  return [{ ...one(chosen?.value ?? '', chosen?.isEnabled === true), type: 'select-one' }]
} // prettier-ignore

const collapse = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Lists what a form sends: its fields, and the button that is pressed. `values` replace the fields of their names. */
export function entriesOf(
  { fields }: Pick<Form, 'fields'>,
  button?: Button,
  values: Values = {},
): readonly Field[] {
  const all = fields.toSpliced(button?.index ?? 0, 0, ...pressed(button))
  const waiting = new Map(Object.entries(values).map(([name, value]) => [name, [value].flat()]))
  const entries = all.flatMap((field) => {
    const given = waiting.get(field.name)
    if (given === undefined) return field.isSent ? [field] : []
    // All are sent in place of the first one.
    waiting.set(field.name, [])
    return given.map((value) => ({ ...field, value }))
  })
  const further = [...waiting].flatMap(([name, given]) => given.map((value) => entry(name, value)))
  return [...entries, ...further].map((field) => ({
    ...field,
    name: withNewlines(field.name),
    value: withNewlines(field.value),
  }))
}

const entry = (name: string, value: string): Field => ({ name, value, type: 'text', isSent: true })

function pressed(button: Button | undefined): readonly Field[] {
  if (button?.type === 'image') {
    const before = button.name === null ? '' : `${button.name}.`
    return [entry(`${before}x`, '0'), entry(`${before}y`, '0')]
  }
  return button?.name == null ? [] : [entry(button.name, button.value)]
}

const withNewlines = (text: string): string => text.replace(/\r\n|\r|\n/g, '\r\n')

export const queryOf = (entries: readonly Field[]): string =>
  new URLSearchParams(entries.map(({ name, value }) => [name, value])).toString()

/** The body of a form, and its media type. */
export function bodyOf(
  entries: readonly Field[],
  enctype: Form['enctype'],
): { readonly body: string; readonly type: string } {
  if (enctype === 'application/x-www-form-urlencoded')
    return { body: queryOf(entries), type: enctype }
  if (enctype === 'text/plain')
    return { body: entries.map(({ name, value }) => `${name}=${value}\r\n`).join(''), type: enctype }
  const boundary = `----${newSecret()}`
  const quoted = (text: string): string => `"${text.replace(/["\r\n]/g, encodeURIComponent)}"`
  const parts = entries.map(({ name, value, type }) => {
    const file = `; filename=${quoted(value)}\r\nContent-Type: application/octet-stream\r\n\r\n`
    return `--${boundary}\r\nContent-Disposition: form-data; name=${quoted(name)}${type === 'file' ? file : `\r\n\r\n${value}`}\r\n`
  })
  return { body: `${parts.join('')}--${boundary}--\r\n`, type: `${enctype}; boundary=${boundary}` }
} // prettier-ignore
