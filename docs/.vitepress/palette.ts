import type { Plugin } from 'vitepress'
import { artCss } from '../../examples/pages/style/art.js'
import { type Palette, palettes } from '../../examples/pages/style/palette.js'

/** What VitePress calls the colours of the school's pages. */
const variables = (colors: Palette): string => `
  --vp-c-bg: ${colors.sheet};
  --vp-c-bg-alt: ${colors.inset};
  --vp-c-bg-elv: ${colors.sheet};
  --vp-c-bg-soft: ${colors.inset};
  --vp-c-text-1: ${colors.ink};
  --vp-c-text-2: ${colors.muted};
  --vp-c-text-3: ${colors.muted};
  --vp-c-divider: ${colors.line};
  --vp-c-gutter: ${colors.line};
  --vp-c-border: ${colors.control};
  --vp-c-brand-1: ${colors.link};
  --vp-c-brand-2: ${colors.accent};
  --vp-c-brand-3: ${colors.accent};
  --vp-c-brand-soft: ${colors.accent}24;
  --vp-button-brand-text: ${colors.onAccent};
  --vp-button-brand-hover-text: ${colors.onAccent};
  --vp-button-brand-active-text: ${colors.onAccent};
  --vp-code-color: ${colors.ink};
  --vp-code-bg: ${colors.inset};
  --vp-code-block-bg: ${colors.inset};
  --focus: ${colors.focus};
  --panel: ${colors.panel};
  --panel-ink: ${colors.panelInk};
  --panel-deep: ${colors.panelDeep};
  --panel-low: ${colors.panelLow};
  --panel-line: ${colors.panelLine};
  --glow: ${colors.glow};
  --glow-soft: ${colors.glowSoft};`

const ID = 'virtual:palette.css'

/** Makes the colours of the lantern school, light and dark, and its picture a stylesheet of the theme. */
export const paletteCss = (): Plugin => ({
  name: 'palette',
  resolveId: (id) => (id === ID ? ID : null),
  load: (id) =>
    id === ID
      ? `:root {${variables(palettes.lantern.light)}\n}\n.dark {${variables(palettes.lantern.dark)}\n}\n${artCss}`
      : null,
})
