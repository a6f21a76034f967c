import type { SignedInFrame } from './applications/views.js'
import { type Html, html } from './html.js'
import { foreign, page, type Site } from './layout.js'
import { signOutForm } from './parts.js'
import { nameOf, rolesInWords } from './wording.js'

/** A section of the account area. */
export type Place = 'apps' | 'applications'

const PLACES: Readonly<Record<Place, { href: string; label: string }>> = {
  apps: { href: '/oauth/authorized_applications', label: 'Connected apps' },
  applications: { href: '/oauth/applications', label: 'OAuth applications' },
}

/**
 * Renders a page for a signed-in person, with navigation to the other sections.
 *
 * @param options - `here`: the section the page belongs to; `back`: the page above it. `narrow`: for a
 *   page with a single task. `script`: the path of a script of this site
 */
export const accountPage = ({
  site,
  view,
  title,
  here,
  back = null,
  narrow = false,
  script = null,
  body,
}: {
  site: Site
  view: SignedInFrame
  title: string
  here: Place
  back?: { readonly href: string; readonly label: string } | null
  narrow?: boolean
  script?: string | null
  body: Html
}): Html =>
  page({
    site,
    title,
    wide: true,
    script,
    nav: navigation({ here, isTop: back === null, isAdmin: view.isAdmin }),
    body: html`<div class="${narrow ? 'room room-narrow' : 'room'}">
        ${
          back !== null &&
          html`<p class="back">
            <a href="${back.href}">${foreign(back.label)}</a>
          </p>`
        }
        ${body}
      </div>
      ${signedInAs(view)}`,
  })

const navigation = ({
  here,
  isTop,
  isAdmin,
}: {
  here: Place
  isTop: boolean
  isAdmin: boolean
}): Html =>
  html`<nav class="places" aria-label="Your account">
    <a href="/">Home</a>
    ${(isAdmin ? (['apps', 'applications'] as const) : (['apps'] as const)).map(
      (place) =>
        html`<a
          href="${PLACES[place].href}"
          ${place === here && html`aria-current="${isTop ? 'page' : 'true'}"`}
          >${PLACES[place].label}</a
        >`,
    )}
  </nav>`

const signedInAs = ({ person, csrfToken }: SignedInFrame): Html =>
  html`<div class="who">
    <p class="quiet">
      Signed in as <strong>${foreign(nameOf(person))}</strong>, ${rolesInWords(person.roles)}
    </p>
    ${signOutForm({ returnTo: '/', csrfToken, label: 'Sign out', look: 'link-button' })}
  </div>`
