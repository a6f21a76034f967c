import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { build, transform } from 'esbuild'
import { BLOCKS } from '../support/docs/pages.js'
import { ROOT } from '../support/source/root.js'
import type { Mount } from './cells.js'

const HERE = join(ROOT, 'test/everywhere')
// As guides compile: without the paths of the repository's tsconfig.json, which lead from hallpass to src.
const tsconfigRaw = { compilerOptions: { experimentalDecorators: true } }

/**
 * Builds a mount: the code of its guide, and what the guide leaves to the reader.
 *
 * @param options - `node`: the path of the Node that builds
 * @returns the folder
 */
export async function buildMount(
  { name, page, into = '', build: command, format = 'esm' }: Mount,
  { node }: { node: string },
): Promise<string> {
  const folder = join(HERE, '.built', `${name}-${format}`)
  rmSync(folder, { recursive: true, force: true })
  cpSync(join(HERE, 'mounts', name), folder, { recursive: true })
  for (const [path, code] of page === null ? [] : filesOf(page, into)) {
    const isThere = existsSync(join(folder, path.replace(/ts$/, 'js')))
    if (!isThere) await write(join(folder, path), code, name === 'nextjs')
  }
  // Next.js imports this line in each of its catch-all routes.
  if (page !== null && name === 'nextjs')
    for (const [path, code] of repeatedOf(page)) await write(join(folder, path), code, true)
  if (name !== 'workers')
    await bundle(join(HERE, 'open.ts'), { to: join(folder, 'school.js'), format: 'esm' })
  const entry = ['main.ts', 'main.js', 'worker.ts'].find((file) => existsSync(join(folder, file)))
  if (command === undefined) {
    const to = join(folder, format === 'cjs' ? 'main.cjs' : 'main.mjs')
    await bundle(join(folder, entry!), { to, format, isWhole: name === 'workers' })
  } else {
    const [program, ...args] = command
    // Frameworks evaluate some modules while they build.
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      PORT: '3000',
      SEALING_SECRET: 'x'.repeat(32),
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
    }
    const options = { cwd: folder, env, maxBuffer: 2 ** 26 }
    await promisify(execFile)(node, [join(HERE, 'node_modules', program), ...args], options).catch(
      (fault: Error & { stdout: string; stderr: string }) => {
        throw new Error(`${name} does not build: ${fault.message}\n${fault.stdout}`, { cause: fault }) // prettier-ignore
      },
    )
  }
  return folder
}

/** Builds `examples/workers` next to what serves it with a D1 database, and returns the folder. */
export async function buildWorkersExample(): Promise<string> {
  const folder = join(HERE, '.built/workers-example')
  mkdirSync(folder, { recursive: true })
  const to = join(folder, 'main.mjs')
  await bundle(join(ROOT, 'examples/workers/worker.ts'), { to, format: 'esm', isWhole: true })
  cpSync(join(HERE, 'mounts/workers/d1.mjs'), join(folder, 'd1.mjs'))
  return folder
}

/** Builds a Worker with a platform of three schools, and returns the folder. */
export async function buildPlatform(): Promise<string> {
  const folder = join(HERE, '.built/platform')
  cpSync(join(HERE, 'platform'), folder, { recursive: true })
  const to = join(folder, 'main.mjs')
  await bundle(join(folder, 'worker.ts'), { to, format: 'esm', isWhole: true })
  return folder
}

/** The files that a guide shows: blocks whose first line is a comment with a name. Those that only declare are yours. */
function filesOf(page: string, into: string): readonly (readonly [path: string, code: string])[] {
  const [of, part] = page.split('#')
  return BLOCKS.filter(
    (block) =>
      block.page === of &&
      (part === undefined || block.section === part) &&
      /^(?:ts|text)$/.test(block.info),
  ).flatMap(({ info, code }) => {
    const [, path] = /^\/\/ ([\w./-]+\.(?:ts|js))\n/.exec(code) ?? []
    if (path === undefined || /^export declare\b/m.test(code)) return []
    return [[info === 'ts' ? join(into, path) : path, code] as const]
  })
}

/** A line that a guide asks its reader to write into several files, which it names in front of it. */
function repeatedOf(page: string): readonly (readonly [path: string, code: string])[] {
  const text = readFileSync(ROOT + page.split('#')[0]!, 'utf8')
  return [...text.matchAll(/^Write this one line into [^]*?```text\n([^]*?)^```$/gm)].flatMap(
    ([all, code]) =>
      [...all.matchAll(/`(app\/[^`]+)`/g)].map(([, path]) => [path!, code!] as const),
  )
}

async function write(path: string, code: string, asJavaScript: boolean): Promise<void> {
  mkdirSync(dirname(path), { recursive: true })
  if (!asJavaScript) return writeFileSync(path, code)
  const { code: text } = await transform(code, { loader: 'ts', tsconfigRaw })
  writeFileSync(path.replace(/\.ts$/, '.js'), text)
}

/** @param options - `isWhole`: with all packages in it, for a runtime that has no folder of them */
async function bundle(
  entry: string,
  { to, format, isWhole = false }: { to: string; format: 'esm' | 'cjs'; isWhole?: boolean },
): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile: to,
    bundle: true,
    format,
    tsconfigRaw,
    target: 'es2023',
    logLevel: 'silent',
    ...(isWhole
      ? { conditions: ['workerd', 'worker', 'browser'] }
      : { platform: 'node' as const, packages: 'external' as const }),
  })
}
