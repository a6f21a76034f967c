import {
  PRESETS,
  type Preset,
  STEPS,
  type StepId,
  type Track,
} from '../school/src/playground/presets.js'
import { challengeOf, nowSeconds } from '../walk/proof.js'
import { type Draft, draftOf, edited } from './draft.js'
import { editorOf } from './editor.js'
import { answered, trying, withKnownClient } from './flow.js'
import { isAddress, linkedOf } from './link.js'
import { Untrusted } from './send.js'
import { keptToReturn, keptToShow, newSession, type Session } from './session.js'
import {
  announce,
  complain,
  nextStep,
  show,
  showChallenge,
  showCodeAge,
  showMissing,
  showMoving,
} from './view.js'

const root = document.querySelector<HTMLElement>('#playground')!
const AROUND = {
  schools: (root.dataset['schools'] ?? '').split(' '),
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

function asItShouldBe(step: StepId, { isAgent = session.track === 'mcp' } = {}): Draft {
  const hasDocument = session.values['client_id'] === AROUND.document
  const draft = draftOf(step, { hasDocument, isAgent })
  const isBound = session.metadata === null || session.values['resource'] !== undefined
  return isBound ? draft : edited(draft, { set: { resource: null } })
}
const draftFor = (step: StepId): Draft => prepared[step]?.draft ?? asItShouldBe(step)

const inStep = (step: StepId, selector: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`#step-${step} ${selector}`)

function showAll(): void {
  show(
    session,
    Object.fromEntries(STEPS.map((step) => [step, draftFor(step)])) as Record<StepId, Draft>,
  )
}

/** Shows the editor of a step. */
function showEditor(step: StepId): void {
  const draft = draftFor(step)
  inStep(step, '.draft')?.replaceChildren(
    editorOf(step, draft, {
      before: asItShouldBe(step),
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
  const { step, edit } = preset
  prepared[step] = { draft: edited(asItShouldBe(step, { isAgent: false }), edit), preset }
  showEditor(step)
  const editor = inStep(step, '.draft-edit')
  editor?.toggleAttribute('open', true)
  inStep(step, '.breaks')?.toggleAttribute('open', false)
  editor?.scrollIntoView({ block: 'nearest' })
  announce(`The request is changed: ${preset.label}.`)
}

function reset(step: StepId): void {
  delete prepared[step]
  showEditor(step)
}

async function send(step: StepId, { isPlain = false } = {}): Promise<void> {
  if (isBusy) return
  if (isPlain) reset(step)
  const draft = draftFor(step)
  const own = prepared[step]
  if (step === 'register' && own === undefined && isKnownClient()) return knownClient()
  if (!showMissing(step, draft, session)) {
    announce(inStep(step, '.draft-missing')?.textContent ?? '')
    return
  }
  isBusy = true
  complain(null)
  root.toggleAttribute('data-busy', true)
  announce('Sending the request.')
  showMoving(`${draft.method} …`, step === 'use')
  try {
    const label = own?.preset?.label ?? (own === undefined ? '' : 'edited')
    const answer = own?.preset?.edit.answer ?? {}
    const tried = await trying(session, { step, label, draft, answer }, AROUND)
    session = tried.session
    if (tried.leaveTo !== null) return leave(tried.leaveTo)
    after(step)
  } catch (fault) {
    complain(saidOf(fault) + (step === 'register' ? OWN_CLIENT : ''))
    showAll()
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

const isKnownClient = (): boolean =>
  session.track === 'member' && session.values['client_id'] === AROUND.memberClient

function knownClient(): void {
  session = withKnownClient(
    session,
    AROUND.memberClient,
    'This client needs no registration: a manager of the school created it, with the scopes that it may ask for.',
  )
  after('register')
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
  watchCode()
  for (const other of STEPS) if (prepared[other] === undefined) showEditor(other)
  const outcome = session.outcomes.at(-1)
  if (outcome === undefined) return
  announce(`${outcome.ok ? 'Passed' : 'Refused'}. ${outcome.said}`)
  const isFirst = session.outcomes.filter((one) => one.step === step).length === 1
  if (isFirst) inStep(step, 'h3')?.scrollIntoView({ block: 'start' })
  else inStep(step, '.outcome:last-child')?.scrollIntoView({ block: 'nearest' })
}

function leave(url: string): void {
  sessionStorage.setItem(KEPT, JSON.stringify({ session: keptToReturn(session), prepared }))
  location.assign(url)
}

const keepShown = (): void => sessionStorage.setItem(SHOWN, JSON.stringify(keptToShow(session)))

/** Counts down for how long the code can be exchanged. */
function watchCode(): void {
  clearInterval(timer)
  const { codeArrivedAt } = session
  document.querySelector('#code-age')?.toggleAttribute('hidden', codeArrivedAt === null)
  if (codeArrivedAt === null) return
  const tick = (): void => {
    if (!showCodeAge(codeArrivedAt + CODE_SECONDS - nowSeconds())) clearInterval(timer)
  }
  tick()
  timer = setInterval(tick, 1000)
}
let timer: ReturnType<typeof setInterval> | undefined

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
  const left = JSON.parse(kept) as { session: Session; prepared: typeof prepared }
  ;({ prepared } = left)
  session = await answered(left.session, response, AROUND)
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
  const title = linked.step === null ? '' : inStep(linked.step, 'h3')?.textContent
  const notice = document.querySelector('#playground-link')
  notice?.toggleAttribute('hidden', false)
  notice?.firstElementChild?.replaceChildren(
    `This link is about ${linked.target}${title === '' ? '' : `, and has a request prepared for the step “${title}”`}. Nothing has been sent. Go through the steps before it.`,
  )
  return true
}

function startOver(target: string, track: Track): void {
  const { access_token: token, issuer } = session.values
  session = newSession(target, track, REDIRECT_URI)
  if (token !== undefined && issuer !== session.values['issuer'])
    session = { ...session, values: { ...session.values, other_token: token } }
  prepared = {}
  watchCode()
  sessionStorage.removeItem(SHOWN)
  history.replaceState(null, '', location.pathname)
  document.querySelector('#playground-link')?.toggleAttribute('hidden', true)
  complain(null)
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
    inStep(step, '[data-send]')?.addEventListener('click', () => void send(step))
    inStep(step, '[data-reset]')?.addEventListener('click', () => reset(step))
  }
  for (const button of document.querySelectorAll<HTMLElement>('[data-preset]')) {
    const preset = PRESETS.find(({ id }) => id === button.dataset['preset'])
    if (preset === undefined) continue
    button.addEventListener('click', () => {
      choose(preset)
      void send(preset.step)
    })
  }
  document.querySelector('#use-client-id')?.addEventListener('click', ownClient)
  document.querySelector('#next')?.addEventListener('click', () => {
    const step = nextStep(session)
    if (step === null) startOver(session.target, session.track)
    else void send(step, { isPlain: (prepared[step]?.preset ?? null) !== null })
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
    if (prepared[step] !== undefined) inStep(step, '.draft-edit')?.toggleAttribute('open', true)
  watchCode()
}

async function start(): Promise<void> {
  const hasReturned = await resume()
  if (!hasReturned && !openLink()) showAgain()
  for (const shown of root.querySelectorAll('[data-scripted]')) shown.removeAttribute('hidden')
  listen()
  begin()
  if (hasReturned) after('authorize')
}

// Without a secure context the browser has no SHA-256 for the challenge.
if (isSecureContext) await start()
else
  complain('The playground needs https, or an address on this computer such as http://127.0.0.1.')
