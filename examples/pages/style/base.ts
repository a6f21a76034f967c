/** Styles of every page: spacing, typography, the frame of a page and the flow of its parts. */
export const baseCss = `
:root {
  color-scheme: light dark;
  --s1: 0.25rem; --s2: 0.5rem; --s3: 0.75rem; --s4: 1rem; --s5: 1.5rem; --s6: 2rem; --s7: 3rem; --s8: 4.5rem;
  --radius: 0.5rem;
  --body: system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Open Sans', sans-serif;
  --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', 'Roboto Mono', Menlo, Consolas, monospace;
}
[data-site='lantern'] {
  --display: 'Iowan Old Style', 'Palatino Linotype', Palatino, 'Book Antiqua', 'Noto Serif', Georgia, serif;
  --display-weight: 600;
  --display-track: -0.012em;
}
[data-site='kiln'] {
  --display: Optima, Candara, 'Gill Sans', 'Gill Sans MT', 'Avenir Next', 'Noto Sans', 'Open Sans', sans-serif;
  --display-weight: 650;
  --display-track: -0.02em;
  --radius: 0.875rem;
}

*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0;
  background: var(--page);
  color: var(--ink);
  font: 1rem/1.55 var(--body);
  overflow-wrap: anywhere;
}
h1, h2, h3, p, ul, ol, dl, dd, fieldset, legend { margin: 0; padding: 0; }
fieldset { min-width: 0; border: 0; }
h1 {
  font: var(--display-weight) clamp(1.75rem, 1.4rem + 1.6vw, 2.375rem)/1.16 var(--display);
  letter-spacing: var(--display-track);
  text-wrap: balance;
}
p, li, dd { text-wrap: pretty; }
h1:lang(zh) { word-break: keep-all; }
h2 { font: var(--display-weight) 1.25rem/1.3 var(--display); letter-spacing: var(--display-track); }
h3, .scope-group > h2 { font: 600 0.9375rem/1.55 var(--body); }
strong { font-weight: 650; }
a { color: var(--link); text-underline-offset: 0.2em; }
summary { width: fit-content; padding: var(--s1) 0; font-size: 0.875rem; color: var(--link); cursor: pointer; }
:focus-visible {
  outline: 3px solid var(--focus);
  outline-offset: 3px;
  border-radius: calc(var(--radius) / 2);
}

/* Frame */
.frame { min-height: 100vh; min-height: 100dvh; display: grid; grid-template-rows: auto 1fr; }
.brand {
  position: relative;
  overflow: hidden;
  background: linear-gradient(90deg, var(--panel), var(--panel-deep));
  color: var(--panel-ink);
}
.brand-name {
  position: relative;
  display: flex;
  align-items: center;
  gap: var(--s3);
  padding: var(--s4) var(--s5);
  font: var(--display-weight) 1.0625rem/1.25 var(--display);
}
.mark { flex: none; width: 2.5rem; height: 2.5rem; }
.mark path { fill: none; stroke: none; }
.mark .mark-solid { fill: var(--panel-ink); }
.mark .mark-glow { fill: var(--glow); }
.mark .mark-coil { stroke: var(--glow); stroke-width: 3.75; stroke-linecap: round; }
.mark .mark-line { stroke: var(--panel-ink); stroke-width: 2; stroke-linecap: round; }
[data-site='lantern'] .mark { filter: drop-shadow(0 0 0.625rem var(--glow-soft)); }
.mark .mark-rib { stroke: var(--panel-deep); stroke-width: 1; opacity: 0.55; }
.art, .strip { display: none; }
.brand :focus-visible { outline-color: var(--panel-ink); }
.main { width: 100%; padding: var(--s6) var(--s5) var(--s7); }
.brand-name, .main { max-width: 38rem; margin: 0 auto; }

/* Flow */
.main > * + * { margin-top: var(--s5); }
.main > h1 + .lead { margin-top: var(--s3); }
.lead { font-size: 1.0625rem; color: var(--muted); }
.lead strong { color: var(--ink); }
.lead + p:not(.fine) { margin-top: var(--s3); }
.fine, .quiet { font-size: 0.875rem; color: var(--muted); }
.quiet { display: block; }
.muted { color: var(--muted); font-weight: 400; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.letters { font-family: var(--mono); }
.address { display: inline-block; max-width: 100%; font: 0.9em/1.5 var(--mono); color: var(--ink); }
a > .address { color: inherit; text-decoration: underline; }
a > .address, a:has(> code) { text-underline-offset: 0.4em; }
.notice .address { color: inherit; font-weight: 600; }
.facts .inline-form { margin-top: var(--s2); }
.link-button:focus-visible { outline-offset: 1px; }
h1 bdi, strong bdi { display: inline-block; max-width: 100%; }
.letters bdi { display: inline; }
.stack { display: grid; gap: var(--s5); }
.stack-wide { gap: var(--s6); }
.stack-tight { gap: var(--s4); }
.stack > *, .field > * { min-width: 0; }
.plain-list, .scopes, .ways, .dashes { list-style: none; }
.dashes { display: grid; gap: var(--s2); }
.dashes li { padding-inline-start: 1.625rem; position: relative; }
.dashes li::before { content: ''; position: absolute; inset-inline-start: 0; top: 0.75em; width: 0.875rem; border-top: 2px solid var(--muted); }
.card { padding: var(--s4); background: var(--inset); border: 1px solid var(--line); border-radius: var(--radius); }
`
