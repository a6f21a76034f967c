/** The style of the page: light and dark, from 390 to 1200 pixels, and on paper. */
export const style: string = `
:root {
  color-scheme: light dark;
  --page: #f5efe4; --sheet: #fffcf6; --inset: #f8f2e7; --ink: #211c2f; --muted: #625a6b; --line: #e4dac9;
  --link: #96310f; --panel: #241e3b; --panel-ink: #f9eeda; --panel-muted: #c3b8cf; --panel-line: #5a4f7d;
  --held: #2b6340; --violated: #a3200f; --accepted: #31439a; --unknown: #855700; --none: #8d8392;
  --violated-back: #fbe5df; --unknown-back: #fcefd0;
  --serif: ui-serif, 'Iowan Old Style', Charter, 'Source Serif 4', Georgia, serif;
  --sans: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif;
  --mono: ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #121019; --sheet: #1c1927; --inset: #252132; --ink: #f4ecde; --muted: #b6acb9; --line: #383146;
    --link: #f5c37c; --panel: #181328; --panel-line: #453c63;
    --held: #97d5a9; --violated: #ff9d8a; --accepted: #a3bbff; --unknown: #f5c964; --none: #857b92;
    --violated-back: #41201b; --unknown-back: #382c12;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink); font: 1rem/1.55 var(--sans); }
header > div, main, footer { max-width: 64rem; margin: 0 auto; padding: 0 1.25rem; }
h1, h2 { font-family: var(--serif); font-weight: 600; line-height: 1.15; text-wrap: balance; }
h2 { margin: 0; font-size: 1.5rem; }
h2 small { margin-inline-start: 0.2em; font: 500 0.9375rem/1 var(--sans); color: var(--muted); font-variant-numeric: tabular-nums; }
h3 { margin: 1.75rem 0 0.25rem; font-size: 0.9375rem; }
p { margin: 0; }
a { color: var(--link); text-underline-offset: 0.15em; text-decoration-thickness: 1px; }
code, pre { font-family: var(--mono); }
code { font-size: 0.9em; overflow-wrap: anywhere; }

header { padding: 2.75rem 0 2.25rem; background: var(--panel); color: var(--panel-ink); border-bottom: 4px solid #6fbf8a; }
header.is-violated { border-color: #f0705a; }
header.is-unknown { border-color: #f3b04c; }
.eyebrow { font-size: 0.8125rem; letter-spacing: 0.02em; color: var(--panel-muted); }
h1 { margin: 0.6rem 0 0.4rem; font-size: clamp(2rem, 1.4rem + 2.6vw, 3.25rem); letter-spacing: -0.01em; }
.origin { font: 1.0625rem/1.4 var(--mono); color: #f3b04c; overflow-wrap: anywhere; }
.bar { display: flex; gap: 2px; height: 0.75rem; margin: 1.75rem 0 0.9rem; border-radius: 0.375rem; overflow: hidden; }
.bar i { flex: 1 0 4px; background: #6fbf8a; }
.bar .violated { background: #f0705a; }
.bar .accepted, .bar .advice { background: #8fa6f5; }
.bar .not-reached { background: #f3b04c; }
.bar .not-applicable { background: #6d6290; }
.counts { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; margin: 0; padding: 0; list-style: none; font-size: 0.9375rem; }
.counts li::before { content: ''; display: inline-block; width: 0.625rem; height: 0.625rem; margin-inline-end: 0.5rem; border-radius: 2px; background: #6fbf8a; }
.counts .violated::before { background: #f0705a; }
.counts .accepted::before, .counts .advice::before { background: #8fa6f5; }
.counts .not-reached::before { background: #f3b04c; }
.counts .not-applicable::before { background: #6d6290; }
.counts b { font-variant-numeric: tabular-nums; }
.counts .beyond { flex-basis: 100%; color: #f3b04c; }
.counts .beyond::before { display: none; }
header dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(10rem, 100%), 1fr)); gap: 0.75rem 2rem; margin: 1.75rem 0 0; padding-top: 1.25rem; border-top: 1px solid var(--panel-line); font-size: 0.875rem; }
header dt { color: var(--panel-muted); }
header dd { margin: 0; }

main { padding-bottom: 3rem; }
section { margin-top: 2.75rem; }
.lead { margin: 0.35rem 0 1rem; color: var(--muted); max-width: 44rem; }
table { width: 100%; margin-top: 0.9rem; border-spacing: 0; overflow: hidden; background: var(--sheet); border: 1px solid var(--line); border-radius: 0.5rem; font-size: 0.9375rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.4rem 0.75rem; text-align: end; border-top: 1px solid var(--line); }
thead th { padding: 0.6rem 0.75rem; vertical-align: bottom; border-top: 0; font-size: 0.8125rem; font-weight: 500; line-height: 1.25; color: var(--muted); }
th:first-child { text-align: start; }
thead th + th { width: 15%; }
tbody th { font: 400 0.875rem/1.5 var(--mono); overflow-wrap: break-word; }
.whole { white-space: nowrap; }
tfoot th, tfoot td { font-weight: 600; border-top: 2px solid var(--line); }
td.held { color: var(--held); }
td.violated { color: var(--violated); font-weight: 700; }
td.accepted, td.advice { color: var(--accepted); }
td.not-reached { color: var(--unknown); font-weight: 700; }
td.not-applicable { color: var(--muted); }
td.none { color: var(--none); }

.row { background: var(--sheet); border: 1px solid var(--line); border-inline-start: 4px solid var(--violated); border-radius: 0.5rem; }
.row.not-reached { border-inline-start-color: var(--unknown); }
.row + .row { margin-top: 0.875rem; }
summary { cursor: pointer; }
summary:focus-visible, a:focus-visible { outline: 3px solid var(--accepted); outline-offset: 2px; border-radius: 2px; }
.row > summary { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: baseline; justify-content: space-between; padding: 0.8rem 1.125rem; list-style: none; font-weight: 600; overflow-wrap: anywhere; }
.row > summary::-webkit-details-marker { display: none; }
.clause { font-size: 0.875rem; font-weight: 400; color: var(--muted); }
.level { display: inline-block; margin-inline-end: 0.35rem; padding: 0.05rem 0.45rem; border-radius: 1rem; font-size: 0.6875rem; font-weight: 700; letter-spacing: 0.04em; white-space: nowrap; }
.level.must { background: var(--violated-back); color: var(--violated); }
.level.advice { background: var(--inset); color: var(--muted); }
.level.should { background: var(--unknown-back); color: var(--unknown); }
.body { padding: 0 1.125rem 1.125rem; }
.says { max-width: 46rem; font-family: var(--serif); font-size: 1.125rem; line-height: 1.45; }
.body dl { margin: 0.9rem 0 0; }
.body dl > div { display: grid; grid-template-columns: 4.5rem minmax(0, 1fr); padding: 0.2rem 0; }
.body dt { color: var(--muted); font-size: 0.9375rem; }
.body dd { margin: 0; max-width: 46rem; overflow-wrap: anywhere; }
.exchange { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.75rem; margin-top: 1rem; }
figure { margin: 0; min-width: 0; display: grid; grid-template-rows: auto 1fr; }
figcaption { margin-bottom: 0.25rem; font-size: 0.8125rem; color: var(--muted); }
pre { margin: 0; padding: 0.75rem 0.875rem; max-height: 22rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 0.8125rem; line-height: 1.5; background: var(--inset); border: 1px solid var(--line); border-radius: 0.375rem; }
.checks { margin: 0; padding: 0; list-style: none; }
.checks li { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: baseline; justify-content: space-between; padding: 0.45rem 0; border-top: 1px solid var(--line); }
.body .checks li:first-child { border-top: 0; }
.checks p { flex-basis: 100%; max-width: 46rem; }
.checks .found { color: var(--muted); font-size: 0.9375rem; overflow-wrap: anywhere; }
.folded > summary { padding: 0.9rem 1.125rem; background: var(--sheet); border: 1px solid var(--line); border-radius: 0.5rem; }
.folded > summary h2 { display: inline; font-size: 1.25rem; }
section:has(.folded) + section:has(.folded) { margin-top: 0.875rem; }
footer { padding-top: 1.25rem; padding-bottom: 2.5rem; font-size: 0.875rem; color: var(--muted); }

@media (min-width: 48rem) {
  .exchange { grid-template-columns: repeat(2, minmax(0, 1fr)); }
}
@media (max-width: 34rem) {
  header { padding: 1.75rem 0; }
  th, td { padding: 0.4rem 0.3rem; }
  thead th { padding: 0.6rem 0.3rem; }
  thead th + th { width: 2rem; }
  thead th + th span { display: inline-block; writing-mode: vertical-rl; transform: rotate(180deg); white-space: nowrap; }
  tbody th { font-size: 0.8125rem; }
  .folded > summary h2 { font-size: 1.125rem; }
  .body dl > div { grid-template-columns: minmax(0, 1fr); }
}
@media print {
  :root { color-scheme: light; --page: #fff; --sheet: #fff; --inset: #fff; --ink: #000; --muted: #444; --line: #bbb; --link: #000; --panel: #fff; --panel-ink: #000; --panel-muted: #444; --panel-line: #bbb; --held: #1d5130; --violated: #8a1f11; --accepted: #31439a; --unknown: #6b4600; --none: #777; --violated-back: #fff; --unknown-back: #fff; }
  @page { margin: 16mm 14mm; }
  body { font-size: 10pt; }
  header { padding: 0 0 1rem; }
  header > div, main, footer { max-width: none; padding: 0; }
  .origin, .counts .beyond { color: #000; }
  .bar, .counts li::before, .level { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .level { border: 1px solid currentColor; }
  /* Whatever a reader has closed on the screen, the rows that need work are open on paper. */
  .row::details-content { content-visibility: visible; display: block; height: auto; }
  .folded { break-inside: avoid; }
  .row, tr, figure { break-inside: avoid; }
  h2, .lead, summary { break-after: avoid; }
  pre { max-height: none; }
  a { text-decoration: none; }
  .row a[href]::after { content: ' ' attr(href); font-size: 0.85em; color: var(--muted); overflow-wrap: anywhere; }
}
`
