import type { ApplicationFormView, CheckedAddress } from './views.js'
import { field, lines, ties } from '../form-parts.js'
import { type Html, html } from '../html.js'
import { address, unseen } from '../parts.js'

/** Renders the field for redirect addresses, with buttons that add known ones and a check of each line. */
export function addressField({ values, addresses, faults, presets }: ApplicationFormView): Html {
  const isFaulty = faults?.redirectUris != null || addresses.some(({ fault }) => fault !== null)
  const parts = {
    id: 'redirect_uris',
    label: 'Redirect addresses',
    hint: html`Where people return to the app. Enter one address per line, exactly as the app sends
      it. For <span class="address">http://127.0.0.1/…</span>, the port may differ.`,
    fault: faults?.redirectUris ?? null,
    described: addresses.length > 0 ? ['addresses'] : [],
  }
  return field(
    parts,
    html`<textarea
        class="letters"
        id="redirect_uris"
        name="redirect_uris"
        rows="4"
        autocapitalize="none"
        autocomplete="off"
        spellcheck="false"
        ${ties(parts)}${isFaulty && parts.fault === null && html` aria-invalid="true"`}
      >
${lines(values.redirectUris)}</textarea>
      ${addresses.length > 0 && checked(addresses)}
      ${
        presets.length > 0 &&
        html`<div class="presets" role="group" aria-label="Add the addresses of">
          <span class="quiet" aria-hidden="true">Add the addresses of</span>
          ${presets.map(
            ({ preset, label }) =>
              html`<button
                class="button button-plain button-small"
                type="submit"
                name="preset"
                value="${preset}"
                formnovalidate
              >
                ${label}
              </button>`,
          )}
        </div>`
      }`,
  )
}

const checked = (addresses: readonly CheckedAddress[]): Html =>
  html`<ol class="checked" id="addresses">
    ${addresses.map(
      ({ line, uri, fault }) =>
        html`<li class="${fault === null ? 'line' : 'line line-bad'}">
          <span class="line-number">${unseen('Line ')}${line}</span>
          <span
            >${address(uri)}
            ${fault === null ? html`<span class="quiet">OK</span>` : html`<p class="fault">${fault}</p>`}
          </span>
        </li>`,
    )}
  </ol>`
