import type { PasteAddressView } from 'hallpass/authorization-server'
import { type Html, html } from './html.js'
import { foreign, page, type Site } from './layout.js'
import { appName, copyable, notice, sentences } from './parts.js'
import { spanInWords } from './wording.js'
import { languageOf } from './words/languages.js'

/** Renders the page with the address that a person pastes into a terminal on another computer. It has the code. */
export function pasteAddressPage({ site, view }: { site: Site; view: PasteAddressView }): Html {
  const { client, address, codeSeconds } = view
  const language = languageOf(site)
  const { pasteAddress: words } = language.words
  const app = foreign(client.name)
  return page({
    site,
    title: words.title,
    script: '/assets/copy.js',
    body: html`
      <h1>${words.heading(appName(client.name))}</h1>
      <p class="lead">${words.waits(app)}</p>
      ${copyable({ site, id: 'address', label: words.address, text: address, rows: 5 })}
      ${notice('warn', html`<p>${words.only(app)}</p>`)}
      <p class="fine">
        ${sentences(site, [words.once(spanInWords(codeSeconds, language)), words.close])}
      </p>
    `,
  })
}
