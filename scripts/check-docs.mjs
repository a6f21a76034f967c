// Follows every link of the built documentation site, anchors and images included. What leads to the
// repository has to be a file of it. Then asks the search of the site, and looks at pages in Chromium.
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { lookFaults, searchFaults } from './check-site.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SITE = join(ROOT, 'docs-site')
const { repository } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
const FILES = `${repository.url.replace(/^git\+|\.git$/g, '')}/`

const pages = new Map()
for (const path of await readdir(SITE, { recursive: true }))
  if (path.endsWith('.html')) pages.set(path, await readFile(join(SITE, path), 'utf8'))

const idsOf = new Map([...pages].map(([path, html]) => [path, new Set(valuesOf(html, 'id'))]))

/** Values of an attribute. */
function valuesOf(html, name) {
  return [...html.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(([, value]) =>
    value.replaceAll('&amp;', '&'),
  )
}

/** Says what is wrong with a link, or `null`. */
function faultOf(link, from) {
  if (link.startsWith(FILES)) {
    // To read or to edit.
    const [path] = link
      .slice(FILES.length)
      .replace(/^(?:blob|edit)\/main\//, '')
      .split('#')
    return existsSync(join(ROOT, path)) ? null : 'no such file in the repository'
  }
  if (/^[a-z]+:/i.test(link)) return null
  const [target, anchor] = link.split('#')
  const path = target === '' ? from : join(target.startsWith('/') ? '.' : dirname(from), target)
  const page = path.endsWith('/') || path === '.' ? join(path, 'index.html') : path
  if (!pages.has(page)) return existsSync(join(SITE, page)) ? null : 'no such page'
  if (anchor === undefined || anchor === '') return null
  return idsOf.get(page).has(decodeURIComponent(anchor)) ? null : 'no such place on the page'
}

let links = 0
/** For each fault the pages that have it: what is at the side of every page is said once. */
const faults = new Map()
for (const [path, html] of pages)
  for (const link of [...valuesOf(html, 'href'), ...valuesOf(html, 'src')]) {
    links++
    const fault = faultOf(link, path)
    const said = `${link}: ${fault}`
    if (fault !== null) faults.set(said, [...(faults.get(said) ?? []), path])
  }
for (const [fault, [first, ...rest]] of faults)
  console.error(`${first}${rest.length > 0 ? ` and ${rest.length} more` : ''}: ${fault}`)
const others = [...(await searchFaults(SITE)), ...(await lookFaults(SITE, pages))]
for (const fault of others) console.error(fault)
console.log(
  `${pages.size} pages, ${links} links, ${faults.size} broken; ${others.length} other faults`,
)
process.exit(faults.size + others.length === 0 && pages.size > 300 ? 0 : 1)
