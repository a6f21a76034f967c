import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ROOT } from './support/source/root.js'
import { findingsIn } from './support/docs/words.js'
import { prose } from './support/docs/pages.js'
import { TEXT_FILES } from './support/docs/texts.js'

/** What is found in a source file, without places. */
const whatIn = (text: string, path = 'src/a.ts'): readonly string[] =>
  findingsIn(path, text).map(({ what }) => what)

describe('comments, texts and pages', () => {
  it('are plain: no word of the list, no sentence of more than 30 words in a comment', () => {
    const findings = TEXT_FILES.flatMap((path) =>
      findingsIn(path, readFileSync(ROOT + path, 'utf8')),
    )
    expect(findings.map(({ path, line, what }) => `${path}:${line} ${what}`)).toEqual([])
  })

  it('are all read', () => {
    expect(TEXT_FILES).toEqual(
      expect.arrayContaining([
        'README.md',
        'packages/create-hallpass/index.mjs',
        'docs/do/frameworks.md',
        'examples/minimal/server.ts',
        'scripts/words.ts',
        'src/policy/pkce.ts',
      ]),
    )
    expect(TEXT_FILES.filter((path) => /node_modules|\.next|reference\//.test(path))).toEqual([])
  })
})

describe('the word list', () => {
  it.each([
    ['/** The access token does not count. */', '"not count"'],
    ['/** Hears of everything that happened. */', '"Hears"'],
    ["const title = 'There is nobody here'", '"nobody"'],
    ['const text = `It stands ${where} twice`', '"stands"'],
    ["refuse('x', 'whoever asks is let in')", '"whoever"'],
    ['function f() {\n  // Whoever was faster\n}', '"Whoever"'],
    ['/** What a client sends. */', 'begins with "What"'],
    ['/** `null` = not signed in. */', '"`null` ="'],
    [`/** ${'word '.repeat(31)}. */`, '31 words in one sentence'],
    ['/** A log that lacks none. */', '"lacks none"'],
    ['/** A log that lacks no event. */', '"lacks no event"'],
    ['/** `null` if it is none. */', '"is none"'],
    ['/** Opens the link of a 403. */', '"link of a 403"'],
    ['/** The check after whose failure it ends. */', '"after whose"'],
    ['/** It sends very much. */', '"very much"'],
    [
      '/** Pass `createKeyRing(site, {})` of hallpass/token. */',
      '"`createKeyRing(site, {})` of hallpass"',
    ],
    ['/**\n * Pass {@link it}, or `a` of\n * `hallpass/mcp`.\n */', '"`a` of `hallpass"'],
    ["const shape = 'a function such as networkOf of hallpass/node'", '"networkOf of hallpass"'],
  ])('finds %j', (text, what) => {
    expect(whatIn(text)).toContain(what)
  })

  it('finds words of a page, and tells the line', () => {
    expect(findingsIn('docs/a.md', '# A\n\nThe token\nis gone.\n')).toMatchObject([
      { line: 4, what: '"gone"' },
    ])
  })

  it.each([
    ['code in a comment', '/** Returns `nobody` and {@link whoever}. */'],
    [
      'an example',
      '/**\n * Returns it.\n * ```ts\n * const nobody = 1 // stands alone\n * ```\n */',
    ],
    ['SQL', "query('select * from t where stands = 1')"],
    ['a name', "const nobody = 'nobody'"],
    ['an import', "import { a } from './stands alone.js'".replace('stands alone', 'stands')],
    ['standalone output', "const output = 'stand-alone server'"],
    ['that there is none', '/** Returns `null` if there is none. */'],
    ['what is no import', '/** A bundle of `hallpass/policy`, in kB of `hallpass`. */'],
    ['a file', '/** The page `docs/index.md` of hallpass has it. */'],
    ['what is of hallpass itself', "/** The `signIn` of hallpass's `interact`. */"],
  ])('leaves %s', (_, text) => {
    expect(whatIn(text)).toEqual([])
  })

  it('leaves the sentence of a specification, and reads advice', () => {
    expect(whatIn("const a = rfc7636('4.6', MUST_NOT, AS, 'It stands alone.')")).toEqual([])
    expect(whatIn("const a = rfc7636('4.6', ADVICE, AS, 'It stands there.')")).toEqual(['"stands"'])
  })

  it('finds the import of a name on a page too', () => {
    expect(whatIn('Use `serve` of `hallpass/node`.\n', 'docs/a.md')).toEqual([
      '"`serve` of `hallpass"',
    ])
  })

  it('leaves code, and where links lead, on a page', () => {
    expect(
      whatIn('Use `nobody`, [there](nobody-stands.md).\n\n```ts\nnobody\n```\n', 'a.md'),
    ).toEqual([])
  })
})

/** What has a letter or a digit, outside of code blocks. `until`: a heading at which a reader of this path stops. */
function countOf(path: string, until?: string): number {
  const [begin = ''] = readFileSync(ROOT + path, 'utf8').split(until ? `\n${until}\n` : /$/, 1)
  return prose({ path, text: begin })
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}

describe('the words to read', () => {
  it.each([
    {
      reader: 'adopter',
      pages: [
        ['README.md'],
        ['docs/do/existing-backend.md'],
        ['docs/do/clients.md'],
        ['docs/do/deploy.md'],
      ],
    },
    {
      reader: 'reader of the policy',
      pages: [
        ['docs/understand/architecture.md'],
        ['docs/understand/threat-model.md', '## Client metadata documents'],
        ['docs/decisions/README.md'],
      ],
    },
    {
      reader: 'contributor',
      pages: [
        ['CONTRIBUTING.md'],
        ['docs/testing.md', '## Clients of others'],
        ['docs/voice.md'],
        ['docs/do/add-a-scope.md'],
        ['docs/release.md'],
      ],
    },
  ])('are at most 6,000 on the path of a $reader', ({ pages }) => {
    const counts = pages.map(([path, until]) => countOf(path!, until))
    expect(counts.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(6000)
    // A heading that is not there would count the whole page.
    for (const [path, until] of pages)
      if (until) expect(countOf(path!, until)).toBeLessThan(countOf(path!))
  })

  it('are at most 110,000 on all pages', () => {
    const pages = TEXT_FILES.filter((path) => path.endsWith('.md'))
    expect(pages.length).toBeGreaterThan(100)
    expect(pages.reduce((sum, path) => sum + countOf(path), 0)).toBeLessThanOrEqual(110_000)
  })
})
