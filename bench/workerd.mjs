import { once } from 'node:events'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'

/**
 * Starts one Worker on workerd, at a free port of this computer, with a KV namespace `OAUTH_KV`.
 *
 * @param tools - `build` of esbuild and `Miniflare`, of the folder that has them installed
 * @param from - the URL of the file whose packages the Worker imports
 * @param sourceOf - returns the source of the Worker for its origin
 */
export async function startWorker({ build, Miniflare }, from, sourceOf) {
  const free = createServer().listen(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address()
  free.close()
  await once(free, 'close')
  const origin = `http://127.0.0.1:${port}`
  const { outputFiles } = await build({
    stdin: {
      contents: sourceOf(origin),
      resolveDir: fileURLToPath(new URL('.', from)),
      loader: 'js',
    },
    bundle: true,
    format: 'esm',
    external: ['cloudflare:workers', 'node:*'],
    conditions: ['workerd', 'worker'],
    write: false,
  })
  const worker = new Miniflare({
    modules: true,
    script: outputFiles[0].text,
    compatibilityDate: '2026-04-01',
    compatibilityFlags: ['global_fetch_strictly_public', 'nodejs_compat'],
    kvNamespaces: ['OAUTH_KV'],
    host: '127.0.0.1',
    port,
    // Nothing outside of this computer is asked.
    outboundService: () => new Response(null, { status: 502 }),
  })
  await worker.ready
  return { origin, stop: () => worker.dispose() }
}
