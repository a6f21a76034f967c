import type { ClientView, SignInView } from 'hallpass/authorization-server'
import { type Html, html } from './html.js'
import { foreign, localPath, page, type Site } from './layout.js'
import { address, destination, hidden, notice, signOutForm } from './parts.js'
import { documentHost, spanInWords } from './wording.js'

/** The state of the sign-in form. */
export type SignInState =
  | { readonly kind: 'plain' }
  /** Also used for an unknown email address, so that the form does not reveal who is a member. */
  | { readonly kind: 'wrong_credentials' }
  | { readonly kind: 'throttled'; readonly waitSeconds: number }
  /** Only after the right password was entered; otherwise the state is `wrong_credentials`. */
  | { readonly kind: 'suspended' }
  | { readonly kind: 'signed_in'; readonly name: string }

/** The values that the form is rendered with. */
export interface SignInForm {
  /** Sent back in the field `csrf_token`. */
  readonly csrfToken: string
  /** The email address that the person entered before, or `null`. */
  readonly email: string | null
  readonly state: SignInState
}

/** Renders the sign-in page while an app waits. The form posts to `/sign-in`. */
export function signInPage({
  site,
  view,
  form,
}: {
  site: Site
  view: SignInView
  form: SignInForm
}): Html {
  const { client, cause, returnTo } = view
  const email = form.email ?? view.loginHint ?? ''
  // If the client requires a new sign-in, the person cannot continue with the current session.
  const known = form.state.kind === 'signed_in' && cause !== 'again' ? form.state : null
  const heading = cause === 'again' ? 'Sign in again' : 'Sign in'
  return page({
    site,
    title: known === null ? titleOf(form.state, heading) : `Continue as ${known.name}?`,
    body: html`
      <h1>${known === null ? heading : continueAs(known.name)}</h1>
      ${waiting({ site, client, cause })} ${warning({ site, client })}
      ${
        known === null
          ? fields({ site, form, email, returnTo })
          : alreadySignedIn({ returnTo, form })
      }
      <p class="fine">
        ${foreign(client.name)} never sees your password. Next, you decide what it can do.
      </p>
    `,
  })
}

/**
 * Renders the sign-in page when no app is waiting.
 *
 * @param options - `returnTo`: where it leads, a path of this origin; `cause`: `again` if the person is
 *   signed in, but the next step requires a recent sign-in
 */
export function signInOnlyPage({
  site,
  form,
  returnTo = '/',
  cause = 'signed_out',
}: {
  site: Site
  form: SignInForm
  returnTo?: string
  cause?: SignInView['cause']
}): Html {
  const { state } = form
  const heading = cause === 'again' ? 'Sign in again' : 'Sign in'
  const known = state.kind === 'signed_in' ? state : null
  return page({
    site,
    title: known === null ? titleOf(state, heading) : `Continue as ${known.name}?`,
    body: html`
      <h1>${known === null ? heading : continueAs(known.name)}</h1>
      <p class="lead">
        ${
          cause === 'again'
            ? 'You signed in a while ago. The next step changes what apps can do here, so please confirm it’s you.'
            : html`Welcome back to ${site.name}.`
        }
      </p>
      ${
        known === null
          ? fields({ site, form, email: form.email ?? '', returnTo })
          : alreadySignedIn({ returnTo, form })
      }
    `,
  })
}

const continueAs = (name: string): Html => html`Continue as ${foreign(name)}?`

const isError = ({ kind }: SignInState): boolean =>
  kind === 'wrong_credentials' || kind === 'throttled' || kind === 'suspended'

const titleOf = (state: SignInState, title: string): string =>
  isError(state) ? `Error: ${title}` : title

const waiting = ({
  site,
  client,
  cause,
}: {
  site: Site
  client: ClientView
  cause: SignInView['cause']
}): Html =>
  html`<p class="lead">
    <strong>${foreign(client.name)}</strong> ${
      cause === 'again'
        ? html`asks you to sign in to ${site.name} again.`
        : html`is waiting to connect to ${site.name}.`
    }
    After that, you go back to ${destination(client, 'a')}.
  </p>`

function warning({ site, client }: { site: Site; client: ClientView }): Html | null {
  if (client.verified) return null
  return notice(
    'warn',
    client.kind === 'loopback'
      ? html`<p>
          <strong>No one has reviewed this app.</strong> It runs on a computer and chose its own
          name. Sign in only if you started it yourself just now.
        </p>`
      : html`<p>
          <strong>${site.name} hasn’t reviewed this app.</strong> All we know is that
          ${address(documentHost(client.clientId))} publishes it. Sign in only if you trust that
          site.
        </p>`,
  )
}

function summary({ site, state }: { site: Site; state: SignInState }): Html | null {
  if (state.kind === 'wrong_credentials')
    return notice(
      'error',
      html`<p>That email and password don’t match an account at ${site.name}.</p>`,
      'sign-in-error',
    )
  if (state.kind === 'throttled')
    return notice(
      'error',
      html`<p>
        <strong>Too many attempts.</strong> Wait ${spanInWords(state.waitSeconds)}, then try again.
      </p>`,
      'sign-in-error',
    )
  if (state.kind === 'suspended')
    return notice(
      'error',
      html`<p>
        <strong>Your account is suspended.</strong> Contact ${site.name} if you think this is a
        mistake.
      </p>`,
      'sign-in-error',
    )
  return null
}

/** Renders the form, with its error above it. */
export function fields({
  site,
  form,
  email,
  returnTo,
}: {
  site: Site
  form: SignInForm
  email: string
  returnTo: string
}): Html {
  const { state, csrfToken } = form
  const described = isError(state) && html` aria-describedby="sign-in-error"`
  const invalid = state.kind === 'wrong_credentials' && html` aria-invalid="true"`
  return html`${summary({ site, state })}
    <form class="stack" method="post" action="/sign-in">
      ${hidden('return_to', localPath(returnTo))}${hidden('csrf_token', csrfToken)}
      <div class="field">
        <label for="email">Email</label>
        <input
          id="email"
          name="email"
          type="email"
          value="${email}"
          autocomplete="username"
          autocapitalize="none"
          spellcheck="false"
          maxlength="254"
          required${described}${invalid}
        />
      </div>
      <div class="field">
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          maxlength="256"
          required${described}${invalid}
        />
      </div>
      <button class="button button-main" type="submit">Sign in</button>
    </form>`
}

const alreadySignedIn = ({ returnTo, form }: { returnTo: string; form: SignInForm }): Html =>
  html`<div class="stack">
    <a class="button button-main" href="${localPath(returnTo)}">Continue</a>
    ${signOutForm({
      returnTo,
      csrfToken: form.csrfToken,
      label: 'Use another account',
      look: 'button button-plain',
    })}
  </div>`
