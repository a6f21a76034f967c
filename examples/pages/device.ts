import type { DeviceView } from 'hallpass/blocks'
import { consentPage } from './consent.js'
import { field, ties } from './form-parts.js'
import { type Html, html } from './html.js'
import { foreign, page, type Site } from './layout.js'
import { address, appName, hidden, notice, sentences, signOutForm } from './parts.js'
import { nameOf, rolesInWords } from './wording.js'
import { languageOf, wordsOf } from './words/languages.js'

/** The path to which each form of these pages posts. */
const ACTION = '/oauth/device'

/**
 * Renders a page at `/oauth/device`: the form for the code of a device, the question, or the end.
 *
 * @param options - as for the consent page
 */
export function devicePage({
  view,
  ...options
}: { view: DeviceView } & Omit<Parameters<typeof consentPage>[0], 'view' | 'device'>): Html {
  if (view.page === 'code') return codePage({ view, ...options })
  if (view.page === 'done') return donePage({ view, ...options })
  return consentPage({ ...options, view: view.consent, device: view })
}

function codePage({
  site,
  view: { csrfToken, userCode, notice: fault, person },
  signOutToken = null,
}: {
  site: Site
  view: Extract<DeviceView, { page: 'code' }>
  signOutToken?: string | null
}): Html {
  const language = languageOf(site)
  const { device: words, account, signIn } = language.words
  const filled = userCode !== null && fault === null
  const input = {
    id: 'user_code',
    label: words.code,
    hint: words.codeMeans(address('WDJB-MJHT')),
    fault: null,
    described: fault === null ? [] : ['device-error'],
  }
  return page({
    site,
    title: fault === null ? words.title : signIn.error(words.title),
    body: html`
      <h1>${filled ? words.compare : words.title}</h1>
      <p class="lead">${filled ? words.compareMeans : words.enter(site.name)}</p>
      ${fault !== null && notice('error', html`<p>${words[fault]}</p>`, 'device-error')}
      ${notice('warn', html`<p>${words.onlyOwn}</p>`)}
      <form class="stack" method="post" action="${ACTION}">
        ${hidden('csrf_token', csrfToken)}
        ${field(
          input,
          html`<input
            class="code-entry"
            id="user_code"
            name="user_code"
            type="text"
            dir="ltr"
            value="${userCode ?? ''}"
            autocomplete="off"
            autocapitalize="characters"
            spellcheck="false"
            maxlength="64"
            required
            ${ties(input)}${fault !== null && html` aria-invalid="true"`}
          />`,
        )}
        <button class="button button-main" type="submit">${words.proceed}</button>
      </form>
      <div class="fine">
        <p>
          ${account.signedInAs(foreign(nameOf(person, language)), rolesInWords(person.roles, language))}
        </p>
        ${signOutForm({
          returnTo: userCode === null ? ACTION : `${ACTION}?user_code=${userCode}`,
          csrfToken: signOutToken,
          label: signIn.otherAccount,
          look: 'link-button',
        })}
      </div>
    `,
  })
}

function donePage({
  site,
  view: { client, allowed },
}: {
  site: Site
  view: Extract<DeviceView, { page: 'done' }>
}): Html {
  const { device: words, backToApp, consent } = wordsOf(site)
  const app = foreign(client.name)
  return page({
    site,
    title: allowed ? words.allowedTitle(client.name) : words.deniedTitle(client.name),
    body: html`
      <h1>${(allowed ? words.allowedHeading : words.deniedHeading)(appName(client.name))}</h1>
      <p class="lead">${(allowed ? words.allowed : words.denied)(app)}</p>
      <p>${sentences(site, [backToApp.close, allowed && consent.disconnect])}</p>
    `,
  })
}
