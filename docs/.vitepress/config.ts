import { readFileSync } from 'node:fs'
import { relative } from 'node:path/posix'
import { defineConfig, type PageData, type Plugin } from 'vitepress'
import { iconOf } from '../../examples/pages/marks.js'
import { descriptionOf } from './description.js'
import { siteLink } from './links.js'
import { markOldFacts } from './old-facts.js'
import { ENTRIES, REWRITES, ROOT, sidebars } from './pages.js'
import { paletteCss } from './palette.js'
import { miniSearch, renderForSearch } from './search.js'
import { labelCells, keepNamesWhole } from './tables.js'
import { packedText } from '../../scripts/packed.js'

const { description, homepage, license, repository, version } = JSON.parse(
  readFileSync(`${ROOT}package.json`, 'utf8'),
) as Readonly<Record<'description' | 'homepage' | 'license' | 'version', string>> & {
  repository: { url: string }
}
const files = repository.url.replace(/^git\+|\.git$/g, '')

const slugify = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

const REFERENCE = '/look-up/reference/'

/** What the theme shows above a page of the reference: the way up, and the place in the source. */
function trailOf({ frontmatter }: PageData): object {
  const { entry, group, source } = frontmatter as Readonly<
    Partial<Record<'entry' | 'group' | 'source', string>>
  >
  const name = ENTRIES.find(({ folder }) => folder === entry)?.name
  const index = `${REFERENCE}${entry}/`
  return {
    editLink: false,
    trail: [
      name !== undefined && { text: 'Reference', link: REFERENCE },
      source !== undefined && { text: name, link: index },
      group !== undefined && { text: group, link: `${index}index.html#${slugify(group)}` },
    ].filter((step) => step !== false),
    source: source && `${files}/blob/main/${source}`,
  }
}

/** Puts the rows of reasons into the page about errors. */
const reasonRows: Plugin = {
  name: 'reason-rows',
  enforce: 'pre',
  transform: (text, id) =>
    id.endsWith('.md') ? packedText({ path: relative(ROOT, id), text }) : null,
}

export default defineConfig({
  title: 'hallpass',
  description,
  lang: 'en',
  srcDir: '..',
  srcExclude: [
    'README.md',
    ...[
      'bench',
      'dist',
      'docs-site',
      'examples',
      'packages',
      'scripts',
      'skills',
      'src',
      'test',
    ].map((folder) => `${folder}/**`),
  ],
  rewrites: {
    ...REWRITES,
    'docs/decisions/README.md': 'decisions/index.md',
    'docs/look-up/README.md': 'look-up/index.md',
    'docs/:path(.*)': ':path',
  },
  outDir: '../docs-site',
  cacheDir: '../node_modules/.vitepress',
  cleanUrls: false,
  base: new URL(homepage).pathname,
  // One file for all pages, which each of them has otherwise: lists of every page.
  metaChunk: true,
  head: [
    ['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(iconOf('lantern'))}` }],
  ],
  vite: { build: { chunkSizeWarningLimit: 8000 }, plugins: [paletteCss(), reasonRows] },
  transformPageData(page) {
    page.description ||= descriptionOf(readFileSync(ROOT + page.filePath, 'utf8'))
    if (page.filePath.startsWith(`docs${REFERENCE}`)) Object.assign(page.frontmatter, trailOf(page))
  },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // Anchors are those of the repository, so that one link fits both.
    anchor: { slugify },
    config: (markdown) => {
      markdown.core.ruler.push('old-facts', markOldFacts)
      markdown.core.ruler.push('table-cells', labelCells)
      keepNamesWhole(markdown)
      markdown.core.ruler.push('site-links', ({ tokens, env }) => {
        // The index of the search is made from pages as they lie.
        const { realPath, path } = env as { realPath?: string; path: string }
        const from = relative(ROOT, realPath ?? path)
        for (const { children } of tokens)
          for (const token of children ?? []) {
            const href = token.attrGet('href')
            if (token.type === 'link_open' && href !== null)
              token.attrSet('href', siteLink(href, from, files, homepage))
          }
      })
    },
  },
  themeConfig: {
    sidebar: sidebars(),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        detailedView: false,
        miniSearch,
        _render: renderForSearch,
        // Without a label, the button is named by the text that it shows.
        translations: { button: { buttonAriaLabel: '' } },
      },
    },
    nav: [
      { text: 'Learn', link: '/learn/tutorial', activeMatch: '^/learn/' },
      { text: 'Do', link: '/do/existing-backend', activeMatch: '^/(?:do|recipes)/' },
      { text: 'Operate', link: '/operations/runbook', activeMatch: '^/operations/' },
      { text: 'Look up', link: '/look-up/errors', activeMatch: '^/look-up/(?!reference)' },
      { text: 'Reference', link: REFERENCE, activeMatch: '^/look-up/reference/' },
      {
        text: 'Understand',
        link: '/understand/architecture',
        activeMatch: '^/(?:understand|decisions)/',
      },
      {
        text: version,
        items: [
          { text: 'Changelog', link: '/look-up/changelog' },
          { text: 'Upgrade', link: '/do/upgrade' },
          { text: 'Contribute', link: '/contribute/contributing' },
          { text: 'Repository', link: files },
        ],
      },
    ],
    editLink: { pattern: `${files}/edit/main/:path`, text: 'Edit this page' },
    footer: {
      message: `hallpass ${version}, ${license} License`,
      copyright: `<a href="${files}">Repository</a>`,
    },
    notFound: {
      title: 'There is no page at this address',
      quote: 'It may have moved. Search for a word of its title, or begin at the start page.',
      linkLabel: 'To the start page',
      linkText: 'Start page',
    },
  },
})
