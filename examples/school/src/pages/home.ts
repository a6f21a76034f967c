import type { Person } from 'hallpass/policy'
import { type Html, html } from './html.js'
import { foreign, localPath, page, type Site } from './layout.js'
import { signOutForm } from './parts.js'
import { nameOf, rolesInWords } from './wording.js'

export { signInOnlyPage } from './sign-in.js'

/** A way on from the home page. */
export interface HomeLink {
  /** Path of this origin. */
  readonly href: string
  readonly label: string
  readonly text: string
}

/** The ways from the home page: everybody has apps, and who runs the school looks after them. */
export const homeLinks = ({ isAdmin }: { isAdmin: boolean }): readonly HomeLink[] => [
  {
    href: '/oauth/authorized_applications',
    label: 'Connected apps',
    text: 'What may act for you, and how to end it',
  },
  ...(isAdmin
    ? [
        {
          href: '/oauth/applications',
          label: 'OAuth applications',
          text: 'Apps that members and staff can connect to this school',
        },
      ]
    : []),
]

/** The ways on, each a link with what is behind it. */
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

/** The home page of somebody signed in, with the form that posts to `/sign-out`. */
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
        You are signed in to ${site.name}. Apps you connect ask here before they get in.
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
