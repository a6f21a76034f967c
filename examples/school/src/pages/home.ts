import type { Person } from 'hallpass/policy'
import { type Html, html } from './html.js'
import { foreign, localPath, page, type Site } from './layout.js'
import { signOutForm } from './parts.js'
import { nameOf, rolesInWords } from './wording.js'
import { languageOf } from './words/languages.js'

export { signInOnlyPage } from './sign-in.js'

/** A link of the home page. */
export interface HomeLink {
  /** A path of this origin. */
  readonly href: string
  readonly label: string
  readonly text: string
}

/** Returns the links of the home page: connected apps, and for managers also the school's apps. */
export const homeLinks = ({ isAdmin }: { isAdmin: boolean }): readonly HomeLink[] => [
  {
    href: '/oauth/authorized_applications',
    label: 'Connected apps',
    text: 'See which apps can act for you, and disconnect them',
  },
  ...(isAdmin
    ? [
        {
          href: '/oauth/applications',
          label: 'OAuth applications',
          text: 'Manage the apps that members and staff can connect to this school',
        },
      ]
    : []),
]

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
  return page({
    site,
    title: 'Home',
    body: html`
      <h1>Hello, ${foreign(nameOf(person))}</h1>
      <p class="lead">
        You’re signed in to ${site.name}. When an app wants to connect, we ask you here first.
      </p>
      ${links.length > 0 && waysOn(links)}
      <div class="card account">
        <p>
          <strong>${foreign(nameOf(person))}</strong>
          ${
            person.name !== null &&
            person.email !== null &&
            html`<span class="quiet">${foreign(person.email)}</span>`
          }
          <span class="quiet">${rolesInWords(person.roles)}</span>
        </p>
        ${signOutForm({ returnTo: '/', csrfToken, label: 'Sign out', look: 'button button-plain' })}
      </div>
    `,
  })
}
