import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { buildBrowserClients } from './browser-clients.mjs'
import { createProgress } from './progress.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
// In the school's folder, where its own packages are found.
const OUT = join(ROOT, 'examples/school/dist/express')
const PROGRAM = join(OUT, 'main.mjs')

// They read files next to them.
const LEFT_OUT = ['@electric-sql/pglite', '@electric-sql/pglite-prepopulatedfs']
// A CommonJS package asks for Node's own modules with it. By a name that nothing else in the file has.
const REQUIRE =
  "import { createRequire as forPackages } from 'node:module'; const require = forPackages(import.meta.url)"

/**
 * Builds the Express example, with the school in it, into JavaScript: to start that costs a fifth of
 * what a loader costs that compiles each file. Packages are in it too: of the time that a start took, 40 %
 * went into finding and reading their files one by one. hallpass is in it from its sources, since a build of its
 * `dist` takes five seconds more. Only what is older than its sources is built.
 */
export async function buildExpressExample() {
  if (isOlder(PROGRAM, SOURCES)) {
    const progress = createProgress('Building the example', { total: 2, stream: TERMINAL })
    await bundle(OUT, { onStep: progress.step })
    progress.end()
  }
  return { program: PROGRAM }
}

/** Elsewhere, standard output is for the log of the example. */
const TERMINAL = process.stdout.isTTY ? process.stdout : { write: () => {} }

/**
 * Bundles the program into a folder, with everything that it reads next to it.
 *
 * @param outdir - its absolute path
 * @param {{ onStep?: (step: string) => void }} [options] - `onStep`: called with the name of each step
 * @returns the packages whose code is in it, as paths of their folders
 */
export async function bundle(outdir, { onStep = () => {} } = {}) {
  onStep('the clients of its pages')
  await buildBrowserClients()
  onStep('the server')
  const { metafile } = await build({
    entryPoints: [join(ROOT, 'examples/express/src/main.ts')],
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    outExtension: { '.js': '.mjs' },
    external: [...LEFT_OUT, 'pg-native'],
    // Whatever the tsconfig next to a source says.
    tsconfigRaw: {},
    alias: {
      '@hallpass/example-school': join(ROOT, 'examples/school/src/index.ts'),
      'hallpass-opentelemetry': join(ROOT, 'packages/hallpass-opentelemetry/src/index.ts'),
      hallpass: join(ROOT, 'src'),
    },
    banner: { js: REQUIRE },
    plugins: [withFiles(outdir)],
    absWorkingDir: ROOT,
    metafile: true,
    logLevel: 'silent',
  })
  const packages = Object.keys(metafile.inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  )
  return [...new Set(packages)].sort()
}

const LIBRARY = ['src', 'packages/hallpass-opentelemetry/src']
const SOURCES = [
  ...LIBRARY,
  'examples/common',
  'examples/schools',
  'examples/walk',
  'examples/playground',
  'examples/express/src',
  'examples/operations',
  'examples/pages',
  'examples/school/src',
  'package-lock.json',
  'scripts/browser-clients.mjs',
  'scripts/build-express.mjs',
]

/** Builds hallpass for what runs on its `dist`, if that is older than its sources. */
export async function buildHallpass() {
  const made = ['dist', 'packages/hallpass-opentelemetry/dist'].flatMap((folder) =>
    ['index.js', 'index.d.ts'].map((name) => join(ROOT, folder, name)),
  )
  if (made.some((file) => isOlder(file, [...LIBRARY, 'tsup.config.ts'])))
    await promisify(execFile)('npm', ['run', 'build', '--silent'], { cwd: ROOT })
}

/**
 * Copies the files that a source reads next to itself, under a name that no other file has, and leads the source
 * to the copy.
 *
 * @type {(outdir: string) => import('esbuild').Plugin}
 */
const withFiles = (outdir) => ({
  name: 'with-files',
  setup(builder) {
    builder.onLoad({ filter: /examples\/.*\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8').replaceAll(
        /new URL\('([^']+)', import\.meta\.url\)/g,
        (_, name) => {
          const file = join(path, '..', name)
          const copy = relative(join(ROOT, 'examples'), file).replaceAll(/[/\\]/g, '-')
          mkdirSync(outdir, { recursive: true })
          copyFileSync(file, join(outdir, copy))
          return `new URL('${copy}', import.meta.url)`
        },
      ),
    }))
  },
})

/** Whether a file is absent, or older than something in those files and folders. */
function isOlder(made, sources) {
  const changed = sources.flatMap((source) =>
    statSync(join(ROOT, source)).isDirectory()
      ? readdirSync(join(ROOT, source), { recursive: true, encoding: 'utf8' }).map((path) =>
          changedAt(join(ROOT, source, path)),
        )
      : changedAt(join(ROOT, source)),
  )
  return Math.max(...changed) > changedAt(made)
}

const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildExpressExample()
