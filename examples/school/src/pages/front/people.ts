import type { FrontView } from './front.js'
import { type Html, html } from '../html.js'
import { foreign } from '../layout.js'
import type { Theme } from '../style/palette.js'
import { hidden } from '../parts.js'
import { rolesInWords } from '../wording.js'

/** Somebody of the demo who can sign in. */
export interface FrontPerson {
  readonly name: string
  readonly email: string
  readonly role: string
}

const NOTES: Readonly<Record<Theme, Readonly<Record<string, string>>>> = {
  lantern: {
    'ines.duarte@example.com': 'May let any app in, and looks after the clients of the school.',
    'tomasz.wilk@example.com': 'As the owner, but cannot touch the owner.',
    'amara.obi@example.com':
      'Teaches: an app that she lets in reaches courses and students, never orders.',
    'yuki.tan@example.com': 'Reads much and writes events only. Her own membership is on trial.',
    'mei-ling.chou@example.com':
      'In the middle of a course, with one that ends in days and one that has ended. At both schools.',
    'jonas.brandt@example.com': 'His payment is overdue, so his courses are switched off for now.',
    'priya.nair@example.com': 'Came yesterday: one course, nothing watched.',
    'lucia.ferrari@example.com': 'Has a course that begins in ten days.',
    'noor.haddad@example.com': 'Comes back every term: 45 enrollments to page through.',
    'sam.okafor@example.com': 'Has no course at all.',
  },
  kiln: {
    'hao-yu.lin@example.com': 'May let any app in. This school signs no ID tokens.',
    'mei-ling.chou@example.com':
      'Also at the drawing school. The two share nothing, so each knows her by an id of its own.',
    'wen-chi.kao@example.com': 'A member of the studio. One of her courses was taken back.',
  },
}

const firstName = (name: string): string => name.split(' ', 1)[0]!

/** Who can sign in, each with a button that does. */
export function frontPeople(view: FrontView): Html {
  const { people, password } = view
  return html`<section class="band" id="people" aria-labelledby="people-title">
    <div class="band-head">
      <h2 id="people-title">Who can sign in</h2>
      <p>
        ${people.length} people, one password: <code class="letters">${password}</code>. Staff may
        let in the app of the walk below; a student may not, which is worth a try.
      </p>
    </div>
    <ul class="people">
      ${people.map((person) => row(person, view))}
    </ul>
  </section>`
}

function row(
  { name, email, role }: FrontPerson,
  { site, person, form, password }: FrontView,
): Html {
  const isHere = person !== null && person.email === email
  return html`<li class="person" data-role="${role}">
    <p class="person-name">
      <strong>${foreign(name)}</strong>
      <span class="badge ${role === 'student' ? 'badge-data' : 'badge-new'}"
        >${rolesInWords([role])}</span
      >
    </p>
    <p class="person-email letters">${foreign(email)}</p>
    <p class="person-note">${NOTES[site.theme][email]}</p>
    ${
      isHere
        ? html`<p class="badge badge-good person-here">You are here</p>`
        : html`<form class="person-enter" method="post" action="/sign-in">
            ${hidden('return_to', '/')}${hidden('csrf_token', form.csrfToken)}
            ${hidden('email', email)}${hidden('password', password)}
            <button class="button button-plain button-small" type="submit">
              <span>Enter as ${foreign(firstName(name))}</span>
            </button>
          </form>`
    }
  </li>`
}
