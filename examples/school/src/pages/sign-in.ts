import type { ClientView, SignInView } from 'hallpass/authorization-server'
import { type Html, html } from './html.js'
import { foreign, localPath, page, type Site } from './layout.js'
import { address, destination, hidden, notice, signOutForm } from './parts.js'
import { documentHost, spanInWords } from './wording.js'

/** What the form has to say. */
export type SignInState =
  | { readonly kind: 'plain' }
  /** The same for an address that nobody has, so that it tells nothing about who is a member. */
  | { readonly kind: 'wrong_credentials' }
  | { readonly kind: 'throttled'; readonly waitSeconds: number }
  /** Only for somebody who gave the right password; everybody else gets `wrong_credentials`. */
  | { readonly kind: 'suspended' }
  | { readonly kind: 'signed_in'; readonly name: string }

/** The form as it goes out. */
export interface SignInForm {
  /** Goes back in the field `csrf_token`. */
  readonly csrfToken: string
  /** What the person typed before; `null` = nothing yet. */
  readonly email: string | null
  readonly state: SignInState
}

/** The sign-in page while an app waits. It posts to `/sign-in`. */
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
  // A client that asks for a fresh sign-in must get one: there is nothing to continue.
  const known = form.state.kind === 'signed_in' && cause !== 'again' ? form.state : null
  const heading = cause === 'again' ? 'Sign in again' : 'Sign in'
  return page({
    site,
    title: known === null ? titleOf(form.state, heading) : CONTINUE,
    body: html`
      <h1>${known === null ? heading : CONTINUE}</h1>
      ${waiting({ site, client, cause })} ${warning({ site, client })}
      ${
        known === null
          ? fields({ site, form, email, returnTo })
          : alreadySignedIn({ name: known.name, returnTo, form })
      }
      <p class="fine">
        ${foreign(client.name)} never sees your password. Next you decide what it may do.
      </p>
    `,
  })
}

/**
 * The sign-in page with no app waiting.
 *
 * @param options - `returnTo`: where it leads, a path of this origin; `cause`: `again` = somebody is signed
 *   in, but what they want to do asks for a sign-in just now
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
  const known = state.kind === 'signed_in'
  return page({
    site,
    title: known ? CONTINUE : titleOf(state, heading),
    body: html`
      <h1>${known ? CONTINUE : heading}</h1>
      <p class="lead">
        ${
          cause === 'again'
            ? 'You are signed in, but not just now. What comes next changes what apps can do here, so we ask who is there.'
            : html`Welcome back to ${site.name}.`
        }
      </p>
      ${
        state.kind === 'signed_in'
          ? alreadySignedIn({ name: state.name, returnTo, form })
          : fields({ site, form, email: form.email ?? '', returnTo })
      }
    `,
  })
}

const CONTINUE = 'Continue as you are?'

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
        ? html`asks you to sign in to ${site.name} once more.`
        : html`is waiting to connect to ${site.name}.`
    }
    Afterwards you go back to ${destination(client, 'a')}.
  </p>`

function warning({ site, client }: { site: Site; client: ClientView }): Html | null {
  if (client.verified) return null
  return notice(
    'warn',
    client.kind === 'loopback'
      ? html`<p>
          <strong>Nobody has checked this app.</strong> It runs on a computer and chose its own
          name. Sign in only if you started it yourself just now.
        </p>`
      : html`<p>
          <strong>Nobody at ${site.name} has reviewed this app.</strong> All we know is that
          ${address(documentHost(client.clientId))} publishes it. Sign in only if you trust that
          site.
        </p>`,
  )
}

function summary({ site, state }: { site: Site; state: SignInState }): Html | null {
  if (state.kind === 'wrong_credentials')
    return notice(
      'error',
      html`<p>That email and password do not match an account at ${site.name}.</p>`,
      'sign-in-error',
    )
  if (state.kind === 'throttled')
    return notice(
      'error',
      html`<p>
        <strong>Too many tries.</strong> Wait ${spanInWords(state.waitSeconds)}, then sign in again.
      </p>`,
      'sign-in-error',
    )
  if (state.kind === 'suspended')
    return notice(
      'error',
      html`<p>
        <strong>Your account is suspended.</strong> Write to ${site.name} if you think that is a
        mistake.
      </p>`,
      'sign-in-error',
    )
  return null
}

/** The form itself, with what went wrong above it. */
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

const alreadySignedIn = ({
  name,
  returnTo,
  form,
}: {
  name: string
  returnTo: string
  form: SignInForm
}): Html =>
  html`<div class="stack">
    <p class="card">You are signed in as <strong>${foreign(name)}</strong>.</p>
    <a class="button button-main" href="${localPath(returnTo)}">Continue</a>
    ${signOutForm({
      returnTo,
      csrfToken: form.csrfToken,
      label: 'Use another account',
      look: 'button button-plain',
    })}
  </div>`
