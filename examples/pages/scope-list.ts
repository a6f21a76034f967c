import type { SchoolScope, ScopeAccess } from 'hallpass/scope'
import type { ScopeWords } from './applications/views.js'
import { type Html, html, type HtmlValue } from './html.js'
import type { Site } from './layout.js'
import { english } from './words/en.js'
import { wordsOf } from './words/languages.js'
import type { Words } from './words/words.js'

/** The school whose scopes are shown, in the reader's language. */
type Reader = Pick<Site, 'name' | 'language'>

/** The parts of a row in a list of scopes, in addition to its text. */
export interface ScopeRowParts {
  /** A checkbox, sent in the field `scope`. `held`: the app has this scope now. */
  readonly tick?: {
    readonly checked: boolean
    readonly disabled?: boolean
    readonly held?: boolean
  } | null
  /** `false` hides the badge of scopes that make changes, because the heading already says so. Default: `true`. */
  readonly changes?: boolean
  /** Badges after the text. */
  readonly marks?: HtmlValue
  /** Shown below the text. */
  readonly note?: HtmlValue
  /** Whether the scope has no effect at the moment. Default: `false`. */
  readonly idle?: boolean
}

/** So many scopes that make changes stay open in a list that folds. */
const MOST_OPEN = 12

/**
 * Renders scopes under their group headings, in the given order.
 *
 * @param level - that of the headings. Default: 3.
 * @param fold - returns the line that opens the scopes of a group. Sensitive ones stay open, and so do those that make
 *   changes, unless they are many. Default: all are open.
 */
export const scopeGroups = <Scope extends ScopeWords>(
  scopes: readonly Scope[],
  partsOf: (scope: Scope) => ScopeRowParts = () => ({}),
  reader: Reader = AS_GIVEN,
  level: 2 | 3 = 3,
  fold: ((scopes: readonly Scope[]) => HtmlValue) | null = null,
): Html => {
  const areFew = scopes.filter(({ access }) => access === 'write').length <= MOST_OPEN
  const staysOpen = ({ sensitive, access }: Scope): boolean =>
    sensitive || (areFew && access === 'write')
  return html`${groupsOf(scopes).map(([name, members]) => {
    const others = members.filter((one) => !staysOpen(one))
    // A line in place of one scope would hide it for nothing.
    const folds = fold !== null && others.length > 1
    const open = folds ? members.filter(staysOpen) : members
    return html`<div class="scope-group">
      ${heading(level, groupName(name, wordsOf(reader)))}
      <div>
        ${open.length > 0 && scopeRows(open, partsOf, reader)}
        ${
          folds &&
          html`<details>
            <summary>${fold(others)}</summary>
            ${scopeRows(others, partsOf, reader)}
          </details>`
        }
      </div>
    </div>`
  })}`
}

const heading = (level: 2 | 3, name: HtmlValue): Html =>
  level === 2 ? html`<h2>${name}</h2>` : html`<h3>${name}</h3>`

/** Renders scopes as a list. */
export const scopeRows = <Scope extends ScopeWords>(
  scopes: readonly Scope[],
  partsOf: (scope: Scope) => ScopeRowParts = () => ({}),
  reader: Reader = AS_GIVEN,
): Html =>
  html`<ul class="scopes">
    ${scopes.map((scope) => scopeRow(scope, partsOf(scope), reader))}
  </ul>`

const AS_GIVEN: Reader = { name: '', language: english }

/** Marks text as English, the language of the scope table. */
export const inEnglish = (text: HtmlValue): Html =>
  html`<span lang="${english.tag}" dir="${english.dir}">${text}</span>`

/** Returns the text of a scope in the reader's language, or `null` if that language has none. */
function ownText(scope: string, reader: Reader): string | null {
  const { scopes } = wordsOf(reader)
  return scopes !== null && Object.hasOwn(scopes, scope)
    ? scopes[scope as SchoolScope].replaceAll('{school}', () => reader.name)
    : null
}

/** Returns the text of each scope, in the reader's language if it has one. */
export const scopeTexts = (scopes: readonly ScopeWords[], reader: Reader): readonly HtmlValue[] =>
  scopes.map(
    ({ scope, text }) =>
      ownText(scope, reader) ?? (wordsOf(reader).scopes === null ? text : inEnglish(text)),
  )

function groupName(name: string, { groups }: Words): HtmlValue {
  if (groups === null) return name
  return Object.hasOwn(groups, name) ? groups[name] : inEnglish(name)
}

function groupsOf<Scope extends ScopeWords>(
  scopes: readonly Scope[],
): readonly (readonly [name: string, scopes: readonly Scope[]])[] {
  const groups = new Map<string, Scope[]>()
  for (const scope of scopes) groups.set(scope.group, [...(groups.get(scope.group) ?? []), scope])
  return [...groups]
}

const SIGNS: Readonly<Record<ScopeAccess, Html>> = {
  identity: html`<circle cx="10" cy="6.5" r="3.5" /><path
      d="M3.5 17.5c.5-4 3-6 6.5-6s6 2 6.5 6"
    />`,
  read: html`<path d="M1.5 10C5 4 15 4 18.5 10 15 16 5 16 1.5 10z" /><circle
      cx="10"
      cy="10"
      r="2.5"
    />`,
  write: html`<path d="M3 17l1-4.5L13.5 3 17 6.5 7.5 16zM11.5 5L15 8.5" />`,
}

function scopeRow(
  { scope, text, access, personalData, sensitive }: ScopeWords,
  { tick = null, changes = true, marks, note, idle = false }: ScopeRowParts,
  reader: Reader,
): Html {
  const { scopes: texts, scopeList } = wordsOf(reader)
  const own = ownText(scope, reader)
  const shown = own ?? text
  const write = (part: string): HtmlValue =>
    texts !== null && own === null ? inEnglish(part) : part
  // The first sentence says what the scope allows, and the rest says what it does not.
  const [, act = shown, rest = null] = /^(.*?)(?:\. |。)(.*)$/s.exec(shown) ?? []
  const limit = rest === null ? null : rest + (own === null ? '.' : scopeList.stop)
  const id = `scope-${scope.replace(/[^a-z\d]+/gi, '-')}`
  return html`<li class="${idle ? 'scope scope-idle' : 'scope'}" data-access="${access}">
    <span class="scope-mark">
      <svg class="scope-sign" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
        ${SIGNS[access]}
      </svg>
      ${
        tick !== null &&
        html`<input
          class="${tick.held === true ? 'tick tick-held' : 'tick'}"
          id="${id}"
          name="scope"
          type="checkbox"
          value="${scope}"
          ${tick.checked && html` checked`}${tick.disabled === true && html` disabled`}
        />`
      }
    </span>
    <div>
      ${
        tick === null
          ? html`<span class="scope-act">${write(act)}</span>`
          : html`<label class="scope-act" for="${id}">${write(act)}</label>`
      }
      ${changes && access === 'write' && html`<span class="badge badge-write">${scopeList.makesChanges}</span>`}
      ${personalData && html`<span class="badge badge-data">${scopeList.personalData}</span>`}
      ${sensitive && html`<span class="badge badge-stop">${scopeList.sensitive}</span>`} ${marks}
      ${limit !== null && html`<p class="quiet">${write(limit)}</p>`} ${note}
    </div>
  </li>`
}
