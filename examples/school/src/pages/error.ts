import type { ErrorView } from 'hallpass/authorization-server'
import type {
  decideDocument,
  decideDocumentResponse,
  decideDocumentUrl,
  ReasonsOf,
} from 'hallpass/policy'
import { type Html, html } from './html.js'
import { page, type Site } from './layout.js'
import { address } from './parts.js'
import { spanInWords } from './wording.js'

interface Words {
  readonly title: string
  readonly what: string
  readonly advice: string
}

const START_AGAIN = 'Go back to the app and start again.'
const TELL_MAKER = 'You can’t fix this here. Please tell the people who make the app.'

const UNKNOWN: Words = {
  title: 'We can’t accept this request',
  what: 'An app sent you here with a request that breaks our rules.',
  advice: START_AGAIN,
}

const DOCUMENT_AT_FAULT: Words = {
  title: 'We can’t accept this app',
  what: 'This app identifies itself with a web address. The address, or what we found there, breaks our rules.',
  advice: TELL_MAKER,
}

/** A reason to refuse an app because of its metadata document, or of that document's URL. */
export type DocumentReason = ReasonsOf<
  typeof decideDocumentUrl | typeof decideDocumentResponse | typeof decideDocument
>

const DOCUMENT_WORDS: Readonly<Record<DocumentReason, Words>> = {
  document_host_not_allowed: {
    title: 'We don’t know this app',
    what: 'This app identifies itself with a web address. The school accepts only addresses on its list, and this one isn’t on it.',
    advice: 'Ask the school whether it can allow the app.',
  },
  document_url_malformed: DOCUMENT_AT_FAULT,
  document_host_not_public: DOCUMENT_AT_FAULT,
  document_port_not_allowed: DOCUMENT_AT_FAULT,
  document_status_not_200: DOCUMENT_AT_FAULT,
  document_content_encoding_not_identity: DOCUMENT_AT_FAULT,
  document_media_type_not_json: DOCUMENT_AT_FAULT,
  document_not_an_object: DOCUMENT_AT_FAULT,
  document_client_id_mismatch: DOCUMENT_AT_FAULT,
  document_name_malformed: DOCUMENT_AT_FAULT,
  document_name_resembles_vendor: DOCUMENT_AT_FAULT,
  document_redirect_uris_malformed: DOCUMENT_AT_FAULT,
  document_redirect_uri_malformed: DOCUMENT_AT_FAULT,
  document_redirect_uri_of_other_host: DOCUMENT_AT_FAULT,
  document_secret_published: DOCUMENT_AT_FAULT,
  document_auth_method_not_supported: DOCUMENT_AT_FAULT,
  document_grant_types_not_supported: DOCUMENT_AT_FAULT,
  document_response_types_not_supported: DOCUMENT_AT_FAULT,
  document_link_malformed: DOCUMENT_AT_FAULT,
  document_contacts_malformed: DOCUMENT_AT_FAULT,
}

/** A reason for which the school itself refuses a request, without hallpass. */
type OwnReason = 'too_many_requests' | 'request_too_long'

type Reason = ErrorView['reason'] | OwnReason

const WORDS: Readonly<Partial<Record<Reason, Words>>> = {
  ...DOCUMENT_WORDS,
  client_unknown: {
    title: 'We don’t know this app',
    what: 'An app sent you here, but it isn’t registered with this school. Apps that are never used are removed after a while.',
    advice: 'In the app, remove this school and connect it again.',
  },
  client_disabled: {
    title: 'This app is turned off',
    what: 'The school has turned this app off. The permissions you gave it are kept.',
    advice: 'Ask the school whether it will turn the app back on.',
  },
  client_blocked: {
    title: 'This app is blocked',
    what: 'The school blocked this app and disconnected everyone from it. It can’t use your account any more.',
    advice: 'Ask the school whether it will unblock the app. You can then connect it again.',
  },
  client_ended: {
    title: 'This app’s time here is over',
    what: 'The school let this app connect until a date, and that date has come. There’s nothing wrong with your account.',
    advice: 'Ask the school whether the app may continue.',
  },
  member_clients_off: {
    title: 'Connections are turned off here',
    what: 'Members can’t use apps with this school at the moment. There’s nothing wrong with the app, and the permissions you gave it are kept.',
    advice: 'Ask the school whether it will turn connections back on.',
  },
  document_unavailable: {
    title: 'We can’t check this app',
    what: 'This app identifies itself with a web address, but we got no usable response from there.',
    advice: 'Try again in a few minutes. If it keeps happening, tell the people who make the app.',
  },
  document_fetch_paced: {
    title: 'We can’t check this app right now',
    what: 'This app identifies itself with a web address. We’ve had to check many such addresses, so we’re taking a short break.',
    advice: 'Wait a minute, then load this page again.',
  },
  request_paced: {
    title: 'Please wait a moment',
    what: 'Very many sign-ins were started from your network in the last minutes. We’re taking a short break, and nothing is lost.',
    advice: 'Wait a few minutes, then go back to the app and start again.',
  },
  redirect_uri_missing: {
    title: 'This app sent an incomplete request',
    what: 'It didn’t say where to send you next, so we stopped here.',
    advice: TELL_MAKER,
  },
  redirect_uri_not_registered: {
    title: 'We stopped, to keep your account safe',
    what: 'The app wants to send you to an address that isn’t registered for it. Someone else could be listening there, so we sent nothing.',
    advice:
      'If a link in a message brought you here, close this page. Otherwise, tell the people who make the app.',
  },
  person_signed_out: {
    title: 'You’re not signed in',
    what: 'An app asked to connect without showing you a page. The school hasn’t reviewed this app, so we stopped here and didn’t send you to it.',
    advice: 'Sign in to the school first. Then go back to the app and start again.',
  },
  interaction_expired: {
    title: 'This request has ended',
    what: 'It was already answered, or it waited for more than a few minutes.',
    advice: START_AGAIN,
  },
  interaction_of_other_browser: {
    title: 'This request started in another browser',
    what: 'You can only answer it there. If someone sent you this link, they may be trying to use your account.',
    advice: 'If you started it yourself, go back to the app and start again in this browser.',
  },
  grant_not_of_person: {
    title: 'This link isn’t for this account',
    what: 'It’s for the person who connected the app, and only while the app is connected. Nothing was changed.',
    advice: 'Sign in with the account that connected the app. Or connect the app again.',
  },
  scope_beyond_role: {
    title: 'Your role doesn’t include this',
    what: 'The app needs a permission that your role at the school doesn’t have. Nothing was changed.',
    advice: 'Ask the school’s owner whether your role can change.',
  },
  csrf_token_mismatch: {
    title: 'This page was out of date',
    what: 'You may have signed in to another account in the meantime, or the form wasn’t sent from our own page. Nothing was allowed.',
    advice: START_AGAIN,
  },
  service_unavailable: {
    title: 'We can’t do this right now',
    what: 'Something that we need doesn’t respond at the moment. Nothing is lost, and nothing was allowed.',
    advice: 'Wait a minute, then load this page again. If you had sent a form, go back to the app.',
  },
  too_many_requests: {
    title: 'Too many requests',
    what: 'Your network sent us so many requests that we’re taking a short break.',
    advice: 'Wait a minute, then load this page again.',
  },
  request_too_long: {
    title: 'This request is too long',
    what: 'The app sent more than we can accept.',
    advice: TELL_MAKER,
  },
}

function wordsOf(reason: string): Words {
  return Object.hasOwn(WORDS, reason) ? WORDS[reason as keyof typeof WORDS]! : UNKNOWN
}

/** An error to show: one of hallpass, or one of the school's own. */
export type ShownError = Omit<ErrorView, 'reason' | 'requestId'> & {
  readonly reason: string
  readonly requestId?: string
}

/** Renders the page for a request that cannot continue. It has no links: the request may name harmful URLs. */
export function errorPage({ site, view }: { site: Site; view: ShownError }): Html {
  const { attemptId, requestId } = view
  const { title, what, advice } = wordsOf(view.reason)
  return page({
    site,
    title,
    body: html`
      <h1>${title}</h1>
      <p class="lead">${what}</p>
      <p>${advice}</p>
      <dl class="facts facts-small">
        <div>
          <dt>For the app’s makers</dt>
          <dd>${view.description}</dd>
        </div>
        <div>
          <dt>Code</dt>
          <dd>${address(`${view.error} / ${view.reason}`)}</dd>
        </div>
        ${
          attemptId !== undefined &&
          html`<div>
            <dt>Attempt ID: give this to the school’s staff, who can look up what went wrong</dt>
            <dd>${address(attemptId)}</dd>
          </div>`
        }
        ${
          requestId !== undefined &&
          html`<div>
            <dt>Request ID</dt>
            <dd>${address(requestId)}</dd>
          </div>`
        }
      </dl>
    `,
  })
}

/** Renders the 404 page. */
export const notFoundPage = ({ site }: { site: Site }): Html =>
  page({
    site,
    title: 'Page not found',
    body: html`
      <h1>There’s nothing here</h1>
      <p class="lead">The address may be mistyped, or the page may have moved.</p>
      <div><a class="button button-main" href="/">Go to ${site.name}</a></div>
    `,
  })

/** Renders the page for an exception. It says nothing of the cause. */
export const faultPage = ({ site }: { site: Site }): Html =>
  page({
    site,
    title: 'Something went wrong',
    body: html`
      <h1>Something went wrong</h1>
      <p class="lead">This is our mistake. Wait a minute, then load this page again.</p>
    `,
  })

/** Renders the page for a person who tries too often. It has no form, so they cannot retry immediately. */
export const tooManyTriesPage = ({
  site,
  waitSeconds,
}: {
  site: Site
  waitSeconds: number
}): Html =>
  page({
    site,
    title: 'Too many attempts',
    body: html`
      <h1>Too many attempts</h1>
      <p class="lead">
        Wait ${spanInWords(waitSeconds)}, then try again. Your account isn’t locked.
      </p>
      <p class="fine">This pause keeps other people from guessing passwords.</p>
    `,
  })
