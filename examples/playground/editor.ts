import type { StepId } from '../school/src/playground/presets.js'
import { element } from '../walk/dom.js'
import type { Draft, Fields } from './draft.js'

/** Shows a draft as fields that can be edited. */
export function editorOf(
  step: StepId,
  draft: Draft,
  { before, onChange }: { before: Draft; onChange: (draft: Draft) => void },
): HTMLElement {
  const change = (changes: Partial<Draft>): void => onChange({ ...draft, ...changes })
  const kind = draft.method === 'GET' ? 'Query' : 'Form'
  return element(
    'div',
    { class: 'draft-fields' },
    element(
      'div',
      { class: 'draft-line' },
      methodChoice(step, draft, change),
      input(
        `Address of step ${step}`,
        draft.url,
        (url) => change({ url }),
        draft.url !== before.url,
      ),
    ),
    ...rows('Header', draft.headers, before.headers, (headers) => change({ headers })),
    ...(draft.body === null
      ? rows(kind, draft.fields, before.fields, (fields) => change({ fields }))
      : [body(draft.body, (text) => change({ body: text }))]),
  )
}

function methodChoice(
  step: StepId,
  { method }: Draft,
  change: (changes: Partial<Draft>) => void,
): HTMLElement {
  const select = element(
    'select',
    { 'aria-label': `Method of step ${step}` },
    ...(['GET', 'POST'] as const).map((one) =>
      element('option', { value: one, ...(one === method && { selected: '' }) }, one),
    ),
  )
  select.addEventListener('change', () =>
    change({ method: (select as HTMLSelectElement).value as Draft['method'] }),
  )
  return select
}

function input(
  label: string,
  value: string,
  onInput: (value: string) => void,
  isChanged: boolean,
): HTMLElement {
  const made = element('input', {
    type: 'text',
    value,
    'aria-label': label,
    spellcheck: 'false',
    autocomplete: 'off',
    ...(isChanged && { 'data-changed': '' }),
  }) as HTMLInputElement
  made.addEventListener('change', () => onInput(made.value))
  return made
}

function body(text: string, onInput: (text: string) => void): HTMLElement {
  const area = element(
    'textarea',
    { 'aria-label': 'Content', rows: '7', spellcheck: 'false' },
    text,
  ) as HTMLTextAreaElement
  area.addEventListener('change', () => onInput(area.value))
  return area
}

/** Shows fields, each with its name, its value and a button to remove it, and a button to add one. */
function rows(
  kind: string,
  fields: Fields,
  before: Fields,
  onChange: (fields: Fields) => void,
): readonly HTMLElement[] {
  const replaced = (index: number, field: Fields[number] | null): Fields =>
    fields.flatMap((one, place) => (place !== index ? [one] : field === null ? [] : [field]))
  const isNew = ([name, value]: Fields[number]): boolean =>
    !before.some(([known, same]) => known === name && same === value)
  const missing = before.filter(([name]) => !fields.some(([there]) => there === name))
  return [
    element('p', { class: 'draft-kind' }, kind),
    ...fields.map((field, index) => {
      const [name, value] = field
      const changed = isNew(field) || fields.findIndex(([same]) => same === name) !== index
      const remove = element(
        'button',
        { class: 'draft-remove', type: 'button', 'aria-label': `Remove ${name}` },
        '×',
      )
      remove.addEventListener('click', () => onChange(replaced(index, null)))
      return element(
        'div',
        { class: 'draft-row' },
        input(`Name of ${name}`, name, (to) => onChange(replaced(index, [to, value])), changed),
        input(`Value of ${name}`, value, (to) => onChange(replaced(index, [name, to])), changed),
        remove,
      )
    }),
    ...missing.map(([name]) => element('p', { class: 'draft-removed' }, element('del', {}, name))),
    adder(kind, () => onChange([...fields, [`name_${fields.length}`, '']])),
  ]
}

function adder(kind: string, add: () => void): HTMLElement {
  const button = element(
    'button',
    { class: 'draft-add', type: 'button' },
    kind === 'Header' ? 'Add a header' : 'Add a parameter',
  )
  button.addEventListener('click', add)
  return button
}
