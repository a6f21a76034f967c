import type { ConsentScope, ConsentView } from 'hallpass/authorization-server'
import type { DeviceView } from 'hallpass/blocks'
import { accessChoice, endChoice, nothingLeft, scopeMarks } from './consent-access.js'
import { type Html, html } from './html.js'
import { clientLinks } from './client-links.js'
import { foreign, localPath, page, type Site } from './layout.js'
import { ENTER_SENDS_NOTHING } from './form-parts.js'
import {
  address, appLogo, appName, destination, hidden, knownAs, moment, notice, sentences, signOutForm,
} from './parts.js' // prettier-ignore
import { scopeGroups } from './scope-list.js'
import { countOf, nameOf, rolesInWords, spanInWords } from './wording.js'
import { MOST_COUNTED } from './words/counted.js'
import { languageOf, wordsOf } from './words/languages.js'
import type { Words } from './words/words.js'

/**
 * Renders the page on which a person allows or refuses an app. Pressing Enter does not submit the form
 * unless a button has the focus, because Enter activates the first button, and that one does nothing.
 *
 * @param options - `signOutToken`: the `csrf_token` that `/sign-out` requires, or `null` if it requires
 *   none. `logo`: the path of the school's own copy of the app's logo, or `null`. `people`: how many have connected
 *   the app. `timeZone`: that of the school, in which the page shows dates. `device`: the device that asks, with its
 *   code, in place of an app that gets a redirect.
 */
export function consentPage({
  site,
  view,
  signOutToken = null,
  logo = null,
  people = 0,
  timeZone = 'UTC',
  device = null,
}: {
  site: Site
  view: ConsentView
  signOutToken?: string | null
  logo?: string | null
  people?: number
  timeZone?: string
  device?: Device | null
}): Html {
  if (view.blocked !== null) return blockedPage({ site, view, signOutToken, device })
  const { client, scopes, addsTo } = view
  const language = languageOf(site)
  const words = language.words.consent
  const sumOf = (some: readonly ConsentScope[]): string => words.sum(countsOf(some))
  const [title, heading, can] =
    addsTo === null
      ? [words.title, words.heading, words.can]
      : [words.moreTitle, words.moreHeading, words.canMore]
  return page({
    site,
    title: title(client.name),
    wide: true,
    body: html`<div class="consent">
      <div class="consent-who">
        ${logo !== null && appLogo(logo)}
        <h1>${heading(appName(client.name), site.name)}</h1>
        ${caution({ site, view, device })}
        ${facts({
          site,
          view,
          signOutToken,
          history: history({ site, view, people, timeZone }),
          device,
          timeZone,
        })}
      </div>
      <form class="consent-what" method="post" action="${localPath(view.action)}">
        ${
          scopes.length > MANY &&
          html`<p class="consent-asks" aria-hidden="true">
            ${heading(appName(client.name), site.name)}
          </p>`
        }
        ${ENTER_SENDS_NOTHING} ${hidden('csrf_token', view.csrfToken)}
        ${hidden('user_code', device?.userCode ?? null)}
        ${view.notice === 'nothing_left' && nothingLeft(site)}
        <section aria-labelledby="may">
          <h2 id="may">${can}</h2>
          ${scopes.length > MANY && html`<p class="lead">${sumOf(scopes)}</p>`}
          ${view.mayNarrow && accessChoice({ site, view })}
          ${scopeGroups(sensitiveFirst(scopes), scopeMarks({ site, view }), site, 3, isLong(view) ? sumOf : null)}
        </section>
        <section class="cannot" aria-labelledby="may-not">
          <h2 id="may-not">${words.cannot}</h2>
          <ul class="dashes">
            ${limitsOf({ site, view }).map((limit) => html`<li>${limit}</li>`)}
          </ul>
        </section>
        ${view.grantEnds.length > 0 && endChoice({ site, view, timeZone })}
        <p class="fine">
          ${sentences(site, [
            words.lasts(spanInWords(view.grantLifetimeSeconds, language)),
            view.clientEndsAt !== null &&
              words.clientEnds(moment(view.clientEndsAt, { timeZone }, language)),
            words.disconnect,
          ])}
        </p>
        ${mayAddLater(view) && html`<p class="fine">${words.laterMore(connectedApps)}</p>`}
        ${decision({ site, view })}
      </form>
    </div>`,
  })
}

/** A device that asks, and its code. */
type Device = Extract<DeviceView, { page: 'consent' }>

/** Whether an app that can change nothing yet may ask for that, which one that is not reviewed may not. */
const mayAddLater = ({ client, scopes, addsTo }: ConsentView): boolean =>
  addsTo === null &&
  (client.verified || client.kind === 'loopback') &&
  scopes.every(({ access }) => access !== 'write')

const connectedApps = (text: string): Html =>
  html`<a href="/oauth/authorized_applications" target="_blank">${text}</a>`

/** More scopes than fit into one view. */
const MANY = 8

/** Whether few people read all scopes: groups fold then, and the decision stays in sight. */
const isLong = ({ scopes }: ConsentView): boolean => scopes.length > 12

/** Returns the scopes with sensitive ones first in their group, and groups that have one before the others. */
function sensitiveFirst(scopes: readonly ConsentScope[]): readonly ConsentScope[] {
  const groups = new Set(scopes.filter(({ sensitive }) => sensitive).map(({ group }) => group))
  const rankOf = ({ group, sensitive }: ConsentScope): number =>
    sensitive ? 0 : groups.has(group) ? 1 : 2
  return scopes.toSorted((one, other) => rankOf(one) - rankOf(other))
}

/** Counts scopes, and those of them that deserve a second look. */
function countsOf(scopes: readonly ConsentScope[]): Parameters<Words['consent']['sum']>[0] {
  const count = (matches: (scope: ConsentScope) => boolean): number => scopes.filter(matches).length
  return {
    all: scopes.length,
    changes: count(({ access }) => access === 'write'),
    personal: count(({ personalData }) => personalData),
  }
}

const blockedPage = ({
  site,
  view,
  signOutToken,
  device,
}: {
  site: Site
  view: ConsentView
  signOutToken: string | null
  device: Device | null
}): Html =>
  page({
    site,
    title: wordsOf(site).consent.blockedTitle(view.client.name),
    body: html`
      <h1>${wordsOf(site).consent.blockedHeading(appName(view.client.name))}</h1>
      ${whyBlocked({ site, view })} ${facts({ site, view, signOutToken, device })}
      <form method="post" action="${localPath(view.action)}">
        ${hidden('csrf_token', view.csrfToken)} ${hidden('user_code', device?.userCode ?? null)}
        ${decision({ site, view })}
      </form>
    `,
  })

function caution({
  site,
  view: { client, addsTo },
  device,
}: {
  site: Site
  view: ConsentView
  device: Device | null
}): Html | null {
  const words = wordsOf(site).consent
  const app = foreign(client.name)
  if (device !== null) {
    const { started } = wordsOf(site).device
    const isUnreviewed = client.kind === 'document' && !client.verified
    return notice(
      'warn',
      html`<p>${started(app)}</p>
        ${isUnreviewed && html`<p>${words.unreviewed(site.name)}</p>`}`,
    )
  }
  if (client.kind === 'loopback') {
    const started = client.redirectIsOwn
      ? words.openedPage
      : addsTo === null
        ? words.startedProgram
        : words.startedProgramMore
    return notice('warn', html`<p>${started(app)}</p>`)
  }
  if (!client.verified) return notice('warn', html`<p>${words.unreviewed(site.name)}</p>`)
  if (client.redirectIsLoopback && !client.redirectIsOwn)
    return notice('note', html`<p>${words.toThisComputer(app)}</p>`)
  return null
}

function whyBlocked({ site, view }: { site: Site; view: ConsentView }): Html {
  const { notStaff, noMember } = wordsOf(site).consent
  if (view.blocked !== 'not_staff') return notice('error', html`<p>${noMember(site.name)}</p>`)
  const ask = `/oauth/authorized_applications/ask?client_id=${encodeURIComponent(view.client.clientId)}`
  const text = notStaff(site.name, (words) => html`<a href="${ask}">${words}</a>`)
  return notice('error', html`<p>${text}</p>`)
}

function facts({
  site,
  view,
  signOutToken,
  history = null,
  device,
  timeZone = 'UTC',
}: {
  site: Site
  view: ConsentView
  signOutToken: string | null
  history?: Html | null
  device: Device | null
  timeZone?: string
}): Html {
  const { client, person } = view
  const language = languageOf(site)
  const { consent: words, signIn } = language.words
  return html`<dl class="facts">
    ${device !== null && deviceFacts({ site, device, timeZone })}
    <div>
      <dt>${words.from}</dt>
      <dd>${knownAs({ site, client, elsewhere: device !== null })}</dd>
    </div>
    ${
      view.addsTo === null &&
      device === null &&
      html`<div>
        <dt>${words.sendsBackTo}</dt>
        <dd>${destination({ site, client, first: true })}</dd>
      </div>`
    }
    ${clientLinks({ site, client })}
    ${
      history !== null &&
      html`<div>
        <dt>${words.here}</dt>
        <dd>${history}</dd>
      </div>`
    }
    <div>
      <dt>${words.account}</dt>
      <dd>
        <strong>${foreign(nameOf(person, language))}</strong>
        ${
          person.name !== null &&
          person.email !== null &&
          html`<span class="quiet">${foreign(person.email)}</span>`
        }
        <span class="quiet">${words.rolesAt(rolesInWords(person.roles, language), site.name)}</span>
        ${signOutForm({
          returnTo: device === null ? view.action : `${view.action}?user_code=${device.userCode}`,
          csrfToken: signOutToken,
          label: signIn.otherAccount,
          look: 'link-button',
        })}
      </dd>
    </div>
  </dl>`
}

/** Says which code the device shows, and from where and since when it asks. */
function deviceFacts({
  site,
  device: { userCode, requestedAt, place, program },
  timeZone,
}: {
  site: Site
  device: Device
  timeZone: string
}): Html {
  const language = languageOf(site)
  const words = language.words.device
  return html`<div>
      <dt>${words.shown}</dt>
      <dd><strong class="device-code">${address(userCode)}</strong></dd>
    </div>
    <div>
      <dt>${words.askedFrom}</dt>
      <dd>
        ${place === null ? words.nowhere : address(place)}
        <span class="quiet">${moment(requestedAt, { timeZone }, language)}</span>
        ${program !== null && html`<span class="quiet">${words.calledItself(foreign(program))}</span>`}
      </dd>
    </div>`
}

/** Says since when the school knows the app, and how many people have connected it. */
function history({
  site,
  view: { client, addsTo },
  people,
  timeZone,
}: {
  site: Site
  view: ConsentView
  people: number
  timeZone: string
}): Html | null {
  if (addsTo !== null) return null
  const language = languageOf(site)
  const { isNew, since, peopleCount } = language.words.consent.history
  if (people === 0) return html`${isNew}`
  const counted = countOf(people, language)
  const atLeast = people < MOST_COUNTED ? counted : `${counted}+`
  return html`${peopleCount(atLeast)}
  ${client.createdAt !== null && html`<span class="quiet">${since(moment(client.createdAt, { timeZone }, language))}</span>`}`
}

function limitsOf({
  site,
  view: { client, scopes, addsTo },
}: {
  site: Site
  view: ConsentView
}): readonly string[] {
  const { limits } = wordsOf(site).consent
  const effective = [...scopes, ...(addsTo ?? [])].filter(({ beyondRole }) => !beyondRole)
  const writes = effective.some(({ access }) => access === 'write')
  return [
    limits.secrets,
    ...(writes ? [] : [limits.changes]),
    ...(client.kind === 'member'
      ? [limits.otherMembers, limits.buying]
      : [
          ...(effective.some(({ personalData }) => personalData) ? [] : [limits.personalData]),
          limits.payments,
          limits.beyondRole,
        ]),
  ]
}

function decision({ site, view }: { site: Site; view: ConsentView }): Html {
  const { blocked, mayPaste } = view
  const { allow, cancel, paste, pasteMeans } = wordsOf(site).consent
  return html`<div class="${isLong(view) ? 'decision decision-near' : 'decision'}">
    ${
      blocked === null &&
      html`<button class="button button-choice" type="submit" name="decision" value="allow">
        ${allow}
      </button>`
    }
    <button class="button button-choice" type="submit" name="decision" value="deny">
      ${cancel}
    </button>
    ${
      mayPaste &&
      html`<p class="decision-more">
        <button
          class="link-button"
          type="submit"
          name="decision"
          value="allow_and_paste"
          aria-describedby="paste-means"
        >
          ${paste}
        </button>
        <span class="quiet" id="paste-means">${pasteMeans}</span>
      </p>`
    }
  </div>`
}
