// Counts the names, tokens and kilobytes of the library:
//   npm run weigh -- --write
// `test/weigh.test.ts` compares them with the table of docs/understand/architecture.md, which `--write`
// writes, so that none grows unseen.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type Plugin } from 'esbuild'
import ts from 'typescript'
import { CORE_RESULTS } from '../src/store/groups.js'
import { parse, SOURCES } from '../test/support/source/imports.js'
import { ROOT } from '../test/support/source/root.js'

const PAGE = 'docs/understand/architecture.md'

/** One thing that is weighed, and how far above it its figure on the page may be. */
interface Weight {
  readonly what: string
  readonly figure: number
  readonly room: number
}

/** The README's program, of which the imports are bundled. */
const PROGRAM = 'examples/minimal/server.ts'

const SERVER = `
    export { createAuthorizationServer, defineSite, maintain } from './src/index.ts'
    export { createRouter } from './src/authorization-server.ts'
    export { toNodeHandler } from './src/node.ts'
    export { schoolRoles, schoolScopes } from './src/scope.ts'
    export { createMemoryStore } from './src/store.ts'
    export { createKeyRing } from './src/token.ts'`

/** Modules that are bundled, by what a reader calls them. */
const bundles = (): Readonly<Record<string, string>> => ({
  "what README's program imports": importsOf(PROGRAM).join('\n'),
  'the same, without SQLite': importsOf(PROGRAM)
    .filter((line) => !line.includes('sqlite'))
    .join('\n'),
  'a server of single endpoints': SERVER,
  'a gate': `export { createProtectedResource, defineSite } from './src/index.ts'`,
  '`hallpass/policy`': `export * from './src/policy.ts'`,
})

/** Each block of `hallpass/blocks`, with the module that makes it: functions that are not for blocks of others. */
const blocks = (): readonly (readonly [name: string, module: string])[] =>
  valuesOf('blocks.ts').filter(
    ([name, from]) => from.startsWith('blocks/') && !name.startsWith('define'),
  )

/** A server with one block. */
const withBlock = (name: string): string => `${SERVER}\n export { ${name} } from './src/blocks.ts'`

/** The values that an entry exports, each with the module that it comes from. */
const valuesOf = (entry: string): readonly (readonly [name: string, from: string])[] =>
  parse(entry).statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || statement.isTypeOnly) return []
    const { exportClause, moduleSpecifier } = statement
    if (exportClause === undefined || !ts.isNamedExports(exportClause)) return []
    const from = (moduleSpecifier as ts.StringLiteral).text.replace(/^\.\/(.+)\.js$/, '$1.ts')
    return exportClause.elements
      .filter(({ isTypeOnly }) => !isTypeOnly)
      .map(({ name }) => [name.text, from] as const)
  })

/** Returns the imports of a program from hallpass, as exports of its source. */
const importsOf = (path: string): readonly string[] =>
  [...read(path).matchAll(/^import (\{.*\}) from 'hallpass(?:\/(.+))?'$/gm)].map(
    ([, names, entry = 'index']) => `export ${names} from './src/${entry}.ts'`,
  )

const read = (path: string): string => readFileSync(ROOT + path, 'utf8')

/** The files below a folder with one of the endings, without what is made. */
function filesIn(folder: string, ends: RegExp): readonly string[] {
  return readdirSync(ROOT + folder, { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => ends.test(path) && !/\/(?:node_modules|dist|\.next|reference)\//.test(path))
    .sort()
}

/** The names that an entry exports, each as often as it is exported. */
function namesOf(entry: string): readonly string[] {
  return parse(entry).statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || statement.exportClause === undefined)
      throw new Error(`src/${entry} exports in a way that is not counted: ${statement.getText()}`)
    const { exportClause } = statement
    return ts.isNamedExports(exportClause)
      ? exportClause.elements.map(({ name }) => name.text)
      : [exportClause.name.text]
  })
}

/** How much code a file has. */
interface Code {
  readonly tokens: number
  /** The lines that have a token: without comments and blank lines. */
  readonly lines: number
}

/** The code of each file of `src`, by its path from the root. */
export const codeOfSource = (): ReadonlyMap<string, Code> =>
  new Map(SOURCES.map((path) => [`src/${path}`, codeOf(path)]))

function codeOf(path: string): Code {
  const tree = parse(path)
  const lines = new Set<number>()
  let tokens = 0
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return
    const children = node.getChildren(tree)
    if (children.length === 0 && node.getWidth(tree) > 0) {
      tokens += 1
      const [first, last] = [node.getStart(tree), node.getEnd() - 1].map(
        (at) => tree.getLineAndCharacterOfPosition(at).line,
      )
      for (let line = first!; line <= last!; line++) lines.add(line)
    }
    for (const child of children) visit(child)
  }
  visit(tree)
  return { tokens, lines: lines.size }
}

const sumOf = (what: keyof Code): number =>
  [...codeOfSource().values()].reduce((sum, code) => sum + code[what], 0)

/** Kilobytes of what a bundle holds, minified and compressed. */
async function kilobytesOf(contents: string): Promise<number> {
  const { outputFiles } = await bundle(contents)
  return gzipSync(outputFiles[0]!.contents).length / 1000
}

/** Leaves out what is loaded only when it is needed: bundlers make a file of its own from it. */
const LATER: Plugin = {
  name: 'later',
  setup(build) {
    build.onResolve({ filter: /^\./ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    )
  },
}

const bundle = (contents: string) =>
  build({
    stdin: { contents, resolveDir: ROOT, loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    write: false,
    metafile: true,
    plugins: [LATER],
    absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
  })

/** Returns the modules of `src` of which each bundle without a block holds something, and those that only blocks have. */
export async function modules(): Promise<{
  readonly held: Readonly<Record<string, readonly string[]>>
  readonly ofBlocks: readonly string[]
}> {
  const held = Object.entries({ ...bundles(), 'a server with every block': EVERY_BLOCK }).map(
    async ([what, contents]) => {
      const { metafile } = await bundle(contents)
      const inputs = Object.values(metafile.outputs).flatMap((one) => Object.entries(one.inputs))
      const paths = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      return [what, paths.map(([path]) => path).filter((path) => path.startsWith('src/'))] as const
    },
  )
  const decided = valuesOf('blocks.ts').filter(
    ([name, from]) => from.startsWith('policy/') && name.startsWith('decide'),
  )
  const own = SOURCES.filter((path) => path.startsWith('blocks/'))
  const ofBlocks = new Set([...own, ...decided.map(([, from]) => from)])
  return {
    held: Object.fromEntries(await Promise.all(held)),
    ofBlocks: [...ofBlocks].map((path) => `src/${path}`),
  }
}
const EVERY_BLOCK = `${SERVER}\n export * from './src/blocks.ts'`

/** How far a figure of the page may be above what is weighed: it is a limit, but not one that says little. */
const MOST_ROOM = { tokens: 2000, kilobytes: 1.5, block: 1 }

/** Returns every weight, in the order of the table. */
export async function weigh(): Promise<readonly Weight[]> {
  const entries = SOURCES.filter((path) => !path.includes('/'))
  const names = entries.flatMap(namesOf)
  const texts = [
    'README.md',
    ...filesIn('docs', /\.md$/),
    ...filesIn('skills', /\.md$/),
    ...filesIn('examples', /\.tsx?$/),
  ].map(read)
  const words = new Set(texts.flatMap((text) => text.match(/[$\w]+/g) ?? []))
  const counted: Readonly<Record<string, number>> = {
    'entries of the package': entries.length,
    'exported names, types included': names.length,
    'of these in no page and no example': names.filter((name) => !words.has(name)).length,
    'names of `hallpass` itself': namesOf('index.ts').length,
    'methods that every store has': Object.keys(CORE_RESULTS).length,
  }
  return [
    ...Object.entries(counted).map(([what, figure]) => ({ what, figure, room: 0 })),
    { what: 'tokens of code in `src`', figure: sumOf('tokens'), room: MOST_ROOM.tokens },
    ...(await Promise.all(
      Object.entries(bundles()).map(async ([what, contents]) => ({
        what: `kB of ${what}`,
        figure: await kilobytesOf(contents),
        room: MOST_ROOM.kilobytes,
      })),
    )),
    ...(await blockWeights()),
  ]
}

/** How much each block adds to a server without any. */
async function blockWeights(): Promise<readonly Weight[]> {
  const plain = await kilobytesOf(SERVER)
  return Promise.all(
    blocks().map(async ([name]) => ({
      what: `kB that \`${name}\` adds to a server`,
      figure: (await kilobytesOf(withBlock(name))) - plain,
      room: MOST_ROOM.block,
    })),
  )
}

/** The figures of the page's table. */
export function weighed(): ReadonlyMap<string, number> {
  const [, section = ''] = read(PAGE).split('\n## Weight\n')
  const rows = section.split('\n## ')[0]!.matchAll(ROW)
  return new Map([...rows].map(([, what, , figure]) => [what!, Number(figure!.replace(',', ''))]))
}
const ROW = /^\| (.+?)( +\| +)([\d,]+) \|$/gm

/** Writes figures into the page's table, a row for each. */
function write(found: readonly Weight[]): void {
  const rows = found.map(({ what, figure, room }) => {
    const step = room === MOST_ROOM.tokens ? 1000 : 1
    return [what, (step * Math.ceil(figure / step)).toLocaleString('en')] as const
  })
  const width = Math.max(...rows.map(([what]) => what.length))
  const table = [
    `| ${'what'.padEnd(width)} | at most |`,
    `| ${'-'.repeat(width)} | ------: |`,
    ...rows.map(([what, figure]) => `| ${what.padEnd(width)} | ${figure.padStart(7)} |`),
  ]
  const text = read(PAGE).replace(
    /^\| what +\| at most \|\n(?:\|.*\|\n)+/m,
    `${table.join('\n')}\n`,
  )
  writeFileSync(ROOT + PAGE, text)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = await weigh()
  if (process.argv.includes('--write')) write(found)
  const said = weighed()
  for (const { what, figure } of found)
    console.log(
      `${figure.toFixed(what.startsWith('kB') ? 1 : 0)} ${what} (${PAGE}: ${said.get(what)})`,
    )
  console.log(`${sumOf('lines')} lines of code in \`src\`, which have no limit: tokens have one`)
}
