import { REFRESH_POLICY, type RefreshPolicies } from 'hallpass/policy'
import type { Theme } from '../../pages/style/palette.js'

/** A school of the demo, with its own origin, people, keys and clients. */
export interface SiteDefinition {
  readonly name: string
  /** The look of its pages. */
  readonly theme: Theme
  /** The `org_id` claim, and the key of the site's rows. */
  readonly id: string
  readonly timeZone: string
  readonly currency: string
  /** When the terms of each year end, without the year. People may let an app connect until the next of them. */
  readonly termEnds: readonly string[]
  /** Whether ID tokens are issued. If not, keys are published, but the metadata does not announce ID tokens. */
  readonly signing: boolean
  /** Links between the pages of the demo, in the bar of each. Default: none. */
  readonly links?: readonly { readonly href: string; readonly label: string }[]
  /** The rules for a second use of a refresh token, where they differ from the default of hallpass. */
  readonly refreshPolicies?: Readonly<Partial<RefreshPolicies>>
}

export const LANTERN: SiteDefinition = {
  id: 'site_lantern',
  name: 'Lantern Street Drawing School',
  theme: 'lantern',
  timeZone: 'Europe/Lisbon',
  currency: 'EUR',
  termEnds: ['06-25T18:00:00+01:00', '12-18T18:00:00+00:00'],
  signing: true,
}

export const KILN: SiteDefinition = {
  id: 'site_kiln',
  name: 'Kiln & Coil Pottery',
  theme: 'kiln',
  timeZone: 'Asia/Taipei',
  currency: 'TWD',
  termEnds: ['01-15T18:00:00+08:00', '06-30T18:00:00+08:00'],
  signing: false,
  // Apps may repeat a request whose response was lost. Any other second use of a token ends their access.
  refreshPolicies: { native: REFRESH_POLICY.lostResponse, public: REFRESH_POLICY.lostResponse },
}
