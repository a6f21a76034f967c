import type { ConsentView } from 'hallpass/authorization-server'
import { accessChoice, endChoice, nothingLeft, scopeMarks } from './consent-access.js'
import { type Html, html } from './html.js'
import { clientLinks } from './client-links.js'
import { foreign, localPath, page, type Site } from './layout.js'
import { ENTER_SENDS_NOTHING } from './form-parts.js'
import {
  appLogo, appName, destination, hidden, knownAs, moment, notice, signOutForm,
} from './parts.js' // prettier-ignore
import { scopeGroups } from './scope-list.js'
import { nameOf, rolesInWords, spanInWords } from './wording.js'

/**
 * Renders the page on which a person allows or refuses an app. Pressing Enter does not submit the form
 * unless a button has the focus, because Enter activates the first button, and that one does nothing.
 *
 * @param options - `signOutToken`: the `csrf_token` that `/sign-out` requires, or `null` if it requires
 *   none. `logo`: the path of the school's own copy of the app's logo, or `null`. `timeZone`: that of the
 *   school, in which the page shows dates.
 */
export function consentPage({
  site,
  view,
  signOutToken = null,
  logo = null,
  timeZone = 'UTC',
}: {
  site: Site
  view: ConsentView
  signOutToken?: string | null
  logo?: string | null
  timeZone?: string
}): Html {
  if (view.blocked !== null) return blockedPage({ site, view, signOutToken })
  const { client, scopes, addsTo } = view
  return page({
    site,
    title: addsTo === null ? `Let ${client.name} connect?` : `Let ${client.name} do more?`,
    wide: true,
    body: html`<div class="consent">
      <div class="consent-who">
        ${logo !== null && appLogo(logo)}
        <h1>
          Let ${appName(client.name)} ${addsTo === null ? 'connect to' : 'do more at'} ${site.name}?
        </h1>
        ${caution({ site, view })} ${facts({ site, view, signOutToken })}
      </div>
      <form class="consent-what" method="post" action="${localPath(view.action)}">
        ${ENTER_SENDS_NOTHING} ${hidden('csrf_token', view.csrfToken)}
        ${view.notice === 'nothing_left' && nothingLeft()}
        <section aria-labelledby="may">
          <h2 id="may">${addsTo === null ? 'What it can do' : 'What else it can do'}</h2>
          ${view.mayNarrow && accessChoice(view)} ${scopeGroups(scopes, scopeMarks(view))}
        </section>
        <section class="cannot" aria-labelledby="may-not">
          <h2 id="may-not">What it can’t do</h2>
          <ul class="dashes">
            ${limitsOf(view).map((limit) => html`<li>${limit}</li>`)}
          </ul>
        </section>
        ${view.grantEnds.length > 0 && endChoice(view)}
        <p class="fine">
          Access lasts up to ${spanInWords(view.grantLifetimeSeconds)}. Then the app has to ask
          again.
          ${
            view.clientEndsAt !== null &&
            html`The school lets this app connect until ${moment(view.clientEndsAt, { timeZone })}.`
          }
          You can disconnect it at any time under
          <strong>Account › Connected apps</strong>.
        </p>
        ${decision(view)}
      </form>
    </div>`,
  })
}

const blockedPage = ({
  site,
  view,
  signOutToken,
}: {
  site: Site
  view: ConsentView
  signOutToken: string | null
}): Html =>
  page({
    site,
    title: `${view.client.name} can’t connect with this account`,
    body: html`
      <h1>${appName(view.client.name)} can’t connect with this account</h1>
      ${whyBlocked({ site, view })} ${facts({ site, view, signOutToken })}
      <form method="post" action="${localPath(view.action)}">
        ${hidden('csrf_token', view.csrfToken)} ${decision(view)}
      </form>
    `,
  })

function caution({ site, view }: { site: Site; view: ConsentView }): Html | null {
  const { client, addsTo } = view
  if (client.kind === 'loopback')
    return notice(
      'warn',
      html`<p>
        <strong>Did you start this app yourself?</strong> Any program on this computer can call
        itself ${foreign(client.name)}.
        ${
          addsTo === null
            ? 'Allow it only if you started it just now. You’ll be asked every time.'
            : 'Allow it only if you just asked it to do this.'
        }
      </p>`,
    )
  if (!client.verified)
    return notice(
      'warn',
      html`<p>
        <strong>${site.name} hasn’t reviewed this app.</strong> Until the school does, the app can
        see things but not change them, and you’ll be asked every time.
      </p>`,
    )
  if (client.redirectIsLoopback)
    return notice(
      'note',
      html`<p>
        If you allow it, access goes to a program on this computer. Allow it only if you started
        ${foreign(client.name)} just now.
      </p>`,
    )
  return null
}

const whyBlocked = ({ site, view }: { site: Site; view: ConsentView }): Html =>
  notice(
    'error',
    view.blocked === 'not_staff'
      ? html`<p>
          <strong>This app is for people who run the school.</strong> Your role at ${site.name}
          doesn’t include that. Use another account, or ask the school’s owner.
        </p>`
      : html`<p>
          <strong>This account isn’t a member of ${site.name}.</strong> Only members can connect
          apps to the school. Use another account, or ask the school to invite you.
        </p>`,
  )

function facts({
  site,
  view,
  signOutToken,
}: {
  site: Site
  view: ConsentView
  signOutToken: string | null
}): Html {
  const { client, person } = view
  return html`<dl class="facts">
    <div>
      <dt>Where it’s from</dt>
      <dd>${knownAs({ site, client })}</dd>
    </div>
    ${
      view.addsTo === null &&
      html`<div>
        <dt>Sends you back to</dt>
        <dd>${destination(client, 'A')}</dd>
      </div>`
    }
    ${clientLinks({ site, client })}
    <div>
      <dt>Your account</dt>
      <dd>
        <strong>${foreign(nameOf(person))}</strong>
        ${
          person.name !== null &&
          person.email !== null &&
          html`<span class="quiet">${foreign(person.email)}</span>`
        }
        <span class="quiet">${rolesInWords(person.roles)} at ${site.name}</span>
        ${signOutForm({
          returnTo: view.action,
          csrfToken: signOutToken,
          label: 'Use another account',
          look: 'link-button',
        })}
      </dd>
    </div>
  </dl>`
}

function limitsOf({ client, scopes, addsTo }: ConsentView): readonly string[] {
  const effective = [...scopes, ...(addsTo ?? [])].filter(({ beyondRole }) => !beyondRole)
  const writes = effective.some(({ access }) => access === 'write')
  return [
    'See or change your password, or see card numbers',
    ...(writes ? [] : ['Change anything']),
    ...(client.kind === 'member'
      ? ['See other members’ data', 'Buy anything, ask for a refund or cancel a membership']
      : [
          ...(effective.some(({ personalData }) => personalData)
            ? []
            : ['See other people’s personal data']),
          'Take or refund payments',
          'Do more than your own role allows, now or later',
        ]),
  ]
}

const decision = ({ blocked }: ConsentView): Html =>
  html`<div class="decision">
    ${
      blocked === null &&
      html`<button class="button button-choice" type="submit" name="decision" value="allow">
        Allow
      </button>`
    }
    <button class="button button-choice" type="submit" name="decision" value="deny">Cancel</button>
  </div>`
