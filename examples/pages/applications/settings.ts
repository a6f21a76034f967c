import type { Shown } from '../account-layout.js'
import type { ApplicationResultView } from './views.js'
import { type Html, html } from '../html.js'
import { copyable, sentences } from '../parts.js'
import { wordsOf } from '../words/languages.js'

type Settings = Pick<ApplicationResultView, 'clientId' | 'authMethod' | 'origin'>

/**
 * Returns the settings that a library for OAuth needs, by the names of the specifications: RFC 8414, RFC 7591,
 * RFC 7636, RFC 8707 and OpenID Connect Registration. `docs/do/connect-a-library.md` has them for each library.
 */
const settingsOf = ({ clientId, authMethod, origin }: Settings): readonly string[] => [
  `issuer: ${origin}`,
  `client_id: ${clientId}`,
  `token_endpoint_auth_method: ${authMethod}`,
  'code_challenge_method: S256',
  `resource: ${origin}`,
  'id_token_signed_response_alg: ES256',
]

/** Renders the settings as text to copy, with what libraries get wrong. */
export function settingsForLibrary({ site, view }: Shown<Settings>): Html {
  const words = wordsOf(site).applications.settings
  return html`${copyable({
      site,
      id: 'library_settings',
      label: words.title,
      text: settingsOf(view).join('\n'),
      rows: 7,
    })}
    <p class="quiet">
      ${sentences(site, [
        words.resource,
        view.authMethod === 'none' ? words.noSecret : words.inForm,
        html`<a href="/auth.md">${words.guide}</a>`,
      ])}
    </p>`
}
