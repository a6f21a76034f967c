import type { ClientView, SignInView } from 'hallpass/authorization-server'
import { type Html, html } from './html.js'
import { foreign, localPath, page, type Site } from './layout.js'
import { address, destination, hidden, notice, sentences, signOutForm } from './parts.js'
import { documentHost, spanInWords } from './wording.js'
import { languageOf, wordsOf } from './words/languages.js'
import type { Words } from './words/words.js'

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

/**
 * Renders the sign-in page while an app waits. The form posts to `/sign-in`.
 *
 * @param options - `below`: what your host shows below the form, such as another way to sign in. Default: nothing
 */
export function signInPage({
  site,
  view,
  form: given,
  below = null,
}: {
  site: Site
  view: SignInView
  form: SignInForm
  below?: Html | null
}): Html {
  const { client, cause, returnTo } = view
  const form = withCause(given, cause)
  const email = form.email ?? view.loginHint ?? ''
  // If the client requires a new sign-in, the person cannot continue with the current session.
  const known = form.state.kind === 'signed_in' && cause === 'signed_out' ? form.state : null
  const words = wordsOf(site).signIn
  const isNew = cause !== 'again' && cause !== 'sensitive'
  const heading = isNew ? words.title : words.titleAgain
  return page({
    site,
    title: titleOf({ state: form.state, known, heading, words }),
    body: html`
      <h1>${known === null ? heading : words.continueAs(foreign(known.name))}</h1>
      ${waiting({ site, client, cause })} ${warning({ site, client })}
      ${
        known === null
          ? html`${fields({ site, form, email, returnTo })} ${below}`
          : alreadySignedIn({ site, returnTo, form })
      }
      <p class="fine">${words.neverSeesPassword(foreign(client.name))}</p>
    `,
  })
}

/**
 * Renders the sign-in page when no app is waiting.
 *
 * @param options - `returnTo`: where it leads, a path of this origin; `cause`: `again` or `sensitive` if the person
 *   is signed in, but the next step requires a recent sign-in. `below`: as for {@link signInPage}
 */
export function signInOnlyPage({
  site,
  form: given,
  returnTo = '/',
  cause = 'signed_out',
  below = null,
}: {
  site: Site
  form: SignInForm
  returnTo?: string
  cause?: SignInView['cause']
  below?: Html | null
}): Html {
  const form = withCause(given, cause)
  const { state } = form
  const words = wordsOf(site).signIn
  const isNew = cause === 'signed_out' || cause === 'suspended'
  const heading = isNew ? words.title : words.titleAgain
  const known = state.kind === 'signed_in' ? state : null
  return page({
    site,
    title: titleOf({ state, known, heading, words }),
    body: html`
      <h1>${known === null ? heading : words.continueAs(foreign(known.name))}</h1>
      <p class="lead">${isNew ? words.welcome(site.name) : words.confirm}</p>
      ${
        known === null
          ? html`${fields({ site, form, email: form.email ?? '', returnTo })} ${below}`
          : alreadySignedIn({ site, returnTo, form })
      }
    `,
  })
}

/** Says that the account of the session is suspended, unless the form itself has failed. */
const withCause = (form: SignInForm, cause: SignInView['cause']): SignInForm =>
  cause === 'suspended' && form.state.kind === 'plain'
    ? { ...form, state: { kind: 'suspended' } }
    : form

const isError = ({ kind }: SignInState): boolean =>
  kind === 'wrong_credentials' || kind === 'throttled' || kind === 'suspended'

function titleOf({
  state,
  known,
  heading,
  words,
}: {
  state: SignInState
  known: { readonly name: string } | null
  heading: string
  words: Words['signIn']
}): string {
  if (known !== null) return words.continueAsTitle(known.name)
  return isError(state) ? words.error(heading) : heading
}

function waiting({
  site,
  client,
  cause,
}: {
  site: Site
  client: ClientView
  cause: SignInView['cause']
}): Html {
  const words = wordsOf(site).signIn
  const app = foreign(client.name)
  return html`<p class="lead">
    ${sentences(site, [
      cause === 'again'
        ? words.asksAgain(app, site.name)
        : cause === 'other_account'
          ? words.asksOther(app, site.name)
          : words.waits(app, site.name),
      cause === 'sensitive' && words.confirm,
      words.thenBackTo(destination({ site, client, first: false })),
    ])}
  </p>`
}

function warning({ site, client }: { site: Site; client: ClientView }): Html | null {
  if (client.verified) return null
  const words = wordsOf(site).signIn
  return notice(
    'warn',
    html`<p>
      ${
        client.kind === 'loopback'
          ? client.redirectIsOwn
            ? words.unreviewedPage
            : words.unreviewedProgram
          : words.unreviewedSite(site.name, address(documentHost(client.clientId)))
      }
    </p>`,
  )
}

function summary({ site, state }: { site: Site; state: SignInState }): Html | null {
  const text = errorOf({ site, state })
  return text === null ? null : notice('error', html`<p>${text}</p>`, 'sign-in-error')
}

function errorOf({ site, state }: { site: Site; state: SignInState }): Html | string | null {
  const words = wordsOf(site).signIn
  if (state.kind === 'wrong_credentials') return words.wrongCredentials(site.name)
  if (state.kind === 'throttled')
    return words.throttled(spanInWords(state.waitSeconds, languageOf(site)))
  return state.kind === 'suspended' ? words.suspended(site.name) : null
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
  const words = wordsOf(site).signIn
  const described = isError(state) && html` aria-describedby="sign-in-error"`
  const invalid = state.kind === 'wrong_credentials' && html` aria-invalid="true"`
  return html`${summary({ site, state })}
    <form class="stack" method="post" action="/sign-in">
      ${hidden('return_to', localPath(returnTo))}${hidden('csrf_token', csrfToken)}
      <div class="field">
        <label for="email">${words.email}</label>
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
        <label for="password">${words.password}</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          maxlength="256"
          required${described}${invalid}
        />
      </div>
      <button class="button button-main" type="submit">${words.submit}</button>
    </form>`
}

function alreadySignedIn({
  site,
  returnTo,
  form,
}: {
  site: Site
  returnTo: string
  form: SignInForm
}): Html {
  const words = wordsOf(site).signIn
  return html`<div class="stack">
    <a class="button button-main" href="${localPath(returnTo)}">${words.proceed}</a>
    ${signOutForm({
      returnTo,
      csrfToken: form.csrfToken,
      label: words.otherAccount,
      look: 'button button-plain',
    })}
  </div>`
}
