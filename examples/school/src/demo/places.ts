import type { SiteLink } from '../../../pages/layout.js'

/** The pages of the demo for visitors, in the order of its navigation. */
export const DEMO_PLACES: readonly SiteLink[] = [
  { href: '/', label: 'Front page' },
  { href: '/#walk', label: 'Walkthrough' },
  { href: '/playground', label: 'Playground' },
  { href: '/connect', label: 'Connect yours' },
  { href: '/account/graphiql', label: 'GraphiQL' },
  { href: '/docs', label: 'API reference' },
  { href: '/auth.md', label: 'Getting access' },
]
