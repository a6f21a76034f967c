import { type Html, html } from './html.js'
import { palettes, type Theme } from './style/palette.js'

// The pictures are code, so there is no file to fetch and their colours follow the theme. They are
// decoration only.

const lanternMark = html`<svg class="mark" viewBox="0 0 40 40" aria-hidden="true" focusable="false">
  <path class="mark-line" d="M20 2v6" />
  <path class="mark-solid" d="M14 8h12v3H14zM14 28h12v3H14z" />
  <path
    class="mark-glow"
    d="M14.5 11h11c4 2.2 6.5 5.1 6.5 8.5s-2.5 6.3-6.5 8.5h-11C10.5 25.8 8 22.9 8 19.5s2.5-6.3 6.5-8.5z"
  />
  <path class="mark-rib" d="M20 11v17M16.5 11c-2.2 5-2.2 12 0 17M23.5 11c2.2 5 2.2 12 0 17" />
  <path class="mark-solid" d="M18.7 31h2.6l.5 3.2L20 39l-1.8-4.8z" />
</svg>`

const kilnMark = html`<svg class="mark" viewBox="0 0 40 40" aria-hidden="true" focusable="false">
  <path class="mark-line" d="M5 37V18a15 15 0 0 1 30 0v19M2 37h36" />
  <path class="mark-coil" d="M16.5 17.5h7M13.5 23h13M12.5 28.5h15M15 34h10" />
</svg>`

const lantern = (x: number, y: number, size: number): Html =>
  html`<g transform="translate(${x} ${y}) scale(${size})">
    <circle class="art-halo" r="96" />
    <circle class="art-halo" r="66" />
    <path class="art-cord" d="M0-90v46" />
    <path
      class="art-paper"
      d="M-16-38h32c19 9 30 22 30 38S35 29 16 38h-32C-35 29-46 16-46 0s11-29 30-38z"
    />
    <path
      class="art-ember"
      d="M-12-36h24c14 9 22 20 22 36s-8 27-22 36h-24c-14-9-22-20-22-36s8-27 22-36z"
    />
    <path
      class="art-rib"
      d="M0-38v76M-10-38c-14 22-14 54 0 76M10-38c14 22 14 54 0 76M-42-14c26 7 58 7 84 0M-42 14c26-7 58-7 84 0"
    />
    <path class="art-cap" d="M-17-46h34v8h-34zM-17 38h34v8h-34zM-3 46h6l2 16-5 16-5-16z" />
  </g>`

// Everything is below y = 340, so that a short panel cuts nothing off.
const lanternArt = html`<path
    class="art-star"
    d="M60 90h3v3h-3zM180 40h2v2h-2zM290 130h3v3h-3zM410 70h2v2h-2zM350 230h2v2h-2zM110 250h2v2h-2zM230 310h2v2h-2zM440 330h3v3h-3zM30 500h2v2h-2zM236 470h2v2h-2zM150 560h2v2h-2z"
  />
  <path
    class="art-far"
    d="M0 742l46-34 44 34v-22h52v-40l38-30 40 30v48h66l30-26 34 26h44v-62l42-30 44 32v232H0z"
  />
  <path class="art-wire" d="M-20 350Q230 470 500 360M-20 600Q260 640 500 470" />
  ${lantern(57.6, 647.5, 0.45)}${lantern(208, 641.5, 0.5)}${lantern(432, 551.3, 0.42)}
  ${lantern(106.3, 467.6, 0.8)}${lantern(329.3, 505.8, 1.1)}
  <path
    class="art-near"
    d="M0 796h58v-30l40-28 42 28v54h70v-36h84v36h44l44-34 46 34v-18h52v98H0z"
  />
  <path
    class="art-window"
    d="M88 776h18v22H88zM236 802h14v18h-14zM262 802h14v18h-14zM372 820h20v24h-20zM168 690h12v16h-12zM424 700h14v18h-14zM34 746h12v14H34z"
  />`

// The middle of each pot's foot is at 0, 0.
const vase = html`<path
    class="art-pot"
    d="M-37 0c-44-26-62-70-44-112 10-24 32-34 36-62h96c4 28 26 38 36 62 18 42 0 86-44 112z"
  />
  <path
    class="art-glaze"
    d="M-85-100c2-6 2-8 4-12 10-24 32-34 36-62h96c4 28 26 38 36 62 3 7 5 14 6 20-3 22-18 22-23 4-4-14-16-12-19 2-5 38-26 36-30 0-2-14-15-14-18 0-5 26-20 26-25 0-3-14-16-14-20 0-4 22-18 22-22 0-4-16-16-18-21-14z"
  />
  <path class="art-shine" d="M-22-160c-4 22-20 34-30 50" />`

const bottle = html`<path
    class="art-pot"
    d="M-36 0c-14-30-12-62 4-92 10-18 12-32 8-60h56c-4 28-2 42 8 60 16 30 18 62 4 92z"
  />
  <path
    class="art-glaze"
    d="M-34-88c12-22 14-36 10-64h56c-4 28-2 42 10 64 4 8 3 16-3 18-7 2-9-8-14-8-6 0-6 8-8 22-2 20-18 20-20 0-1-12-4-16-9-14-6 2-6 12-13 10-7-3-13-14-9-28z"
  />
  <path class="art-shine" d="M-8-140c2 20 0 32-6 44" />`

const bowl = html`<path class="art-pot" d="M-22 0c-26-10-42-34-44-62H66C64-34 48-10 22 0z" />
  <path
    class="art-glaze"
    d="M-66-62H66c-1 10-3 18-6 24-5 8-12 6-14-2-3-10-11-10-14 0-4 24-18 22-20-2-2-9-12-9-14 0-3 12-13 12-16 0-3-10-11-10-14 2-3 10-13 14-26 2-4-7-7-15-8-24z"
  />`

const coils = html`<path
  class="art-coil"
  d="M-62-12H62M-76-34H76M-82-56H82M-78-78H78M-62-100H62M-46-122H46M-36-144H36"
/>`

const place = (x: number, y: number, size: number, pot: Html): Html =>
  html`<g transform="translate(${x} ${y}) scale(${size})">${pot}</g>`

const kilnArt = html`<path class="art-far" d="M0 566h480v12H0z" />
  <path class="art-near" d="M0 868h480v32H0z" />
  ${place(112, 566, 0.95, coils)}${place(268, 566, 1.1, bottle)}${place(400, 566, 0.78, bowl)}
  ${place(400, 518, 0.78, bowl)}${place(138, 868, 1.15, vase)}${place(372, 868, 1.08, coils)}`

const lanternStrip = html`<path class="art-wire" d="M0-4Q150 44 300-4" />
  ${lantern(75, 37, 0.24)}${lantern(150, 43.6, 0.26)}${lantern(225, 37, 0.24)}`

const kilnStrip = html`<g transform="translate(0 72)">
  ${place(70, 0, 0.3, vase)}${place(132, 0, 0.36, bowl)}${place(190, 0, 0.32, coils)}
  ${place(242, 0, 0.3, bottle)}
</g>`

/** Renders a school's logo, in its colours. */
export const markOf = (theme: Theme): Html => (theme === 'lantern' ? lanternMark : kilnMark)

/** Renders a school's logo as a file of its own, for the browser's tab: no stylesheet applies to it. */
export function iconOf(theme: Theme): string {
  const { panel, panelInk, panelDeep, glow } = palettes[theme].light
  const style = `.mark-solid{fill:${panelInk}}.mark-glow{fill:${glow}}
.mark-coil{fill:none;stroke:${glow};stroke-width:3.75;stroke-linecap:round}
.mark-line{fill:none;stroke:${panelInk};stroke-width:2;stroke-linecap:round}
.mark-rib{fill:none;stroke:${panelDeep};opacity:.55}`
  const shapes = /<svg[^>]*>([^]*)<\/svg>/.exec(markOf(theme).toString())![1]!
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-6 -6 52 52"><style>${style}</style><rect x="-6" y="-6" width="52" height="52" rx="11" fill="${panel}"/>${shapes}</svg>`
}

/** Renders the picture on the panel next to a page. */
export const artOf = (theme: Theme): Html =>
  html`<svg
    class="art"
    viewBox="0 0 480 900"
    preserveAspectRatio="xMidYMax slice"
    aria-hidden="true"
    focusable="false"
  >
    ${theme === 'lantern' ? lanternArt : kilnArt}
  </svg>`

/** Renders the small picture in the bar above a page with two columns. */
export const stripOf = (theme: Theme): Html =>
  html`<svg class="strip" viewBox="0 0 300 72" aria-hidden="true" focusable="false">
    ${theme === 'lantern' ? lanternStrip : kilnStrip}
  </svg>`
