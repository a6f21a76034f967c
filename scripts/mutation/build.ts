import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Instrumenter } from '@stryker-mutator/instrumenter'
import { build, type Plugin } from 'esbuild'
import { ROOT } from './settings.js'

/** One change to one file, which a test should notice. */
export interface Mutant {
  /** The number in the instrumented code. */
  readonly id: number
  readonly file: string
  /** The position among the mutants of its file, in the order of the instrumenter. */
  readonly index: number
  readonly mutator: string
  readonly line: number
  readonly column: number
  readonly original: string
  readonly replacement: string
  /** The text of the line on which the mutant begins. */
  readonly text: string
}

const silent = new Proxy({}, { get: (_target, name) => () => String(name).startsWith('no') })

interface Place {
  readonly line: number
  readonly column: number
}

/** Returns the text between two places. The first line is 0. */
function slice(text: string, { start, end }: { start: Place; end: Place }): string {
  const lines = text.split('\n').slice(start.line, end.line + 1)
  lines.push(lines.pop()!.slice(0, end.column))
  return [lines[0]!.slice(start.column), ...lines.slice(1)].join('\n')
}

/** Returns the mutants of these files, and the files that contain all of them, each behind a switch. */
export async function instrument(
  files: readonly string[],
): Promise<{ mutants: Mutant[]; contents: Map<string, string> }> {
  const sources = new Map(files.map((file) => [file, readFileSync(ROOT + file, 'utf8')]))
  const result = await new Instrumenter(silent as never).instrument(
    [...sources].map(([name, content]) => ({ name, content, mutate: true })),
    { plugins: null, excludedMutations: [], ignorers: [], noHeader: true },
  )
  const counts = new Map<string, number>()
  const mutants = result.mutants
    .filter(({ status }) => status === undefined)
    .map(({ id, fileName, mutatorName, replacement, location }): Mutant => {
      const index = counts.get(fileName) ?? 0
      counts.set(fileName, index + 1)
      const source = sources.get(fileName)!
      return {
        id: Number(id),
        file: fileName,
        index,
        mutator: mutatorName,
        line: location.start.line + 1,
        column: location.start.column + 1,
        original: slice(source, location),
        replacement,
        text: source.split('\n')[location.start.line]!.trim(),
      }
    })
  return { mutants, contents: new Map(result.files.map(({ name, content }) => [name, content])) }
}

/** Leaves packages out of the bundle: the worker imports them and passes their exports in. */
function outside(names: Set<string>): Plugin {
  return {
    name: 'outside',
    setup(builder) {
      builder.onResolve({ filter: /^[^./]/ }, async ({ path, kind, resolveDir, pluginData }) => {
        const isInside = kind === 'entry-point' || path.startsWith('hallpass')
        if (isInside || pluginData === 'as ever') return null
        if (isBuiltin(path)) return { path, namespace: 'outside' }
        const found = await builder.resolve(path, { kind, resolveDir, pluginData: 'as ever' })
        return { path: pathToFileURL(found.path).href, namespace: 'outside' }
      })
      builder.onLoad({ filter: /.*/, namespace: 'outside' }, async ({ path }) => {
        const specifier = path.includes('/vitest/') ? 'vitest' : path
        // A module of Node as a CommonJS object: tests replace its members while they run.
        if (isBuiltin(path)) {
          names.add(path)
          return { contents: `module.exports = __outside(${JSON.stringify(path)}).default` }
        }
        const found = (await import(path)) as object
        if (specifier !== 'vitest') names.add(specifier)
        // A key of a JSON file may be no identifier: it is read from the default export only.
        const exported = Object.keys(found).filter((name) => /^[A-Za-z_$][\w$]*$/.test(name))
        const lines = exported.map((name) =>
          name === 'default'
            ? 'export default outside.default'
            : `const own_${name} = outside[${JSON.stringify(name)}]; export { own_${name} as ${name} }`,
        )
        return {
          contents: `const outside = __outside(${JSON.stringify(specifier)})\n${lines.join('\n')}`,
        }
      })
    },
  }
}

function sources(contents: ReadonlyMap<string, string>): Plugin {
  return {
    name: 'sources',
    setup(builder) {
      builder.onResolve({ filter: /^hallpass(\/.+)?$/ }, ({ path }) => ({
        path: `${ROOT}src/${path === 'hallpass' ? 'index' : path.slice('hallpass/'.length)}.ts`,
      }))
      builder.onLoad({ filter: /\.m?[jt]s$/ }, ({ path }) => ({
        contents: (
          contents.get(relative(ROOT, path).replaceAll('\\', '/')) ?? readFileSync(path, 'utf8')
        ).replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
        loader: path.endsWith('.ts') ? 'ts' : 'js',
        resolveDir: dirname(path),
      }))
    },
  }
}

/** Bundles the tests and the source into one function; each call of it has fresh modules. */
export async function bundle(
  tests: readonly string[],
  contents: ReadonlyMap<string, string>,
): Promise<{ code: string; packages: string[] }> {
  const names = new Set<string>()
  const table = tests.map((path) => `${JSON.stringify(path)}: () => import('./${path}')`)
  const result = await build({
    stdin: {
      contents: `__found({ ${table.join(',\n')} })`,
      resolveDir: ROOT,
      loader: 'ts',
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'es2023',
    treeShaking: false,
    logLevel: 'error',
    plugins: [outside(names), sources(contents)],
  })
  const code = `(async (__outside, __found, stryMutAct_9fa48, stryCov_9fa48) => {\n${result.outputFiles[0]!.text}\n})`
  return { code, packages: [...names] }
}
