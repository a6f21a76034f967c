import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Builds the clients on the demo's front page and in its playground, with the library's own decisions in them. Never published. */
export async function buildBrowserClients() {
  await build({
    absWorkingDir: ROOT,
    entryPoints: { walk: 'examples/walk/main.ts', playground: 'examples/playground/main.ts' },
    outdir: join(ROOT, 'examples/school/dist'),
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    // Fewer bytes than the escapes of quotation marks. A module is UTF-8, whatever its headers say.
    charset: 'utf8',
    minify: true,
    logLevel: 'warning',
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildBrowserClients()
