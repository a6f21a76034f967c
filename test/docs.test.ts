import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compile, readSource } from './support/compile.js'
import { difference, printed } from './support/ladder.js'
import {
  anchorsOf,
  BLOCKS,
  leadsSomewhere,
  linksOf,
  PAGES,
  prose,
  ROOT,
  rowsOf,
} from './support/pages.js'
import { SOURCES } from './support/sources.js'

const README = PAGES.find(({ path }) => path === 'README.md')!

/** Blocks of one page lie in one folder, so that one may import another by its name. */
const FOLDER = `test/.tmp/docs-${process.pid}`
const SNIPPETS = BLOCKS.filter(({ info }) => /^ts(?: run)?$/.test(info)).map((block) => ({
  ...block,
  path: join(FOLDER, block.page.replaceAll(/[/.]/g, '-'), block.file),
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
          !/^(?:ts|ts run|ts (?:example|excerpt)|diff example|sh|sql|json|text|http)$/.test(info),
      ),
    ).toEqual([])
  })

  it.each(BLOCKS.filter(({ info }) => info === 'ts example'))(
    'is what the example has: $page, $file',
    ({ code }) => {
      const [, path, text] = /^\/\/ (examples\/\S+)\n([^]*)$/.exec(code)!
      expect(text!.trim()).toBe(readSource(path!).trim())
    },
  )

  it.each(BLOCKS.filter(({ info }) => info === 'ts excerpt'))(
    'is a part of what the example has: $page, $file',
    ({ code }) => {
      const [, path, text] = /^\/\/ (examples\/\S+)\n([^]*)$/.exec(code)!
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
    const { scripts } = JSON.parse(readSource('package.json')) as { scripts: object }
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

  it('is short enough to be read', () => {
    expect(README.text.split('\n').length).toBeLessThanOrEqual(200)
  })
})

describe('examples/school/README.md', () => {
  it('lists every variable that the example reads', () => {
    const { text } = PAGES.find(({ path }) => path === 'examples/school/README.md')!
    const firsts = rowsOf(text).map(([first = '']) => first.replaceAll('`', ''))
    const source = readSource('examples/school/src/platform/environment.ts')
    const read = [...source.matchAll(/^ {4}([A-Z_]+):/gm)].map(([, name]) => name)
    expect(firsts.filter((first) => /^[A-Z_]+$/.test(first))).toEqual(read)
  })
})

describe('docs/do/client-cannot-connect.md', () => {
  it('names reasons that there are', () => {
    const { text } = PAGES.find(({ path }) => path === 'docs/do/client-cannot-connect.md')!
    const table = readSource('src/policy/refusals.ts')
    const named = rowsOf(text).map(([, reason = '']) => reason.replaceAll('`', ''))
    expect(named).toContain('client_unknown')
    const unknown = named.filter((reason) => !table.includes(`    ${reason}: {`))
    expect(new Set(unknown)).toEqual(new Set(['none']))
  })
})

describe('docs/look-up/runtimes.md', () => {
  const { text } = PAGES.find(({ path }) => path === 'docs/look-up/runtimes.md')!
  const inCi = rowsOf(text).filter(([, , result]) => result?.includes('in CI'))

  it('names the versions that the tests run on', () => {
    const versions = ['express', 'next', 'fastify', 'hono', 'workerd'].map((name) => {
      const text = readSource(`node_modules/${name}/package.json`)
      return (JSON.parse(text) as { version: string }).version
    })
    expect(inCi.map(([, tried], index) => tried!.includes(` ${versions[index]!}`))).toEqual(
      versions.map(() => true),
    )
  })
})

describe('docs/look-up/standards.md', () => {
  const { text } = PAGES.find(({ path }) => path === 'docs/look-up/standards.md')!

  it.each(rowsOf(text))('has %s, %s', (_section, _what, where, test) => {
    const [, name = '', path = ''] = /^`(\w+)` in `([^`]+)`$/.exec(where ?? '') ?? []
    expect(readSource(path)).toMatch(new RegExp(`\\bfunction ${name}\\b`))
    expect(test).toMatch(/^`test\/.+\.test\.ts`$/)
  })

  it('knows every RFC that the source cites', () => {
    const cited = SOURCES.flatMap((path) => readSource(`src/${path}`).match(/RFC \d+/g) ?? [])
    expect([...new Set(cited)].filter((rfc) => !text.includes(rfc)).sort()).toEqual([])
  })
})
