/** Styles of the demo's front page: the hero, the people and the endpoints. */
export const frontCss = `
/* Front: bar and hero */
.front-bar { width: 100%; display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0 var(--s6); max-width: 76rem; margin: 0 auto; padding: var(--s3) var(--s5); }
.front .brand-name { margin: 0; padding: 0; }
.front-top.brand { background: var(--panel-deep); }
.front .places { margin: 0; padding: 0; }
.hero.brand { background: linear-gradient(180deg, var(--panel-deep), var(--panel) 45%, var(--panel-low)); }
.hero-inner { display: grid; gap: var(--s7); max-width: 76rem; margin: 0 auto; padding: var(--s7) var(--s5); }
.hero h1 { max-width: 18ch; font-size: clamp(2rem, 1.3rem + 3.4vw, 3.5rem); line-height: 1.08; }
.hero-lead { max-width: 36rem; margin-top: var(--s5); font-size: 1.125rem; }
.hero-lead a, .hero-other a { color: var(--glow); }
.ways-in { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 11rem), 1fr)); gap: var(--s3); width: 100%; margin-top: var(--s6); list-style: none; }
.way-in { display: grid; align-content: start; gap: var(--s1); height: 100%; padding: var(--s4); color: var(--panel-ink); text-decoration: none; background: color-mix(in oklab, transparent, var(--panel-deep) 55%); border: 1px solid var(--panel-line); border-radius: var(--radius); transition: border-color 0.15s, background-color 0.15s; }
.way-in strong { font: var(--display-weight) 1.25rem/1.3 var(--display); color: var(--glow); }
.way-in strong::after { content: ' →' / ''; }
.way-in span { font-size: 0.9375rem; }
.way-in:hover { border-color: var(--glow); background: var(--panel-deep); }
.hero-other { margin-top: var(--s5); }
.hero .strip { display: none; }
.hero-card { align-self: start; display: grid; gap: var(--s4); padding: var(--s5); color: var(--ink); background: var(--sheet); border: 1px solid var(--panel-line); border-radius: calc(var(--radius) * 1.5); }
.hero-card h2 { font-size: 1.5rem; }
.hero-card .stack { gap: var(--s4); }
.hero-card > h2 + .quiet { margin-top: calc(-1 * var(--s3)); }
.hero-card :focus-visible { outline-color: var(--focus); }

/* Front: bands */
.band { padding: var(--s7) max(var(--s5), calc((100% - 76rem) / 2 + var(--s5))); }
.band-inset { background: var(--sheet); border-block: 1px solid var(--line); }
.band-head { max-width: 44rem; }
.band-head h2 { font-size: clamp(1.625rem, 1.3rem + 1.4vw, 2.25rem); line-height: 1.15; }
.band-head > * + * { margin-top: var(--s3); }
.band-head p { color: var(--muted); font-size: 1.0625rem; }
.band-head code { color: var(--ink); }
.band [id], .band[id], .hero-card { scroll-margin-top: var(--s4); }
.front-end { padding: var(--s6) max(var(--s5), calc((100% - 76rem) / 2 + var(--s5))); font-size: 0.9375rem; color: var(--muted); border-top: 1px solid var(--line); }

/* Front: people */
.people { display: grid; margin-top: var(--s6); list-style: none; border-top: 1px solid var(--line); }
.person { display: grid; grid-template-columns: 1fr; gap: var(--s1) var(--s5); align-content: start; padding: var(--s4) 0; border-bottom: 1px solid var(--line); }
.person-name { display: flex; flex-wrap: wrap; align-items: center; gap: var(--s1) var(--s3); }
.person-email { font-size: 0.8125rem; color: var(--muted); }
.person-note { font-size: 0.9375rem; }
.person-enter { margin-top: var(--s2); }
.person-here { justify-self: start; margin-top: var(--s2); }

/* Front: endpoints */
.doors { display: grid; gap: var(--s6) var(--s7); margin-top: var(--s6); }
.doors-group > * + * { margin-top: var(--s3); }
.doors-group h3 { font: var(--display-weight) 1.125rem/1.3 var(--display); }
.doors-group ul { list-style: none; display: grid; gap: var(--s4); }
.door { display: grid; grid-template-columns: 2.75rem 1fr; gap: var(--s2); align-items: baseline; }
.door-method { font: 600 0.6875rem/1.6 var(--mono); color: var(--muted); }
.door .letters { font-size: 0.875rem; }
.doors-mcp { padding: var(--s5); background: var(--inset); border: 1px solid var(--line); border-radius: calc(var(--radius) * 1.5); }
.doors-address { display: block; padding: var(--s3) var(--s4); font-size: 0.875rem; background: var(--sheet); border: 1px solid var(--line); border-radius: var(--radius); user-select: all; }

@media (min-width: 40rem) {
  .person { grid-template-columns: 1fr auto; }
  .person > * { grid-column: 1; }
  .person > :last-child { grid-column: 2; grid-row: 1 / 4; align-self: center; justify-self: end; margin: 0; }
  .doors { grid-template-columns: 1fr 1fr; }
}
@media (min-width: 60rem) {
  .front .brand { padding: 0; }
  .front-bar { flex-wrap: nowrap; gap: var(--s6); }
  .hero-inner { grid-template-columns: minmax(0, 7fr) minmax(20rem, 4fr); gap: var(--s8); align-items: stretch; padding: var(--s8) var(--s5) 0; }
  .hero-card { align-self: center; padding: var(--s6); margin-bottom: var(--s8); }
  .hero-words { display: flex; flex-direction: column; align-items: flex-start; }
  .hero .strip { display: block; width: min(100%, 38rem); height: auto; margin: var(--s6) 0 0; overflow: visible; }
  [data-site='lantern'] .hero .strip { margin-bottom: var(--s7); }
  [data-site='kiln'] .hero .strip { margin-top: auto; padding-top: var(--s6); }
  .band { padding-block: var(--s8); }
  .people { grid-template-columns: 1fr 1fr; column-gap: var(--s7); }
  .doors { grid-template-columns: 5fr 4fr 5fr; }
  .doors-group:nth-child(1) { grid-row: 1 / 3; }
  .doors-group:nth-child(2), .doors-group:nth-child(3) { grid-column: 2; }
  .doors-mcp { grid-column: 3; grid-row: 1 / 3; align-self: start; }
}
`
