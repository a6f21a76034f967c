/** Styles of the pictures next to and above a page. */
export const artCss = `
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
`
