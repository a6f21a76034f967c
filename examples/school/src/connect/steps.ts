import type { Attempt, AttemptExplanation, AttemptStep, AttemptTurn } from 'hallpass/clients'
import { attemptSentence } from '../../../pages/applications/attempt-parts.js'
import { type Html, html } from '../../../pages/html.js'
import { foreign } from '../../../pages/layout.js'
import { notice } from '../../../pages/parts.js'
import { english } from '../../../pages/words/en.js'
import { urlOf } from '../applications/attempts.js'
import type { ConnectClient } from './clients.js'
import type { Watch } from './watches.js'

/** The documentation of hallpass: `homepage` of its package.json. */
export const HOMEPAGE = 'https://hallpass.example/'

/** How far a visitor's client is. */
export type LiveState = 'ready' | 'waiting' | 'moving' | 'connected' | 'refused' | 'late'

/** The content of the box of a visitor. */
export interface LiveView {
  readonly client: ConnectClient
  /** Whether the visitor has copied the line. */
  readonly waits: boolean
  readonly watch: Watch
  /** The newest attempt; `null` before there is one. */
  readonly found: { readonly attempt: Attempt; readonly explanation: AttemptExplanation } | null
  /** Epoch seconds. */
  readonly now: number
}

const WORDS = english.words.applications.attempt
const TURNS: Readonly<Record<AttemptTurn, string>> = {
  ...WORDS.turns,
  person: 'Yours',
  manager: 'A manager of the school: here that is you, signed in as its owner',
}

/** After how many seconds without anything the page says what to check, and after how many it stops to look. */
const QUIET_SECONDS = 60
const LATE_SECONDS = 600
/** After how many seconds the page stops to look once an attempt has ended. */
const ENDED_SECONDS = 300
const CALLED_SECONDS = 30

/** Returns how far a visitor's client is. */
export function stateOf({ waits, watch, found, now }: LiveView): LiveState {
  if (found?.explanation.outcome === 'connected') return 'connected'
  if (found?.explanation.outcome === 'stopped') return 'refused'
  const since = Math.max(watch.since, watch.changedAt ?? 0)
  if (now - since >= LATE_SECONDS) return 'late'
  if (found !== null || watch.asked || watch.discovered) return 'moving'
  return waits ? 'waiting' : 'ready'
}

/** Returns after how many seconds the page asks again; `null` if it has no reason to. */
export function pauseOf(view: LiveView): number | null {
  const { watch, found, now } = view
  const quiet = now - Math.max(watch.since, watch.changedAt ?? 0)
  switch (stateOf(view)) {
    case 'late':
      return null
    case 'connected':
      return quiet > (found!.explanation.stage === 'first_call' ? CALLED_SECONDS : ENDED_SECONDS)
        ? null
        : 2
    case 'refused':
      return quiet > ENDED_SECONDS ? null : 3
    default:
      return quiet < QUIET_SECONDS ? 1 : quiet < 3 * QUIET_SECONDS ? 2 : 5
  }
}

/** Renders the box with the steps. */
export function liveBox(view: LiveView): Html {
  const state = stateOf(view)
  const steps = stepsOf(view)
  return html`<section
    class="live"
    id="live"
    aria-labelledby="live-title"
    data-state="${state}"
    data-pause="${pauseOf(view)}"
  >
    <h2 id="live-title">${titleOf(view, state)}</h2>
    ${
      steps.length > 0 &&
      html`<ol class="live-steps">
        ${steps}
      </ol>`
    }
    ${below(view, state)}
  </section>`
}

const nameOf = ({ found, client }: LiveView): Html => {
  const { clientName = null, clientId = null } = found?.attempt ?? {}
  const name = clientName ?? (client.id === 'other' ? clientId : null)
  return name === null
    ? html`${client.id === 'other' ? 'Your client' : client.name}`
    : foreign(name)
}

function titleOf(view: LiveView, state: LiveState): Html {
  switch (state) {
    case 'ready':
      return html`Then watch it here`
    case 'waiting':
      return html`Waiting for your client${'\u00a0'}…`
    case 'moving':
      return html`${nameOf(view)} is connecting${'\u00a0'}…`
    case 'connected':
      return html`${nameOf(view)} is connected`
    case 'refused':
      return html`${nameOf(view)} did not connect`
    default:
      return html`Nothing came for ten minutes`
  }
}

/** A step in the list: done, under way, or failed. */
const item = (look: 'done' | 'now' | 'failed', text: Html): Html =>
  html`<li class="live-step" data-look="${look}">
    <span class="unseen">${{ done: 'Done: ', now: 'Now: ', failed: 'Failed: ' }[look]}</span>${text}
  </li>`

/** Steps of one second are in the order of their stages: the recorder may learn of them in another one. */
const ORDER = [
  'discovery',
  'registration',
  'document',
  'authorize',
  'sign_in',
  'consent',
  'code',
  'token',
  'first_call',
] satisfies readonly AttemptStep['stage'][]

function stepsOf({ watch, found }: LiveView): readonly Html[] {
  const steps = (found?.attempt.steps ?? []).toSorted(
    (one, other) => one.at - other.at || ORDER.indexOf(one.stage) - ORDER.indexOf(other.stage),
  )
  const known = steps.filter(({ stage }) => stage === 'discovery')
  const ahead = [
    watch.asked &&
      !known.some(({ detail }) => detail?.startsWith('401') === true) &&
      item('done', html`Called the school, and was asked to sign in`),
    watch.discovered &&
      !known.some(({ detail }) => detail?.startsWith('/') === true) &&
      item('done', html`Read the metadata`),
  ].filter((one) => one !== false)
  const all = steps.map((step) => [step, stepView(step, found!.attempt)] as const)
  // A client reads several documents, and a page is loaded again: each is said once.
  const said = new Set<string>()
  const shown = all.filter(([{ ok }, text]) => {
    const key = `${ok} ${text.toString()}`
    return !said.has(key) && said.add(key)
  })
  const waits =
    found?.explanation.outcome === 'waiting' ? WAITS[found.explanation.stage] : undefined
  return [
    ...ahead,
    ...shown.map(([{ ok }, text]) => item(ok ? 'done' : 'failed', text)),
    ...(waits === undefined ? [] : [item('now', html`${waits}`)]),
  ]
}

/** The next step after a stage that succeeded. */
const WAITS: Readonly<Partial<Record<AttemptStep['stage'], string>>> = {
  discovery: 'It registers, or opens the browser',
  registration: 'It opens the browser',
  document: 'It opens the browser',
  authorize: 'The browser follows the redirect',
  sign_in: 'You: sign in',
  consent: 'You: allow it, or cancel',
  code: 'It exchanges the code',
}

function stepView({ stage, ok, error, reason, detail }: AttemptStep, { scopes }: Attempt): Html {
  if (!ok)
    return html`${WORDS.failures[stage]}
    ${reason !== null && html`<code>${error === null ? reason : `${error} / ${reason}`}</code>`}`
  switch (stage) {
    case 'discovery':
      return detail?.startsWith('401') === true
        ? html`Called the school, and was asked to sign in`
        : html`Read the metadata`
    case 'registration':
      return html`Registered`
    case 'document':
      return html`The school read its document`
    case 'authorize':
      return html`Asks for ${scopesInWords(scopes)}`
    case 'sign_in':
      return html`Opened the sign-in page`
    case 'consent':
      return html`Asked you for its permissions`
    case 'code':
      return html`You pressed Allow`
    case 'token':
      return html`Exchanged the code for tokens`
    default:
      return html`Called the school with its token`
  }
}

const MOST_SCOPES = 3

function scopesInWords(scopes: readonly string[]): Html {
  if (scopes.length === 0) return html`access`
  const first = scopes.slice(0, MOST_SCOPES)
  const more = scopes.length - first.length
  return html`${first.map((scope, index) => html`${index > 0 && ', '}<code>${scope}</code>`)}${
    more > 0 && html` and ${more} more`
  }`
}

const guide = html`<a href="${HOMEPAGE}do/client-cannot-connect.html">A client cannot connect</a>`

function below(view: LiveView, state: LiveState): Html | null {
  const { client, found, watch, now } = view
  switch (state) {
    case 'ready':
      return html`<p>
          As soon as you have copied the line, this page waits for your client, and shows each step
          of its way in as it comes.
        </p>
        <form method="get" action="/connect">
          <input type="hidden" name="with" value="${client.id}" />
          <input type="hidden" name="run" value="1" />
          <button class="button button-plain button-small" type="submit">I have run it</button>
        </form>`
    case 'waiting':
      return now - watch.since < QUIET_SECONDS
        ? html`<p>Run the lines now. This page looks for your client every few seconds.</p>`
        : checks(client)
    case 'moving':
      return null
    case 'late':
      return html`${checks(client)}
        <p><a class="button button-plain button-small" href="${anewOf(client)}">Look again</a></p>`
    case 'connected':
      return notice(
        'done',
        html`<p>
            <strong>It works.</strong>
            ${
              found!.explanation.stage === 'first_call'
                ? 'Your client has called the school with its token.'
                : 'Its first call will appear here.'
            }
          </p>
          <p>
            Ask it “Which courses does this school have?”, or end its access at
            <a href="/oauth/authorized_applications">Connected apps</a>.
          </p>`,
      )
    default:
      return refusal(view)
  }
}

const checks = (client: ConnectClient): Html =>
  html`<p>Nothing has come yet. Please check:</p>
    <ul class="dashes">
      <li>Did you run all lines, in a terminal on a computer that reaches this address?</li>
      <li>
        Does your client know the server?
        ${client.id === 'other' ? html`See ${client.check}.` : html`<code>${client.check}</code> shows it.`}
      </li>
      <li>Was an older server of the same name there before? Remove it, then add it again.</li>
      <li>${guide} has the causes, by what you see.</li>
    </ul>`

function refusal({ client, found }: LiveView): Html {
  const { attempt, explanation } = found!
  const { sentence, change, turn, reason } = explanation
  const failed = attempt.steps.findLast((step) => !step.ok && step.reason === reason)
  const url = failed && urlOf(failed)
  return notice(
    'error',
    html`<p>${attemptSentence(sentence, attempt.clientName ?? attempt.clientId, english)}</p>
      ${change !== null && html`<p><strong>${WORDS.change}</strong> ${attemptSentence(change, null, english)}</p>`}
      ${turn !== 'nobody' && html`<p><strong>${WORDS.turn}</strong> ${TURNS[turn]}.</p>`}
      <p>
        ${url !== undefined && html`<a href="${url}">${reason}</a> · `}
        <a href="${anewOf(client)}">Watch another attempt</a>
      </p>`,
  )
}

/** Forgets what was seen, and leads to {@link pathOf}. */
const anewOf = ({ id }: ConnectClient): string => `/connect?with=${id}&again=1`

/** The page, for a client that is waited for. */
export const pathOf = ({ id }: ConnectClient): string => `/connect?with=${id}&wait=1`
