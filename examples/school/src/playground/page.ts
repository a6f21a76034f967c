import { explainRefusal } from 'hallpass/clients'
import { siteNav } from '../admin/reference/site-nav.js'
import { type Html, html } from '../../../pages/html.js'
import { page, type Site } from '../../../pages/layout.js'
import { withCode } from '../../../pages/parts.js'
import { PLAYGROUND, PLAYGROUND_MEMBER_CLIENT } from '../demo/page-app.js'
import { PRESETS, type Preset, type StepId, STEPS } from './presets.js'

/** The content of the playground. */
export interface PlaygroundView {
  readonly site: Site
  readonly origin: string
  /** The other schools of the demo. */
  readonly neighbors: readonly { readonly name: string; readonly origin: string }[]
  /** Whether this origin can have a client ID metadata document. */
  readonly hasDocument: boolean
}

const WORDS: Readonly<Record<StepId, { title: string; text: string; label: string }>> = {
  discover: {
    title: 'Discover',
    text: 'From one address, the client learns everything else: the metadata of the resource names the server, and the metadata of the server names its endpoints.',
    label: 'Read the metadata',
  },
  register: {
    title: 'Register',
    text: 'The client says who it is, and where responses may go. Without a review, that is only this computer. A page on the web has a document instead.',
    label: 'Become a client',
  },
  authorize: {
    title: 'Authorize',
    text: 'The browser leaves this page. A person signs in, and allows what the request asks for. A request that breaks a rule comes back without a question.',
    label: 'Ask for access',
  },
  exchange: {
    title: 'Exchange',
    text: 'The client exchanges the code, together with the verifier that only it knows, for tokens. It verifies the ID token itself.',
    label: 'Exchange the code',
  },
  use: {
    title: 'Use',
    text: 'Every request with the access token is decided again: by its scopes, by what the client may have, and by the role of the person now.',
    label: 'Use the token',
  },
  refresh: {
    title: 'Refresh',
    text: 'The refresh token gets new tokens, and works once. A later use of an old one shows that two parties have it.',
    label: 'Renew the tokens',
  },
  revoke: {
    title: 'Revoke',
    text: 'The client gives its access back. Use the token again after that.',
    label: 'Revoke the access',
  },
}

/**
 * Renders the playground: a client in the browser that goes through the flow against any server. Its script is
 * `/playground/playground.js`; without scripts the page says what each request is refused for.
 */
export function playgroundPage({ site, origin, neighbors, hasDocument }: PlaygroundView): Html {
  const schools = [{ name: site.name, origin }, ...neighbors]
  return page({
    site,
    title: 'Playground',
    description: `Change and break any request to ${site.name}, and see why it is refused.`,
    wide: true,
    script: `${PLAYGROUND.path}/playground.js`,
    style: `${PLAYGROUND.path}/playground.css`,
    nav: siteNav(PLAYGROUND.path),
    body: html`<div
      class="playground"
      id="playground"
      data-schools="${JSON.stringify(schools)}"
      data-member="${PLAYGROUND_MEMBER_CLIENT}"
      ${hasDocument && html`data-document="${origin}${PLAYGROUND.document}"`}
    >
      <div class="playground-head">
        <h1>Playground</h1>
        <p class="lead">
          A real client, in your browser. Choose a server, go through the flow, change any request,
          and break it in ${PRESETS.filter(({ refused }) => refused !== undefined).length} ways to
          see why a school refuses it.
        </p>
        <noscript
          ><p class="notice notice-note">
            <span
              >A script sends these requests, and scripts are off in this browser. This is what each
              of them is refused for.</span
            >
          </p></noscript
        >
      </div>
      <p id="playground-status" class="unseen" role="status"></p>
      <p id="playground-link" class="notice notice-note" hidden><span></span></p>
      <p id="playground-fault" class="notice notice-error" role="alert" hidden><span></span></p>
      ${targetForm(origin, neighbors)}
      <div class="playground-parts">
        <h2 class="unseen">The flow</h2>
        <ol class="steps">
          ${STEPS.map((step, index) => stepView(step, index, origin + PLAYGROUND.path))}
        </ol>
        ${aside()}
      </div>
      <p class="next-bar" data-scripted>
        <button class="button button-main" type="button" id="next">Next</button>
      </p>
    </div>`,
  })
}

const targetForm = (origin: string, neighbors: PlaygroundView['neighbors']): Html =>
  html`<form class="target" id="target" data-scripted>
    <div class="field">
      <label for="server">Server</label>
      <input
        id="server"
        name="server"
        type="url"
        value="${origin}"
        list="servers"
        autocomplete="off"
        spellcheck="false"
      />
      <datalist id="servers">
        <option value="${origin}"></option>
        ${neighbors.map((one) => html`<option value="${one.origin}"></option>`)}
      </datalist>
      <p class="quiet">Any server that lets pages of other origins call it (CORS).</p>
    </div>
    <fieldset class="tracks">
      <legend>The client is</legend>
      ${TRACKS.map(
        ([track, label]) =>
          html`<label
            ><input
              class="tick"
              type="radio"
              name="track"
              value="${track}"
              ${track === 'operator' && html`checked`}
            />
            ${label}</label
          >`,
      )}
    </fieldset>
    <button class="button button-plain" type="submit">Use this server</button>
  </form>`

const TRACKS = [
  ['operator', 'an app for staff'],
  ['member', 'an app for members'],
  ['mcp', 'an agent at /mcp'],
] as const

const stepView = (step: StepId, index: number, redirectUri: string): Html => {
  const { title, text, label } = WORDS[step]
  const presets = PRESETS.filter((one) => one.step === step)
  const breaks = presets.filter(isBreak)
  const others = presets.filter((one) => !isBreak(one))
  return html`<li class="step" id="step-${step}" data-step="${step}" data-state="ahead">
    <span class="step-node" aria-hidden="true">${index + 1}</span>
    <div class="step-body">
      <h3 tabindex="-1">${title}</h3>
      <p>${text}</p>
      ${step === 'authorize' && challenge()} ${step === 'register' && ownClient(redirectUri)}
      <p class="step-acts" data-scripted>
        <button class="button button-plain" type="button" data-send>${label}</button>
        <button class="button button-plain button-small" type="button" data-reset hidden>
          As it should be
        </button>
        ${others.map(
          (one) =>
            html`<span class="other" ${!isForStaff(one.tracks) && html`hidden`}
              ><button class="button button-plain" type="button" data-preset="${one.id}">
                ${one.label}
              </button></span
            >`,
        )}
      </p>
      <p class="draft-missing" role="note"></p>
      ${step === 'exchange' && html`<p class="code-age" id="code-age" hidden></p>`}
      <details class="draft-edit" data-scripted>
        <summary>Edit the request</summary>
        <div class="draft"></div>
      </details>
      ${
        breaks.length > 0 &&
        html`<details class="breaks">
          <summary>Break it: ${breaks.length} ${breaks.length === 1 ? 'way' : 'ways'}</summary>
          <p class="breaks-first quiet" data-scripted></p>
          <ul>
            ${breaks.map(breakView)}
          </ul>
        </details>`
      }
      <div class="step-results"></div>
    </div>
  </li>`
}

const isBreak = ({ refused, edit }: Preset): boolean =>
  refused !== undefined || edit.answer !== undefined || edit.set?.['nonce'] !== undefined

const breakView = ({ id, label, refused, at, needs = [], note, tracks, edit }: Preset): Html => {
  const explained = refused === undefined ? null : explainRefusal(refused)
  const conditions = [...(at === undefined ? [] : [at]), ...needs.map(({ says }) => says)]
  // The needs that all breaks of a step share are at the top.
  const hasOffer =
    conditions.length > 0 || OF_OTHERS.some((name) => JSON.stringify(edit).includes(name))
  return html`<li class="break" ${!isForStaff(tracks) && html`hidden`}>
    <button class="button button-break" type="button" data-preset="${id}" data-scripted>
      ${label}
    </button>
    <p>
      <span class="break-label">${label}</span>
      ${
        explained !== null &&
        html`<a href="${explained.url}" target="_blank" rel="noopener noreferrer"
          ><code class="break-reason">${refused?.reason}</code></a
        >`
      }
      ${explained === null ? 'The client itself refuses the response.' : withCode(explained.meaning)}
      ${note !== undefined && html`<span class="quiet">${note}</span>`}
      ${conditions.length > 0 && html`<noscript>It needs ${conditions.join(', and ')}.</noscript>`}
    </p>
    ${
      hasOffer &&
      html`<p class="break-first quiet" ${needs.length > 0 && html`data-timed`} data-scripted></p>`
    }
  </li>`
}

/** Variables that are in no request as it should be. */
const OF_OTHERS = ['{other_token}', '{previous_refresh_token}', '{first_refresh_token}']

/** The page opens with the requests of an app for staff. */
const isForStaff = (tracks: Preset['tracks']): boolean => tracks?.includes('operator') ?? true

const ownClient = (redirectUri: string): Html =>
  html`<details class="challenge" data-scripted>
    <summary>Use a client that the server knows</summary>
    <p>
      Its redirect URI has to be <code>${redirectUri}</code>, and it needs no secret: a page cannot
      keep one.
    </p>
    <div class="field">
      <label for="client-id">client_id</label>
      <input id="client-id" autocomplete="off" spellcheck="false" />
    </div>
    <button class="button button-plain button-small" type="button" id="use-client-id">
      Use this client
    </button>
  </details>`

/** The verifier of RFC 7636, appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'

const challenge = (): Html =>
  html`<details class="challenge" data-scripted>
    <summary>How a challenge is made</summary>
    <p>
      The client makes a random verifier for each request, and sends only its SHA-256, as base64url:
      <code>code_challenge = BASE64URL(SHA256(code_verifier))</code>. In the exchange it shows the
      verifier. A thief who has seen the challenge cannot compute it.
    </p>
    <div class="field">
      <label for="verifier">A verifier to try</label>
      <input id="verifier" value="${VERIFIER}" autocomplete="off" spellcheck="false" />
    </div>
    <p class="challenge-made"><code id="challenge-made"></code></p>
  </details>`

const aside = (): Html =>
  html`<aside class="playground-aside" aria-label="What has happened" data-scripted>
    <h2>What was sent</h2>
    <div class="lanes" aria-hidden="true">
      <span>Person</span><span>Page</span><span>Server</span><span>API</span>
    </div>
    <ol class="sequence" id="sequence"></ol>
    <details class="values">
      <summary>Variables</summary>
      <p class="quiet">Secrets stay in the memory of this tab. Only their start is shown.</p>
      <dl id="values"></dl>
    </details>
  </aside>`
