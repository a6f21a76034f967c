// Serves the worker as Cloudflare's own simulator does, with a D1 database: workerd alone has none.
import { readFileSync } from 'node:fs'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'

const { D1_FOLDER, ISSUER, PASSWORD, PORT, SEALING_SECRET } = process.env
const server = new Miniflare(
  convertV4MiniflareOptions({
    modules: true,
    script: readFileSync(new URL('main.mjs', import.meta.url), 'utf8'),
    compatibilityDate: '2026-11-17',
    host: '127.0.0.1',
    port: Number(PORT),
    d1Databases: { DB: 'school' },
    // Where a restart finds it. Otherwise it ends with the process.
    ...(D1_FOLDER !== undefined && { resourcePersistencePath: D1_FOLDER }),
    bindings: { ISSUER, PASSWORD, SEALING_SECRET },
  }),
)
await server.ready
process.once('SIGTERM', () => void server.dispose())
