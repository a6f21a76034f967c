import type { Shown } from '../account-layout.js'
import type { ApplicationFormView } from './views.js'
import { field, lines, ties } from '../form-parts.js'
import { type Html, html } from '../html.js'
import { address, sentences, unseen } from '../parts.js'
import { countOf } from '../wording.js'
import { languageOf, wordsOf } from '../words/languages.js'

/** Renders the field for redirect addresses, with buttons that add known ones and a check of each line. */
export function addressField(shown: Shown<ApplicationFormView>): Html {
  const { values, addresses, faults, presets, mayOmitRedirects } = shown.view
  const words = wordsOf(shown.site).applications.form
  const isFaulty = faults?.redirectUris != null || addresses.some(({ fault }) => fault !== null)
  const parts = {
    id: 'redirect_uris',
    label: mayOmitRedirects ? words.optional(words.labels.redirectUris) : words.labels.redirectUris,
    hint: sentences(shown.site, [
      words.hints.redirectUris(address('http://127.0.0.1/…')),
      mayOmitRedirects && words.hints.ofDevice,
    ]),
    fault: faults?.redirectUris ?? null,
    described: addresses.length > 0 ? ['addresses'] : [],
  }
  return field(
    parts,
    html`<textarea
        class="letters"
        id="redirect_uris"
        name="redirect_uris"
        dir="ltr"
        rows="4"
        autocapitalize="none"
        autocomplete="off"
        spellcheck="false"
        ${ties(parts)}${isFaulty && parts.fault === null && html` aria-invalid="true"`}
      >
${lines(values.redirectUris)}</textarea>
      ${addresses.length > 0 && checked(shown)}
      ${
        presets.length > 0 &&
        html`<div class="presets" role="group" aria-label="${words.presets}">
          <span class="quiet" aria-hidden="true">${words.presets}</span>
          ${presets.map(
            ({ preset, label }) =>
              html`<button
                class="button button-plain button-small"
                type="submit"
                name="preset"
                value="${preset}"
                formnovalidate
              >
                ${label ?? words.thisComputer}
              </button>`,
          )}
        </div>`
      }`,
  )
}

function checked({ site, view: { addresses } }: Shown<ApplicationFormView>): Html {
  const language = languageOf(site)
  const { lineNumber, valid } = language.words.applications.form
  return html`<ol class="checked" id="addresses">
    ${addresses.map(
      ({ line, uri, fault }) =>
        html`<li class="${fault === null ? 'line' : 'line line-bad'}">
          <span class="line-number">${unseen(lineNumber)}${countOf(line, language)}</span>
          <span
            >${address(uri)}
            ${fault === null ? html`<span class="quiet">${valid}</span>` : html`<p class="fault">${fault}</p>`}
          </span>
        </li>`,
    )}
  </ol>`
}
