/** Styles of the account pages: the admin area and the connected apps. */
export const accountCss = `
/* Navigation, and who is signed in */
.places { position: relative; display: flex; flex-wrap: wrap; gap: 0 var(--s5); max-width: 38rem; margin: 0 auto; padding: 0 var(--s5) var(--s2); font-size: 0.9375rem; }
.places a { padding: var(--s2) 0; color: var(--panel-ink); text-decoration: none; border-bottom: 2px solid transparent; }
.places a:hover { border-color: var(--panel-line); }
.places a[aria-current] { font-weight: 600; border-color: var(--glow); }
.room > * + * { margin-top: var(--s5); }
.room > h1 + .lead, .room > .back + * { margin-top: var(--s3); }
.back { font-size: 0.9375rem; }
.back a::before { content: '← ' / ''; }
[dir='rtl'] .back a::before { content: '→ ' / ''; }
.who { display: flex; flex-wrap: wrap; align-items: center; gap: var(--s2) var(--s5); margin-top: var(--s7); padding-top: var(--s4); border-top: 1px solid var(--line); }
.who .quiet { flex: 1 1 14rem; }

/* Heads and boxes */
.heading { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: var(--s3) var(--s5); }
.heading > :first-child { flex: 1 1 12rem; }
.heading .button { width: auto; }
.heading-name { display: flex; align-items: center; gap: var(--s4); }
.heading-name h1 { font-size: 1.75rem; }
.heading-kind { margin-top: var(--s1); }
.section { padding-top: var(--s6); }
.section > * + *, .panel > * + * { margin-top: var(--s4); }
.section > h2 + .quiet, .panel > h2 + .quiet { margin-top: var(--s1); }
.panel { padding: var(--s5); background: var(--sheet); border: 1px solid var(--line); border-radius: calc(var(--radius) * 1.5); }
.panel + .panel { margin-top: var(--s5); }
.panel .scope-group:first-of-type { margin-top: var(--s4); }
.switch { display: grid; gap: var(--s4); padding: var(--s5); background: var(--sheet); border: 1px solid var(--line); border-radius: calc(var(--radius) * 1.5); }
.switch > :only-child { grid-column: 1 / -1; }
.asks { display: grid; gap: var(--s3); margin-top: var(--s3); padding: 0; list-style: none; }
.asks li { display: flex; flex-wrap: wrap; gap: var(--s2) var(--s4); align-items: center; justify-content: space-between; padding-top: var(--s3); border-top: 1px solid var(--line); }
.switch .badge { vertical-align: middle; }
.switch h2 + *, .switch p + p { margin-top: var(--s2); }
.switch-off { border-style: dashed; border-color: var(--control); }
.empty { display: grid; gap: var(--s4); justify-items: start; max-width: 44rem; padding: var(--s6) 0; }
.nothing { padding: var(--s5); color: var(--muted); border: 1px dashed var(--control); border-radius: var(--radius); }

/* Lists */
.filter { display: grid; gap: var(--s4); align-items: end; }
.filter-apps { grid-template-columns: repeat(2, minmax(0, 1fr)); }
.filter-apps > .field:first-of-type { grid-column: 1 / -1; }
.rows { list-style: none; border-top: 1px solid var(--line); }
.applications > * + * { margin-top: var(--s5); }
.row { display: grid; grid-template-columns: auto 1fr; gap: var(--s3) var(--s4); align-items: center; padding: var(--s4) 0; border-bottom: 1px solid var(--line); }
.row-attempt { grid-template-columns: minmax(0, 1fr); align-items: start; }
.row-attempt .row-state, .row-attempt .row-facts { grid-column: 1; }
.row-main { min-width: 0; overflow-wrap: anywhere; }
.tabs { list-style: none; display: flex; flex-wrap: wrap; gap: var(--s2) var(--s5); padding: var(--s4) 0 var(--s2); }
.tabs [aria-current] { font-weight: 600; text-decoration: none; color: var(--ink); }
.verdict { overflow-wrap: anywhere; }
.verdict ~ p { margin-top: var(--s2); }
.happened { padding-inline-start: var(--s3); border-inline-start: 3px solid var(--good); }
.happened-failed { border-color: var(--error-ink); }
.row-name { font-weight: 600; }
.row-state, .row-facts { grid-column: 2; }
.row-facts { display: flex; flex-wrap: wrap; gap: 0 var(--s4); list-style: none; font-size: 0.875rem; color: var(--muted); }
.row-person { grid-template-columns: 1fr; align-items: start; }
.row-person .dashes { margin: var(--s2) 0 var(--s1); font-size: 0.875rem; }
.more { display: flex; flex-wrap: wrap; align-items: center; gap: var(--s3) var(--s4); }
.more .button { width: auto; }
.app-icon { flex: none; display: grid; place-items: center; width: 2.75rem; height: 2.75rem; font: var(--display-weight) 1.25rem/1 var(--display); color: var(--link); background: var(--inset); border: 1px solid var(--line); border-radius: var(--radius); }
.app-icon svg { width: 1.5rem; height: 1.5rem; fill: none; stroke: currentColor; stroke-width: 1.6; stroke-linecap: round; stroke-linejoin: round; }
.log { list-style: none; display: grid; gap: var(--s3); font-size: 0.9375rem; }
.log li { display: grid; gap: 0 var(--s4); }
.log-when { font-size: 0.875rem; color: var(--muted); }

/* Forms */
.icons { display: grid; grid-template-columns: repeat(auto-fill, minmax(4.25rem, 1fr)); gap: var(--s2); }
.icon-choice { position: relative; }
.icon-choice label { display: grid; gap: var(--s2); justify-items: center; height: 100%; padding: var(--s3) var(--s1); font-size: 0.8125rem; font-weight: 400; text-align: center; border: 1px solid var(--line); border-radius: var(--radius); cursor: pointer; }
.icon-choice label:hover { border-color: var(--control); }
.icon-choice :checked + label { font-weight: 600; border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
.icon-choice :focus-visible + label { outline: 3px solid var(--focus); outline-offset: 2px; }
.presets { display: flex; flex-wrap: wrap; align-items: center; gap: var(--s2); }
.checked { list-style: none; display: grid; gap: var(--s2); font-size: 0.9375rem; }
.line { display: grid; grid-template-columns: 1.5rem 1fr; gap: var(--s2); padding-inline-start: var(--s3); border-inline-start: 3px solid var(--good); }
.line-bad { border-color: var(--error-ink); }
.line-number { font: 0.8125rem/1.7 var(--mono); color: var(--muted); }
.line .quiet { display: inline; }
.always { font-size: 0.875rem; font-weight: 600; }
.group > .always { margin-top: var(--s5); }
@supports selector(:has(*)) {
  .narrowing { display: none; }
  .group:has(.tick-held:not(:checked)) .narrowing { display: block; }
}

/* Detail */
.detail { display: grid; gap: var(--s6); }
.detail-main > * + * { margin-top: var(--s5); }
.detail-main > * + .section { margin-top: 0; }
.facts-row { grid-template-columns: repeat(auto-fit, minmax(min(12rem, 100%), 1fr)); }
.facts-all { grid-column: 1 / -1; }
.was { color: var(--muted); }
.kept { margin-top: var(--s3); padding: var(--s4); white-space: pre-wrap; overflow-wrap: anywhere; font: 0.8125rem/1.6 var(--mono); background: var(--inset); border: 1px solid var(--line); border-radius: var(--radius); }
.kept code { display: block; font: inherit; unicode-bidi: isolate; }
.heading-name .app-logo { flex: none; margin: 0; }
.panel .stack-tight { padding-top: var(--s4); border-top: 1px solid var(--line); }
.facts dd form { margin-top: var(--s2); }
.switches { list-style: none; display: grid; gap: var(--s4); }
.switches .button { margin-top: var(--s2); }

/* Connected apps */
.apps { list-style: none; display: grid; gap: var(--s5); }
.app { padding: var(--s5); background: var(--sheet); border: 1px solid var(--line); border-radius: calc(var(--radius) * 1.5); }
.app > * + * { margin-top: var(--s4); }
.app > h3 + .scopes { margin-top: var(--s2); }
.app-head { display: flex; gap: var(--s4); align-items: flex-start; }

@media (min-width: 40rem) {
  .filter { grid-template-columns: 1fr auto auto auto; }
  .filter-search { grid-template-columns: 1fr; grid-auto-columns: auto; grid-auto-flow: column; }
  .send { grid-template-columns: auto auto; justify-content: start; }
  .send .button, .empty .button, .switch .button { width: auto; }
  .row-person { grid-template-columns: 1fr auto; }
  .log li { grid-template-columns: 8rem 1fr; }
}
@media (min-width: 60rem) {
  .brand:has(.places) { display: flex; align-items: center; justify-content: space-between; gap: var(--s6); padding: 0 max(var(--s6), calc((100% - 72rem) / 2 + var(--s6))); }
  .brand:has(.places) .brand-name { flex: 0 100 auto; min-width: 13rem; margin: 0; padding: 0; }
  .places { flex: none; gap: 0 var(--s4); max-width: calc(100% - 13rem - var(--s6)); margin: 0; padding: 0; }
  .room-narrow { max-width: 44rem; }
  .switch { grid-template-columns: 1fr auto; align-items: center; gap: var(--s6); }
  .filter-apps { grid-template-columns: 1fr auto auto auto auto; }
  .filter-apps > .field:first-of-type { grid-column: auto; }
  .row { grid-template-columns: auto minmax(0, 1fr) 11rem 28.5rem; }
  .row-attempt { grid-template-columns: minmax(0, 1fr) 10rem 15rem; }
  .row-state, .row-facts, .row-attempt .row-state, .row-attempt .row-facts { grid-column: auto; }
  .row-facts { display: grid; grid-template-columns: 4fr 4fr 3fr; align-items: center; }
  .row-attempt .row-facts { display: block; }
  .row-person { grid-template-columns: 1fr auto; }
  .detail { grid-template-columns: minmax(0, 7fr) minmax(0, 4fr); gap: var(--s7); align-items: start; }
  .apps { grid-template-columns: 1fr 1fr; align-items: start; }
}
@media (forced-colors: active) {
  .places a:not([aria-current], :hover) { border-color: Canvas; }
}
`
