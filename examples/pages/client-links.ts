import type { ClientLink, ClientView } from 'hallpass/authorization-server'
import { type Html, html } from './html.js'
import type { Site } from './layout.js'
import { address } from './parts.js'
import { wordsOf } from './words/languages.js'
import type { Words } from './words/words.js'

/** Renders the pages that an app names about itself, or nothing if it names none. */
export function clientLinks({
  site,
  client: { links },
}: {
  site: Site
  client: Pick<ClientView, 'links'>
}): Html | null {
  if (links.length === 0) return null
  const { app } = wordsOf(site)
  const isChecked = links.every(({ href }) => href !== null)
  return html`<div>
    <dt>${app.aboutItself}</dt>
    ${links.map((link) => html`<dd>${clientLink(link, app)}</dd>`)}
    ${!isChecked && html`<dd class="quiet">${app.linksUnchecked(site.name)}</dd>`}
  </div>`
}

/** The link has a tab of its own: the request that waits for an answer stays open. */
const clientLink = (
  { page, host, href, isElsewhere }: ClientLink,
  { links, elsewhere }: Words['app'],
): Html =>
  html`${
    href === null
      ? html`${links[page]}`
      : html`<a
          href="${href}"
          target="_blank"
          rel="noopener noreferrer nofollow"
          referrerpolicy="no-referrer"
          >${links[page]}</a
        >`
  }:
  ${address(host)}${isElsewhere && elsewhere}`
