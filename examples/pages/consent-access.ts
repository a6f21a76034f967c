import type { ConsentScope, ConsentView, GrantEnd } from 'hallpass/authorization-server'
import { radioCard } from './form-parts.js'
import { type Html, html, type HtmlValue } from './html.js'
import type { Site } from './layout.js'
import { notice } from './parts.js'
import { inEnglish, type ScopeRowParts } from './scope-list.js'
import { momentInWords, spanInWords } from './wording.js'
import { languageOf, wordsOf } from './words/languages.js'
import type { Words } from './words/words.js'

/** The school of a consent page, and what the page asks. */
interface Asked {
  readonly site: Site
  readonly view: ConsentView
}

/** Renders what accompanies a scope: badges if it is new or has no effect, and a checkbox to choose it. */
export function scopeMarks({ site, view }: Asked): (scope: ConsentScope) => ScopeRowParts {
  const words = wordsOf(site).consent
  return ({ access, beyondRole, alreadyGranted }) => ({
    tick:
      view.mayNarrow && access !== 'identity' ? { checked: view.notice !== 'nothing_left' } : null,
    idle: beyondRole,
    marks: html`${hasOld(view) && oldOrNew(alreadyGranted, words)}
    ${beyondRole && html`<span class="badge">${words.notInRole}</span>`}`,
    note: beyondRole && html`<p class="quiet">${words.notInRoleWhy}</p>`,
  })
}

// At the first consent every scope is new, so badges would not distinguish any of them.
const hasOld = ({ scopes }: ConsentView): boolean =>
  scopes.some(({ alreadyGranted }) => alreadyGranted)

const oldOrNew = (alreadyGranted: boolean, { alreadyAllowed, isNew }: Words['consent']): Html =>
  alreadyGranted
    ? html`<span class="badge badge-old">${alreadyAllowed}</span>`
    : html`<span class="badge badge-new">${isNew}</span>`

/** Asks how long to allow it. Without a choice, access lasts until the person disconnects the app. */
export function endChoice({ site, view, timeZone }: Asked & { timeZone: string }): Html {
  const language = languageOf(site)
  const words = language.words.consent
  return html`<fieldset class="group access">
    <legend>${words.howLong}</legend>
    ${radioCard({
      name: 'until',
      value: '',
      checked: true,
      label: words.untilDisconnected,
      text: words.atMost(spanInWords(view.grantLifetimeSeconds, language)),
    })}
    ${view.grantEnds.map((end) =>
      radioCard({
        name: 'until',
        value: end.id,
        checked: false,
        label: endLabel({ end, timeZone, locale: language.locale, ends: words.ends }),
        text: words.thenStops,
      }),
    )}
  </fieldset>`
}

function endLabel({
  end: { id, label, endsAt },
  timeZone,
  locale,
  ends,
}: {
  end: GrantEnd
  timeZone: string
  locale: string
  ends: Words['consent']['ends']
}): HtmlValue {
  if (ends === null) return label
  return Object.hasOwn(ends, id)
    ? ends[id]!(momentInWords({ at: endsAt, timeZone, locale }))
    : inEnglish(label)
}

/** Asks how much to allow. Identity scopes are always included, so only the other scopes can be chosen. */
export function accessChoice({ site, view: { scopes, notice: refused } }: Asked): Html {
  const words = wordsOf(site).consent
  const beyond = scopes.filter(({ access }) => access !== 'identity')
  const canRead = beyond.some(({ access }) => access === 'read')
  const drops = beyond.some(({ access }) => access === 'write')
  const choosing = refused === 'nothing_left'
  return html`<fieldset class="group access">
    <legend>${words.howMuch}</legend>
    ${radioCard({
      name: 'access',
      value: 'all',
      checked: !choosing,
      label: words.everything,
      text: words.everythingMeans,
    })}
    ${
      canRead &&
      drops &&
      radioCard({
        name: 'access',
        value: 'read',
        checked: false,
        label: words.readOnly,
        text: words.readOnlyMeans,
      })
    }
    ${radioCard({
      name: 'access',
      value: 'choose',
      checked: choosing,
      label: words.choose,
      text: words.chooseMeans,
    })}
  </fieldset>`
}

/** Explains why the page is shown again. */
export const nothingLeft = (site: Site): Html =>
  notice('error', html`<p>${wordsOf(site).consent.nothingLeft}</p>`)
