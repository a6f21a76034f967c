import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build, type Plugin } from 'esbuild'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
// Beside the school, whose own packages it finds there.
const OUT = join(ROOT, 'examples/school/dist/express')

// They read files that lie beside them, or are nine megabytes that are loaded when somebody asks.
const LEFT_OUT = [
  '@electric-sql/pglite',
  '@electric-sql/pglite-prepopulatedfs',
  '@graphql-yoga/render-graphiql',
]
// A CommonJS package asks for Node's own modules with it. By a name that nothing else in the file has.
const REQUIRE =
  "import { createRequire as forPackages } from 'node:module'; const require = forPackages(import.meta.url)"

/**
 * Builds the Express example, with the school in it, into JavaScript: to start that costs a fifth of
 * what a loader costs that compiles each file. Packages are in it too, hallpass as its `dist`: of the
 * time that a start took, 40 % went into finding and reading their files one by one.
 */
export async function buildExpressExample(): Promise<{ readonly program: string }> {
  if (isStale()) await promisify(execFile)('npm', ['run', 'build', '--silent'], { cwd: ROOT })
  await build({
    entryPoints: [join(ROOT, 'examples/express/src/main.ts')],
    outdir: OUT,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    outExtension: { '.js': '.mjs' },
    external: [...LEFT_OUT, 'pg-native'],
    // Without its paths, which lead from hallpass to src.
    tsconfigRaw: {},
    alias: { '@hallpass/example-school': join(ROOT, 'examples/school/src/index.ts') },
    banner: { js: REQUIRE },
    plugins: [ownAddress],
    logLevel: 'silent',
  })
  return { program: join(OUT, 'main.mjs') }
}

/** A file that reads what lies beside it goes on reading it there. */
const ownAddress: Plugin = {
  name: 'own-address',
  setup(builder) {
    builder.onLoad({ filter: /examples\/.*\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8').replaceAll(
        'import.meta.url',
        JSON.stringify(pathToFileURL(path).href),
      ),
    }))
  },
}

function isStale(): boolean {
  const built = Math.min(...['dist/index.js', 'dist/index.d.ts', 'examples/school/dist/walk.js'].map(changedAt)) // prettier-ignore
  const sources = ['src', 'examples/walk'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
      changedAt(join(folder, path)),
    ),
  )
  return Math.max(...sources, changedAt('tsup.config.ts')) > built
}

function changedAt(path: string): number {
  return statSync(join(ROOT, path), { throwIfNoEntry: false })?.mtimeMs ?? 0
}
