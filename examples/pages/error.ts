import type { ErrorView } from 'hallpass/authorization-server'
import type {
  decideDocument,
  decideDocumentResponse,
  decideDocumentUrl,
  ReasonsOf,
} from 'hallpass/policy'
import { type Html, html } from './html.js'
import type { AreaFault, PagesOfArea } from './applications/views.js'
import { localPath, page, type Site } from './layout.js'
import { address, code } from './parts.js'
import { inEnglish } from './scope-list.js'
import { spanInWords } from './wording.js'
import { english } from './words/en.js'
import { languageOf, wordsOf } from './words/languages.js'
import type { ErrorName, ErrorText } from './words/words.js'

/** A reason to refuse an app because of its metadata document, or of that document's URL. */
export type DocumentReason = ReasonsOf<
  typeof decideDocumentUrl | typeof decideDocumentResponse | typeof decideDocument
>

const DOCUMENT_NAMES: Readonly<Record<DocumentReason, ErrorName>> = {
  document_host_not_allowed: 'document_host_not_allowed',
  document_url_malformed: 'document_at_fault',
  document_host_not_public: 'document_at_fault',
  document_port_not_allowed: 'document_at_fault',
  document_status_not_200: 'document_at_fault',
  document_content_encoding_not_identity: 'document_at_fault',
  document_media_type_not_json: 'document_at_fault',
  document_not_an_object: 'document_at_fault',
  document_client_id_mismatch: 'document_at_fault',
  document_name_malformed: 'document_at_fault',
  document_name_resembles_vendor: 'document_at_fault',
  document_redirect_uris_malformed: 'document_at_fault',
  document_redirect_uri_malformed: 'document_at_fault',
  document_redirect_uri_of_other_host: 'document_at_fault',
  document_secret_published: 'document_at_fault',
  document_auth_method_not_supported: 'document_at_fault',
  document_grant_types_not_supported: 'document_at_fault',
  document_response_types_not_supported: 'document_at_fault',
  document_link_malformed: 'document_at_fault',
  document_contacts_malformed: 'document_at_fault',
}

const NAMES: Readonly<Record<string, ErrorName>> = {
  ...DOCUMENT_NAMES,
  user_codes_paced: 'too_many_requests',
}

function textOf(site: Site, reason: string): ErrorText {
  const { pages } = wordsOf(site).errors
  const name = Object.hasOwn(NAMES, reason) ? NAMES[reason]! : reason
  return Object.hasOwn(pages, name) ? pages[name as ErrorName] : pages.other
}

/** An error to show: one of hallpass, or one of the school's own. */
export type ShownError = Omit<ErrorView, 'reason' | 'requestId'> & {
  readonly reason: string
  readonly requestId?: string
  /** The address of the reason in the documentation: `url` of `explainRefusal`. Default: the code is text. */
  readonly url?: string | undefined
}

/**
 * Renders the page for a request that cannot continue. It leads only to the school and to the documentation: the request
 * may name harmful URLs.
 */
export function errorPage({ site, view }: { site: Site; view: ShownError }): Html {
  const { attemptId, requestId } = view
  const { title, what, advice } = textOf(site, view.reason)
  const words = wordsOf(site).errors
  return page({
    site,
    title,
    body: html`
      <h1>${title}</h1>
      <p class="lead">${what}</p>
      <p>${advice}</p>
      <dl class="facts facts-small">
        <div>
          <dt>${words.forMakers}</dt>
          <dd>${languageOf(site) === english ? view.description : inEnglish(view.description)}</dd>
        </div>
        <div>
          <dt>${words.code}</dt>
          <dd>${code(`${view.error} / ${view.reason}`, view.url)}</dd>
        </div>
        ${
          attemptId !== undefined &&
          html`<div>
            <dt>${words.attemptId}</dt>
            <dd>${address(attemptId)}</dd>
          </div>`
        }
        ${
          requestId !== undefined &&
          html`<div>
            <dt>${words.requestId}</dt>
            <dd>${address(requestId)}</dd>
          </div>`
        }
      </dl>
      ${homeLink(site, 'button-plain')}
    `,
  })
}

const homeLink = (site: Site, look: 'button-main' | 'button-plain'): Html =>
  html`<div>
    <a class="button ${look}" href="/">${wordsOf(site).errors.notFound.home(site.name)}</a>
  </div>`

/** Renders the 404 page. */
export function notFoundPage({ site }: { site: Site }): Html {
  const { title, heading, what } = wordsOf(site).errors.notFound
  return page({
    site,
    title,
    body: html`
      <h1>${heading}</h1>
      <p class="lead">${what}</p>
      ${homeLink(site, 'button-main')}
    `,
  })
}

/**
 * Renders the page that explains why a request of a signed-in person was refused.
 *
 * @param options - `back`: the path of the page that the button leads to, or `null` for the home page
 */
function refusedPage({
  site,
  reason,
  back,
}: {
  site: Site
  reason: AreaFault
  back: string | null
}): Html {
  const { areas, seeNow } = wordsOf(site).errors
  const { title, what } = areas[reason]
  return page({
    site,
    title,
    body: html`<h1>${title}</h1>
      <p class="lead">${what}</p>
      ${
        back === null
          ? homeLink(site, 'button-main')
          : html`<div><a class="button button-main" href="${localPath(back)}">${seeNow}</a></div>`
      }`,
  })
}

/** Renders the page for an exception. It says nothing of the cause. */
export function faultPage({ site }: { site: Site }): Html {
  const { title, what } = wordsOf(site).errors.fault
  return page({
    site,
    title,
    body: html`
      <h1>${title}</h1>
      <p class="lead">${what}</p>
      ${homeLink(site, 'button-plain')}
    `,
  })
}

/** Renders the page for a person who tries too often. It has no form, so they cannot retry immediately. */
export function tooManyTriesPage({ site, waitSeconds }: { site: Site; waitSeconds: number }): Html {
  const { title, wait, why } = wordsOf(site).errors.tooManyTries
  return page({
    site,
    title,
    body: html`
      <h1>${title}</h1>
      <p class="lead">${wait(spanInWords(waitSeconds, languageOf(site)))}</p>
      <p class="fine">${why}</p>
      ${homeLink(site, 'button-plain')}
    `,
  })
}

/** Creates the pages that every area for signed-in people needs. `site`: with the reader's language. */
export const pagesOfArea = (site: Site): PagesOfArea => ({
  notFound: () => notFoundPage({ site }),
  refused: (refusal) => refusedPage({ site, ...refusal }),
})
