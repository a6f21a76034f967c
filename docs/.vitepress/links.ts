import { existsSync } from 'node:fs'
import { join, relative } from 'node:path/posix'
import { REWRITES, ROOT } from './pages.js'

/**
 * Where a link of a page leads on the site. Pages link to one another by path, so that they can be read in
 * the repository too; what is no page of the site is shown where the repository is.
 *
 * @param href - as the page has it
 * @param from - path of the page from the root of the repository
 * @param repository - where the files of the repository can be read
 * @param homepage - where the site is: pages that are only there are linked by their whole address
 */
export function siteLink(href: string, from: string, repository: string, homepage: string): string {
  if (href.startsWith(homepage)) return `/${href.slice(homepage.length)}`
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return href
  const [target = '', anchor] = href.split('#', 2)
  const path = join(from, '..', target)
  const hash = anchor === undefined ? '' : `#${anchor}`
  const page = REWRITES[path] ?? (path.startsWith('docs/') ? path.slice('docs/'.length) : null)
  if (page?.endsWith('.md'))
    return `/${page.replace(/(?:README|index)\.md$/, '').replace(/\.md$/, '')}${hash}`
  if (!existsSync(join(ROOT, path))) return href
  return `${repository}/blob/main/${relative('.', path)}${hash}`
}
