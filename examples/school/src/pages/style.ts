import { type Palette, palettes } from './palette.js'

const kebab = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const properties = (palette: Palette): string =>
  Object.entries(palette)
    .map(([name, colour]) => `--${kebab(name)}: ${colour};`)
    .join(' ')

const themes = Object.entries(palettes)
  .map(
    ([theme, { light, dark }]) => `
[data-site='${theme}'] { ${properties(light)} }
@media (prefers-color-scheme: dark) { [data-site='${theme}'] { ${properties(dark)} } }`,
  )
  .join('')

/** The one stylesheet, served as `/assets/school.css`. */
export const schoolCss = `${themes}

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
h1, h2, h3, p, ul, dl, dd { margin: 0; padding: 0; }
h1 {
  font: var(--display-weight) clamp(1.75rem, 1.4rem + 1.6vw, 2.375rem)/1.16 var(--display);
  letter-spacing: var(--display-track);
  text-wrap: balance;
}
p, li, dd { text-wrap: pretty; }
h2 { font: var(--display-weight) 1.25rem/1.3 var(--display); letter-spacing: var(--display-track); }
h3 { font: 600 0.9375rem/1.55 var(--body); }
strong { font-weight: 650; }
a { color: var(--link); text-underline-offset: 0.2em; }
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
.address { display: inline-block; max-width: 100%; font: 0.9em/1.5 var(--mono); color: var(--ink); }
.notice .address { color: inherit; font-weight: 600; }
.facts .inline-form { margin-top: var(--s2); }
.link-button:focus-visible { outline-offset: 1px; }
h1 bdi, strong bdi { display: inline-block; max-width: 100%; }
.stack { display: grid; gap: var(--s5); }
.plain-list, .scopes, .ways { list-style: none; }
.card { padding: var(--s4); background: var(--inset); border: 1px solid var(--line); border-radius: var(--radius); }

/* Fields */
.field { display: grid; gap: var(--s2); }
label { font-weight: 600; }
input:not([type='hidden']) {
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
input:not([type='hidden']):hover { border-color: var(--ink); }
input:focus-visible { outline-offset: 1px; border-radius: var(--radius); }
input[aria-invalid='true'] { border-color: var(--error-ink); box-shadow: inset 0 0 0 1px var(--error-ink); }

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
.notice-warn { color: var(--warn-ink); background: var(--warn-back); }
.notice-error { color: var(--error-ink); background: var(--error-back); }

/* Facts */
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
.badge-data { color: var(--ink); border-color: var(--control); }

/* Consent */
.consent { display: grid; gap: var(--s6); }
.consent-who { display: grid; gap: var(--s5); align-content: start; }
.app-name { color: var(--link); }
.app-name-long { font-size: 0.65em; }
.consent-what { display: grid; gap: var(--s6); align-content: start; }
.scope-group { margin-top: var(--s5); padding-top: var(--s4); border-top: 1px solid var(--line); }
.scopes { margin-top: var(--s3); display: grid; gap: var(--s4); }
.scope { display: grid; grid-template-columns: 1.25rem 1fr; gap: var(--s3); }
.scope-sign { width: 1.25rem; height: 1.25rem; margin-top: 0.15rem; fill: none; stroke: var(--muted); stroke-width: 1.5; stroke-linejoin: round; stroke-linecap: round; }
.scope-sign-write { stroke: var(--warn-ink); }
.scope-act { margin-right: var(--s1); }
.scope .quiet { margin-top: var(--s1); }
.scope-idle .scope-act { color: var(--muted); text-decoration: line-through; }
.cannot { padding: var(--s5); background: var(--inset); border: 1px solid var(--line); border-radius: var(--radius); }
.cannot ul { margin-top: var(--s3); display: grid; gap: var(--s2); }
.cannot li { padding-left: 1.625rem; position: relative; }
.cannot li::before { content: ''; position: absolute; left: 0; top: 0.75em; width: 0.875rem; border-top: 2px solid var(--muted); }
.decision { display: grid; grid-template-columns: 1fr 1fr; gap: var(--s4); }
.decision > :only-of-type { grid-column: 1 / -1; }

/* Home */
.ways { display: grid; gap: var(--s3); }
.way { display: block; padding: var(--s4); color: inherit; text-decoration: none; border: 1px solid var(--line); border-radius: var(--radius); }
.way strong { color: var(--link); text-decoration: underline; text-underline-offset: 0.2em; text-decoration-thickness: 1px; }
.way:hover { border-color: var(--control); background: var(--inset); }
.account { display: grid; gap: var(--s4); }

@media (min-width: 30rem) {
  .account { grid-template-columns: 1fr auto; align-items: center; }
}
@media (min-width: 60rem) {
  .frame-split { grid-template: 1fr / minmax(22rem, 5fr) 7fr; }
  .frame-split .brand { background: linear-gradient(180deg, var(--panel-deep), var(--panel) 60%, var(--panel-low)); }
  .frame-split .brand-name { max-width: none; padding: var(--s7); font-size: 1.375rem; }
  .frame-split .mark { width: 3.25rem; height: 3.25rem; }
  .art { display: block; position: absolute; inset: 9rem 0 0; width: 100%; height: calc(100% - 9rem); }
  .frame-split .main { display: flex; flex-direction: column; justify-content: center; width: 100%; max-width: 34rem; margin: 0 auto; padding: var(--s7) var(--s6); }
  .frame-wide .brand-name { max-width: 72rem; min-height: 4.5rem; margin: 0 auto; padding: 0 var(--s6); }
  .strip { display: block; width: 18.75rem; height: 4.5rem; margin-left: auto; }
  .frame-wide .main { width: 100%; max-width: 72rem; margin: 0 auto; padding: var(--s8) var(--s6); }
  .consent { grid-template-columns: 5fr 6fr; gap: var(--s8); align-items: start; }
  .consent-who { position: sticky; top: var(--s6); }
  .scope-group { display: grid; grid-template-columns: 6rem 1fr; gap: var(--s4); }
  .scopes { margin-top: 0; }
  .consent-what { padding: var(--s6); background: var(--sheet); border: 1px solid var(--line); border-radius: calc(var(--radius) * 1.5); }
}

/* Art */
.art path, .art circle, .strip path, .strip circle { fill: none; }
.brand .art-wire, .brand .art-cord { stroke: var(--panel-line); stroke-width: 2; }
.brand .art-star { fill: var(--panel-ink); opacity: 0.5; }
.brand .art-halo { fill: var(--glow); opacity: 0.07; }
.brand .art-paper { fill: var(--glow-soft); }
.brand .art-ember { fill: var(--glow); opacity: 0.8; }
.brand .art-cap { fill: var(--panel-deep); }
.brand .art-rib { stroke: var(--panel-deep); stroke-width: 1.25; opacity: 0.4; }
.brand .art-far { fill: var(--panel-deep); opacity: 0.45; }
.brand .art-near { fill: var(--panel-deep); }
.brand .art-window { fill: var(--glow); opacity: 0.85; }
.brand .art-pot { fill: var(--glow-soft); }
.brand .art-glaze { fill: var(--glow); }
.brand .art-shine { stroke: var(--panel-ink); stroke-width: 5; stroke-linecap: round; opacity: 0.55; }
.brand .art-coil { stroke: var(--panel-line); stroke-width: 18; stroke-linecap: round; }

@media (prefers-reduced-motion: reduce) {
  *, *::before, *::after { transition: none !important; animation: none !important; }
}
@media (forced-colors: active) {
  .button, .notice, .badge, input:not([type='hidden']) { border: 1px solid; }
}
`
