import type { ActId, StepId } from '../../../../walk/walk.js'
import type { FrontView } from './front.js'
import { pageDocuments, WALK } from '../../demo/page-app.js'
import { type Html, html } from '../../../../pages/html.js'

interface Step {
  readonly id: StepId
  readonly title: string
  readonly sends: string
  readonly text: string
  readonly label: string
  readonly breaks: readonly { readonly act: ActId; readonly label: string }[]
}

/** How the page becomes a client: by a document that the school keeps for this origin, or else it registers. */
const registerWith = ({
  hasDocument,
}: {
  hasDocument: boolean
}): Pick<Step, 'title' | 'sends' | 'text' | 'label'> =>
  hasDocument
    ? {
        title: 'Introduce',
        sends: `GET ${WALK.document}`,
        text: 'The client publishes who it is and where responses may go. The address of that document is its client_id.',
        label: 'Read its document',
      }
    : {
        title: 'Register',
        sends: 'POST /api/oauth/register',
        text: 'The client says who it is and where responses may go. Without a review, that can only be this computer.',
        label: 'Register this page',
      }

const stepsWith = (known: { hasDocument: boolean }): readonly Step[] => [
  {
    id: 'discover',
    title: 'Discover',
    sends: 'GET /.well-known/oauth-authorization-server and two more',
    text: 'A client starts with one address. Three documents tell it the rest, and they must agree.',
    label: 'Read the documents',
    breaks: [],
  },
  {
    id: 'register',
    ...registerWith(known),
    breaks: [{ act: 'register.fixed', label: 'Break: an address on the web' }],
  },
  {
    id: 'authorize',
    title: 'Authorize',
    sends: 'GET /oauth/authorize',
    text: 'The browser leaves this page. You sign in, allow access, and come back with a code.',
    label: 'Ask for access',
    breaks: [
      { act: 'authorize.scope', label: 'Break: unknown scope' },
      { act: 'authorize.resource', label: 'Break: foreign resource' },
    ],
  },
  {
    id: 'exchange',
    title: 'Exchange',
    sends: 'POST /api/oauth/token',
    text: 'The client exchanges the code and its PKCE verifier for tokens. The page verifies the ID token itself.',
    label: 'Exchange the code',
    breaks: [
      { act: 'exchange.verifier', label: 'Break: wrong verifier' },
      { act: 'exchange.resource', label: 'Break: foreign resource' },
      { act: 'exchange.replay', label: 'Break: replayed code' },
    ],
  },
  {
    id: 'use',
    title: 'Use',
    sends: 'GET /api/oauth/userinfo, GET /api/v1/courses, POST /mcp',
    text: 'The access token works at UserInfo, the admin API and MCP.',
    label: 'Use the token',
    breaks: [],
  },
  {
    id: 'refresh',
    title: 'Refresh',
    sends: 'POST /api/oauth/token',
    text: 'An access token lasts an hour. The refresh token gets the next one, and works only once.',
    label: 'Renew the tokens',
    breaks: [],
  },
  {
    id: 'revoke',
    title: 'Revoke',
    sends: 'POST /api/oauth/revoke',
    text: 'The client revokes its access. The access token that it still holds is no longer valid.',
    label: 'Revoke the access',
    breaks: [],
  },
]

/** Renders the steps of the flow as text. The script of the page makes them work. */
export function frontWalk({ origin }: FrontView): Html {
  const hasDocument = pageDocuments([WALK], origin).length > 0
  const steps = stepsWith({ hasDocument })
  return html`<section
    class="band"
    id="walk"
    aria-labelledby="walk-title"
    ${hasDocument && html`data-document="${WALK.document}"`}
  >
    <div class="band-head">
      <h2 id="walk-title">Walkthrough</h2>
      <p>
        In seven steps, this page goes through the whole flow, using the same public endpoints as
        any browser client. Each check is a decision of hallpass, run in your browser on the same
        values. The <a href="/playground">playground</a> lets you change each request, and use
        another server.
      </p>
      <noscript
        ><p class="notice notice-note">
          <span
            >A script sends these steps, and scripts are off in this browser. This is what they
            would do.</span
          >
        </p></noscript
      >
    </div>
    <p id="walk-status" class="unseen" role="status"></p>
    <p id="walk-fault" class="notice notice-error walk-fault" role="alert" hidden><span></span></p>
    <div class="walk">
      <nav class="rail" aria-label="Steps">
        <ol>
          ${steps.map(
            ({ id, title }) =>
              html`<li data-step="${id}" data-state="ahead">
                <a href="#step-${id}">${title}</a>
              </li>`,
          )}
        </ol>
      </nav>
      <ol class="steps">
        ${steps.map(stepView)}
      </ol>
      <p class="walk-end" hidden>
        <button class="button button-plain button-small" type="button" id="walk-again">
          Start over
        </button>
      </p>
    </div>
  </section>`
}

const stepView = ({ id, title, sends, text, label, breaks }: Step, index: number): Html =>
  html`<li class="step" id="step-${id}" data-step="${id}" data-state="ahead">
    <span class="step-node" aria-hidden="true">${index + 1}</span>
    <div class="step-body">
      <h3 tabindex="-1">${title}</h3>
      <p class="step-sends"><code>${sends}</code></p>
      <p>${text}</p>
      <p class="step-acts" hidden>
        <button class="button button-main" type="button" data-act="${id}">${label}</button>
        ${breaks.map(
          ({ act, label }) =>
            html`<button class="button button-break" type="button" data-act="${act}">
              ${label}
            </button>`,
        )}
      </p>
      <div class="step-results"></div>
    </div>
  </li>`
