/** Styles of fields, buttons, notices, facts and badges. */
export const partsCss = `
/* Fields */
.field { display: grid; gap: var(--s2); }
label { font-weight: 600; }
legend { font-weight: 600; }
input:not([type='hidden'], .tick, .unseen), textarea, select {
  width: 100%;
  min-height: 3rem;
  padding: var(--s2) var(--s4);
  font: inherit;
  color: var(--ink);
  background: var(--sheet);
  border: 1px solid var(--control);
  border-radius: var(--radius);
  transition: border-color 0.15s, box-shadow 0.15s;
}
textarea { display: block; min-height: 5rem; resize: vertical; field-sizing: content; }
input.code-entry:not([type='hidden']) { font: 600 1.375rem/1.4 var(--mono); letter-spacing: 0.12em; text-transform: uppercase; }
[dir='rtl'] .code-entry { text-align: right; }
.device-code .address { font: 650 1.375rem/1.4 var(--mono); letter-spacing: 0.08em; }
textarea.letters { min-height: 7.5rem; font: 0.875rem/1.7 var(--mono); }
textarea[readonly] { min-height: 3rem; resize: none; }
select { cursor: pointer; }
input:not([type='hidden'], .tick, .unseen):hover, textarea:hover, select:hover { border-color: var(--ink); }
input:focus-visible, textarea:focus-visible, select:focus-visible { outline-offset: 1px; border-radius: var(--radius); }
input[aria-invalid='true'], textarea[aria-invalid='true'] { border-color: var(--error-ink); box-shadow: inset 0 0 0 1px var(--error-ink); }
.tick { flex: none; width: 1.25rem; height: 1.25rem; margin: 0; accent-color: var(--accent); cursor: pointer; }
.tick:disabled { cursor: not-allowed; }
.tick:focus-visible { outline-offset: 2px; border-radius: 0.25rem; }
.group > legend + *, .group > * + * { margin-top: var(--s3); }
.group > legend + .quiet { margin-top: var(--s1); }
.choice { display: grid; grid-template-columns: auto 1fr; gap: var(--s3); padding: var(--s3) var(--s4); border: 1px solid var(--control); border-radius: var(--radius); }
.choice .tick { margin-top: 0.15rem; }
.choice:has(:checked) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
.fault { font-size: 0.875rem; font-weight: 600; color: var(--error-ink); }
.notice .plain-list { margin-top: var(--s2); display: grid; gap: var(--s1); }
.notice a { color: inherit; }

/* Buttons */
.button {
  display: inline-flex;
  align-items: center;
  justify-content: center;
  width: 100%;
  min-height: 3rem;
  padding: var(--s2) var(--s5);
  font: 600 1rem/1.25 var(--body);
  text-align: center;
  text-decoration: none;
  border: 1px solid transparent;
  border-radius: var(--radius);
  cursor: pointer;
  transition: background-color 0.15s, box-shadow 0.15s;
}
.button:focus-visible { border-radius: var(--radius); }
.button-main { color: var(--on-accent); background: var(--accent); }
.button-main:hover { background: color-mix(in oklab, var(--accent), var(--ink) 14%); }
.button-plain { color: var(--ink); background: transparent; border-color: var(--control); }
.button-plain:hover { background: var(--inset); border-color: var(--ink); }
.button-choice { color: var(--sheet); background: var(--ink); }
.button-choice:hover { background: color-mix(in oklab, var(--ink), var(--accent) 34%); }
.button-stop { color: var(--sheet); background: var(--error-ink); }
.button-stop:hover { background: color-mix(in oklab, var(--error-ink), var(--ink) 24%); }
.button-small { width: auto; min-height: 2.5rem; padding: var(--s1) var(--s4); font-size: 0.875rem; }
.send { display: grid; gap: var(--s3); }
.link-button {
  min-height: 1.75rem;
  padding: 0;
  font: inherit;
  font-size: 0.875rem;
  color: var(--link);
  background: none;
  border: 0;
  text-decoration: underline;
  text-underline-offset: 0.2em;
  cursor: pointer;
}

/* Notices */
.notice {
  display: grid;
  grid-template-columns: auto 1fr;
  gap: var(--s3);
  padding: var(--s4);
  border-radius: var(--radius);
  font-size: 0.9375rem;
}
.notice-sign { width: 1.25rem; height: 1.25rem; margin-top: 0.125rem; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; }
.notice-note { color: var(--ink); background: var(--inset); border: 1px solid var(--line); }
.notice-done { color: var(--ink); background: var(--inset); border: 1px solid var(--good); }
.notice-done .notice-sign { color: var(--good); }
.notice-warn { color: var(--warn-ink); background: var(--warn-back); }
.notice-error { color: var(--error-ink); background: var(--error-back); }

/* Facts */
.app-logo { display: block; width: 3rem; height: 3rem; margin-bottom: var(--s3); object-fit: contain; background: #fff; border: 1px solid var(--line); border-radius: var(--radius); }
.facts { display: grid; gap: var(--s4); }
.facts dt { font-size: 0.8125rem; color: var(--muted); }
.facts-small { padding-top: var(--s5); border-top: 1px solid var(--line); font-size: 0.9375rem; }

.badge {
  display: inline-block;
  padding: 0.0625rem var(--s2);
  font: 600 0.75rem/1.5 var(--body);
  color: var(--muted);
  border: 1px solid currentColor;
  border-radius: 1rem;
  white-space: nowrap;
}
.badge-good { color: var(--good); }
.badge-warn, .badge-write { color: var(--warn-ink); background: var(--warn-back); border-color: transparent; }
.badge-stop { color: var(--error-ink); background: var(--error-back); border-color: transparent; }
.badge-new { color: var(--link); }
.badge-old { padding: 0; font-weight: 400; border: 0; }
.badge-data { color: var(--ink); border-color: var(--control); }

/* Scopes */
.scope-group { margin-top: var(--s5); padding-top: var(--s4); border-top: 1px solid var(--line); }
.scopes { margin-top: var(--s3); display: grid; gap: var(--s4); }
.scopes + details { margin-top: var(--s3); }
.scope { display: grid; grid-template-columns: auto 1fr; gap: var(--s3); }
.scope-mark { display: flex; align-items: flex-start; gap: var(--s3); margin-top: 0.15rem; }
.scope-sign { flex: none; width: 1.25rem; height: 1.25rem; fill: none; stroke: var(--muted); stroke-width: 1.5; stroke-linejoin: round; stroke-linecap: round; }
[data-access='write'] .scope-sign { stroke: var(--warn-ink); }
.scope-act { margin-inline-end: var(--s1); font-weight: 400; }
.scope .quiet { margin-top: var(--s1); }
.scope-idle .scope-act { color: var(--muted); text-decoration: line-through; }
`
