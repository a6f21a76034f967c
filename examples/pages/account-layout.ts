import type { SignedInFrame } from './applications/views.js'
import { type Html, html } from './html.js'
import { foreign, localPath, page, type Site } from './layout.js'
import { signOutForm } from './parts.js'
import { nameOf, rolesInWords } from './wording.js'
import { languageOf, wordsOf } from './words/languages.js'

/** A page with its content. */
export interface Shown<View> {
  readonly site: Site
  readonly view: View
}

/** A section of the account area. */
export type Place = 'apps' | 'applications'

const PATHS: Readonly<Record<Place, string>> = {
  apps: '/oauth/authorized_applications',
  applications: '/oauth/applications',
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
    nav: navigation({ site, here, isTop: back === null, isAdmin: view.isAdmin }),
    body: html`<div class="${narrow ? 'room room-narrow' : 'room'}">
        ${
          back !== null &&
          html`<p class="back">
            <a href="${back.href}">${foreign(back.label)}</a>
          </p>`
        }
        ${body}
      </div>
      ${signedInAs({ site, view })}`,
  })

const navigation = ({
  site,
  here,
  isTop,
  isAdmin,
}: {
  site: Site
  here: Place
  isTop: boolean
  isAdmin: boolean
}): Html =>
  html`<nav class="places" aria-label="${wordsOf(site).account.name}">
    <a href="/">${wordsOf(site).account.home}</a>
    ${(isAdmin ? (['apps', 'applications'] as const) : (['apps'] as const)).map(
      (place) =>
        html`<a
          href="${PATHS[place]}"
          ${place === here && html`aria-current="${isTop ? 'page' : 'true'}"`}
          >${wordsOf(site).account[place]}</a
        >`,
    )}
    ${site.links
      ?.filter(({ href }) => href !== '/')
      .map(
        ({ href, label }) => html`<a href="${localPath(href)}" lang="en" dir="ltr">${label}</a>`,
      )}
  </nav>`

function signedInAs({
  site,
  view: { person, csrfToken },
}: {
  site: Site
  view: SignedInFrame
}): Html {
  const language = languageOf(site)
  const { account, signOut } = language.words
  const roles = rolesInWords(person.roles, language)
  return html`<div class="who">
    <p class="quiet">${account.signedInAs(foreign(nameOf(person, language)), roles)}</p>
    ${signOutForm({ returnTo: '/', csrfToken, label: signOut.submit, look: 'link-button' })}
  </div>`
}
