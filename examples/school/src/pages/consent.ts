import type { ClientView, ConsentScope, ConsentView } from 'hallpass/endpoint'
import { type Html, html } from './html.js'
import { foreign, localPath, page, type Site } from './layout.js'
import { address, appName, destination, hidden, notice, signOutForm } from './parts.js'
import { documentHost, nameOf, rolesInWords, spanInWords } from './wording.js'

/**
 * The page on which a person allows or refuses an app. Nothing in the form takes text, so Enter alone
 * sends nothing.
 *
 * @param options - `signOutToken`: the `csrf_token` that the host's `/sign-out` wants, if it wants one
 */
export function consentPage({
  site,
  view,
  signOutToken = null,
}: {
  site: Site
  view: ConsentView
  signOutToken?: string | null
}): Html {
  if (view.blocked !== null) return blockedPage({ site, view, signOutToken })
  const { client, scopes } = view
  return page({
    site,
    title: `Let ${client.name} connect?`,
    wide: true,
    body: html`<div class="consent">
      <div class="consent-who">
        <h1>Let ${appName(client.name)} connect to ${site.name}?</h1>
        ${caution({ site, client })} ${facts({ site, view, signOutToken })}
      </div>
      <div class="consent-what">
        <section aria-labelledby="may">
          <h2 id="may">What it may do</h2>
          ${groupsOf(scopes).map(scopeGroup)}
        </section>
        <section class="cannot" aria-labelledby="may-not">
          <h2 id="may-not">What it can not do</h2>
          <ul class="plain-list">
            ${limitsOf(view).map((limit) => html`<li>${limit}</li>`)}
          </ul>
        </section>
        <p class="fine">
          If you allow it, this lasts up to ${spanInWords(view.grantLifetimeSeconds)}; then it has
          to ask again. You can end it sooner, at any time, under
          <strong>Account › Connected apps</strong>.
        </p>
        ${decision(view)}
      </div>
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
    title: `${view.client.name} cannot connect with this account`,
    body: html`
      <h1>${appName(view.client.name)} cannot connect with this account</h1>
      ${whyBlocked({ site, view })} ${facts({ site, view, signOutToken })} ${decision(view)}
    `,
  })

function trust({ site, client }: { site: Site; client: ClientView }): Html {
  const badge = client.verified
    ? html`<span class="badge badge-good">Known</span>`
    : html`<span class="badge badge-warn">Not reviewed</span>`
  if (client.kind === 'member') return html`Made by your school, ${site.name} ${badge}`
  if (client.kind === 'vendor') return html`A known platform ${badge}`
  if (client.kind === 'loopback')
    return html`An app on this computer. It chose its own name. ${badge}`
  const host = address(documentHost(client.clientId))
  return client.verified
    ? html`Identified by ${host}, reviewed by ${site.name} ${badge}`
    : html`Identified by ${host} ${badge}`
}

function caution({ site, client }: { site: Site; client: ClientView }): Html | null {
  if (client.kind === 'loopback')
    return notice(
      'warn',
      html`<p>
        <strong>Did you start this yourself?</strong> Any program on this computer can call itself
        ${foreign(client.name)}. Allow it only if you started it just now. It asks every time.
      </p>`,
    )
  if (!client.verified)
    return notice(
      'warn',
      html`<p>
        <strong>Nobody at ${site.name} has reviewed this app.</strong> Until somebody does, it can
        look but change nothing, and it asks every time.
      </p>`,
    )
  if (client.redirectIsLoopback)
    return notice(
      'note',
      html`<p>
        The answer goes to a program on this computer. Allow it only if you started
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
          <strong>This app is for people who run the school.</strong> Your role at ${site.name} does
          not include that. Use an account that does, or ask the owner of the school.
        </p>`
      : html`<p>
          <strong>This account has no place at ${site.name}.</strong> Only members of the school can
          connect apps to it. Use another account, or ask the school to invite you.
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
      <dt>How we know it</dt>
      <dd>${trust({ site, client })}</dd>
    </div>
    <div>
      <dt>The answer goes to</dt>
      <dd>${destination(client, 'A')}</dd>
    </div>
    <div>
      <dt>You are</dt>
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
          label: 'Not you?',
          look: 'link-button',
        })}
      </dd>
    </div>
  </dl>`
}

interface ScopeGroup {
  readonly name: string
  readonly scopes: readonly ConsentScope[]
}

function groupsOf(scopes: readonly ConsentScope[]): readonly ScopeGroup[] {
  const groups = new Map<string, ConsentScope[]>()
  for (const scope of scopes) groups.set(scope.group, [...(groups.get(scope.group) ?? []), scope])
  return [...groups].map(([name, scopes]) => ({ name, scopes }))
}

const scopeGroup = ({ name, scopes }: ScopeGroup): Html =>
  html`<div class="scope-group">
    <h3>${name}</h3>
    <ul class="scopes">
      ${scopes.map(scopeRow)}
    </ul>
  </div>`

const SIGNS: Readonly<Record<ConsentScope['access'], Html>> = {
  identity: html`<circle cx="10" cy="6.5" r="3.5" /><path
      d="M3.5 17.5c.5-4 3-6 6.5-6s6 2 6.5 6"
    />`,
  read: html`<path d="M1.5 10C5 4 15 4 18.5 10 15 16 5 16 1.5 10z" /><circle
      cx="10"
      cy="10"
      r="2.5"
    />`,
  write: html`<path d="M3 17l1-4.5L13.5 3 17 6.5 7.5 16zM11.5 5L15 8.5" />`,
}

function scopeRow({ text, access, personalData, beyondRole }: ConsentScope): Html {
  // The first sentence says what it may do, the rest where that ends.
  const end = text.indexOf('. ')
  const [act, limit] = end === -1 ? [text, null] : [text.slice(0, end), text.slice(end + 2)]
  return html`<li class="${beyondRole ? 'scope scope-idle' : 'scope'}">
    <svg
      class="${access === 'write' ? 'scope-sign scope-sign-write' : 'scope-sign'}"
      viewBox="0 0 20 20"
      aria-hidden="true"
      focusable="false"
    >
      ${SIGNS[access]}
    </svg>
    <div>
      <span class="scope-act">${act}</span>
      ${access === 'write' && html`<span class="badge badge-write">Makes changes</span>`}
      ${personalData && html`<span class="badge badge-data">Personal data</span>`}
      ${beyondRole && html`<span class="badge">Not with your role</span>`}
      ${limit !== null && html`<p class="quiet">${limit}.</p>`}
      ${
        beyondRole &&
        html`<p class="quiet">
          It asks for this, but your role does not include it, so it has no effect.
        </p>`
      }
    </div>
  </li>`
}

function limitsOf({ client, scopes }: ConsentView): readonly string[] {
  const effective = scopes.filter(({ beyondRole }) => !beyondRole)
  const writes = effective.some(({ access }) => access === 'write')
  return [
    'See or change your password, or see card numbers',
    ...(writes ? [] : ['Change anything']),
    ...(client.kind === 'member'
      ? ["See other members' data", 'Buy anything, ask for a refund or cancel a membership']
      : [
          ...(effective.some(({ personalData }) => personalData)
            ? []
            : ["See other people's personal data"]),
          'Take or refund payments',
          'Do more than your own role allows, now or later',
        ]),
  ]
}

const decision = ({ action, csrfToken, blocked }: ConsentView): Html =>
  html`<form class="decision" method="post" action="${localPath(action)}">
    ${hidden('csrf_token', csrfToken)}
    ${
      blocked === null &&
      html`<button class="button button-choice" type="submit" name="decision" value="allow">
        Allow
      </button>`
    }
    <button class="button button-choice" type="submit" name="decision" value="deny">Cancel</button>
  </form>`
