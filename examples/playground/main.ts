import { type Preset, STEPS, type StepId, type Track } from '../school/src/playground/presets.js'
import { challengeOf, nowSeconds } from '../walk/proof.js'
import type { Draft } from './draft.js'
import { editorOf } from './editor.js'
import { answered, trying, withKnownClient } from './flow.js'
import { type Goal, judged, meet, presetOf, unmetFor } from './goal.js'
import { fragmentOf, isAddress, type Linked, linkedOf } from './link.js'
import { Untrusted } from './send.js'
import { keptToReturn, keptToShow, movedTo, newSession, type Session } from './session.js'
import { asItShouldBe, draftOfPreset, type School, type Situation } from './unmet.js'
import {
  announce,
  complain,
  nextStep,
  show,
  showBreaks,
  showChallenge,
  showCodeAge,
  showMissing,
  showMoving,
  verdictOf,
} from './view.js'

const root = document.querySelector<HTMLElement>('#playground')!
const SCHOOLS = JSON.parse(root.dataset['schools'] ?? '[]') as readonly School[]
const AROUND = {
  schools: SCHOOLS.map(({ origin }) => origin),
  document: root.dataset['document'] ?? null,
  memberClient: root.dataset['member'] ?? '',
}
const REDIRECT_URI = location.origin + location.pathname
/** A code of this demo lives that long. Other servers may differ. */
const CODE_SECONDS = 60

// For the time at the authorization endpoint: no token, but the verifier, and what the person prepared.
const KEPT = 'playground'
// Results to show when the page is loaded again. Nothing in them is secret.
const SHOWN = 'playground-shown'

let session: Session = newSession(location.origin, 'operator', REDIRECT_URI)
/** A request that the person prepared. */
interface Prepared {
  readonly draft: Draft
  /** The preset that it is, unless it was edited. */
  readonly preset: Preset | null
}

let prepared: Partial<Record<StepId, Prepared>> = {}
let isBusy = false

/** `null` unless the person asked for one. It waits while the browser is at the authorization endpoint. */
let goal: Goal | null = null

const situation = (): Situation => ({
  session,
  schools: SCHOOLS,
  document: AROUND.document,
  now: nowSeconds(),
})
const draftFor = (step: StepId): Draft => prepared[step]?.draft ?? asItShouldBe(step, situation())

const inStep = (step: StepId, selector: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`#step-${step} ${selector}`)

function showAll(): void {
  show(
    session,
    Object.fromEntries(STEPS.map((step) => [step, draftFor(step)])) as Record<StepId, Draft>,
  )
  showTimes()
}

/** Shows what changes with time: for how long the code can be exchanged, and which presets are ready. */
function showTimes(): void {
  const { codeArrivedAt } = session
  document.querySelector('#code-age')?.toggleAttribute('hidden', codeArrivedAt === null)
  if (codeArrivedAt !== null) showCodeAge(codeArrivedAt + CODE_SECONDS - nowSeconds())
  const now = situation()
  showBreaks(
    (asked) => unmetFor(asked, now),
    (asked) => void pursue(asked),
  )
}

/** Meets what a request needs first, and then sends it if it is a preset. */
async function pursue(asked: Goal): Promise<void> {
  goal = asked
  const end = await meet(asked, {
    situation,
    send: async (step) => goal === asked && send(step, { isPlain: true }),
    startAt({ origin }) {
      startOver(origin, session.track)
      goal = asked
    },
    open: ({ origin }) => location.assign(linkTo(asked, origin)),
  })
  if (goal !== asked) return
  // `tick` continues.
  if (end === 'wait') return announce(`Waiting: it needs ${unmetFor(asked, situation())?.says}.`)
  // A browser that leaves takes it along: `tick` must not send the request again while the next page is slow.
  goal = null
  if (end === 'met' && 'preset' in asked) await sendPreset(presetOf(asked.preset)!)
}

/** The address of a school's own page, for what the person asked for here. */
function linkTo(asked: Goal, origin: string): string {
  const step = 'step' in asked ? asked.step : presetOf(asked.preset)!.step
  const linked = { target: origin, track: session.track, step, draft: null, ...asked }
  return `${origin}${location.pathname}${fragmentOf(linked, {})}`
}

async function sendPreset(preset: Preset): Promise<void> {
  choose(preset)
  await send(preset.step)
}

/** Shows the editor of a step. */
function showEditor(step: StepId): void {
  const draft = draftFor(step)
  inStep(step, '.draft')?.replaceChildren(
    editorOf(step, draft, {
      before: asItShouldBe(step, situation()),
      onChange(to) {
        prepared[step] = { draft: to, preset: null }
        showEditor(step)
      },
    }),
  )
  inStep(step, '[data-reset]')?.toggleAttribute('hidden', prepared[step] === undefined)
  showMissing(step, draft, session)
}

function choose(preset: Preset): void {
  const { step } = preset
  prepared[step] = { draft: draftOfPreset(preset, situation()), preset }
  showEditor(step)
  inStep(step, '.breaks')?.toggleAttribute('open', false)
  announce(`The request is changed: ${preset.label}.`)
}

function reset(step: StepId): void {
  delete prepared[step]
  showEditor(step)
}

/** Whether the prepared request of a step is a preset, which is sent once. */
const isOfPreset = (step: StepId): boolean => (prepared[step]?.preset ?? null) !== null

/** Sends the request of a step. Returns whether it succeeded, or `left` if the browser leaves with it. */
async function send(step: StepId, { isPlain = false } = {}): Promise<boolean | 'left'> {
  if (isBusy) return false
  if (isPlain) reset(step)
  const draft = draftFor(step)
  const own = prepared[step]
  if (!showMissing(step, draft, session)) {
    announce(inStep(step, '.draft-missing')?.textContent ?? '')
    return false
  }
  isBusy = true
  complain(null)
  root.toggleAttribute('data-busy', true)
  announce('Sending the request.')
  showMoving(`${draft.method} …`, step === 'use' ? 'api' : 'server')
  try {
    const label = own?.preset?.label ?? (own === undefined ? '' : 'edited')
    const answer = own?.preset?.edit.answer ?? {}
    const tried = await trying(session, { step, label, draft, answer }, AROUND)
    session = tried.session
    if (tried.leaveTo !== null) {
      leave(tried.leaveTo)
      return 'left'
    }
    session = judged(session, own?.preset ?? null, AROUND.schools)
    after(step)
    return session.outcomes.at(-1)?.ok === true
  } catch (fault) {
    complain(saidOf(fault) + (step === 'register' ? OWN_CLIENT : ''))
    showAll()
    return false
  } finally {
    isBusy = false
    root.toggleAttribute('data-busy', false)
  }
}

const OWN_CLIENT =
  ' If the server knows a client with the redirect URI of this page, enter its client_id below.'

function saidOf(fault: unknown): string {
  if (fault instanceof Untrusted)
    return `This request was not sent: it would ${fault.secret === null ? 'go' : `give {${fault.secret}}`} to ${fault.origin}, which the metadata of the server does not name.`
  const said = fault instanceof Error ? fault.message : ''
  if (said === 'unreadable')
    return 'The server responds, but lets no page of another origin read its metadata (CORS). So an app in a browser cannot use it; an app on a computer can.'
  if (said === 'unreachable') return 'Nothing responds at this address.'
  if (fault instanceof DOMException && fault.name === 'TimeoutError')
    return 'The server did not respond within 15 seconds.'
  return 'There was no response that this page may read. Either the server is not there, or it does not let pages of other origins send this request (CORS).'
}

/** Takes the client_id that the person got from the owner of the server. */
function ownClient(): void {
  const clientId = document.querySelector<HTMLInputElement>('#client-id')?.value.trim() ?? ''
  if (clientId === '') return
  session = withKnownClient(
    session,
    clientId,
    `This page is the client ${clientId}. The server has to know it with the redirect URI ${REDIRECT_URI}, and as a public client.`,
  )
  after('register')
}

/** Shows the result of a step. */
function after(step: StepId): void {
  keepShown()
  showAll()
  for (const other of STEPS) if (prepared[other] === undefined) showEditor(other)
  const outcome = session.outcomes.at(-1)
  if (outcome === undefined) return
  announce(`${verdictOf(outcome)}. ${outcome.strayed ?? ''} ${outcome.said}`)
  const isFirst = session.outcomes.filter((one) => one.step === step).length === 1
  if (isFirst) inStep(step, 'h3')?.scrollIntoView({ block: 'start' })
  else inStep(step, '.outcome:last-child')?.scrollIntoView({ block: 'start' })
}

function leave(url: string): void {
  sessionStorage.setItem(KEPT, JSON.stringify({ session: keptToReturn(session), prepared, goal }))
  location.assign(url)
}

const keepShown = (): void => sessionStorage.setItem(SHOWN, JSON.stringify(keptToShow(session)))

function tick(): void {
  showTimes()
  if (goal !== null && !isBusy && unmetFor(goal, situation())?.next !== 'wait') void pursue(goal)
}

/** Continues the session if the browser has returned from the authorization endpoint. */
async function resume(): Promise<boolean> {
  const kept = sessionStorage.getItem(KEPT)
  sessionStorage.removeItem(KEPT)
  const response = new URLSearchParams(location.search)
  if (response.size === 0) return false
  // A code in the address would remain in the browser history.
  history.replaceState(null, '', location.pathname)
  if (kept === null) {
    complain('This tab did not request this response, so the page does not look at it.')
    return false
  }
  const left = JSON.parse(kept) as {
    session: Session
    prepared: typeof prepared
    goal: Goal | null
  }
  ;({ prepared, goal } = left)
  const preset = prepared.authorize?.preset ?? null
  session = judged(await answered(left.session, response, AROUND), preset, AROUND.schools)
  // A person who did not allow it does not want the rest either.
  if (session.outcomes.at(-1)?.ok !== true) goal = null
  return true
}

function showAgain(): void {
  const shown = sessionStorage.getItem(SHOWN)
  if (shown === null) return
  session = JSON.parse(shown) as Session
  if (session.outcomes.some(({ step, ok }) => step === 'exchange' && ok))
    complain('This page was loaded again, without its tokens. Authorize again to continue.')
}

/** Opens a link: it names its server and its request, and sends nothing. */
function openLink(): boolean {
  const linked = linkedOf(location.hash)
  if (linked === null) return false
  session = newSession(linked.target, linked.track, REDIRECT_URI)
  prepared = {}
  if (linked.step !== null && linked.draft !== null)
    prepared[linked.step] = { draft: linked.draft, preset: null }
  const notice = document.querySelector('#playground-link')
  notice?.toggleAttribute('hidden', false)
  notice?.firstElementChild?.replaceChildren(
    `This link is about ${linked.target}${aboutOf(linked)}`,
  )
  return true
}

function aboutOf({ step, preset }: Linked): string {
  const label = presetOf(preset)?.label
  if (label !== undefined) return `, and about “${label}”. Nothing has been sent.`
  const title = step === null ? null : inStep(step, 'h3')?.textContent
  const prepared = title === null ? '' : `, and has a request prepared for the step “${title}”`
  return `${prepared}. Nothing has been sent. Go through the steps before it.`
}

function startOver(target: string, track: Track): void {
  session = movedTo(session, target, track)
  prepared = {}
  goal = null
  sessionStorage.removeItem(SHOWN)
  history.replaceState(null, '', location.pathname)
  document.querySelector('#playground-link')?.toggleAttribute('hidden', true)
  complain(null)
  showTarget()
  showAll()
  STEPS.forEach(showEditor)
  announce(`The server is ${target}. Nothing has been sent.`)
}

const form = document.querySelector<HTMLFormElement>('#target')!
const address = form.querySelector<HTMLInputElement>('input[name=server]')!

function showTarget(): void {
  address.value = session.target
  const track = form.querySelector<HTMLInputElement>(`input[name=track][value=${session.track}]`)
  if (track !== null) track.checked = true
}

function choseTarget(): void {
  const track = new FormData(form).get('track') as Track
  if (isAddress(address.value))
    return startOver(new URL(address.value).href.replace(/\/$/, ''), track)
  complain('Enter the address of a server: https, or http on this computer, without a query.')
}

function listen(): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    choseTarget()
  })
  for (const track of form.querySelectorAll('input[name=track]'))
    track.addEventListener('change', choseTarget)
  for (const step of STEPS) {
    inStep(step, '[data-send]')?.addEventListener('click', () => {
      goal = null
      void send(step, { isPlain: isOfPreset(step) })
    })
    inStep(step, '[data-reset]')?.addEventListener('click', () => reset(step))
  }
  for (const button of document.querySelectorAll<HTMLElement>('[data-preset]')) {
    const preset = presetOf(button.dataset['preset'])
    if (preset === undefined) continue
    button.addEventListener('click', () => {
      goal = null
      void sendPreset(preset)
    })
  }
  document.querySelector('#use-client-id')?.addEventListener('click', ownClient)
  document.querySelector('#next')?.addEventListener('click', () => {
    const step = nextStep(session)
    goal = null
    if (step === null) startOver(session.target, session.track)
    else void send(step, { isPlain: isOfPreset(step) })
  })
  const verifier = document.querySelector<HTMLInputElement>('#verifier')
  const made = async (): Promise<void> => showChallenge(await challengeOf(verifier?.value ?? ''))
  verifier?.addEventListener('input', () => void made())
  void made()
  addEventListener('hashchange', () => {
    if (openLink()) begin()
  })
}

function begin(): void {
  showTarget()
  showAll()
  STEPS.forEach(showEditor)
  for (const step of STEPS)
    if (prepared[step]?.preset === null) inStep(step, '.draft-edit')?.toggleAttribute('open', true)
  const linked = presetOf(linkedOf(location.hash)?.preset)
  if (linked !== undefined) {
    inStep(linked.step, '.breaks')?.toggleAttribute('open', true)
    const view = document.querySelector(`.break:not([hidden]) [data-preset='${linked.id}']`)
    view?.closest('.break')?.scrollIntoView({ block: 'center' })
  }
}

async function start(): Promise<void> {
  const hasReturned = await resume()
  if (!hasReturned && !openLink()) showAgain()
  listen()
  begin()
  if (hasReturned) after('authorize')
  if (goal !== null) void pursue(goal)
  setInterval(tick, 1000)
}

// Without a secure context the browser has no SHA-256 for the challenge.
if (isSecureContext) await start()
else {
  for (const shown of root.querySelectorAll('[data-scripted]')) shown.setAttribute('hidden', '')
  complain('The playground needs https, or an address on this computer such as http://127.0.0.1.')
}
