import { type Html, html } from '../html.js'

/** The icons that an app can have, by the name that is stored with the app. */
export const APPLICATION_ICONS = {
  pencil: html`<path d="M5 19l1.2-4.6L15.6 5 19 8.4 9.6 17.8zM13.6 7l3.4 3.4" />`,
  book: html`<path
    d="M12 6.5C10 5 7 4.6 4 5v13c3-.4 6 0 8 1.5 2-1.5 5-1.9 8-1.5V5c-3-.4-6 0-8 1.5zM12 6.5v13"
  />`,
  brush: html`<path
    d="M19.5 4.5l-8.8 8.6M9.2 12.6c-2.6 0-3.8 1.7-3.8 3.6 0 1.6-.8 2.4-1.6 2.8 3.8 1.2 8.2.2 8.2-3.6"
  />`,
  clock: html`<circle cx="12" cy="12" r="8" /><path d="M12 7.5V12l3 2" />`,
  chart: html`<path d="M4.5 4.5v15h15M8.5 16v-4M12.5 16V8M16.5 16v-6" />`,
  speech: html`<path
    d="M5 5h14a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1h-7l-4.5 4v-4H5a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1z"
  />`,
  compass: html`<circle cx="12" cy="12" r="8" /><path d="M15.5 8.5l-2.2 4.8-4.8 2.2 2.2-4.8z" />`,
  star: html`<path d="M12 4l2.4 5 5.6.8-4 3.9.9 5.5-4.9-2.6-4.9 2.6.9-5.5-4-3.9 5.6-.8z" />`,
} as const satisfies Readonly<Record<string, Html>>

export type ApplicationIcon = keyof typeof APPLICATION_ICONS

/** Renders an app's icon, or else the first letter of its name. It is decoration, since the name is next to it. */
export function appIcon({ name, icon }: { name: string; icon: string | null }): Html {
  const known = icon !== null && Object.hasOwn(APPLICATION_ICONS, icon)
  return html`<span class="app-icon" aria-hidden="true"
    >${known ? drawn(APPLICATION_ICONS[icon as ApplicationIcon]) : initialOf(name)}</span
  >`
}

const drawn = (drawing: Html): Html =>
  html`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">${drawing}</svg>`

const initialOf = (name: string): string =>
  (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? '?').toLocaleUpperCase('en')
