import type { SchoolRow } from '../../../schools/schools.js'
import { type Html, html } from '../../../pages/html.js'
import { foreign, page, type Site } from '../../../pages/layout.js'
import { copyable, hidden, notice } from '../../../pages/parts.js'
import { siteNav } from '../admin/reference/site-nav.js'

/** Why no school was opened. */
export type OpenFailure = 'no_name' | 'too_many'

const FAILURES: Readonly<Record<OpenFailure, string>> = {
  no_name: 'Give the school a name of 1 to 60 characters.',
  too_many: 'There are too many new schools now. Try again in an hour, or visit one of these.',
}

/** The form that opens a school. */
const openForm = (csrfToken: string, failure: OpenFailure | null = null): Html =>
  html`${failure !== null && notice('error', html`<p>${FAILURES[failure]}</p>`, 'school-error')}
    <form class="open-school" method="post" action="/schools">
      ${hidden('csrf_token', csrfToken)}
      <div class="field">
        <label for="school">Its name</label>
        <input
          id="school"
          name="name"
          placeholder="School of Art"
          maxlength="60"
          autocomplete="off"
          required${failure !== null && html` aria-describedby="school-error"`}
        />
      </div>
      <button class="button button-main" type="submit">Open it</button>
    </form>`

/** The part of the front page where a visitor opens a school. */
export const openBand = (csrfToken: string): Html =>
  html`<section class="band" id="open" aria-labelledby="open-title">
    <div class="band-head">
      <h2 id="open-title">Open a school of your own</h2>
      <p>
        Give it a name. It gets an address, with pages, people, apps and keys of its own, and
        <code>/mcp</code>. <a href="/schools">See the newest schools</a>
      </p>
    </div>
    ${openForm(csrfToken)}
  </section>`

/** The page of the schools that visitors opened: one of them, or the form. */
export function openedPage({
  site,
  school,
  schools,
  csrfToken,
  failure,
}: {
  site: Site
  school: SchoolRow | null
  schools: readonly SchoolRow[]
  csrfToken: string
  failure: OpenFailure | null
}): Html {
  const title = school === null ? 'Open a school of your own' : `${school.name} is open`
  const form = html`<section class="card" aria-labelledby="open-title">
    <h2 id="open-title">${school === null ? 'Yours' : 'Open another'}</h2>
    ${openForm(csrfToken, failure)}
  </section>`
  const newest = html`<section aria-labelledby="newest-title">
    <h2 id="newest-title">The newest schools</h2>
    ${schools.length === 0 && html`<p class="quiet">None yet: yours can be the first.</p>`}
    <ul class="ways">
      ${schools.map(
        ({ issuer, name }) =>
          html`<li>
            <a class="way" href="${issuer}"
              ><strong>${foreign(name)}</strong
              ><span class="quiet letters">${new URL(issuer).host}</span></a
            >
          </li>`,
      )}
    </ul>
  </section>`
  return page({
    site,
    title: failure === null ? title : `Error: ${title}`,
    wide: true,
    style: '/assets/opened.css',
    script: '/assets/copy.js',
    nav: siteNav('/schools'),
    body: html`<h1>${foreign(title)}</h1>
      <div class="opened">
        ${school === null ? form : html`<div>${opened(school, site)} ${form}</div>`} ${newest}
      </div>`,
  })
}

function opened({ issuer }: SchoolRow, site: Site): Html {
  const { host, hostname } = new URL(issuer)
  return html`<section aria-label="This school">
    <p class="lead">
      It shares a process and a database with the other schools, and nothing else. Until its first
      request it is one row in a table.
    </p>
    <p><a class="button button-main" href="${issuer}">Go to ${host}</a></p>
    <p class="quiet">
      If your browser can’t find this address, your system doesn’t resolve names in
      <code>localhost</code>: use Chrome or Firefox, which do it themselves, or add
      <code>127.0.0.1 ${hostname}</code> to your hosts file.
    </p>
    ${copyable({
      site,
      id: 'mcp-line',
      label: 'For Claude Code, in a terminal',
      text: `claude mcp add --transport http ${hostname.split('.')[0]} ${issuer}/mcp`,
      rows: 2,
    })}
    ${notice(
      'note',
      html`<p>
        With a token of this school, <code>/courses</code> answers 200 here and 401 at every other
        school. Its cookies and codes are of no use elsewhere either.
      </p>`,
    )}
  </section>`
}

/** Styles of the form and of the page. */
export const openedCss = `
/* Opened schools */
.open-school { display: grid; gap: var(--s4); align-items: end; max-width: 40rem; }
.band .open-school { margin-top: var(--s5); }
.opened { display: grid; gap: var(--s6); align-items: start; }
.opened > * { min-width: 0; }
.opened > section > * + *, .opened > div > section > * + * { margin-top: var(--s4); }
.opened > div > * + * { margin-top: var(--s6); }
.opened .card { padding: var(--s5); }
@media (min-width: 40rem) {
  .band .open-school { grid-template-columns: 1fr auto; }
  .band .open-school .button { width: auto; }
}
@media (min-width: 60rem) {
  .opened { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: var(--s7); }
}
`
