import type { Site as PageSite } from './pages/layout.js'

/** A school of the demo, with its own origin, people, keys and clients. */
export interface SiteDefinition extends PageSite {
  /** The `org_id` claim, and the key of the site's rows. */
  readonly id: string
  readonly timeZone: string
  readonly currency: string
  /** Epoch seconds at which the current term ends. People may let an app connect until then. */
  readonly termEndsAt: number
  /** Whether ID tokens are issued. If not, keys are published, but the metadata does not announce ID tokens. */
  readonly signing: boolean
}

export const LANTERN: SiteDefinition = {
  id: 'site_lantern',
  name: 'Lantern Street Drawing School',
  theme: 'lantern',
  timeZone: 'Europe/Lisbon',
  currency: 'EUR',
  termEndsAt: Date.parse('2026-12-18T18:00:00+00:00') / 1000,
  signing: true,
}

export const KILN: SiteDefinition = {
  id: 'site_kiln',
  name: 'Kiln & Coil Pottery',
  theme: 'kiln',
  timeZone: 'Asia/Taipei',
  currency: 'TWD',
  termEndsAt: Date.parse('2027-01-15T18:00:00+08:00') / 1000,
  signing: false,
}
