import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { rowsOf as featureRows } from '../bench/features/tables.mjs'
import * as blocks from '../src/blocks.js'
import { type DocPage, PAGES, prose, rowsOf, sectionOf } from './support/docs/pages.js'
import { readSource } from './support/source/compile.js'
import { ROOT } from './support/source/root.js'

const pageAt = (path: string): DocPage => PAGES.find((page) => page.path === path)!
const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name!)

/** The blocks: what the entry exports, but for decisions and for what others make a block with. */
const BLOCKS = Object.keys(blocks).filter(
  (name) => !/^(?:decide|define|refuse)|_REFUSALS$/.test(name),
)

/** Lists of names in code: three or more in a row. */
const listsIn = (text: string): readonly (readonly string[])[] =>
  [...text.matchAll(/`\w+`(?:(?:,? and|,? or|,)\s+`\w+`){2,}/g)].map(([list]) => namesIn(list))

describe('a list of what there is', () => {
  it.each(PAGES)('has every block, if it has three of them: $path', (page) => {
    const partial = listsIn(prose(page)).filter((names) => {
      const named = names.filter((name) => BLOCKS.includes(name))
      return named.length > 2 && named.length < BLOCKS.length && named.length === names.length
    })
    // The group `once` of a store: those that ask for it.
    expect(partial.filter((names) => names.join() !== ASKING_ONCE.join())).toEqual([])
  })

  const ASKING_ONCE = BLOCKS.filter((name) => {
    const file = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    return /^ {2,4}readonly once\?: /m.test(readSource(`src/blocks/${file}.ts`))
  })

  it('has every block, in the README, and every block that asks for the group `once`', () => {
    expect(BLOCKS.length).toBeGreaterThan(7)
    const row = rowsOf(pageAt('README.md').text).find(([first]) => first === '`hallpass/blocks`')!
    expect(namesIn(row[1]!).toSorted()).toEqual(BLOCKS.toSorted())
    const asked = rowsOf(pageAt('docs/do/store.md').text).filter(([group]) => group === '`once`')
    expect(asked.map(([, by = '']) => namesIn(by))).toContainEqual(ASKING_ONCE)
  })

  it('has every store', () => {
    const names: Readonly<Record<string, string>> = {
      createMysqlStore: 'MariaDB',
      createPostgresStore: 'PostgreSQL',
      createSqliteStore: 'SQLite',
    }
    const made = readdirSync(`${ROOT}src`)
      .filter((file) => file.endsWith('.ts') && file !== 'index.ts')
      .flatMap((file) => readSource(`src/${file}`).match(/\bcreate(?!Memory)\w+Store\b/g) ?? [])
    expect([...new Set(made)].toSorted()).toEqual(Object.keys(names))
    for (const path of ['README.md', 'docs/comparison.md']) {
      const [, stores] = rowsOf(pageAt(path).text).find(([first]) => first === 'Stores')!
      expect(Object.values(names).filter((name) => !stores!.includes(name))).toEqual([])
    }
  })

  it('has every folder in which a verb of the store is written', () => {
    const writes = readdirSync(`${ROOT}src`, { recursive: true, encoding: 'utf8' })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => path.endsWith('.ts') && !/^(?:store-contract|testing)\//.test(path))
      .filter((path) =>
        /^ *(?:async |export const )?redeemCode(?:\(|: Verb)/m.test(readSource(`src/${path}`)),
      )
      .map((path) => `src/${path.split('/')[0]!}`)
    expect(new Set(writes)).toEqual(new Set(['src/store', 'src/sql']))
    const steps = sectionOf(pageAt('CONTRIBUTING.md'), '## Add a store method')
    expect([...new Set(writes)].filter((folder) => !steps.includes(folder))).toEqual([])
  })
})

describe('what others do better', () => {
  const found = JSON.parse(readSource('bench/features.json')) as Parameters<
    typeof featureRows
  >[0] & {
    readonly servers: Readonly<
      Record<string, { readonly features: Readonly<Record<string, unknown>> }>
    >
  }
  const SERVERS: Readonly<Record<string, string>> = {
    'oidc-provider': 'oidc-provider',
    'better-auth': 'better-auth',
    'Cloudflare Workers OAuth provider': 'cloudflare',
    Keycloak: 'keycloak',
    'Spring Authorization Server': 'spring',
  }
  /** The words for a feature: its name, and those in brackets. */
  const wordsOf = (feature: string): readonly string[] =>
    feature
      .replaceAll(/[(),]|RFC \d+/g, ' ')
      .split(/\s{2,}/)
      .flatMap((word) => word.trim() || [])
  const has = (server: string, feature: string): boolean =>
    found.servers[server]!.features[feature] !== null
  const FEATURES = Object.keys(found.servers['hallpass']!.features)
  const mentions = (text: string, feature: string): boolean =>
    wordsOf(feature).some((word) =>
      new RegExp(`(?<![\\w-])${word}(?![\\w-])`, 'i').test(text.replaceAll(/\s+/g, ' ')),
    )

  /** Those of hallpass whose names are no words of the language. */
  const OPT_IN = FEATURES.filter((one) => has('hallpass', one) && /[A-Z]{3}|device|_/.test(one))

  it.each(Object.entries(SERVERS))('follows from the table of features: %s', (heading, server) => {
    const section = sectionOf(pageAt('docs/comparison.md'), `## ${heading}`)
    const [, better = ''] = /\*\*It does better:\*\*([^]*?)\n\n/.exec(section)!
    const said = FEATURES.filter((feature) => mentions(better, feature))
    expect(said).toEqual(FEATURES.filter((one) => has(server, one) && !has('hallpass', one)))
  })

  it.each([
    ['docs/why.md', '## When something else is better'],
    ['docs/do/move-in.md', '## What cannot be moved'],
    ['README.md', '## Limits'],
  ])('is nothing that hallpass has: %s', (path, heading) => {
    const sentences = sectionOf(pageAt(path), heading).split(/(?<=[.:]\**)\s+(?=[A-Z\-*])/)
    const wrong = sentences
      .filter((sentence) => !sentence.includes('opt-in'))
      .flatMap((sentence) => OPT_IN.filter((one) => mentions(sentence, one)))
    expect(wrong).toEqual([])
  })
})

describe('nothing is said twice', () => {
  /** Pages that are made from data: what they repeat is one template. */
  const MADE = [
    'docs/do/connect-a-library.md',
    'docs/look-up/errors.md',
    'docs/look-up/runtimes.md',
  ]
  const written = PAGES.filter(({ path }) => !MADE.includes(path))

  it.each(written)('by a sentence of a page: $path', (page) => {
    const text = prose(page)
      .replace(/^---\n[^]*?\n---\n/, '')
      .replaceAll(/^\|.*\|$/gm, '')
      .replaceAll(/\s+/g, ' ')
    const sentences = text.split(/(?<=[.?!]) /).filter((one) => one.split(' ').length > 9)
    expect(repeated(sentences)).toEqual([])
  })

  it.each(written)('by a row of a table: $path', (page) => {
    const tables = [...prose(page).matchAll(/(?:^\|.*\|\n)+/gm)].map(([table]) => rowsOf(table))
    // Two rows of one table differ in more than one cell.
    const alike = tables.flatMap((rows) =>
      repeated(
        rows
          .filter((row) => row.length > 2 && row[0]!.startsWith('`'))
          .map(([first, ...rest]) => `${first} … ${rest.at(-1)}`),
      ),
    )
    expect(alike).toEqual([])
  })

  const repeated = (all: readonly string[]): readonly string[] =>
    all.filter((one, index) => all.indexOf(one) !== index)
})
