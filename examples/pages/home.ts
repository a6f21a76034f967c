import type { Person } from 'hallpass/policy'
import { type Html, html } from './html.js'
import { foreign, localPath, page, type Site } from './layout.js'
import { signOutForm } from './parts.js'
import { nameOf, rolesInWords } from './wording.js'
import { english } from './words/en.js'
import { languageOf } from './words/languages.js'
import type { Language } from './words/words.js'

export { signInOnlyPage } from './sign-in.js'

/** A link of the home page. */
export interface HomeLink {
  /** A path of this origin. */
  readonly href: string
  readonly label: string
  readonly text: string
}

/** Returns the links of the home page: connected apps, and for managers also the school's apps. */
export function homeLinks({
  isAdmin,
  language = english,
}: {
  isAdmin: boolean
  language?: Language
}): readonly HomeLink[] {
  const { apps, appsAre, applications, applicationsAre } = language.words.account
  return [
    { href: '/oauth/authorized_applications', label: apps, text: appsAre },
    ...(isAdmin
      ? [{ href: '/oauth/applications', label: applications, text: applicationsAre }]
      : []),
  ]
}

/** Renders links, each with a line that explains it. */
export const waysOn = (links: readonly HomeLink[]): Html =>
  html`<ul class="ways">
    ${links.map(
      ({ href, label, text }) =>
        html`<li>
          <a class="way" href="${localPath(href)}"
            ><strong>${label}</strong><span class="quiet">${text}</span></a
          >
        </li>`,
    )}
  </ul>`

/** Renders the page that asks whether to sign out. */
export function signOutPage({
  site,
  person,
  csrfToken,
}: {
  site: Site
  person: Pick<Person, 'name' | 'email'>
  csrfToken: string
}): Html {
  const language = languageOf(site)
  const { title, question, signedInAs, submit, stay } = language.words.signOut
  return page({
    site,
    title,
    body: html`<h1>${question}</h1>
      <p class="lead">${signedInAs(site.name, foreign(nameOf(person, language)))}</p>
      <div class="send">
        ${signOutForm({ returnTo: '/', csrfToken, label: submit, look: 'button button-plain' })}
        <a class="button button-plain" href="/">${stay}</a>
      </div>`,
  })
}

/** Renders the home page of a signed-in person, with the form that posts to `/sign-out`. */
export function signedInPage({
  site,
  person,
  csrfToken,
  links = [],
}: {
  site: Site
  person: Pick<Person, 'name' | 'email' | 'roles'>
  csrfToken: string
  links?: readonly HomeLink[]
}): Html {
  const language = languageOf(site)
  const { account, signOut } = language.words
  const name = foreign(nameOf(person, language))
  return page({
    site,
    title: account.home,
    body: html`
      <h1>${account.hello(name)}</h1>
      <p class="lead">${account.welcome(site.name)}</p>
      ${links.length > 0 && waysOn(links)}
      <div class="card account">
        <p>
          <strong>${name}</strong>
          ${
            person.name !== null &&
            person.email !== null &&
            html`<span class="quiet">${foreign(person.email)}</span>`
          }
          <span class="quiet">${rolesInWords(person.roles, language)}</span>
        </p>
        ${signOutForm({ returnTo: '/', csrfToken, label: signOut.submit, look: 'button button-plain' })}
      </div>
    `,
  })
}
