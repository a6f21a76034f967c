import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'

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
 * what a loader costs that compiles each file. Packages are in it too, hallpass as its `dist`: of the
 * time that a start took, 40 % went into finding and reading their files one by one. Only what is older
 * than its sources is built.
 */
export async function buildExpressExample() {
  if (isOlder(BUILT, SOURCES)) {
    say('Building hallpass')
    await promisify(execFile)('npm', ['run', 'build', '--silent'], { cwd: ROOT })
  }
  if (isOlder([PROGRAM], BUNDLED)) {
    say('Building the example')
    await bundle(OUT)
  }
  return { program: PROGRAM }
}

/** Prints what takes time, on a terminal. */
function say(line) {
  if (process.stdout.isTTY) console.log(`${line} …`)
}

/**
 * Bundles the program into a folder, with everything that it reads next to it.
 *
 * @param outdir - its absolute path
 * @returns the packages whose code is in it, as paths of their folders
 */
export async function bundle(outdir) {
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
    // Without its paths, which lead from hallpass to src.
    tsconfigRaw: {},
    alias: { '@hallpass/example-school': join(ROOT, 'examples/school/src/index.ts') },
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

// Prepared requests, which the page and its script have in common.
const PRESETS = 'examples/school/src/playground/presets.ts'
// The sources and the files of a build of hallpass, and the sources of a bundle.
const SOURCES = [
  'src',
  'packages/hallpass-opentelemetry/src',
  'examples/walk',
  'examples/playground',
  PRESETS,
  'tsup.config.ts',
]
const BUILT = [
  'dist/index.js',
  'dist/index.d.ts',
  'packages/hallpass-opentelemetry/dist/index.js',
  'packages/hallpass-opentelemetry/dist/index.d.ts',
  'examples/school/dist/walk.js',
  'examples/school/dist/playground.js',
].map((path) => join(ROOT, path))
const BUNDLED = [
  'examples/express/src',
  'examples/operations',
  'examples/pages',
  'examples/school/src',
  'dist',
  'packages/hallpass-opentelemetry/dist',
  'package-lock.json',
  'scripts/build-express.mjs',
]

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

/** Whether one of these files is absent, or older than something in those files and folders. */
function isOlder(made, sources) {
  const changed = sources.flatMap((source) =>
    statSync(join(ROOT, source)).isDirectory()
      ? readdirSync(join(ROOT, source), { recursive: true, encoding: 'utf8' }).map((path) =>
          changedAt(join(ROOT, source, path)),
        )
      : changedAt(join(ROOT, source)),
  )
  return Math.max(...changed) > Math.min(...made.map(changedAt))
}

const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildExpressExample()
