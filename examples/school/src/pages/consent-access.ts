import type { ConsentScope, ConsentView } from 'hallpass/authorization-server'
import { radioCard } from './form-parts.js'
import { type Html, html } from './html.js'
import { notice } from './parts.js'
import type { ScopeRowParts } from './scope-list.js'

/** What stands beside a scope: marks for what is new or without effect, and a box for choosing. */
export const scopeMarks =
  (view: ConsentView) =>
  ({ access, beyondRole, alreadyGranted }: ConsentScope): ScopeRowParts => ({
    tick:
      view.mayNarrow && access !== 'identity' ? { checked: view.notice !== 'nothing_left' } : null,
    idle: beyondRole,
    marks: html`${hasOld(view) && oldOrNew(alreadyGranted)}
    ${beyondRole && html`<span class="badge">Not with your role</span>`}`,
    note:
      beyondRole &&
      html`<p class="quiet">
        It asks for this, but your role does not include it, so it has no effect.
      </p>`,
  })

// The first time everything is new, and a mark on every line would mark nothing.
const hasOld = ({ scopes }: ConsentView): boolean =>
  scopes.some(({ alreadyGranted }) => alreadyGranted)

const oldOrNew = (alreadyGranted: boolean): Html =>
  alreadyGranted
    ? html`<span class="badge badge-old">Already allowed</span>`
    : html`<span class="badge badge-new">New</span>`

/** How much to allow. Identity always stays, so only what lies beyond it is up for choice. */
export function accessChoice({ scopes, notice: refused }: ConsentView): Html {
  const beyond = scopes.filter(({ access }) => access !== 'identity')
  const canRead = beyond.some(({ access }) => access === 'read')
  const drops = beyond.some(({ access }) => access === 'write')
  const choosing = refused === 'nothing_left'
  return html`<fieldset class="group access">
    <legend>How much do you allow?</legend>
    ${radioCard({
      name: 'access',
      value: 'all',
      checked: !choosing,
      label: 'Everything it asks for',
      text: 'All that is listed here.',
    })}
    ${
      canRead &&
      drops &&
      radioCard({
        name: 'access',
        value: 'read',
        checked: false,
        label: 'Read only',
        text: 'It can look, but change nothing.',
      })
    }
    ${radioCard({
      name: 'access',
      value: 'choose',
      checked: choosing,
      label: 'Let me choose',
      text: 'Tick what it may do. Who you are always goes with it.',
    })}
  </fieldset>`
}

/** Why the page is shown again. */
export const nothingLeft = (): Html =>
  notice(
    'error',
    html`<p>
      <strong>Nothing is left to allow.</strong> Tick at least one thing below, or choose Cancel.
    </p>`,
  )
