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
.outcome-strayed { border-left-color: var(--muted); }
.outcome-strayed > summary strong { color: var(--ink); }
.outcome-strayed > summary strong::before { content: '≠ ' / ''; }
.why { padding: var(--s3) var(--s4); background: var(--error-back); border-radius: var(--radius); }
.why p + p { margin-top: var(--s1); }
.copies { display: flex; flex-wrap: wrap; gap: var(--s2); }
.copies .button { width: auto; }
.playground-aside { min-width: 0; }
.playground-aside h2 { font: var(--display-weight) 1.125rem/1.3 var(--display); }
.lanes { display: grid; grid-template-columns: repeat(3, 1fr); margin-top: var(--s3); font-size: 0.8125rem; font-weight: 600; color: var(--muted); }
.lanes span:nth-child(2) { text-align: center; }
.lanes span:nth-child(3) { text-align: end; }
.sequence { list-style: none; margin: 0; padding: var(--s2) 0; background: linear-gradient(var(--line), var(--line)) left / 2px 100% no-repeat, linear-gradient(var(--line), var(--line)) center / 2px 100% no-repeat, linear-gradient(var(--line), var(--line)) right / 2px 100% no-repeat; min-height: 4rem; }
.hop { position: relative; display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 var(--s2); align-items: baseline; width: 50%; padding: var(--s1) var(--s3) var(--s2) var(--s2); font: 0.6875rem/1.4 var(--mono); animation: arrive 0.35s ease-out; }
.hop[data-to='3'] { width: 100%; }
.hop-label { overflow-wrap: anywhere; background: var(--page); }
.hop .status { font-size: 0.75rem; background: var(--page); }
.hop-line { position: absolute; left: 2px; right: 2px; bottom: 0; border-bottom: 2px solid var(--control); }
.hop-line::after { content: ''; position: absolute; right: 0; bottom: -5px; border: 4px solid transparent; border-left: 7px solid var(--control); }
.hop-moving .hop-line::before { content: ''; position: absolute; left: 0; bottom: -6px; width: 10px; height: 10px; border-radius: 50%; background: var(--link); animation: travel 0.9s ease-in-out infinite alternate; }
@keyframes travel { to { left: calc(100% - 10px); } }
.values dl { display: grid; grid-template-columns: minmax(0, auto) minmax(0, 1fr); gap: var(--s1) var(--s3); margin: var(--s2) 0 0; font: 0.75rem/1.5 var(--mono); }
.values dd { margin: 0; overflow-wrap: anywhere; }
.next-bar { position: sticky; bottom: 0; z-index: 1; display: flex; padding: var(--s3) 0; background: linear-gradient(to top, var(--page) 70%, transparent); }
.next-bar .button { width: auto; }
@media (prefers-reduced-motion: reduce) {
  .hop, .hop-moving .hop-line::before { animation: none; }
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
  .playground-aside { position: sticky; top: var(--s5); max-height: calc(100vh - 2 * var(--s5)); overflow: auto; }
}
@media (forced-colors: active) {
  .draft [data-changed] { border: 2px solid; }
}
`
