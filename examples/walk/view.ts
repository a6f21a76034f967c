import type { Check } from './check.js'
import { element, painted } from './dom.js'
import type { Exchange } from './exchange.js'
import { type ActId, isOpen, type Outcome, type StepId, type Walk } from './walk.js'

const STEPS: readonly StepId[] = [
  'discover',
  'register',
  'authorize',
  'exchange',
  'use',
  'refresh',
  'revoke',
]

const stepOf = (act: ActId): StepId => act.split('.', 1)[0] as StepId

/** Shows the whole walk on the page. */
export function show(walk: Walk): void {
  for (const button of actButtons()) {
    const act = button.dataset['act'] as ActId
    button.setAttribute('aria-disabled', String(!isOpen(act, walk)))
  }
  for (const step of STEPS) {
    const outcomes = walk.outcomes.filter(({ act }) => stepOf(act) === step)
    showState(step, outcomes)
    const place = document.querySelector(`#step-${step} .step-results`)
    place?.replaceChildren(...outcomes.map((one) => viewOf(one, one === walk.outcomes.at(-1))))
  }
}

/** Returns the buttons that run an act. */
export const actButtons = (): readonly HTMLButtonElement[] => [
  ...document.querySelectorAll<HTMLButtonElement>('button[data-act]'),
]

/** Announces a text to screen readers. */
export function announce(text: string): void {
  const status = document.querySelector('#walk-status')
  if (status !== null) status.textContent = text
}

/** Shows what prevents the walk from continuing, or hides the message for `null`. */
export function complain(text: string | null): void {
  const fault = document.querySelector('#walk-fault')
  if (fault === null) return
  fault.toggleAttribute('hidden', text === null)
  fault.firstElementChild?.replaceChildren(text ?? '')
}

function showState(step: StepId, outcomes: readonly Outcome[]): void {
  const isDone = outcomes.some(({ act, ok }) => act === step && ok)
  const last = outcomes.at(-1)
  const state = isDone ? 'done' : last === undefined ? 'ahead' : last.ok ? 'done' : 'refused'
  for (const shown of document.querySelectorAll(`[data-step='${step}']`))
    shown.setAttribute('data-state', state)
}

// An outcome never changes, so its view is kept, with what the person opened or closed.
const views = new WeakMap<Outcome, HTMLElement>()

function viewOf(outcome: Outcome, isLast: boolean): HTMLElement {
  const known = views.get(outcome)
  const view = known ?? outcomeView(outcome)
  views.set(outcome, view)
  if (known === undefined || !isLast) view.toggleAttribute('open', isLast)
  return view
}

function outcomeView({ act, ok, said, exchanges, checks }: Outcome): HTMLElement {
  const refusal = checks.find((check) => !check.ok)
  return element(
    'details',
    { class: `outcome ${ok ? 'outcome-ok' : 'outcome-refused'}`, 'data-outcome': act },
    element(
      'summary',
      {},
      element('strong', {}, ok ? 'Passed' : 'Refused'),
      element('span', {}, labelOf(act)),
      ...(ok || refusal?.decision == null ? [] : [element('code', {}, reasonOf(refusal))]),
    ),
    element('p', { class: 'outcome-said' }, said),
    ...exchanges.map((exchange, index) => exchangeView(exchange, index === 0)),
    ...(checks.length === 0 ? [] : [checksView(checks)]),
  )
}

const labelOf = (act: ActId): string =>
  document.querySelector(`button[data-act='${act}']`)?.textContent?.replace('Break:', '').trim() ??
  ''

/** Returns the reason of a refusal. */
const reasonOf = ({ answer }: Check): string => /reason: '([^']*)'/.exec(answer)?.[1] ?? ''

/** Shows a request with its response. */
export function exchangeView(
  { title, status, request, response }: Exchange,
  open: boolean,
): HTMLElement {
  const tone = status !== null && status < 400 ? 'status-ok' : 'status-bad'
  return element(
    'details',
    { class: 'exchange', ...(open && { open: '' }) },
    element(
      'summary',
      {},
      element('code', {}, title),
      element('span', { class: `status ${tone}` }, String(status ?? 'no response')),
    ),
    element(
      'div',
      { class: 'exchange-panes' },
      pane('Request', request),
      pane('Response', response),
    ),
  )
}

/** Shows a text with a title. */
export const pane = (title: string, text: string): HTMLElement =>
  element(
    'div',
    { class: 'pane' },
    element('p', { class: 'pane-title' }, title),
    element('pre', { tabindex: '0', role: 'group', 'aria-label': title }, painted(text)),
  )

/** Shows checks with their results. */
export const checksView = (checks: readonly Check[]): HTMLElement =>
  element(
    'div',
    { class: 'checks' },
    element('h4', {}, 'What was checked'),
    element('ul', {}, ...checks.map(checkView)),
  )

function checkView({ said, ok, decision, answer, section }: Check): HTMLElement {
  const source = element(
    'a',
    { class: 'check-source', href: section.href, rel: 'noreferrer' },
    section.label,
  )
  return element(
    'li',
    { class: ok ? 'check check-ok' : 'check check-refused' },
    element('p', {}, element('span', { class: 'unseen' }, ok ? 'Passed: ' : 'Refused: '), said),
    element(
      'p',
      { class: 'check-answer' },
      ...(decision === null
        ? [element('span', { class: 'check-own' }, 'checked by the client'), ' ']
        : [element('code', { class: 'check-call' }, decision), ' → ']),
      element('code', {}, answer),
      ' ',
      source,
    ),
  )
}
