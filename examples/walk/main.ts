import { answered, ask, discover, register } from './begin.js'
import { exchange, refresh, revoke } from './tokens.js'
import { use } from './use.js'
import { actButtons, announce, complain, show } from './view.js'
import { type ActId, type Asked, isOpen, NEW_WALK, type Walk } from './walk.js'

// Used only while the browser is at the authorization endpoint. It never holds a token.
const KEPT = 'walk'

// Results to show when the page is loaded again. They contain no token, no code and no verifier.
const SHOWN = 'walk-shown'

let walk: Walk = NEW_WALK
let isBusy = false

const RUN: Readonly<Record<ActId, () => Promise<Walk>>> = {
  discover: () => discover(walk),
  register: () => register(walk, 'register'),
  'register.fixed': () => register(walk, 'register.fixed'),
  authorize: () => leave('authorize'),
  'authorize.scope': () => leave('authorize.scope'),
  'authorize.resource': () => leave('authorize.resource'),
  exchange: () => exchange(walk, 'exchange'),
  'exchange.verifier': () => exchange(walk, 'exchange.verifier'),
  'exchange.resource': () => exchange(walk, 'exchange.resource'),
  'exchange.replay': () => exchange(walk, 'exchange.replay'),
  use: () => use(walk),
  refresh: () => refresh(walk),
  revoke: () => revoke(walk),
}

async function leave(act: Asked['act']): Promise<Walk> {
  const left = await ask(walk, act)
  sessionStorage.setItem(KEPT, JSON.stringify(left.walk))
  location.assign(left.url)
  return left.walk
}

async function press(act: ActId): Promise<void> {
  if (isBusy || !isOpen(act, walk)) return
  isBusy = true
  complain(null)
  announce('Sending the request to the school.')
  try {
    walk = await RUN[act]()
    show(walk)
    keepShown()
    sayWhatCame(act)
    document.querySelector(`[data-outcome='${act}']`)?.scrollIntoView({ block: 'nearest' })
  } catch {
    complain('The school did not respond. Is it still running?')
  } finally {
    isBusy = false
  }
}

function sayWhatCame(act: ActId): void {
  const outcome = walk.outcomes.find((one) => one.act === act)
  if (outcome === undefined) return
  announce(`${outcome.ok ? 'Passed' : 'Refused'}. ${outcome.said}`)
}

/** Continues the walk if the browser has returned from the authorization endpoint. */
function resume(): void {
  const kept = sessionStorage.getItem(KEPT)
  sessionStorage.removeItem(KEPT)
  const answer = new URLSearchParams(location.search)
  if (!answer.has('state')) return showAgain()
  // A code in the address would remain in the browser history.
  history.replaceState(null, '', location.pathname)
  if (kept === null) {
    announce('This tab did not request this response.')
    return
  }
  walk = answered(JSON.parse(kept) as Walk, answer)
}

function keepShown(): void {
  const shown = { ...walk, asked: null, code: null, tokens: null, ended: null }
  sessionStorage.setItem(SHOWN, JSON.stringify(shown))
}

function showAgain(): void {
  const shown = sessionStorage.getItem(SHOWN)
  if (shown === null) return
  walk = JSON.parse(shown) as Walk
  if (walk.outcomes.some(({ act }) => act === 'exchange'))
    complain('This page was loaded again, without its tokens. Ask for access to continue.')
}

function begin(): void {
  resume()
  show(walk)
  if (walk.asked !== null) keepShown()
  for (const shown of document.querySelectorAll('#walk [hidden]:not(#walk-fault)'))
    shown.removeAttribute('hidden')
  for (const button of actButtons())
    button.addEventListener('click', () => void press(button.dataset['act'] as ActId))
  document.querySelector('#walk-again')?.addEventListener('click', startOver)
  if (walk.asked === null) return
  document.querySelector<HTMLElement>('#step-authorize h3')?.focus({ preventScroll: true })
  document.querySelector('#step-authorize')?.scrollIntoView({ block: 'start' })
  sayWhatCame(walk.asked.act)
}

function startOver(): void {
  walk = NEW_WALK
  sessionStorage.removeItem(SHOWN)
  complain(null)
  show(walk)
  announce('The walk starts again.')
  document.querySelector<HTMLElement>('#step-discover h3')?.focus()
}

// Without a secure context the browser has no SHA-256 for the challenge.
if (isSecureContext) begin()
else complain('The walk needs https, or an address on this computer such as http://127.0.0.1.')
