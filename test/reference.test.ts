import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SIBLINGS } from '../scripts/siblings.mjs'
import { compile, readSource } from './support/source/compile.js'
import { ROOT } from './support/source/root.js'
import { readReference, runnable } from './support/docs/reference.js'
import { TEXT_FILES } from './support/docs/texts.js'

const { exports: paths } = JSON.parse(readSource('package.json')) as { exports: object }
const ENTRIES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.keys(paths)
      .filter((key) => key !== './package.json')
      .map((key) => (key === '.' ? 'index' : key.slice(2)))
      .map((entry) => [entry, `src/${entry}.ts`]),
  ),
  ...Object.fromEntries(SIBLINGS.map((name) => [name, `packages/${name}/src/index.ts`])),
}
const { exports, options, modules } = readReference(ENTRIES)

/** Names that two entries export are described once. */
const DECLARED = [...new Map(exports.map((one) => [`${one.path}:${one.line}`, one])).values()]
const FUNCTIONS = DECLARED.filter(({ isFunction }) => isFunction)
const FOLDER = `test/.tmp/reference-${process.pid}`
const EXAMPLES = [
  ...[...modules].map(([entry, comment]) => ({ name: `the entry ${entry}`, comment })),
  ...DECLARED,
].flatMap(({ name, comment }) =>
  comment.examples.map((code, index) => ({
    name,
    number: index + 1,
    code,
    path: join(FOLDER, `${name.replaceAll(' ', '-')}-${index + 1}.ts`),
  })),
)

describe('the examples of the reference', () => {
  let faults: Awaited<ReturnType<typeof compile>>
  beforeAll(async () => {
    for (const { path, code } of EXAMPLES) {
      mkdirSync(dirname(ROOT + path), { recursive: true })
      writeFileSync(ROOT + path, runnable(code))
    }
    faults = await compile(
      Object.fromEntries(EXAMPLES.map(({ path, code }) => [path, runnable(code)])),
    )
  })
  afterAll(() => {
    rmSync(ROOT + FOLDER, { recursive: true, force: true })
  })

  it.each(EXAMPLES)('compile, run and give what they say: $name, $number', async ({ path }) => {
    expect(faults.get(path)).toEqual([])
    await import(/* @vite-ignore */ ROOT + path)
  })
})

describe('the reference', () => {
  it('has an example for every public function', () => {
    expect(lacking(FUNCTIONS, ({ comment }) => comment.examples.length > 0)).toEqual([])
  })

  it('says of every function what it does, by a verb in the third person', () => {
    const opens = /^\s*(?:[A-Z]\w*s|Whether)\b/
    expect(lacking(FUNCTIONS, ({ comment }) => opens.test(comment.text))).toEqual([])
  })

  it('sorts every public name into one group', () => {
    expect(lacking(DECLARED, ({ comment }) => comment.groups.length === 1)).toEqual([])
  })

  it('has for every entry a comment that shows how to begin', () => {
    const silent = [...modules].filter(([, { examples }]) => examples.length === 0)
    expect(silent.map(([entry]) => entry)).toEqual([])
  })

  it('says for every optional option what its absence means', () => {
    const silent = options.filter(({ comment }) => !/\bDefault: /.test(comment))
    expect(silent.map(({ path, line, name }) => `${path}:${line} ${name}`)).toEqual([])
  })

  it('links what it refers to', () => {
    const references = DECLARED.flatMap(({ name, comment }) =>
      comment.references.map((see) => `${name}: ${see}`),
    )
    expect(references.filter((see) => !/\[[^\]]+\]\(https:|\{@link /.test(see))).toEqual([])
  })
})

const lacking = <One extends { path: string; line: number; name: string }>(
  all: readonly One[],
  has: (one: One) => boolean,
): readonly string[] =>
  all.filter((one) => !has(one)).map(({ path, line, name }) => `${path}:${line} ${name}`)

describe('an example', () => {
  it('compares what it says', () => {
    expect(runnable('1 + 1 // => 2\nconst two = 2 // => 2\n')).toBe(
      `import * as check from 'node:assert/strict'\n` +
        'check.deepEqual(await (1 + 1), (2)) // => 2\n' +
        'const two = 2; check.deepEqual(two, (2)) // => 2\n\nexport {}\n',
    )
  })

  it.each(['const one = 1', 'if (true) {} // => 2'])('without a check is refused: %s', (code) => {
    expect(() => runnable(code)).toThrow()
  })
})

describe('the imports that texts name', () => {
  const NAMED =
    /(?:`(\w+)[^`\n]*`|\b([a-z]{2,}[A-Z]\w*)(?:\([^)\n]*\))?)\s+(?:\*\s+|\/\/\s+)?from\s+(?:\*\s+|\/\/\s+)?`?(hallpass(?:-[a-z]+)?(?:\/[\w-]+)?)(?![\w/-])/g
  const namedIn = (text: string): readonly string[] =>
    [...text.matchAll(NAMED)].map(([, quoted, plain, entry]) => `${quoted ?? plain} from ${entry}`)
  const known = new Set(
    exports.map(({ entry, name }) => {
      const path = entry === 'index' ? 'hallpass' : `hallpass/${entry}`
      return `${name} from ${SIBLINGS.includes(entry) ? entry : path}`
    }),
  )

  it('are exported by the entry', () => {
    // A decision has the names of its day.
    const paths = TEXT_FILES.filter((path) => !path.startsWith('docs/decisions/'))
    const named = paths.flatMap((path) => namedIn(readSource(path)).map((name) => ({ path, name })))
    expect(named.length).toBeGreaterThan(80)
    expect(named.filter(({ name }) => !known.has(name))).toEqual([])
  })

  it.each([
    ['Use `serve(server)` from `hallpass/node`.', 'serve from hallpass/node'],
    [' * Pass createKeyRing() from\n * hallpass/token.', 'createKeyRing from hallpass/token'],
    ['`whoCanConnect` from `hallpass-lab`', 'whoCanConnect from hallpass-lab'],
  ])('are read in %j', (text, name) => {
    expect(namedIn(text)).toEqual([name])
    expect(known).toContain(name)
  })
})
