import type { Person } from 'hallpass/policy'
import { frontEndpoints } from './endpoints.js'
import { type FrontPerson, frontPeople } from './people.js'
import { frontWalk } from './walk.js'
import { openBand } from '../../opened/page.js'
import { siteNav } from '../../admin/reference/site-nav.js'
import { HOMEPAGE } from '../../connect/steps.js'
import { type HomeLink, waysOn } from '../../../../pages/home.js'
import { type Html, html } from '../../../../pages/html.js'
import { foreign, ICON_LINK, type Site } from '../../../../pages/layout.js'
import { markOf, stripOf } from '../../../../pages/marks.js'
import { signOutForm } from '../../../../pages/parts.js'
import { fields, type SignInForm } from '../../../../pages/sign-in.js'
import { nameOf, rolesInWords } from '../../../../pages/wording.js'

/** The content of the front page. */
export interface FrontView {
  readonly site: Site
  readonly origin: string
  /** The person who is signed in, or `null`. */
  readonly person: Pick<Person, 'name' | 'email' | 'roles'> | null
  /** The values for every form of the page. */
  readonly form: SignInForm
  readonly links: readonly HomeLink[]
  /** Buttons to sign in as people of the demo. */
  readonly continueAs: Html | null
  readonly people: readonly FrontPerson[]
  /** The other schools of the demo. */
  readonly neighbors: readonly { readonly name: string; readonly origin: string }[]
  /** Whether visitors may open schools of their own. */
  readonly opens: boolean
  /** The password that all of them share. */
  readonly password: string
}

/**
 * Renders the front page of the demo: what it is, who can sign in, the endpoints, and the walkthrough of
 * the flow. Its script is `/assets/walk.js`; without scripts the page consists of text and forms.
 */
export function frontPage(view: FrontView): Html {
  const { site, form } = view
  const failed = form.state.kind !== 'plain'
  return html`<!doctype html>
    <html lang="en" data-site="${site.theme}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${ICON_LINK}
        <title>${failed ? 'Error: Sign in' : 'Front page'} · ${site.name}</title>
        <meta
          name="description"
          content="${site.name}, a made-up school with real OAuth 2.1, OpenID Connect and MCP endpoints: watch an app get in, break it, or connect your own."
        />
        <link rel="stylesheet" href="/assets/school.css" />
        <link rel="stylesheet" href="/assets/front.css" />
        ${view.opens && html`<link rel="stylesheet" href="/assets/opened.css" />`}
        <script type="module" src="/assets/walk.js"></script>
      </head>
      <body class="front">
        <header class="front-top brand">
          <div class="front-bar">
            <p class="brand-name">${markOf(site.theme)}<span>${site.name}</span></p>
            ${siteNav('/')}
          </div>
        </header>
        <main>
          <div class="hero brand">
            <div class="hero-inner">${hero(view)} ${signInCard(view)}</div>
          </div>
          ${frontPeople(view)} ${view.opens && openBand(form.csrfToken)} ${frontEndpoints(view)}
          ${frontWalk(view)}
        </main>
        <footer class="front-end">
          <p>
            ${site.name} doesn’t exist, but its endpoints do. They’re built with
            <a href="${HOMEPAGE}">hallpass</a>, a TypeScript library that needs no framework.
          </p>
        </footer>
      </body>
    </html>`
}

const WAYS_IN = [
  { href: '#walk', label: 'Watch it', text: 'Each request of a sign-in, explained. Two minutes.' },
  {
    href: '/playground',
    label: 'Break it',
    text: 'Change any request, and see why the school refuses it.',
  },
  {
    href: '/connect',
    label: 'Connect yours',
    text: 'Paste a line into Claude Code or Codex, and watch it come in.',
  },
] as const

const hero = ({ site, neighbors, opens }: FrontView): Html =>
  html`<div class="hero-words">
    <h1>Let an app into a school, and watch every check</h1>
    <p class="hero-lead">
      hallpass is a TypeScript library that adds OAuth 2.1, OpenID Connect and MCP to a school’s
      backend. ${site.name} is made up, but uses all of it.
      <a href="${HOMEPAGE}">What is hallpass?</a>
    </p>
    <ul class="ways-in">
      ${WAYS_IN.map(
        ({ href, label, text }) =>
          html`<li>
            <a class="way-in" href="${href}"><strong>${label}</strong><span>${text}</span></a>
          </li>`,
      )}
    </ul>
    ${neighbors.map(
      ({ name, origin }) =>
        html`<p class="hero-other">
          There is a second school here, which shares nothing with this one:
          <a href="${origin}">${name}</a
          >${opens && html`. Or <a href="#open">open one of your own</a>`}
        </p>`,
    )}
    ${stripOf(site.theme)}
  </div>`

const signInCard = (view: FrontView): Html =>
  html`<section class="hero-card" id="sign-in" aria-labelledby="sign-in-title">
    ${view.person === null ? signedOut(view) : signedIn(view, view.person)}
  </section>`

const signedOut = ({ site, form, password, continueAs }: FrontView): Html =>
  html`<h2 id="sign-in-title">Sign in</h2>
    ${fields({ site, form, email: form.email ?? '', returnTo: '/' })} ${continueAs}
    <p class="fine">
      Everyone’s password is <code class="letters">${password}</code>.
      <a href="#people">See everyone</a>
    </p>`

const signedIn = (
  { form, links }: FrontView,
  person: Pick<Person, 'name' | 'email' | 'roles'>,
): Html =>
  html`<h2 id="sign-in-title">Hello, ${foreign(nameOf(person))}</h2>
    <p class="quiet">
      ${rolesInWords(person.roles)}${
        person.name !== null && person.email !== null && html`, ${foreign(person.email)}`
      }
    </p>
    ${waysOn(links)}
    ${signOutForm({
      returnTo: '/',
      csrfToken: form.csrfToken,
      label: 'Sign out',
      look: 'button button-plain',
    })}`
