import { schoolRoles } from 'hallpass/scope'
import { type Html, html } from '../../../pages/html.js'
import { foreign } from '../../../pages/layout.js'
import { hidden } from '../../../pages/parts.js'
import { rolesInWords } from '../../../pages/wording.js'
import { languageOf } from '../../../pages/words/languages.js'
import type { BelowSignIn } from '../sign-in/sign-in.js'
import { DEMO_PASSWORD, demoSignIns, type DemoSignIn } from './demo.js'

/** One person of each of these roles has a button. */
const ROLES = ['owner', 'assistant', 'student']

interface Words {
  readonly lead: string
  readonly forStaff: string
  readonly passes: string
}

const WORDS: Readonly<Record<string, Words>> = {
  en: {
    lead: 'This is a demo. Continue as:',
    forStaff: 'This app is for staff. The school refuses students, which is worth a try.',
    passes: 'can allow it',
  },
  'zh-Hant': {
    lead: '這是示範。以下列身分繼續：',
    forStaff: '此應用程式供教職員使用。學校會拒絕學生，不妨試試。',
    passes: '可以允許',
  },
  ar: {
    lead: 'هذا عرض تجريبي. المتابعة باسم:',
    forStaff: 'هذا التطبيق للموظفين. المدرسة ترفض الطلاب، ويمكن تجربة ذلك.',
    passes: 'السماح ممكن',
  },
}

const firstName = (name: string): string => name.split(' ', 1)[0]!

/** Renders buttons that sign in as people of the demo, below the form of a sign-in page of one site. */
export const continueAs =
  (siteId: string): BelowSignIn =>
  ({ site, client, returnTo, csrfToken }) => {
    const language = languageOf(site)
    const words = WORDS[language.tag] ?? WORDS['en']!
    // A member's app is for everyone.
    const isForStaff = client !== null && client.kind !== 'member'
    const people = ROLES.flatMap(
      (wanted) => demoSignIns(siteId).find(({ role }) => role === wanted) ?? [],
    )
    const button = ({ name, email, role }: DemoSignIn): Html =>
      html`<form method="post" action="/sign-in">
        ${hidden('return_to', returnTo)}${hidden('csrf_token', csrfToken)}
        ${hidden('email', email)}${hidden('password', DEMO_PASSWORD)}
        <button class="button button-plain" type="submit">
          <span>
            <strong>${foreign(firstName(name))}</strong>
            <span class="quiet">${rolesInWords([role], language)}</span>
            ${
              isForStaff &&
              schoolRoles[role]?.staff === true &&
              html`<span class="badge badge-good">${words.passes}</span>`
            }
          </span>
        </button>
      </form>`
    return html`<section class="card continue-as" aria-label="${words.lead}">
      <p>${words.lead}</p>
      <div>${people.map(button)}</div>
      ${isForStaff && html`<p class="quiet">${words.forStaff}</p>`}
    </section>`
  }

/** Styles of {@link continueAs}. */
export const continueAsCss = `
/* Demo: people to continue as */
.continue-as { display: grid; gap: var(--s3); }
.continue-as > div { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 5.25rem), 1fr)); gap: var(--s3); }
.continue-as form { display: grid; }
.continue-as .button { height: 100%; padding-inline: var(--s1); }
.continue-as .badge { margin-top: var(--s1); white-space: normal; }
.continue-as .button .quiet { font-weight: 400; }
`
