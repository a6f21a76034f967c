/** Styles of the playground: the choice of a server, requests that can be edited, and the sequence. */
export const playgroundCss = `
/* Playground */
@media (scripting: none) { .playground [data-scripted] { display: none; } }
.playground { display: grid; gap: var(--s5); }
.playground [hidden] { display: none; }
.playground-head { max-width: 46rem; }
.playground-head > * + * { margin-top: var(--s3); }
.target { display: grid; gap: var(--s4); padding: var(--s4); background: var(--sheet); border: 1px solid var(--line); border-radius: var(--radius); }
.target input { font: 0.9375rem/1.5 var(--mono); }
.target .button { width: auto; justify-self: start; }
.tracks { display: flex; flex-wrap: wrap; gap: var(--s2) var(--s4); border: 0; padding: 0; min-width: 0; }
.tracks legend { padding: 0; font-weight: 600; margin-bottom: var(--s1); }
.tracks label { display: inline-flex; gap: var(--s2); align-items: center; min-height: 2rem; }
.playground-parts { display: grid; gap: var(--s6); margin-top: var(--s4); }
.playground .steps { padding: 0; margin: 0; min-width: 0; }
.playground .exchange-panes { grid-template-columns: minmax(0, 1fr); }
.playground .pane + .pane { border-top: 1px solid var(--panel-line); border-left: 0; }
.playground .step-body > p:not(.step-acts) { max-width: 40rem; }
.playground summary { cursor: pointer; }
.draft-missing:empty { display: none; }
.draft-missing { font-size: 0.875rem; color: var(--muted); }
.code-age { width: fit-content; padding: var(--s1) var(--s3); font: 0.875rem/1.5 var(--mono); border: 1px solid var(--line); border-radius: 1rem; }
.code-age[data-late] { color: var(--error-ink); border-color: var(--error-ink); }
.draft-edit, .breaks, .challenge, .values { margin-top: var(--s3); }
.draft-edit > summary, .breaks > summary, .challenge > summary, .values > summary { width: fit-content; padding: var(--s1) 0; font-size: 0.9375rem; color: var(--link); }
.draft { padding: var(--s4); background: var(--sheet); border: 1px solid var(--line); border-radius: var(--radius); }
.draft-fields { display: grid; gap: var(--s2); }
.draft-line { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: var(--s2); }
.draft-row { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr) 2.25rem; gap: var(--s1); }
.draft-kind { margin-top: var(--s2); font-size: 0.8125rem; font-weight: 600; color: var(--muted); }
.draft input, .draft select, .draft textarea { width: 100%; min-width: 0; min-height: 2.25rem; padding: var(--s1) var(--s2); font: 0.8125rem/1.5 var(--mono); color: var(--ink); background: var(--page); border: 1px solid var(--control); border-radius: 0.25rem; }
.draft select { width: auto; }
.draft [data-changed] { color: var(--error-ink); background: var(--error-back); border-color: var(--error-ink); }
.draft-removed { font: 0.8125rem/1.5 var(--mono); color: var(--error-ink); }
.draft-remove { color: var(--muted); background: transparent; border: 1px solid transparent; border-radius: 0.25rem; font-size: 1.125rem; cursor: pointer; }
.draft-remove:hover { color: var(--error-ink); border-color: var(--error-ink); }
.draft-add { justify-self: start; min-height: 2rem; padding: 0; font: inherit; font-size: 0.875rem; color: var(--link); text-decoration: underline; background: transparent; border: 0; cursor: pointer; }
.breaks ul { display: grid; gap: var(--s3); margin-top: var(--s2); padding: 0; list-style: none; }
.break { display: grid; gap: var(--s1); padding-bottom: var(--s3); border-bottom: 1px solid var(--line); font-size: 0.9375rem; }
.break .button { width: auto; justify-self: start; min-height: 2.25rem; font-size: 0.875rem; text-align: start; }
@media not (scripting: none) { .break-label { display: none; } }
.break-label { font-weight: 600; }
.break .break-reason { margin-inline-end: var(--s2); padding: 0.125rem var(--s2); color: var(--error-ink); background: var(--error-back); border-radius: 0.25rem; }
.break code, .why code { font: 0.8125rem/1.5 var(--mono); }
.other { display: inline-flex; }
.challenge-made { overflow-wrap: anywhere; }
.challenge > * + * { margin-top: var(--s3); }
.challenge code { font: 0.8125rem/1.6 var(--mono); }
.break .button[disabled] { color: var(--muted); border-style: dashed; cursor: not-allowed; }
.break-first, .breaks-first { display: flex; flex-wrap: wrap; gap: var(--s2); align-items: center; min-height: 2.5rem; }
.breaks-first { margin-top: var(--s2); }
.breaks-first[data-ready], .break-first[data-ready]:not([data-timed]) { display: none; }
.outcome-strayed { border-left-color: var(--muted); }
.outcome-strayed > summary strong { color: var(--ink); }
.outcome-strayed > summary strong::before { content: '≠ ' / ''; }
.why { padding: var(--s3) var(--s4); background: var(--error-back); border-radius: var(--radius); }
.why p + p { margin-top: var(--s1); }
.copies { display: flex; flex-wrap: wrap; gap: var(--s2); }
.copies .button { width: auto; }
.playground-aside { min-width: 0; }
.playground-aside h2 { font: var(--display-weight) 1.125rem/1.3 var(--display); }
.lanes { display: grid; grid-template-columns: 1fr 2fr 2fr 2fr 1fr; white-space: nowrap; margin-top: var(--s3); padding-bottom: var(--s2); font-size: 0.8125rem; font-weight: 600; color: var(--muted); }
.lanes :nth-child(2), .lanes :nth-child(3) { text-align: center; }
.lanes :nth-child(3) { grid-column: 4; }
.lanes :nth-child(4) { justify-self: end; }
.sequence { position: relative; min-height: 4rem; margin: 0; padding: 0; list-style: none; }
.hop { position: relative; animation: arrive 0.35s ease-out; }
.hop::before, .hop::after { content: ''; position: absolute; inset: 0; border: solid var(--line); border-width: 0 2px; pointer-events: none; }
.hop::after { inset-inline: 25%; }
.hop-act { position: relative; z-index: 1; display: grid; grid-template-columns: 1fr 2fr 1fr; row-gap: var(--s1); width: 100%; padding: var(--s1) 0 var(--s2); font: 0.6875rem/1.4 var(--mono); color: var(--ink); text-align: start; background: transparent; border: 0; }
button.hop-act { cursor: pointer; }
button.hop-act:hover { background: color-mix(in oklab, transparent, var(--glow) 16%); }
.hop-act:focus-visible { outline-offset: -3px; }
.hop-step { grid-area: 1 / 1; align-self: start; justify-self: end; margin-inline-end: var(--s2); font-weight: 700; color: var(--muted); }
.hop-arrow { position: relative; min-width: 0; padding: 0 var(--s2) var(--s1); overflow-wrap: anywhere; border-bottom: 2px solid var(--control); }
.hop-arrow::after { content: ''; position: absolute; right: 2px; bottom: -5px; width: 8px; height: 8px; border: solid var(--control); border-width: 2px 2px 0 0; transform: rotate(45deg); }
.hop-to-server, .hop-from-server { grid-column: 2; }
.hop-to-api, .hop-from-api { grid-column: 2 / 4; }
.hop-to-server, .hop-to-api { grid-row: 1; }
.hop-asks, .hop-says { grid-column: 1 / 3; text-align: center; }
.hop-back, .hop-asks { border-bottom-style: dashed; }
.hop-back::after, .hop-asks::after { right: auto; left: 2px; transform: rotate(-135deg); }
.hop .status { font-size: 0.75rem; }
.hop code { font: inherit; color: var(--error-ink); }
.hop-moving .hop-arrow::before { content: ''; position: absolute; left: 0; bottom: -6px; width: 10px; height: 10px; border-radius: 50%; background: var(--link); animation: travel 0.9s ease-in-out infinite alternate; }
@keyframes travel { to { left: calc(100% - 10px); } }
.values dl { display: grid; grid-template-columns: minmax(0, auto) minmax(0, 1fr); gap: var(--s1) var(--s3); margin: var(--s2) 0 0; font: 0.75rem/1.5 var(--mono); }
.values dd { margin: 0; overflow-wrap: anywhere; }
html { scroll-padding-bottom: 6rem; }
.next-bar { position: sticky; bottom: 0; z-index: 2; display: flex; padding: var(--s2) var(--s4); background: var(--sheet); border: 1px solid var(--line); border-bottom: 0; border-radius: var(--radius) var(--radius) 0 0; box-shadow: 0 -0.25rem 1rem color-mix(in oklab, transparent, var(--ink) 12%); }
.next-bar .button { width: auto; }
@media (prefers-reduced-motion: reduce) {
  .hop, .hop-moving .hop-arrow::before { animation: none; }
}
@media (max-width: 39.99rem) {
  .draft { padding: var(--s3); }
  .draft-row { grid-template-columns: minmax(0, 1fr) 2.25rem; }
  .draft-row > :nth-child(2) { grid-row: 2; }
}
@media (min-width: 40rem) {
  .target { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); align-items: start; }
}
@media (min-width: 64rem) {
  .playground-parts { grid-template-columns: minmax(0, 1fr) 25rem; align-items: start; }
  .playground-aside { position: sticky; top: var(--s5); max-height: calc(100vh - 2 * var(--s5) - 4.5rem); overflow: auto; }
  .sequence { max-height: calc(100vh - 17rem); overflow: auto; }
}
@media (forced-colors: active) {
  .draft [data-changed] { border: 2px solid; }
  .next-bar { background: Canvas; border-top: 2px solid; }
  .hop .status-bad, .outcome-refused > summary strong { text-decoration: underline; }
}
`
