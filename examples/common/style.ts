/** The style of every page, in one place. Change the colors first. */
export const css = `
:root { color-scheme: light dark; --page: #f5efe4; --sheet: #fffcf6; --ink: #211c2f; --muted: #625a6b;
  --line: #e4dac9; --control: #857a83; --accent: #a63a1b; --on-accent: #fffaf1; --link: #96310f;
  --warn: #fcefd0; --warn-ink: #5b4007; --glow: #f3b04c }
@media (prefers-color-scheme: dark) { :root { --page: #121019; --sheet: #1c1927; --ink: #f4ecde;
  --muted: #b6acb9; --line: #383146; --control: #867c95; --accent: #f2b455; --on-accent: #241705;
  --link: #f5c37c; --warn: #382c12; --warn-ink: #f5dca0 } }
* { box-sizing: border-box }
body { margin: 0; padding: clamp(1rem, 6vh, 4rem) 1rem; background: var(--page); color: var(--ink);
  font: 1.0625rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere }
header, main, footer { max-width: 29rem; margin: 0 auto }
.wide header, .wide main, .wide footer { max-width: 44rem }
header { display: flex; align-items: center; gap: .6rem; font-weight: 650; margin-bottom: 1.25rem }
header::before { content: ""; width: 1.1rem; height: 1.5rem; border: 3px solid var(--ink);
  border-radius: 45% 45% 20% 20%; background: radial-gradient(circle, var(--glow) 35%, transparent 75%) }
.card { padding: clamp(1.25rem, 5vw, 2rem); margin-bottom: 1.25rem; background: var(--sheet);
  border: 1px solid var(--line); border-radius: .9rem }
h1 { margin: 0 0 .75rem; font-size: 1.6rem; line-height: 1.2; letter-spacing: -.01em }
h2 { margin: 0 0 .5rem; font-size: 1.15rem; line-height: 1.3 }
h3 { margin: 1.25rem 0 .4rem; font-size: 1rem }
p { margin: 0 0 .9rem }
.card > :last-child, .card > :last-child > :last-child { margin-bottom: 0 }
a { color: var(--link) }
.quiet { color: var(--muted); font-size: .95rem }
.notice { padding: .75rem 1rem; border-radius: .5rem; background: var(--warn); color: var(--warn-ink) }
label { display: block; margin-bottom: 1rem; font-weight: 600 }
input { display: block; width: 100%; margin-top: .3rem; padding: .65rem .75rem; font: inherit;
  font-weight: 400; color: inherit; background: var(--page); border: 1px solid var(--control); border-radius: .5rem }
button { padding: .7rem 1.4rem; font: inherit; font-weight: 650; cursor: pointer; color: var(--on-accent);
  background: var(--accent); border: 1px solid var(--accent); border-radius: .5rem }
button.plain { color: var(--ink); background: transparent; border-color: var(--control) }
button.link { padding: 0; font-weight: 400; color: var(--link); background: none; border: 0;
  text-decoration: underline }
button:hover { filter: brightness(1.08) }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
[role=status]:not(:empty) { margin-top: 1rem }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .75rem; margin-top: 1.5rem }
.full { width: 100% }
ul { margin: 0 0 1rem; padding: 0; list-style: none }
li { padding: .55rem 0 }
li + li { border-top: 1px solid var(--line) }
.badge { display: inline-block; padding: 0 .5rem; border: 1px solid var(--control); border-radius: 1rem;
  color: var(--muted); font-size: .82rem; white-space: nowrap }
dl, table { width: 100%; margin: 0 0 1rem; border-collapse: collapse }
dt { color: var(--muted); font-size: .95rem }
dd { margin: 0 0 .6rem }
th, td { padding: .5rem .75rem .5rem 0; text-align: left; vertical-align: top }
tr + tr { border-top: 1px solid var(--line) }
th { font-weight: 600; white-space: nowrap }
code { font: .88em ui-monospace, monospace }
pre { margin: 0 0 1rem; padding: .75rem 1rem; white-space: pre-wrap; background: var(--page);
  border: 1px solid var(--line); border-radius: .5rem }`
