// In a tarball of npm, a page cannot link by path to a test or an example: those are only in the repository. There its
// links become addresses of the repository, at the tag of the version.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { join as joined } from 'node:path/posix'

/** Code, in which nothing is a link, or the target of a link or picture. */
const LINK = /^(```+)[^]*?^\1$|``[^`]+``|`[^`\n]+`|(?<=\]\(|(?:href|src|srcset)=")[^)\s"]+/gm

/**
 * Unpacks a tarball.
 *
 * @returns the folder, the paths of its files, and its pages with their text
 */
function open(tarball) {
  const folder = mkdtempSync(join(tmpdir(), 'hallpass-tarball-'))
  execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1'])
  const paths = readdirSync(folder, { recursive: true }).map((path) => path.replaceAll('\\', '/'))
  const pages = paths
    .filter((path) => path.endsWith('.md') || path === 'llms.txt')
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }))
  return { folder, paths: new Set(paths), pages }
}

/** Replaces each link by path of a page whose target is not packed by what `replace` returns for it. */
function replaceDead({ path, text }, paths, replace) {
  return text.replace(LINK, (link, fence) => {
    if (fence !== undefined || /^(?:`|#|[a-z][a-z+.-]*:)/.test(link)) return link
    const [target, ...anchor] = link.split('#')
    const file = joined(dirname(path), target).replace(/\/$/, '')
    return paths.has(file) || file === '.' ? link : replace(file, ['', ...anchor].join('#'), link)
  })
}

/**
 * Returns how many links the pages in a tarball have, and those that lead to a file which is not in it.
 *
 * @param tarball - its path
 * @returns `dead` as `page: link`
 */
export function deadLinksOf(tarball) {
  const { folder, paths, pages } = open(tarball)
  rmSync(folder, { recursive: true })
  const dead = []
  let links = 0
  for (const page of pages) {
    links += [...page.text.matchAll(LINK)].filter(([link]) => !link.startsWith('`')).length
    replaceDead(page, paths, (_file, _anchor, link) => {
      dead.push(`${page.path}: ${link}`)
      return link
    })
  }
  return { pages: pages.length, links, dead }
}

/**
 * Packs a tarball again, after every dead link of its pages has become one to the repository.
 *
 * @param tarball - its path; the file is replaced
 * @param home - the folder of the package in the repository, such as `packages/hallpass-lab`
 * @param tag - the tag at which the repository has the files
 * @param rewrite - returns the text of a page as it is packed
 * @returns the files of the repository to which the pages link now, once for each link
 */
export function linkToRepository(tarball, { home = '.', tag, rewrite = ({ text }) => text }) {
  const { folder, paths, pages } = open(tarball)
  const { repository } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = []
  for (const page of pages) {
    const text = replaceDead({ ...page, text: rewrite(page) }, paths, (path, anchor) => {
      const file = joined(home, path)
      files.push(file)
      const part = /\.(?:webp|png|svg)$/.test(file) ? 'raw' : 'blob'
      return `${repository.url.replace(/^git\+|\.git$/g, '')}/${part}/${tag}/${file}${anchor}`
    })
    writeFileSync(join(folder, page.path), text)
  }
  const flags = ['--silent', '--ignore-scripts', '--pack-destination', dirname(tarball)]
  if (files.length > 0) execFileSync('npm', ['pack', ...flags], { cwd: folder, stdio: 'pipe' })
  rmSync(folder, { recursive: true })
  return files
}
