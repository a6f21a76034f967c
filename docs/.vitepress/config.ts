import { readFileSync } from 'node:fs'
import { relative } from 'node:path/posix'
import { defineConfig } from 'vitepress'
import { siteLink } from './links.js'
import { markOldFacts } from './old-facts.js'
import { REWRITES, ROOT, sidebars } from './pages.js'

const { description, homepage, repository } = JSON.parse(
  readFileSync(`${ROOT}package.json`, 'utf8'),
) as { description: string; homepage: string; repository: { url: string } }
const files = repository.url.replace(/^git\+|\.git$/g, '')

const slugify = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

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
  vite: { build: { chunkSizeWarningLimit: 8000 } },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // Anchors are those of the repository, so that one link fits both.
    anchor: { slugify },
    config: (markdown) => {
      markdown.core.ruler.push('old-facts', markOldFacts)
      markdown.core.ruler.push('site-links', ({ tokens, env }) => {
        // The index of the search is made from pages as they lie.
        const { realPath, path } = env as { realPath?: string; path: string }
        for (const { children } of tokens)
          for (const token of children ?? []) {
            const href = token.attrGet('href')
            if (token.type === 'link_open' && href !== null)
              token.attrSet('href', siteLink(href, relative(ROOT, realPath ?? path), files))
          }
      })
    },
  },
  themeConfig: {
    sidebar: sidebars(),
    outline: [2, 3],
    search: { provider: 'local' },
    nav: [
      { text: 'Learn', link: '/learn/tutorial' },
      { text: 'Do', link: '/do/existing-backend' },
      { text: 'Look up', link: '/look-up/errors' },
      { text: 'Understand', link: '/understand/architecture' },
    ],
  },
})
