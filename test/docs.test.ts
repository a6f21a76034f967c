import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rowsOf as featureRows, says, VARIANTS, withRows } from '../bench/features/tables.mjs'
import {
  APPLICATION_PATHS,
  BLOCK_NAMES,
  CONNECTED_APPS_PATHS,
  SETTINGS,
} from '../examples/school/testing.js'
import { pagesOf } from '../scripts/mutation/pages.js'
import type { Book } from '../scripts/mutation/record.js'
import { routesOf } from '../src/authorization-server.js'
import { ACCOUNT_PATH, ACCOUNT_SCHEMA_PATH, ADMIN_PATH, ASKING_PATHS, BLOCK_PATHS, MCP_PATH, PATHS } from '../src/site/paths.js' // prettier-ignore
import { defineResource } from '../src/policy.js'
import { packedText } from '../scripts/packed.js'
import { REQUIREMENTS } from '../scripts/requirements.js'
import { DEFAULTS, defaultsOf, NUMBERS, numberOf, statementsOf } from './support/docs/claims.js'
import { compile, readSource } from './support/source/compile.js'
import { difference, printed } from './support/source/ladder.js'
import {
  anchorsOf,
  BLOCKS,
  leadsSomewhere,
  linksOf,
  PAGES,
  prose,
  rowsOf,
  sectionOf,
} from './support/docs/pages.js'
import { ROOT } from './support/source/root.js'
import { SOURCES } from './support/source/imports.js'

const README = PAGES.find(({ path }) => path === 'README.md')!

/**
 * Blocks of one page lie in one folder, so that one may import another by its name. Each framework has a folder of its own.
 */
const FOLDER = `test/.tmp/docs-${process.pid}`
const SNIPPETS = BLOCKS.filter(({ info }) => /^ts(?: run)?$/.test(info)).map((block) => ({
  ...block,
  path: join(
    FOLDER,
    block.page.replaceAll(/[/.]/g, '-'),
    block.page === 'docs/do/frameworks.md' ? block.section : '',
    block.file,
  ),
}))

beforeAll(() => {
  for (const { path, code } of SNIPPETS) {
    mkdirSync(dirname(ROOT + path), { recursive: true })
    writeFileSync(ROOT + path, code)
  }
})
afterAll(() => {
  rmSync(ROOT + FOLDER, { recursive: true, force: true })
})

describe('the code in the documentation', () => {
  let faults: Awaited<ReturnType<typeof compile>>
  beforeAll(async () => {
    faults = await compile(Object.fromEntries(SNIPPETS.map(({ path, code }) => [path, code])))
  })

  it('is in blocks that say what they hold', () => {
    const infos = new Set(BLOCKS.map(({ info }) => info))
    expect(
      [...infos].filter(
        (info) =>
          !/^(?:ts|ts run|ts (?:example|excerpt)|diff example|js|python|go|java|ruby|sh|sql|json|text|http|dockerfile|ini)$/.test(
            info,
          ),
      ),
    ).toEqual([])
  })

  it.each(BLOCKS.filter(({ info }) => info === 'ts example'))(
    'is what the example has: $page, $file',
    ({ code }) => {
      const [, path, text] = /^\/\/ ((?:examples|test\/query-builders)\/\S+)\n([^]*)$/.exec(code)!
      expect(text!.trim()).toBe(readSource(path!).trim())
    },
  )

  it.each(BLOCKS.filter(({ info }) => info === 'ts excerpt'))(
    'is a part of what the example has: $page, $file',
    ({ code }) => {
      const [, path, text] = /^\/\/ ((?:examples|test\/query-builders)\/\S+)\n([^]*)$/.exec(code)!
      expect(readSource(path!)).toContain(text!.trim())
    },
  )

  it.each(BLOCKS.filter(({ info }) => info === 'diff example'))(
    'is the difference between the examples: $page, $file',
    ({ code }) => {
      const [, from, to, text] = /^--- (examples\/\S+)\n\+\+\+ (examples\/\S+)\n([^]*)$/.exec(code)!
      expect(text!.trimEnd()).toBe(printed(difference(readSource(from!), readSource(to!))))
    },
  )

  it('has one block for each file name of a page', () => {
    const paths = SNIPPETS.map(({ path }) => path)
    expect(paths).toEqual([...new Set(paths)])
  })

  it.each(SNIPPETS)('compiles: $page, $file', ({ path }) => {
    expect(faults.get(path)).toEqual([])
  })

  it.each(SNIPPETS.filter(({ info }) => info === 'ts run'))(
    'runs, and what it asserts holds: $page, $file',
    async ({ path, code }) => {
      expect(code).toContain(`from 'node:assert/strict'`)
      await import(/* @vite-ignore */ ROOT + path)
    },
  )

  it('calls npm scripts that exist', () => {
    const [own, ofRung, ofSchools] = ['', 'examples/server/', 'examples/schools/'].map(
      (path) => (JSON.parse(readSource(`${path}package.json`)) as { scripts: object }).scripts,
    )
    // Written into a project by `npm create hallpass`.
    const ofProject = { backup: '', build: '' }
    const scripts = { ...ofSchools, ...ofRung, ...own, ...ofProject }
    const called = PAGES.flatMap(({ text }) => [
      ...text.matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g),
    ]).map(([, named, short]) => named ?? short!)
    expect(called).toContain('start')
    expect(called.filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
  })
})

describe('the pages', () => {
  it.each(PAGES)('link to what is there: $path', (page) => {
    const broken = linksOf(page).filter(({ path, anchor }) => {
      if (!leadsSomewhere(path)) return true
      const target = PAGES.find((one) => one.path === path)
      return anchor !== null && !(target && anchorsOf(target).includes(anchor))
    })
    expect(broken).toEqual([])
  })

  it.each(PAGES)('name files that are there: $path', (page) => {
    const named = [
      ...prose(page).matchAll(/`((?:src|test|examples|docs|scripts|bench)\/[^`\s*]*)`/g),
    ]
    expect(named.map(([, path]) => path!).filter((path) => !leadsSomewhere(path))).toEqual([])
  })

  it.each(PAGES)('have tables whose first row is one: $path', (page) => {
    const lines = prose(page).split('\n')
    const heads = lines.filter((_, index) => /^ *\|[ :|-]+\| *$/.test(lines[index + 1] ?? ''))
    expect(heads.filter((head) => !/^ *\|/.test(head))).toEqual([])
  })

  it('name buttons and links as the pages of the school have them', () => {
    // A name in bold after a word for what a hand does, and the names after it in a row.
    const PRESSED =
      /\b(?:press|select|click|choose|open|under)\s+((?:\*\*[^*]+\*\*(?:, then |, | or | and )?)+)/gi
    const pages = readdirSync(`${ROOT}examples`, { recursive: true, encoding: 'utf8' })
      .filter((path) => /^(?:pages|school\/src)\/.+\.ts$/.test(path))
      .map((path) => readSource(`examples/${path}`))
      .join('\n')
    const named = PAGES.flatMap((page) =>
      [...prose(page).matchAll(PRESSED)].flatMap(([, names]) =>
        [...names!.matchAll(/\*\*([^*]+)\*\*/g)].map(([, name]) => ({
          page: page.path,
          name: name!.replace(/\s+/g, ' '),
        })),
      ),
    )
    expect(named.length).toBeGreaterThan(1)
    // As a text of its own, not as a part of a longer one.
    const isShown = (name: string): boolean =>
      [`'${name}'`, `>${name}<`].some((text) => pages.includes(text))
    expect(named.filter(({ name }) => !isShown(name))).toEqual([])
  })

  it('can all be reached from the README', () => {
    const reached = new Set(['README.md'])
    for (const path of reached) {
      const page = PAGES.find((one) => one.path === path)
      for (const link of page === undefined ? [] : linksOf(page)) reached.add(link.path)
    }
    expect(PAGES.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([])
  })
})

describe('the README', () => {
  const firsts = rowsOf(README.text).map(([first = '']) => first.replaceAll('`', ''))

  it('lists every entry of the package', () => {
    const { exports } = JSON.parse(readSource('package.json')) as { exports: object }
    const entries = Object.keys(exports).filter((entry) => entry !== './package.json')
    expect(firsts.filter((first) => first.startsWith('hallpass'))).toEqual(
      entries.map((entry) => `hallpass${entry.slice(1)}`),
    )
  })

  // A whole `npm run mutate` writes both pages, and so does `npx vitest run test/docs.test.ts -u`.
  it('says how it is tested as the last whole run found, and of how much', async () => {
    const pages = await pagesOf((JSON.parse(readSource('test/mutants.json')) as Book).scores)
    for (const [path, text] of Object.entries(pages))
      await expect(text).toMatchFileSnapshot(ROOT + path)
    const held = Object.values(REQUIREMENTS).filter(({ file }) => file !== undefined).length
    expect(README.text).toContain(`more than ${Math.floor(held / 100) * 100} [requirements]`)
  })

  it('is short enough to be read', () => {
    expect(README.text.split('\n').length).toBeLessThanOrEqual(200)
  })
})

describe('examples/school/README.md', () => {
  it('lists every variable that the example reads', () => {
    const { text } = PAGES.find(({ path }) => path === 'examples/school/README.md')!
    const firsts = rowsOf(text).map(([first = '']) => first.replaceAll('`', ''))
    expect(firsts.filter((first) => /^[A-Z_]+$/.test(first))).toEqual(Object.keys(SETTINGS))
  })
})

describe('docs/do/client-cannot-connect.md', () => {
  it('names reasons that there are', () => {
    const { text } = PAGES.find(({ path }) => path === 'docs/do/client-cannot-connect.md')!
    const table = readSource('src/policy/refusals.ts')
    const named = rowsOf(text).map(([, reason = '']) => reason.replaceAll('`', ''))
    expect(named).toContain('client_unknown')
    const silences = readSource('src/clients/attempts/explanation.ts')
    const unknown = named.filter(
      (reason) =>
        !table.includes(`    ${reason}: {`) && !silences.includes(`    reason: '${reason}',`),
    )
    expect(new Set(unknown)).toEqual(new Set(['none']))
  })
})

describe('docs/do/recipes.md', () => {
  it('has at least twenty programs of at most forty lines, each of which runs', () => {
    const recipes = BLOCKS.filter(({ page }) => page === 'docs/do/recipes.md')
    expect(recipes.length).toBeGreaterThanOrEqual(20)
    const rejected = recipes.filter(
      ({ info, code }) => info !== 'ts run' || code.split('\n').length > 40,
    )
    expect(rejected.map(({ file }) => file)).toEqual([])
  })
})

describe('docs/faq.md', () => {
  const textOf = (path: string): string => PAGES.find((page) => page.path === path)!.text
  const faq = textOf('docs/faq.md')
  const number = (text: string): number => Number(text.replaceAll(/[,%]/g, ''))

  it('computes the cost of a school from what was measured', () => {
    const measured = textOf('docs/understand/performance.md')
    const [refresh, bearer] = rowsOf(faq)
    const hallpass = rowsOf(measured).find(([first]) => first === '**hallpass** on PostgreSQL')!
    for (const [row, each, cell] of [
      [refresh!, 1, hallpass[2]!],
      [bearer!, 10, hallpass[3]!],
    ] as const) {
      const [, perSecond = '', served = '', share = ''] = row
      expect(number(perSecond)).toBe(Math.round((100_000 * each) / 3600))
      expect(cell).toMatch(new RegExp(`^${served} `))
      expect(share).toBe(`${((100 * number(perSecond)) / number(served)).toFixed(1)} %`)
    }
    const [, kilobytes] = /(\d+) kB at most, of \d+ such grants/.exec(measured)!
    expect(faq).toContain(`[${kilobytes} kB](understand/performance.md`)
    expect(faq).toContain(`${Math.round(Number(kilobytes) / 10)} GB for all of them`)
  })

  it('says how many modules of Basic OP pass as the page of standards does', () => {
    const [said = ''] = /\d+ of the \d+(?= modules pass)/.exec(textOf('docs/look-up/standards.md'))!
    expect(faq).toContain(`[${said} pass`)
  })
})

describe('docs/comparison.md', () => {
  const { text } = PAGES.find(({ path }) => path === 'docs/comparison.md')!

  it('compares the versions of the README, with what was measured', () => {
    const heads = (page: string): readonly string[] =>
      [
        ...page.matchAll(/(?:hallpass|oidc-provider|better-auth|Cloudflare provider) \d+\.\d+/g),
      ].map(([head]) => head)
    expect(new Set(heads(text))).toEqual(new Set(heads(README.text)))
    const measured = PAGES.find(({ path }) => path === 'docs/understand/performance.md')!
    for (const [first = '', ...cells] of rowsOf(
      sectionOf({ path: '', text }, '## What it costs to run'),
    )) {
      const row = rowsOf(measured.text).find(([name]) => name?.replaceAll('*', '') === first)!
      expect(row.slice(1).map((cell) => cell.split(' ')[0])).toEqual(cells)
    }
  })
})

describe('what npm run features found', () => {
  const found = JSON.parse(readSource('bench/features.json')) as {
    readonly date: string
    readonly servers: Readonly<
      Record<
        string,
        { readonly versions: Readonly<Record<string, string>>; readonly blocks?: readonly string[] }
      >
    >
  }
  const rows: ReadonlyMap<string, readonly string[]> = featureRows(found)
  const tables = (page: string): readonly (readonly string[])[] =>
    rowsOf(PAGES.find(({ path }) => path === page)!.text).filter(([name = '']) => rows.has(name))

  // The README has the packages of npm only.
  it.each([
    ['docs/comparison.md', rows.size, 6],
    ['README.md', 4, 4],
  ])('is what %s says, cell by cell', (page, most, servers) => {
    const said = tables(page)
    expect(said.map((cells) => cells.length)).toEqual(Array(most).fill(servers + 1))
    const wrong = said.flatMap(([name = '', ...cells]) =>
      cells.flatMap((cell, at) =>
        says(cell, rows.get(name)![at]!) ? [] : [[name, cell, rows.get(name)![at]]],
      ),
    )
    expect(wrong).toEqual([])
  })

  it('is told from what was not', () => {
    const [name, cells] = [...rows].find(([, of]) => of.includes('no'))!
    const row = `| ${name} | ${cells.map(() => 'yes').join(' | ')} |\n`
    expect(withRows(row, found)).toBe(`| ${name} | ${cells.join(' | ')} |\n`)
    expect([says('yes: later', 'yes'), says('yesterday', 'yes'), says('none', 'no')]).toEqual([true, false, false]) // prettier-ignore
  })

  it('is of the versions that are compared, with every block that the school can switch on', () => {
    const { dependencies } = JSON.parse(readSource('bench/features/package.json')) as {
      dependencies: Readonly<Record<string, string>>
    }
    const { hallpass, ...others } = found.servers
    const versions: Readonly<Record<string, string>> = Object.assign({}, ...Object.values(others).map((one) => one.versions)) // prettier-ignore
    const pinned = Object.entries(dependencies).filter(([name]) => name !== 'miniflare')
    expect(versions).toEqual(expect.objectContaining(Object.fromEntries(pinned)))
    const { text } = PAGES.find(({ path }) => path === 'docs/comparison.md')!
    for (const version of ['oidc-provider', 'better-auth'])
      expect(text).toContain(`${version} ${versions[version]!}`)
    for (const [name, of] of [
      ['Cloudflare provider', '@cloudflare/workers-oauth-provider'],
      ['Keycloak', 'keycloak'],
      ['Spring Authorization Server', 'spring-security-oauth2-authorization-server'],
    ])
      expect(text).toContain(`${name} ${versions[of!]!}`)
    expect(text).toContain(`as of **${found.date}**`)
    expect(hallpass!.blocks).toEqual(BLOCK_NAMES.filter((name) => !VARIANTS.includes(name)))
  })
})

describe('docs/do/existing-backend.md', () => {
  it('names in six prefixes every path that a proxy forwards', () => {
    const page = PAGES.find(({ path }) => path === 'docs/do/existing-backend.md')!
    const prefixes = rowsOf(sectionOf(page, '### The paths to forward')).flatMap(([first = '']) =>
      first.startsWith('`/') ? [first.replaceAll('`', '')] : [],
    )
    expect(prefixes).toHaveLength(6)
    const paths = [
      ...routesOf(PATHS).map(([path]) => path),
      MCP_PATH,
      ...ASKING_PATHS,
      ACCOUNT_PATH,
      ACCOUNT_SCHEMA_PATH,
      ADMIN_PATH,
    ]
    const under = (path: string): readonly string[] =>
      prefixes.filter((one) => path.startsWith(one))
    expect(paths.filter((path) => under(path).length !== 1)).toEqual([])
    expect(prefixes.filter((one) => !paths.some((path) => path.startsWith(one)))).toEqual([])
  })
})

describe('docs/look-up/standards.md', () => {
  const { text } = PAGES.find(({ path }) => path === 'docs/look-up/standards.md')!

  // The rows of that section are compared with the modules: test/conformance/basic-op.test.ts.
  const others = text.replace(/\n## Basic OP\n[^]*?(?=\n## )/, '')

  it.each(rowsOf(others))('has %s, %s', (_section, _what, where, test) => {
    const [, name = '', path = ''] = /^`(\w+)` in `([^`]+)`$/.exec(where ?? '') ?? []
    expect(readSource(path)).toMatch(new RegExp(`\\bfunction ${name}\\b`))
    expect(test).toMatch(/^`test\/.+\.test\.ts`$/)
  })

  it('knows, with the requirements, every RFC and every draft that the source cites', () => {
    const known = text + packedText(PAGES.find(({ path }) => path === 'docs/requirements.md')!)
    const cited = SOURCES.flatMap(
      (path) =>
        readSource(`src/${path}`).match(/RFC \d+|draft-ietf(?:-[a-z\d]*[a-z][a-z\d]*)+/g) ?? [],
    )
    expect(cited).toContain('draft-ietf-oauth-client-id-metadata-document')
    expect([...new Set(cited)].filter((name) => !known.includes(name)).sort()).toEqual([])
  })
})

it.each([
  ['PKCE', 'policy', 'verifyPkceS256'],
  ['RFC 8707', 'policy', 'decideResource'],
  ['loopback', 'policy', 'decideRedirectUri'],
  ['vendor match', 'policy', 'matchVendor'],
  ['CIMD', 'policy', 'decideDocument'],
  ['audience', 'policy', 'decideScopes'],
  ['ES256 `id_token`', 'token', 'mintIdToken'],
  ['Account API', 'account', 'accountSchema'],
])('the map of the README leads from %s to a function of hallpass/%s', (word, entry, name) => {
  const row = README.text.split('\n').find((line) => line.startsWith(`| \`hallpass/${entry}\` `))
  expect(row).toMatch(new RegExp(`${word}[^,]*\`${name}\``))
  expect(readSource(`src/${entry}.ts`)).toMatch(new RegExp(`\\b${name}\\b`))
})

it('the changelog says in one screen what is next, each entry in at most 25 words', () => {
  const { text } = PAGES.find(({ path }) => path === 'CHANGELOG.md')!
  const [next = ''] = /^## Unreleased\n(?:(?!## ).*\n)*/m.exec(text) ?? []
  expect(next.split('\n').length).toBeLessThan(60)
  const entries = [...text.matchAll(/^- .+\n(?: {2}.+\n)*/gm)].map(([entry]) => entry)
  expect(entries.length).toBeGreaterThan(0)
  expect(entries.filter((entry) => entry.trim().split(/\s+/).length > 1 + 25)).toEqual([])
})

describe('claims', () => {
  const TEXT_FILES = PAGES.map((page) => ({ page: page.path, text: packedText(page) }))
  const pageOf = (path: string): string => PAGES.find((page) => page.path === path)!.text
  const manifest = JSON.parse(readSource('package.json')) as {
    version: string
    engines: { node: string }
    devDependencies: Readonly<Record<string, string>>
  }
  const minorOf = (version: string): number => {
    const [major, minor] = version.split('.').map(Number)
    return major! * 1000 + minor!
  }

  it.each(NUMBERS)('state the right number: $name', (claim) => {
    const read = TEXT_FILES.map(({ page, text }) => ({ page, ...statementsOf(text, claim) }))
    expect(read.filter(({ wrong }) => wrong.length > 0)).toEqual([])
    expect(read.some(({ stated }) => stated > 0)).toBe(true)
  })

  it.each(NUMBERS)('that are wrong are found: $name', ({ name, pattern, actual }) => {
    const [said = ''] = TEXT_FILES.flatMap(({ text }) => [
      ...text.replaceAll(/\s+/g, ' ').matchAll(pattern),
    ])
      .map(([text]) => text)
      .filter((text) => statementsOf(text, { name, pattern, actual }).stated > 0)
    const other = { name, pattern, actual: actual.map((number) => number + 1) }
    expect(statementsOf(said, other).wrong).toHaveLength(1)
  })

  it('state the defaults of options as they are', () => {
    const read = TEXT_FILES.map(({ page, text }) => ({ page, ...defaultsOf(text) }))
    expect(read.filter(({ wrong }) => wrong.length > 0)).toEqual([])
    const stated = new Set(read.flatMap((page) => page.stated))
    expect([...stated]).toEqual(
      expect.arrayContaining(Object.keys(DEFAULTS).filter((name) => name !== 'maxListedTools')),
    )
    expect(defaultsOf('`codeSeconds` (61)').wrong).toHaveLength(1)
    expect(defaultsOf('`grantSeconds` (179 days)').wrong).toHaveLength(1)
  })

  it('name the oldest Node that the package accepts', () => {
    const stated = TEXT_FILES.flatMap(({ text }) => [
      ...text.matchAll(/Node (\d+\.\d+)(?:\.\d+)? or newer/g),
    ]).map(([, version]) => version!)
    const [, node] = /^>=(\d+\.\d+)\./.exec(manifest.engines.node)!
    expect(new Set(stated)).toEqual(new Set([node]))
  })

  it('name the oldest and the newest TypeScript that is tried', () => {
    const [oldest, newest] = ['typescript-5.4', '@typescript/native'].map(
      (name) => /@[~^](\d+\.\d+)/.exec(manifest.devDependencies[name]!)![1]!,
    )
    const stated = TEXT_FILES.flatMap(({ text }) => [
      ...text.matchAll(/TypeScript (\d+\.\d+) to (\d+)/g),
    ]).map(([, from, to]) => [from, to])
    expect(stated.length).toBeGreaterThan(1)
    expect(stated).toEqual(stated.map(() => [oldest, newest!.split('.')[0]]))
  })

  it('say only in the README how far the project is', () => {
    const saying = TEXT_FILES.flatMap(({ page, text }) =>
      [...text.matchAll(/\bVersion \d+\.\d+\b/g)].map(() => page),
    )
    expect(saying).toEqual(['README.md'])
    const vague = PAGES.filter((page) =>
      /\b(?:in this version|not yet (?:supported|implemented)|coming soon)\b/.test(prose(page)),
    )
    expect(vague.map(({ path }) => path)).toEqual([])
  })

  // The next minor version is written down before `npm run release` writes it into package.json.
  it('name the version that is there, or the next one', () => {
    const stated = [
      /\bVersion (\d+\.\d+)\b/.exec(README.text)![1]!,
      /\| hallpass (\d+\.\d+) /.exec(README.text)![1]!,
      /^\| (\d+\.\d+)\.x +\| yes/m.exec(pageOf('SECURITY.md'))![1]!,
    ]
    const current = minorOf(manifest.version)
    expect(stated.filter((version) => ![0, 1].includes(minorOf(version) - current))).toEqual([])
    expect(new Set(stated).size).toBe(1)
    const { version } = JSON.parse(
      readSource('packages/create-hallpass/package.json'),
    ) as typeof manifest
    expect(version).toBe(manifest.version)
  })

  it('name routes that the authorization server and the areas for people have', () => {
    const paths = [
      ...routesOf(PATHS).map(([path]) => path),
      ...Object.values(BLOCK_PATHS),
      ...APPLICATION_PATHS,
      ...CONNECTED_APPS_PATHS,
    ]
    const routes = [...paths, ...paths.map((path) => path.replace(/:id$/, ''))]
    const named = TEXT_FILES.flatMap(({ page, text }) =>
      [
        ...text.matchAll(
          /(?:`(?:[A-Z]+ )?|\$ORIGIN)(\/(?:\.well-known|api\/oauth|oauth)\/[^`\s"?]*)/g,
        ),
      ].map(([, path]) => ({ page, path: path!.replace(/[*…]$/, '') })),
    )
    expect(new Set(named.map(({ path }) => path)).size).toBeGreaterThan(8)
    const unknown = named.filter(
      ({ path }) =>
        !routes.includes(path) &&
        !(path.endsWith('/') && routes.some((route) => route.startsWith(path))),
    )
    expect(unknown.map(({ page, path }) => `${page}: ${path}`)).toEqual([])
  })

  it('name the spellings of a resource', () => {
    const named = [
      ...pageOf('docs/understand/resource-binding.md').matchAll(
        /`(https:\/\/school\.example[^`]*)`/g,
      ),
    ].map(([, url]) => url!)
    const { accepted } = defineResource('https://school.example')
    expect([...accepted.keys()]).toEqual([...new Set(named)])
  })

  it('name the function that creates each brand', () => {
    const page = pageOf('docs/understand/architecture.md')
    const brands = rowsOf(page.split('## Brands')[1]!.split('\n## ')[0]!)
    const source = SOURCES.map((path) => readSource(`src/${path}`)).join('\n')
    expect(brands.length).toBeGreaterThan(8)
    for (const [brand, maker] of brands) {
      const [, type = ''] = /^`(\w+)`/.exec(brand!)!
      expect(source).toMatch(new RegExp(`\\b(?:type|interface) ${type}\\b`))
      const [, name] = /^`(\w+)`$/.exec(maker!) ?? []
      if (name !== undefined) expect(source).toMatch(new RegExp(`export function ${name}\\b`))
    }
  })

  it('follow one exchange through functions that are where they say, and count its concepts', () => {
    const walk = sectionOf(
      { path: 'architecture.md', text: pageOf('docs/understand/architecture.md') },
      '## How a token request is processed',
    )
    const placed = [...walk.matchAll(/`(\w+)` (?:in |\()`?(src\/[\w/-]+\.ts)`/g)]
    expect(placed.length).toBeGreaterThan(5)
    for (const [, name, path] of placed)
      expect(readSource(path!)).toMatch(new RegExp(`^export (?:async )?function ${name}\\b`, 'm'))
    expect([...walk.matchAll(/\*\*[^*]+\*\*/g)]).toHaveLength(20)
    expect(rowsOf(walk)).toHaveLength(9)
    expect(walk).toContain('20 concepts of the protocol. Nine more')
    const source = SOURCES.map((path) => readSource(`src/${path}`)).join('\n')
    for (const [, name] of walk.matchAll(/`(?:\w+\.)?(\w+)`/g))
      expect(source).toMatch(new RegExp(`\\b${name}\\b`))
  })

  it('are read as numbers, in digits and in words', () => {
    expect(['48', '2,000', 'thirteen', 'Eleven', 'thirty', 'some'].map(numberOf)).toEqual([
      48,
      2000,
      13,
      11,
      30,
      null,
    ])
  })
})
