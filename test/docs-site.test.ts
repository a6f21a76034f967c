import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createMarkdownRenderer, type MarkdownRenderer } from 'vitepress'
import config from '../docs/.vitepress/config.js'
import { descriptionOf } from '../docs/.vitepress/description.js'
import { siteLink } from '../docs/.vitepress/links.js'
import { sidebars } from '../docs/.vitepress/pages.js'
import { miniSearch, renderForSearch } from '../docs/.vitepress/search.js'
import { ROOT } from './support/source/root.js'

let markdown: MarkdownRenderer
beforeAll(async () => {
  markdown = await createMarkdownRenderer('docs', config.markdown)
})
const path = 'docs/look-up/errors.md'
const environment = { path: ROOT + path, realPath: ROOT + path, relativePath: path }

describe('a table of the site', () => {
  const name = 'a'.repeat(40)

  it('keeps code of up to 40 characters whole, and breaks longer code at its signs', () => {
    const html = markdown.render(
      `| reason |\n| --- |\n| \`${name}\` |\n| \`${name}_b\` |\n`,
      environment,
    )
    expect(html).toMatch(new RegExp(`<code [^>]*class="name"[^>]*>${name}</code>`))
    expect(html).toMatch(new RegExp(`<code[^>]*>${name}_<wbr>b</code>`))
  })

  it('gives each cell the head of its column, for a card on a phone', () => {
    const html = markdown.render(
      '| `reason` | what [to](#x) do |\n| --- | --- |\n| one | two |\n\n| |\n| - |\n| three |\n',
      environment,
    )
    expect([...html.matchAll(/<td[^>]*>/g)].map(([cell]) => cell)).toEqual([
      '<td data-label="reason">',
      '<td data-label="what to do">',
      '<td>',
    ])
  })
})

describe('the description of a page', () => {
  it('is its first paragraph as text', () => {
    const page =
      '---\na: b\n---\n\n# Title\n\n```ts\ncode\n```\n\n| a |\n| - |\n\nUse `f` of [this\npage](x.md).\n\nMore.\n'
    expect(descriptionOf(page)).toBe('Use f of this page.')
  })

  it('ends with a sentence of it, or a word, within 200 characters', () => {
    const sentence = `${'word '.repeat(20).trim()}.`
    expect(descriptionOf(`# T\n\n${sentence} ${sentence}`)).toBe(sentence)
    expect(descriptionOf(`# T\n\n${'word '.repeat(60)}`)).toBe(`${'word '.repeat(40).trim()} …`)
  })
})

describe('a link of the site', () => {
  it('leads to a page of the site by its whole address too', () => {
    const link = (href: string): string =>
      siteLink(href, 'docs/do/frameworks.md', 'https://git.example/r', 'https://site.example/')
    expect(link('https://site.example/look-up/reference/')).toBe('/look-up/reference/')
    expect(link('https://other.example/')).toBe('https://other.example/')
    expect(link('../../package.json')).toBe('https://git.example/r/blob/main/package.json')
  })
})

describe('the list at the side', () => {
  type Items = ReturnType<typeof sidebars>[string]
  const linksOf = (items: Items): readonly string[] =>
    items.flatMap(({ link, items: below = [] }) => [
      ...(link === undefined ? [] : [link]),
      ...linksOf(below),
    ])

  it('has every page of a part once', () => {
    const links = linksOf(sidebars()['/']!)
    expect(links).toEqual([...new Set(links)])
    for (const part of ['learn', 'do', 'operations', 'look-up', 'understand']) {
      const names = readdirSync(`${ROOT}docs/${part}`).filter((name) => name.endsWith('.md'))
      const expected = names.map(
        (name) => `/${part}/${basename(name, '.md').replace('README', '')}`,
      )
      expect(links).toEqual(expect.arrayContaining(expected))
    }
  })

  it('has the parts in their order, and the guides in groups', () => {
    const parts = sidebars()['/']!
    const names = parts.map(({ text }) => text).filter((text) => text !== 'Recipes')
    expect(names).toEqual(['Learn', 'Do', 'Operate', 'Look up', 'Understand'])
    expect(parts.find(({ text }) => text === 'Do')?.items?.map(({ text }) => text)).toEqual([
      'Start',
      'Frameworks',
      'Clients',
      'Account API',
      'Agents',
      'Store',
      'Test',
      'Go live',
    ])
  })
})

describe('the search of the site', () => {
  const { processTerm, tokenize } = miniSearch.options
  const { boostDocument } = miniSearch.searchOptions

  it('leaves out single letters and the words of every page', () => {
    expect(['a', 'x', 'How', 'the'].map((word) => processTerm(word))).toEqual([
      null,
      null,
      null,
      null,
    ])
  })

  it('finds a name by its words, and by the whole', () => {
    expect(processTerm('verifyPkceS256')).toEqual(['verifypkces256', 'verify', 'pkce', 's256'])
    expect(tokenize('the code_expired.').map((word) => processTerm(word))).toEqual([null, 'code', 'expired', null, '=code_expired']) // prettier-ignore
    expect(miniSearch.searchOptions.tokenize('code_expired')).toEqual(['code_expired'])
  })

  it('shows guides before the reference, and the pages of makers last', () => {
    const top = { titles: [] }
    const [guide, reference, maker] = ['/do/store.html', '/look-up/reference/store/', '/decisions/0001.html'].map((id) => boostDocument(id, 'store', top)) // prettier-ignore
    expect(guide).toBeGreaterThan(reference!)
    expect(reference).toBeGreaterThan(10 * maker!)
    expect(boostDocument('/look-up/changelog.html', 'store', top)).toBe(maker)
  })

  it('finds a row that can be linked', () => {
    const table = '# T\n\n| reason |\n| - |\n| <a id="some_reason" href="#some_reason">x</a> |\n'
    const html = renderForSearch(
      table,
      { ...environment, relativePath: 'docs/a.md' } as never,
      markdown,
    )
    expect(html).toContain('<h4>some_reason <a href="#some_reason">#</a></h4><tr>')
  })
})
