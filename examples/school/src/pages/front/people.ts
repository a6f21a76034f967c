import type { FrontView } from './front.js'
import { type Html, html } from '../../../../pages/html.js'
import { foreign } from '../../../../pages/layout.js'
import type { Theme } from '../../../../pages/style/palette.js'
import { hidden } from '../../../../pages/parts.js'
import { rolesInWords } from '../../../../pages/wording.js'

/** A person of the demo who can sign in. */
export interface FrontPerson {
  readonly name: string
  readonly email: string
  readonly role: string
}

const NOTES: Readonly<Record<Theme, Readonly<Record<string, string>>>> = {
  lantern: {
    'ines.duarte@example.com': 'Can connect any app, and manages the apps of the school.',
    'tomasz.wilk@example.com': 'Can do what the owner can, except change the owner.',
    'amara.obi@example.com':
      'Teaches. Apps that she connects can see courses and students, but never orders.',
    'yuki.tan@example.com':
      'Can see a lot, but change only events. Her own membership is in its trial period.',
    'mei-ling.chou@example.com':
      'In the middle of one course. A second ends in a few days, and a third has ended. At both schools.',
    'jonas.brandt@example.com': 'His payment is overdue, so his courses are on hold.',
    'priya.nair@example.com': 'Joined yesterday: one course, nothing watched yet.',
    'lucia.ferrari@example.com': 'Has a course that starts in ten days.',
    'noor.haddad@example.com': 'Returns every term: 45 enrollments to page through.',
    'sam.okafor@example.com': 'Has no courses.',
  },
  kiln: {
    'hao-yu.lin@example.com': 'Can connect any app. This school doesn’t sign ID tokens.',
    'mei-ling.chou@example.com':
      'Also at the drawing school. The schools share nothing, so each has its own ID for her.',
    'wen-chi.kao@example.com': 'Has a studio membership. She lost access to one of her courses.',
  },
}

const firstName = (name: string): string => name.split(' ', 1)[0]!

/** Lists the people who can sign in, each with a button to sign in as them. */
export function frontPeople(view: FrontView): Html {
  const { people, password } = view
  return html`<section class="band" id="people" aria-labelledby="people-title">
    <div class="band-head">
      <h2 id="people-title">Who can sign in</h2>
      <p>
        ${people.length} people, one password: <code class="letters">${password}</code>. Staff can
        connect the app of the walkthrough below. Students can’t, which is worth a try.
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
        ? html`<p class="badge badge-good person-here">You’re signed in</p>`
        : html`<form class="person-enter" method="post" action="/sign-in">
            ${hidden('return_to', '/')}${hidden('csrf_token', form.csrfToken)}
            ${hidden('email', email)}${hidden('password', password)}
            <button class="button button-plain button-small" type="submit">
              <span>Sign in as ${foreign(firstName(name))}</span>
            </button>
          </form>`
    }
  </li>`
}
