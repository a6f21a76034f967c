/** Styles of the consent and home pages, and of all pages on a wide screen. */
export const pagesCss = `
/* Consent */
.consent { display: grid; gap: var(--s6); }
.consent-who { display: grid; gap: var(--s5); align-content: start; }
.app-name { color: var(--link); }
.app-name-long { font-size: 0.65em; }
.app-name-long bdi { display: inline; }
.consent-what { display: grid; gap: var(--s6); align-content: start; }
.cannot { padding: var(--s5); background: var(--inset); border: 1px solid var(--line); border-radius: var(--radius); }
.cannot .dashes { margin-top: var(--s3); }
.access { margin-top: var(--s4); padding-bottom: var(--s2); }
.access > legend + .choice { margin-top: var(--s2); }
.access > .choice + .choice { margin-top: -1px; }
.access .choice { border-radius: 0; }
.access .choice:has(:checked) { position: relative; }
.access legend + .choice { border-radius: var(--radius) var(--radius) 0 0; }
.access .choice:last-child { border-radius: 0 0 var(--radius) var(--radius); }
@supports selector(:has(*)) {
  .consent-what .scope-mark .tick { display: none; }
  .consent-what:has(#access-choose:checked) [data-access]:has(.tick) .scope-sign { display: none; }
  .consent-what:has(#access-choose:checked) .tick { display: block; }
  .consent-what:has(#access-read:checked) [data-access='write'] .scope-act { color: var(--muted); text-decoration: line-through; }
}
.consent-asks { position: sticky; z-index: 2; top: 0; margin-inline: calc(-1 * var(--s4)); padding: var(--s3) var(--s4); font-weight: 650; background: var(--page); border-bottom: 1px solid var(--line); }
.decision { display: grid; grid-template-columns: 1fr 1fr; gap: var(--s4); }
.decision > :only-of-type { grid-column: 1 / -1; }
@media (min-height: 30rem) {
  .decision-near { position: sticky; z-index: 2; bottom: 0; margin-inline: calc(-1 * var(--s4)); padding: var(--s4); background: var(--page); border-top: 1px solid var(--line); }
  html:has(.decision-near) { scroll-padding-block: 5rem 8rem; }
}
.decision-more { font-size: 0.875rem; }
.decision-more .quiet { display: block; }

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
  .strip { display: block; width: 18.75rem; height: 4.5rem; margin-inline-start: auto; }
  .frame-wide .main { width: 100%; max-width: 72rem; margin: 0 auto; padding: var(--s8) var(--s6); }
  .consent { grid-template-columns: 5fr 6fr; gap: var(--s8); align-items: start; }
  .consent-who { position: sticky; top: var(--s6); }
  .consent-asks { display: none; }
  .consent .scope-group { display: grid; grid-template-columns: 6rem 1fr; gap: var(--s4); }
  .consent .scopes { margin-top: 0; }
  .consent details .scopes { margin-top: var(--s4); }
  .decision-near { margin: 0 calc(-1 * var(--s6)) calc(-1 * var(--s6)); padding: var(--s5) var(--s6); background: var(--sheet); border-radius: 0 0 calc(var(--radius) * 1.5) calc(var(--radius) * 1.5); }
  .consent-what { padding: var(--s6); background: var(--sheet); border: 1px solid var(--line); border-radius: calc(var(--radius) * 1.5); }
}
`
