import { PRESETS, STEPS, type StepId } from '../school/src/playground/presets.js'
import { rfc } from '../walk/check.js'
import { element } from '../walk/dom.js'
import { pretty } from '../walk/text.js'
import { checksView, exchangeView, pane } from '../walk/view.js'
import { curlOf, typescriptOf } from './copy.js'
import type { Draft } from './draft.js'
import type { Goal } from './goal.js'
import { fragmentOf } from './link.js'
import { isDone, type Outcome, type Sent, type Session } from './session.js'
import { lackingIn, type Unmet } from './unmet.js'

const at = (selector: string): HTMLElement | null => document.querySelector<HTMLElement>(selector)

/** Announces a text to screen readers. */
export function announce(text: string): void {
  at('#playground-status')?.replaceChildren(text)
}

/** Shows what prevents the playground from continuing, or hides the message for `null`. */
export function complain(text: string | null): void {
  const fault = at('#playground-fault')
  fault?.toggleAttribute('hidden', text === null)
  fault?.firstElementChild?.replaceChildren(text ?? '')
}

/** The step that has not succeeded yet, or `null` at the end. */
export const nextStep = (session: Session): StepId | null =>
  STEPS.find((step) => !isDone(session, step)) ?? null

/** Shows the session on the page. */
export function show(session: Session, drafts: Readonly<Record<StepId, Draft>>): void {
  for (const step of STEPS) {
    const outcomes = session.outcomes.filter((one) => one.step === step)
    const state = isDone(session, step) ? 'done' : outcomes.length > 0 ? 'refused' : 'ahead'
    for (const shown of document.querySelectorAll(`[data-step='${step}']`))
      shown.setAttribute('data-state', state)
    const last = session.outcomes.at(-1)
    at(`#step-${step} .step-results`)?.replaceChildren(
      ...outcomes
        .slice(-MAX_SHOWN)
        .map((one) => outcomeView(one, { session, isLast: one === last })),
    )
    showMissing(step, drafts[step], session)
  }
  for (const button of document.querySelectorAll<HTMLElement>('[data-preset]')) {
    const preset = PRESETS.find(({ id }) => id === button.dataset['preset'])
    const isOther = preset?.tracks?.includes(session.track) === false
    button.closest('.break, .other')?.toggleAttribute('hidden', isOther)
  }
  showNext(session)
  showValues(session)
  showSequence(session)
}

// Older tries of a step are of no use any more.
const MAX_SHOWN = 3

/** The origin of each variable, in words. */
const FROM: Readonly<Record<string, string>> = {
  client_id: 'step 2',
  code: 'step 3',
  code_verifier: 'step 3',
  access_token: 'step 4',
  refresh_token: 'step 4',
  previous_refresh_token: 'step 6',
  first_refresh_token: 'step 6',
  other_token: 'the other school',
}
const originOf = (variable: string): string => FROM[variable] ?? 'step 1, if the server has it'

/** Says what a request still needs, and returns whether it can be sent. */
export function showMissing(step: StepId, draft: Draft, session: Session): boolean {
  const lacking = lackingIn(step, draft, session)
  const button = at(`#step-${step} button[data-send]`)
  button?.setAttribute('aria-disabled', String(lacking !== null))
  at(`#step-${step} .draft-missing`)?.replaceChildren(
    lacking === null ? '' : `It contains {${lacking}}, which comes from ${originOf(lacking)}.`,
  )
  return lacking === null
}

/** Shows which breaks are ready. Another says what it needs, and offers to do that. */
export function showBreaks(
  unmetFor: (goal: Goal) => Unmet | null,
  onAsked: (goal: Goal) => void,
): void {
  for (const step of STEPS)
    showOffer(at(`#step-${step} .breaks-first`), unmetFor({ step }), () => onAsked({ step }))
  for (const button of document.querySelectorAll<HTMLButtonElement>('.break [data-preset]')) {
    const goal = { preset: button.dataset['preset']! }
    const unmet = unmetFor(goal)
    button.toggleAttribute('disabled', unmet !== null)
    const offer = button.closest('.break')!.querySelector<HTMLElement>('.break-first')
    showOffer(offer, unmet, () => onAsked(goal))
  }
}

// The line of a condition that time can meet stays when it is met: nothing else on the page may move then.
function showOffer(place: HTMLElement | null, unmet: Unmet | null, onClick: () => void): void {
  const said = unmet === null ? 'Ready.' : saidOf(unmet)
  if (place === null || place.dataset['says'] === said) return
  place.dataset['says'] = said
  place.toggleAttribute('data-ready', unmet === null)
  const button = element(
    'button',
    { class: 'button button-plain button-small', type: 'button' },
    isOtherPage(unmet?.next ?? null) ? 'Open that page' : 'Do that first',
  )
  button.addEventListener('click', onClick)
  place.replaceChildren(said, ...(unmet === null || unmet.next === null ? [] : [' ', button]))
}

const isOtherPage = (next: Unmet['next']): boolean =>
  next !== null && typeof next === 'object' && next.isOwnPage

const saidOf = ({ says, next }: Unmet): string => {
  const variable = /^\{(\w+)\}$/.exec(says)?.[1]
  if (variable !== undefined) return `It needs ${says}, which comes from ${originOf(variable)}.`
  return next === 'wait' ? `It waits for ${says}.` : `It needs ${says}.`
}

/** Keeps the next request in sight. */
function showNext(session: Session): void {
  const step = nextStep(session)
  const button = at('#next')
  if (button === null) return
  const title = step === null ? null : at(`#step-${step} h3`)?.textContent
  button.textContent = title === null ? 'Start over' : `Next: ${title}`
  button.dataset['next'] = step ?? ''
}

/** Shows the start of a value. */
const inShort = (value: string): string => (value.length > 28 ? `${value.slice(0, 12)}…` : value)
const HIDDEN = ['random', 'mcp']

function showValues({ values }: Session): void {
  const rows = Object.entries(values)
    .filter(([name]) => !HIDDEN.includes(name))
    .flatMap(([name, value]) => [
      element('dt', {}, element('code', {}, `{${name}}`)),
      element('dd', {}, /^https?:/.test(value) ? value : inShort(value)),
    ])
  at('#values')?.replaceChildren(...rows)
}

/** Draws the requests in the order in which they were sent, and keeps the last in sight. */
function showSequence({ outcomes }: Session): void {
  const hops = outcomes.flatMap((outcome) =>
    outcome.sent.map((sent, index) => hopView(sent, outcome, index === 0)),
  )
  const sequence = at('#sequence')
  sequence?.replaceChildren(...hops.slice(-MAX_HOPS))
  sequence?.scrollTo({ top: sequence.scrollHeight })
}

const MAX_HOPS = 24

/** Draws a request, the person whom it asks, and the response. A press shows the outcome. */
function hopView(
  { title, status, to, person }: Sent,
  outcome: Outcome,
  isFirst: boolean,
): HTMLElement {
  const isGood = status !== null && status < 400 && outcome.error === null
  const code = isFirst ? codeOf(outcome) : null
  const button = element(
    'button',
    { class: 'hop-act', type: 'button' },
    element('span', { class: 'hop-step', 'aria-hidden': 'true' }, isFirst ? numberOf(outcome) : ''),
    element(
      'span',
      { class: `hop-arrow hop-to-${to}` },
      element('span', { class: 'hop-label' }, title),
    ),
    ...(person === undefined
      ? []
      : [
          element('span', { class: 'hop-arrow hop-asks' }, 'asks a person'),
          element('span', { class: 'hop-arrow hop-says' }, person),
        ]),
    element(
      'span',
      { class: `hop-arrow hop-back hop-from-${to}` },
      element(
        'span',
        { class: `status ${isGood ? 'status-ok' : 'status-bad'}` },
        String(status ?? 'none'),
      ),
      ...(code === null ? [] : [' ', element('code', {}, code)]),
    ),
  )
  button.addEventListener('click', () => showOutcome(outcome))
  return element('li', { class: 'hop' }, button)
}

const numberOf = ({ step }: Outcome): string => String(STEPS.indexOf(step) + 1)

/** The reason of a refusal, or the error code that a server without reasons has. */
const codeOf = ({ why, error }: Outcome): string | null => why?.reason ?? error

/** Opens an outcome, or its step if it is too old to be shown. */
function showOutcome(outcome: Outcome): void {
  const view = views.get(outcome)
  const shown = view?.isConnected === true ? view : at(`#step-${outcome.step}`)
  shown?.toggleAttribute('open', true)
  shown?.scrollIntoView({ block: 'start' })
  shown?.querySelector<HTMLElement>('summary, h3')?.focus({ preventScroll: true })
}

/** Shows a request that is on its way, until the next {@link show}. */
export function showMoving(title: string, to: Sent['to']): void {
  const sequence = at('#sequence')
  sequence?.append(
    element(
      'li',
      { class: 'hop hop-moving' },
      element(
        'span',
        { class: 'hop-act' },
        element(
          'span',
          { class: `hop-arrow hop-to-${to}` },
          element('span', { class: 'hop-label' }, title),
        ),
      ),
    ),
  )
  sequence?.scrollTo({ top: sequence.scrollHeight })
}

// An outcome never changes, so its view is kept, with what the person opened or closed.
const views = new WeakMap<Outcome, HTMLElement>()

function outcomeView(
  outcome: Outcome,
  { session, isLast }: { session: Session; isLast: boolean },
): HTMLElement {
  const known = views.get(outcome)
  const view = known ?? newView(outcome, session)
  views.set(outcome, view)
  if (known === undefined || !isLast) view.toggleAttribute('open', isLast)
  return view
}

function newView(outcome: Outcome, session: Session): HTMLElement {
  const { step, label, ok, said, sent, checks, error, why, idToken, draft, strayed } = outcome
  const code = codeOf(outcome)
  const look = strayed !== undefined ? 'strayed' : ok ? 'ok' : 'refused'
  return element(
    'details',
    { class: `outcome outcome-${look}`, 'data-outcome': step },
    element(
      'summary',
      {},
      element('strong', {}, verdictOf(outcome)),
      element('span', {}, label === '' ? 'as it should be' : label),
      ...(code === null ? [] : [element('code', {}, code)]),
    ),
    ...(strayed === undefined
      ? []
      : [element('p', { class: 'outcome-said' }, ...inlineCode(strayed))]),
    element('p', { class: 'outcome-said' }, ...inlineCode(said)),
    ...(why === null ? [] : [whyView(why, error)]),
    ...(draft === null ? [] : [copyView(draft, outcome, session)]),
    ...sent.map((one, index) => exchangeView(one, index === 0)),
    ...(idToken === null ? [] : [idTokenView(idToken)]),
    ...(checks.length === 0 ? [] : [checksView(checks)]),
  )
}

/** The verdict on a request, in a word or two. */
export const verdictOf = ({ ok, strayed }: Outcome): string =>
  strayed !== undefined ? 'Not this one' : ok ? 'Passed' : 'Refused'

const whyView = (
  { error, reason, advice, source, url }: NonNullable<Outcome['why']>,
  received: string | null,
): HTMLElement =>
  element(
    'div',
    { class: 'why' },
    element(
      'p',
      {},
      'The client receives ',
      element('code', {}, received ?? error),
      '. The log of the school says ',
      element(
        'a',
        { href: url, target: '_blank', rel: 'noopener noreferrer' },
        element('code', {}, reason),
      ),
      ' (',
      sourceView(source),
      ').',
    ),
    element('p', {}, ...inlineCode(advice)),
  )

/** Shows a section of an RFC as a link, and another source as text. */
function sourceView(source: string): Node | string {
  const [, number, section] = /^RFC (\d+) §([\d.]+)$/.exec(source) ?? []
  if (number === undefined || section === undefined) return source
  return element('a', { href: rfc(Number(number), section).href, rel: 'noreferrer' }, source)
}

const inlineCode = (text: string): readonly (Node | string)[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part))

const idTokenView = ({ header, claims }: NonNullable<Outcome['idToken']>): HTMLElement =>
  element(
    'details',
    { class: 'exchange', open: '' },
    element('summary', {}, element('code', {}, 'id_token'), 'decoded'),
    element(
      'div',
      { class: 'exchange-panes' },
      pane('Header', pretty(header)),
      pane('Claims', `${pretty(claims)}\n\n${datesOf(claims)}`),
    ),
  )

/** Dates of the claims in words. */
const datesOf = (claims: unknown): string =>
  Object.entries(claims as Record<string, unknown>)
    .flatMap(([name, value]) =>
      ['iat', 'exp', 'auth_time'].includes(name) && typeof value === 'number'
        ? [`${name}: ${new Date(value * 1000).toISOString()}`]
        : [],
    )
    .join('\n')

function copyView(draft: Draft, { step }: Outcome, session: Session): HTMLElement {
  const { target, track, values } = session
  const link = (): string =>
    location.origin + location.pathname + fragmentOf({ target, track, step, draft }, values)
  const copies: readonly (readonly [string, () => string])[] = [
    ['Copy as curl', () => curlOf(draft, values)],
    ['Copy as TypeScript', () => typescriptOf(draft, values)],
    ['Copy link', link],
  ]
  return element(
    'p',
    { class: 'copies' },
    ...copies.map(([label, text]) => copyButton(label, text)),
  )
}

function copyButton(label: string, text: () => string): HTMLElement {
  const button = element(
    'button',
    { class: 'button button-plain button-small', type: 'button' },
    label,
  )
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(text()).then(
      () =>
        announce(
          `Copied. ${label === 'Copy link' ? 'It' : 'Secrets are variables: it'} contains no secret.`,
        ),
      () => complain('The browser did not allow copying.'),
    )
    button.textContent = `${label} ✓`
  })
  return button
}

/** Shows the challenge of the verifier that the person typed. */
export function showChallenge(challenge: string): void {
  at('#challenge-made')?.replaceChildren(`code_challenge=${challenge}`)
}

/** Shows for how long the code can be exchanged. Returns whether it still can. */
export function showCodeAge(secondsLeft: number): boolean {
  const place = at('#code-age')
  place?.replaceChildren(
    secondsLeft > 0
      ? `The code can be exchanged for ${secondsLeft} more seconds.`
      : 'The code has expired.',
  )
  place?.toggleAttribute('data-late', secondsLeft <= 10)
  return secondsLeft > 0
}
