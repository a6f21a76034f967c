/** Styles of the walkthrough on the front page: its steps, what was sent and what was checked. */
export const walkCss = `
/* Walk */
.walk-fault[hidden] { display: none; }
.walk { display: grid; gap: var(--s6); margin-top: var(--s6); }
.rail { display: none; }
.steps { list-style: none; }
.step { position: relative; display: grid; grid-template-columns: 2.5rem minmax(0, 1fr); gap: var(--s4); padding-bottom: var(--s7); }
.step::before { content: ''; position: absolute; left: 1.25rem; top: 0; bottom: 0; border-left: 2px solid var(--line); }
.step:last-child { padding-bottom: 0; }
.step:last-child::before { bottom: auto; height: 1.25rem; }
.step:first-child::before { top: 1.25rem; }
.step-node { position: relative; display: grid; place-items: center; width: 2.5rem; height: 2.5rem; font: var(--display-weight) 1.0625rem/1 var(--display); color: var(--muted); background: var(--page); border: 2px solid var(--control); border-radius: 50%; transition: background-color 0.3s, box-shadow 0.3s; }
.step[data-state='done'] .step-node { color: var(--panel-deep); background: var(--glow); border-color: var(--glow); box-shadow: 0 0 0 0.375rem color-mix(in oklab, transparent, var(--glow) 22%), 0 0 1.5rem color-mix(in oklab, transparent, var(--glow) 60%); }
.step[data-state='refused'] .step-node { color: var(--error-ink); background: var(--error-back); border-color: var(--error-ink); }
.step-body { position: relative; min-width: 0; padding-top: 0.375rem; }
.step-body > * + * { margin-top: var(--s2); }
.step h3 { width: fit-content; font: var(--display-weight) 1.375rem/1.25 var(--display); letter-spacing: var(--display-track); scroll-margin-top: var(--s5); }
.step { scroll-margin-top: var(--s5); }
.step-sends { font: 0.8125rem/1.5 var(--mono); color: var(--muted); }
.step-sends code { font: inherit; }
.step-body > p:not(.step-sends, .step-acts) { max-width: 40rem; }
.step-body > .step-acts { display: flex; flex-wrap: wrap; gap: var(--s3); margin-top: var(--s4); }
.step-body > .step-acts[hidden] { display: none; }
.step-acts .button { width: auto; min-height: 2.75rem; font-size: 0.9375rem; }
.button-break { color: var(--error-ink); background: transparent; border: 1px dashed var(--error-ink); }
.button-break:hover { background: var(--error-back); }
.button[aria-disabled='true'] { color: var(--muted); background: transparent; border: 1px solid var(--line); cursor: not-allowed; }
.step-results:not(:empty) { margin-top: var(--s5); display: grid; gap: var(--s5); }

.step[data-state='done'] .button-main:not([aria-disabled='true']) { color: var(--ink); background: transparent; border-color: var(--control); }
.walk-end[hidden] { display: none; }
.walk-end { padding-left: 3.5rem; }

/* Walk: results */
.outcome { min-width: 0; background: var(--sheet); border: 1px solid var(--line); border-left: 4px solid var(--good); border-radius: var(--radius); scroll-margin: 8rem 0 var(--s5); animation: arrive 0.35s ease-out; }
.outcome-refused { border-left-color: var(--error-ink); }
.outcome > :not(summary) { min-width: 0; margin: 0 var(--s4) var(--s4); }
@keyframes arrive { from { opacity: 0; transform: translateY(0.5rem); } }
.outcome > summary { position: relative; display: flex; flex-wrap: wrap; align-items: baseline; gap: var(--s1) var(--s3); width: 100%; padding: var(--s3) var(--s6) var(--s3) var(--s4); font-size: 1rem; color: var(--ink); }
.outcome > summary::after { content: '▸' / ''; position: absolute; right: var(--s4); color: var(--muted); }
.outcome[open] > summary::after { content: '▾' / ''; }
.outcome > summary:focus-visible { outline-offset: -3px; }
.outcome > summary span { color: var(--muted); }
.outcome > summary strong { color: var(--good); }
.outcome > summary strong::before { content: '✓ ' / ''; }
.outcome-refused > summary strong { color: var(--error-ink); }
.outcome-refused > summary strong::before { content: '✕ ' / ''; }
.outcome > summary code { padding: 0.125rem var(--s2); font: 0.8125rem/1.5 var(--mono); color: var(--error-ink); background: var(--error-back); border-radius: 0.25rem; }
.outcome summary::-webkit-details-marker { display: none; }
.outcome-said { max-width: 44rem; }
.exchange { border: 1px solid var(--line); border-radius: var(--radius); overflow: hidden; }
.exchange summary { display: flex; align-items: center; gap: var(--s3); width: 100%; padding: var(--s2) var(--s3); color: var(--ink); background: var(--inset); }
.exchange summary::before { content: '▸' / ''; color: var(--muted); }
.exchange[open] summary::before { content: '▾' / ''; }
.exchange summary:focus-visible { outline-offset: -3px; }
.exchange summary code { flex: 1; min-width: 0; font: 0.8125rem/1.5 var(--mono); }
.status { padding: 0.0625rem var(--s2); font: 600 0.8125rem/1.5 var(--mono); border: 1px solid currentColor; border-radius: 1rem; }
.status-ok { color: var(--good); }
.status-bad { color: var(--error-ink); background: var(--error-back); }
.exchange-panes { display: grid; background: var(--panel-deep); color: var(--panel-ink); }
.pane { min-width: 0; padding: var(--s3) var(--s4) var(--s4); }
.pane + .pane { border-top: 1px solid var(--panel-line); }
.pane-title { font-size: 0.75rem; font-weight: 600; letter-spacing: 0.04em; color: var(--glow); }
.pane pre { max-height: 24rem; margin: var(--s2) 0 0; overflow: auto; font: 0.8125rem/1.6 var(--mono); white-space: pre-wrap; }
.pane pre:focus-visible { outline-color: var(--panel-ink); }
.code-name { color: var(--glow); }
.checks h4 { margin: var(--s1) 0 var(--s2); font: 600 0.9375rem/1.5 var(--body); }
.checks ul { display: grid; list-style: none; border-top: 1px solid var(--line); }
.check { position: relative; padding: var(--s2) 0 var(--s2) 1.75rem; border-bottom: 1px solid var(--line); font-size: 0.9375rem; }
.check::before { content: '✓' / ''; position: absolute; left: 0.25rem; top: var(--s2); font-weight: 700; color: var(--good); }
.check-refused::before { content: '✕' / ''; color: var(--error-ink); }
.check-answer { font-size: 0.8125rem; color: var(--muted); }
.check-answer code { font: 0.8125rem/1.6 var(--mono); }
.check-call { color: var(--link); }
.check-refused .check-answer code:not(.check-call) { color: var(--error-ink); }
.check-source { white-space: nowrap; }
.check-own { font-style: italic; }

@media (max-width: 39.99rem) {
  .step { grid-template-columns: 2rem minmax(0, 1fr); gap: var(--s3); padding-bottom: var(--s6); }
  .step::before { left: 1rem; }
  .step-node { width: 2rem; height: 2rem; font-size: 0.9375rem; }
  .step-body { padding-top: 0.125rem; }
  .step-results { margin-left: -2.75rem; }
  .outcome > summary { padding-inline: var(--s3) var(--s6); }
  .outcome > :not(summary) { margin-inline: var(--s3); }
  .pane { padding-inline: var(--s3); }
  .walk-end { padding-left: 2.75rem; }
}
@media (min-width: 60rem) {
  .walk { grid-template-columns: 11rem minmax(0, 1fr); gap: var(--s7); align-items: start; }
  .walk-end { grid-column: 2; }
  .rail { display: block; position: sticky; top: var(--s5); }
  .rail ol { list-style: none; display: grid; gap: var(--s1); width: 100%; }
  .rail a { display: block; padding: var(--s2) var(--s3); color: var(--muted); text-decoration: none; border-left: 3px solid var(--line); }
  .rail a:hover { color: var(--ink); }
  .rail [data-state='done'] a { color: var(--ink); border-color: var(--glow); }
  .rail [data-state='refused'] a { color: var(--error-ink); border-color: var(--error-ink); }
  .outcome > :not(summary) { margin-inline: var(--s5); }
  .outcome > summary { padding-inline: var(--s5) var(--s7); }
  .exchange-panes { grid-template-columns: 1fr 1fr; }
  .pane + .pane { border-top: 0; border-left: 1px solid var(--panel-line); }
  .check { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: var(--s4); align-items: baseline; }
}
@media (forced-colors: active) {
  .step-node, .step[data-state='done'] .step-node, .outcome { border: 2px solid; }
  .button-break { border: 1px dashed; }
  .button[aria-disabled='true'] { color: GrayText; border-color: GrayText; }
}
`
