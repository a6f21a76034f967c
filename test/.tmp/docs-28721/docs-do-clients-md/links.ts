// links.ts
import type { ClientView } from 'hallpass/authorization-server'

const escape = (text: string): string => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`)
const WORDS = { site: 'Website', policy: 'Privacy policy', terms: 'Terms' }

/** The links of the app as list items. */
export const linksOf = ({ links }: ClientView): readonly string[] =>
  links.map(({ page, host, href, isElsewhere }) => {
    const rel = 'target="_blank" rel="noopener noreferrer nofollow" referrerpolicy="no-referrer"'
    const link = href === null ? WORDS[page] : `<a href="${escape(href)}" ${rel}>${WORDS[page]}</a>`
    return `<li>${link}: ${escape(host)}${isElsewhere ? ' (another site)' : ''}</li>`
  })
