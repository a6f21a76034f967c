import type { ErrorView } from 'hallpass/authorization-server'
import type {
  decideDocument,
  decideDocumentResponse,
  decideDocumentUrl,
  ReasonsOf,
  RefusalReason,
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

const START_AGAIN = 'Go back to the app and start again from there.'
const TELL_MAKER = 'You cannot mend this here. Tell the people who make the app.'

const UNKNOWN: Words = {
  title: 'This request cannot go on',
  what: 'An app sent you here with a request that we cannot answer.',
  advice: START_AGAIN,
}

const DOCUMENT_AT_FAULT: Words = {
  title: 'We cannot accept this app',
  what: 'The app names a web address that tells who it is, but what stands there breaks our rules.',
  advice: TELL_MAKER,
}

/** Why an app is refused for the address that it names, or for what stands there. */
type DocumentReason = ReasonsOf<
  typeof decideDocumentUrl | typeof decideDocumentResponse | typeof decideDocument
>

const DOCUMENT_WORDS: Readonly<Record<DocumentReason, Words>> = {
  document_host_not_allowed: {
    title: 'We do not know this app',
    what: 'The app names a web address that tells who it is. This school accepts only addresses that it has allowed, and this is none of them.',
    advice: 'Ask the school whether it will allow the app.',
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
}

/** What the school refuses itself. */
type OwnReason = 'too_many_requests' | 'request_too_long'

const WORDS: Readonly<Partial<Record<RefusalReason | OwnReason, Words>>> = {
  ...DOCUMENT_WORDS,
  client_unknown: {
    title: 'We do not know this app',
    what: 'An app sent you here, but it is not registered with this school. Apps that were never used are removed after a while.',
    advice: 'In the app, remove this school and connect it again.',
  },
  client_disabled: {
    title: 'This app is switched off',
    what: 'The school has switched this app off. What you allowed before is kept.',
    advice: 'Ask the school whether it will be switched on again.',
  },
  member_clients_off: {
    title: 'Connections are switched off here',
    what: 'This school does not let members’ apps connect at the moment. Nothing is wrong with the app, and what you allowed before is kept.',
    advice: 'Ask the school whether it will switch connections on again.',
  },
  document_unavailable: {
    title: 'We cannot look this app up',
    what: 'The app names a web address that tells who it is, and nothing useful answered there.',
    advice: 'Try again in a few minutes. If it goes on, tell the people who make the app.',
  },
  document_fetch_paced: {
    title: 'We cannot look this app up now',
    what: 'The app names a web address that tells who it is. We were asked for many such addresses, so we are taking a little break.',
    advice: 'Wait a minute, then load this page again.',
  },
  redirect_uri_missing: {
    title: 'This app sent an incomplete request',
    what: 'It did not say where the answer should go, so we send nothing.',
    advice: TELL_MAKER,
  },
  redirect_uri_not_registered: {
    title: 'We stopped, to keep your account safe',
    what: 'The app asked for the answer at an address that is not registered for it. Somebody else could be listening there, so we send nothing.',
    advice:
      'If a link in a message brought you here, close this page. Otherwise tell the people who make the app.',
  },
  interaction_expired: {
    title: 'This request is over',
    what: 'It was answered already, or it waited for more than a few minutes.',
    advice: START_AGAIN,
  },
  interaction_of_other_browser: {
    title: 'This request began in another browser',
    what: 'Only the browser in which a request began may answer it. If somebody sent you this link, they may be trying to use your account.',
    advice: 'If you began it yourself, go back to the app and start again in this browser.',
  },
  csrf_token_mismatch: {
    title: 'This page was out of date',
    what: 'You may have signed in as somebody else in between, or the answer did not come from our own page. Nothing was allowed.',
    advice: START_AGAIN,
  },
  too_many_requests: {
    title: 'Too much at once',
    what: 'So many requests came from your network that we are taking a little break.',
    advice: 'Wait a minute, then load this page again.',
  },
  request_too_long: {
    title: 'This request is too long',
    what: 'The app sent more than we read.',
    advice: TELL_MAKER,
  },
}

function wordsOf(reason: string): Words {
  return Object.hasOwn(WORDS, reason) ? WORDS[reason as keyof typeof WORDS]! : UNKNOWN
}

/** What the page shows: an error of hallpass, or one of the school's own. */
export type ShownError = Omit<ErrorView, 'reason' | 'requestId'> & {
  readonly reason: string
  readonly requestId?: string
}

/** The page for a request that cannot go on. It links nowhere: the request may name bad addresses. */
export function errorPage({ site, view }: { site: Site; view: ShownError }): Html {
  const { requestId } = view
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
          <dt>For the maker of the app</dt>
          <dd>${view.description}</dd>
        </div>
        <div>
          <dt>Code</dt>
          <dd>${address(`${view.error} / ${view.reason}`)}</dd>
        </div>
        ${
          requestId !== undefined &&
          html`<div>
            <dt>Request</dt>
            <dd>${address(requestId)}</dd>
          </div>`
        }
      </dl>
    `,
  })
}

/** The page for an address that is not there. */
export const notFoundPage = ({ site }: { site: Site }): Html =>
  page({
    site,
    title: 'Page not found',
    body: html`
      <h1>There is nothing here</h1>
      <p class="lead">The address may be mistyped, or the page was moved.</p>
      <div><a class="button button-main" href="/">Go to ${site.name}</a></div>
    `,
  })

/** The page for somebody who tries too often, without a form to try again at once. */
export const tooManyTriesPage = ({
  site,
  waitSeconds,
}: {
  site: Site
  waitSeconds: number
}): Html =>
  page({
    site,
    title: 'Too many tries',
    body: html`
      <h1>Too many tries</h1>
      <p class="lead">
        Wait ${spanInWords(waitSeconds)}, then try again. Your account is not locked.
      </p>
      <p class="fine">The pause keeps others from guessing passwords.</p>
    `,
  })
