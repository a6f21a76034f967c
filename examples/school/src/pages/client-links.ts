import type { ClientLink, ClientView } from 'hallpass/authorization-server'
import { type Html, html } from './html.js'
import type { Site } from './layout.js'
import { address } from './parts.js'

const LABELS: Readonly<Record<ClientLink['page'], string>> = {
  site: 'Website',
  policy: 'Privacy policy',
  terms: 'Terms',
}

/** Renders the pages that an app names about itself, or nothing if it names none. */
export function clientLinks({
  site,
  client: { links },
}: {
  site: Site
  client: Pick<ClientView, 'links'>
}): Html | null {
  if (links.length === 0) return null
  const isChecked = links.every(({ href }) => href !== null)
  return html`<div>
    <dt>What it says about itself</dt>
    ${links.map((link) => html`<dd>${clientLink(link)}</dd>`)}
    ${
      !isChecked &&
      html`<dd class="quiet">
        ${site.name} hasn’t checked these addresses, so they aren’t links.
      </dd>`
    }
  </div>`
}

/** The link has a tab of its own: the request that waits for an answer stays open. */
const clientLink = ({ page, host, href, isElsewhere }: ClientLink): Html =>
  html`${
    href === null
      ? html`${LABELS[page]}`
      : html`<a
          href="${href}"
          target="_blank"
          rel="noopener noreferrer nofollow"
          referrerpolicy="no-referrer"
          >${LABELS[page]}</a
        >`
  }:
  ${address(host)}${isElsewhere && ', not the app’s own address'}`
