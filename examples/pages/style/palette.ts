/** The name of a site's look. */
export type Theme = 'lantern' | 'kiln'

/** Colours by their purpose. Each one is available as a custom property. */
export interface Palette {
  readonly page: string
  readonly sheet: string
  readonly inset: string
  readonly ink: string
  readonly muted: string
  /** Decorative rules. */
  readonly line: string
  /** Borders of controls. */
  readonly control: string
  readonly accent: string
  readonly onAccent: string
  readonly link: string
  readonly focus: string
  readonly warnBack: string
  readonly warnInk: string
  readonly errorBack: string
  readonly errorInk: string
  readonly good: string
  /** The painted panel next to a page. */
  readonly panel: string
  readonly panelInk: string
  readonly panelDeep: string
  readonly panelLow: string
  readonly panelLine: string
  readonly glow: string
  readonly glowSoft: string
}

export const palettes: Readonly<Record<Theme, Readonly<Record<'light' | 'dark', Palette>>>> = {
  lantern: {
    light: {
      page: '#f5efe4',
      sheet: '#fffcf6',
      inset: '#f8f2e7',
      ink: '#211c2f',
      muted: '#625a6b',
      line: '#e4dac9',
      control: '#857a83',
      accent: '#a63a1b',
      onAccent: '#fffaf1',
      link: '#96310f',
      focus: '#31439a',
      warnBack: '#fcefd0',
      warnInk: '#5b4007',
      errorBack: '#fbe5df',
      errorInk: '#8a1f11',
      good: '#2b6340',
      panel: '#241e3b',
      panelInk: '#f9eeda',
      panelDeep: '#161126',
      panelLow: '#4a2c47',
      panelLine: '#5a4f7d',
      glow: '#f3b04c',
      glowSoft: '#d9642f',
    },
    dark: {
      page: '#121019',
      sheet: '#1c1927',
      inset: '#252132',
      ink: '#f4ecde',
      muted: '#b6acb9',
      line: '#383146',
      control: '#867c95',
      accent: '#f2b455',
      onAccent: '#241705',
      link: '#f5c37c',
      focus: '#a3bbff',
      warnBack: '#382c12',
      warnInk: '#f5dca0',
      errorBack: '#41201b',
      errorInk: '#ffc0b3',
      good: '#97d5a9',
      panel: '#181328',
      panelInk: '#f9eeda',
      panelDeep: '#0b0814',
      panelLow: '#2c1b33',
      panelLine: '#453c63',
      glow: '#f3b04c',
      glowSoft: '#d9642f',
    },
  },
  kiln: {
    light: {
      page: '#ebe6de',
      sheet: '#fcfaf6',
      inset: '#f3eee6',
      ink: '#2b211c',
      muted: '#64584f',
      line: '#dcd2c6',
      control: '#87796e',
      accent: '#1c645c',
      onAccent: '#f3fbf8',
      link: '#165850',
      focus: '#8a3b15',
      warnBack: '#faebd0',
      warnInk: '#5c3d0b',
      errorBack: '#fae3dd',
      errorInk: '#8b2116',
      good: '#22604a',
      panel: '#94492a',
      panelInk: '#fff4e8',
      panelDeep: '#6d3119',
      panelLow: '#a9603a',
      panelLine: '#c98560',
      glow: '#9fd8c8',
      glowSoft: '#e9d9c3',
    },
    dark: {
      page: '#15110e',
      sheet: '#1f1915',
      inset: '#29221c',
      ink: '#f2e9df',
      muted: '#b9aca0',
      line: '#3d332b',
      control: '#88796c',
      accent: '#86ccba',
      onAccent: '#0b2520',
      link: '#97d7c6',
      focus: '#f2b893',
      warnBack: '#392a13',
      warnInk: '#f3d9a4',
      errorBack: '#42211a',
      errorInk: '#ffc1b2',
      good: '#94d3b8',
      panel: '#3c2115',
      panelInk: '#fff4e8',
      panelDeep: '#25130b',
      panelLow: '#4d2b1b',
      panelLine: '#7a4a33',
      glow: '#7fbfae',
      glowSoft: '#bda88e',
    },
  },
}
