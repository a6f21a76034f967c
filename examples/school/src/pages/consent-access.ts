import type { ConsentScope, ConsentView } from 'hallpass/authorization-server'
import { radioCard } from './form-parts.js'
import { type Html, html } from './html.js'
import { notice } from './parts.js'
import type { ScopeRowParts } from './scope-list.js'
import { spanInWords } from './wording.js'

/** Renders what accompanies a scope: badges if it is new or has no effect, and a checkbox to choose it. */
export const scopeMarks =
  (view: ConsentView) =>
  ({ access, beyondRole, alreadyGranted }: ConsentScope): ScopeRowParts => ({
    tick:
      view.mayNarrow && access !== 'identity' ? { checked: view.notice !== 'nothing_left' } : null,
    idle: beyondRole,
    marks: html`${hasOld(view) && oldOrNew(alreadyGranted)}
    ${beyondRole && html`<span class="badge">Not in your role</span>`}`,
    note:
      beyondRole &&
      html`<p class="quiet">
        The app asks for this, but your role doesn’t include it, so it has no effect.
      </p>`,
  })

// At the first consent every scope is new, so badges would not distinguish any of them.
const hasOld = ({ scopes }: ConsentView): boolean =>
  scopes.some(({ alreadyGranted }) => alreadyGranted)

const oldOrNew = (alreadyGranted: boolean): Html =>
  alreadyGranted
    ? html`<span class="badge badge-old">Already allowed</span>`
    : html`<span class="badge badge-new">New</span>`

/** Asks how long to allow it. Without a choice, access lasts until the person disconnects the app. */
export const endChoice = ({ grantEnds, grantLifetimeSeconds }: ConsentView): Html =>
  html`<fieldset class="group access">
    <legend>How long do you want to allow it?</legend>
    ${radioCard({
      name: 'until',
      value: '',
      checked: true,
      label: 'Until I disconnect it',
      text: `At most ${spanInWords(grantLifetimeSeconds)}.`,
    })}
    ${grantEnds.map(({ id, label }) =>
      radioCard({
        name: 'until',
        value: id,
        checked: false,
        label,
        text: 'Then it stops working by itself, and has to ask again.',
      }),
    )}
  </fieldset>`

/** Asks how much to allow. Identity scopes are always included, so only the other scopes can be chosen. */
export function accessChoice({ scopes, notice: refused }: ConsentView): Html {
  const beyond = scopes.filter(({ access }) => access !== 'identity')
  const canRead = beyond.some(({ access }) => access === 'read')
  const drops = beyond.some(({ access }) => access === 'write')
  const choosing = refused === 'nothing_left'
  return html`<fieldset class="group access">
    <legend>How much do you want to allow?</legend>
    ${radioCard({
      name: 'access',
      value: 'all',
      checked: !choosing,
      label: 'Everything it asks for',
      text: 'All the access listed below.',
    })}
    ${
      canRead &&
      drops &&
      radioCard({
        name: 'access',
        value: 'read',
        checked: false,
        label: 'Read only',
        text: 'It can see things, but not change them.',
      })
    }
    ${radioCard({
      name: 'access',
      value: 'choose',
      checked: choosing,
      label: 'Let me choose',
      text: 'Tick what it can do. It always learns who you are.',
    })}
  </fieldset>`
}

/** Explains why the page is shown again. */
export const nothingLeft = (): Html =>
  notice(
    'error',
    html`<p>
      <strong>There’s nothing left to allow.</strong> Tick at least one thing below, or choose
      Cancel.
    </p>`,
  )
