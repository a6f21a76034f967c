import { siteNav } from '../admin/reference/site-nav.js'
import { type Html, html } from '../../../pages/html.js'
import { page, type Site } from '../../../pages/layout.js'
import { copyable } from '../../../pages/parts.js'
import { CONNECT_CLIENTS } from './clients.js'
import { liveBox, type LiveView, pauseOf } from './steps.js'

/** The page on which visitors connect a client of their own, and watch it. Its script is `/connect/connect.js`. */
export function connectPage({
  site,
  address,
  isLocal,
  view,
}: {
  site: Site
  /** The address for the client. */
  address: string
  /** Whether everything on this computer is the visitor's. */
  isLocal: boolean
  view: LiveView
}): Html {
  const { client } = view
  const lines = client.lines(site.theme, address)
  return page({
    site,
    title: 'Connect yours',
    description: `Connect your own MCP client to ${site.name}, and watch each step of its way in.`,
    wide: true,
    script: '/connect/connect.js',
    style: '/connect/connect.css',
    refresh: view.waits ? pauseOf(view) && Math.max(3, pauseOf(view)!) : null,
    nav: siteNav('/connect'),
    body: html`<h1>Connect yours</h1>
      <p class="lead">
        Copy the lines, run them, and watch each step of your own client, live. If the school
        refuses it, you see why, and what to change.
      </p>
      <div class="connect">
        <section aria-labelledby="connect-title">
          <h2 id="connect-title">Your client</h2>
          <nav aria-label="Clients">
            <ul class="tabs">
              ${CONNECT_CLIENTS.map(
                ({ id, name }) =>
                  html`<li>
                    <a href="/connect?with=${id}" ${id === client.id && html`aria-current="true"`}
                      >${name}</a
                    >
                  </li>`,
              )}
            </ul>
          </nav>
          ${copyable({ site, id: 'lines', label: 'Copy this', text: lines, rows: lines.split('\n').length + 2 })}
          <p>${client.next} Sign in there with one of the buttons.</p>
          <p class="quiet">
            ${
              isLocal
                ? 'The school runs on this computer, so every client on it appears here.'
                : 'The address has a label, by which this browser knows your client. What it does before its browser opens appears as soon as that happens in this browser, or when it first calls. No one else sees it.'
            }
          </p>
        </section>
        ${liveBox(view)}
      </div>
      <p id="live-status" class="unseen" role="status"></p>`,
  })
}

/** Styles of the page. */
export const connectCss = `
/* Connect */
.connect { display: grid; gap: var(--s6); }
.connect > * { min-width: 0; }
.connect > section > * + * { margin-top: var(--s4); }
.connect .tabs { padding-top: 0; }
.connect .tabs a { color: var(--link); }
.connect textarea { min-height: 0; }
.live { align-self: start; padding: var(--s5); color: var(--panel-ink); background: linear-gradient(180deg, var(--panel-deep), var(--panel)); border: 1px solid var(--panel-line); border-radius: calc(var(--radius) * 1.5); }
.live code { font: 0.875em/1.5 var(--mono); color: var(--glow); }
.live > p > a, .live .dashes a { color: var(--glow); }
.live .dashes li::before { border-color: var(--panel-ink); }
.live .button-plain { color: var(--panel-ink); border-color: var(--panel-ink); }
.live .button-plain:hover { background: color-mix(in oklab, transparent, var(--panel-ink) 14%); }
.live :focus-visible { outline-color: var(--panel-ink); }
.live .notice :focus-visible { outline-color: var(--focus); }
.live .notice code { color: inherit; }
.live .notice p + p { margin-top: var(--s2); }
.live-steps { list-style: none; display: grid; }
.live-step { position: relative; padding: 0 0 var(--s4) 2.25rem; }
.live-step::before { content: '✓' / ''; position: absolute; left: 0; top: 0; display: grid; place-items: center; width: 1.5rem; height: 1.5rem; font: 700 0.8125rem/1 var(--body); color: var(--panel-deep); background: var(--glow); border: 2px solid var(--glow); border-radius: 50%; box-shadow: 0 0 1rem color-mix(in oklab, transparent, var(--glow) 55%); }
.live-step::after { content: ''; position: absolute; left: 0.6875rem; top: 1.625rem; bottom: 0.125rem; border-left: 2px solid var(--panel-line); }
.live-step:last-child { padding-bottom: 0; }
.live-step:last-child::after { content: none; }
.live-step[data-look='failed']::before { content: '✕' / ''; color: #fff; background: #a62b1c; border-color: #f2a395; box-shadow: none; }
.live-step[data-look='now']::before { content: ''; background: transparent; animation: glow 1.4s ease-in-out infinite alternate; }
.live-step[data-look='now'] { font-weight: 650; }
.live-new { animation: arrive 0.45s ease-out; }
.live[data-state='waiting'] h2::before { content: ''; display: inline-block; width: 0.75rem; height: 0.75rem; margin-inline-end: var(--s3); background: var(--glow); border-radius: 50%; animation: glow 1.4s ease-in-out infinite alternate; }
@keyframes glow { from { box-shadow: 0 0 0 0 transparent; opacity: 0.55; } to { box-shadow: 0 0 1rem var(--glow); opacity: 1; } }
@keyframes arrive { from { opacity: 0; transform: translateY(0.5rem); } }
@media (prefers-reduced-motion: reduce) {
  .live-new, .live-step[data-look='now']::before, .live[data-state='waiting'] h2::before { animation: none; }
}
@media (min-width: 60rem) {
  .connect { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: var(--s7); }
}
@media (forced-colors: active) {
  .live-step::before { border: 2px solid CanvasText; }
}
`
