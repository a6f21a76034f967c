// Bundles the worker and runs it on workerd, the runtime of Cloudflare Workers, with a D1 database on this computer.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { readOrCreateSecret } from 'hallpass/node'
import workerd from 'workerd'

const port = Number(process.env.PORT || 3000)
const issuer = `http://127.0.0.1:${port}`
const metadata = `${issuer}/.well-known/oauth-authorization-server`
const password = process.env.PASSWORD ?? randomBytes(9).toString('base64url')

// Before anything is created.
if (!Number.isInteger(port) || port < 1 || port > 65_535) {
  console.error(`PORT is "${process.env.PORT}": set it to a number from 1 to 65535, such as 3000`)
  process.exit(1)
}
const socket = connect({ port, host: '127.0.0.1' })
const isTaken = await once(socket, 'connect', { signal: AbortSignal.timeout(1000) }).then(
  () => true,
  () => false,
)
socket.on('error', () => {}).destroy()
if (isTaken) {
  console.error(`Port ${port} is in use: stop the program that listens there, or set PORT`)
  process.exit(1)
}

// Only this user can read the data. A restart keeps it, and the secret that opens its signing keys.
process.umask(0o077)
const data = resolve(process.env.HALLPASS_DATA_DIR ?? '.data')
mkdirSync(data, { recursive: true })
const sealingSecret = process.env.SEALING_SECRET ?? readOrCreateSecret(join(data, 'secret'))

const folder = mkdtempSync(join(tmpdir(), 'hallpass-workers-'))
try {
  await build({
    entryPoints: [fileURLToPath(new URL('worker.ts', import.meta.url))],
    outfile: join(folder, 'worker.js'),
    bundle: true,
    // The tsconfig.json of a folder above has no part in it.
    tsconfigRaw: {},
    logLevel: 'error',
    minify: true,
    format: 'esm',
    target: 'es2023',
    conditions: ['workerd', 'worker', 'browser'],
  })
  copyFileSync(new URL('d1.mjs', import.meta.url), join(folder, 'd1.mjs'))
  writeFileSync(
    join(folder, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "school", worker = .school),
    (name = "d1", worker = .d1),
    (name = "data", disk = (path = ${JSON.stringify(data)}, writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "school")],
);
const school :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "${workerd.compatibilityDate}",
  bindings = [
    (name = "DB", wrapped = (moduleName = "cloudflare-internal:d1-api", innerBindings = [(name = "fetcher", service = "d1")])),
    (name = "ISSUER", text = "${issuer}"),
    (name = "SEALING_SECRET", fromEnvironment = "SEALING_SECRET"),
    (name = "PASSWORD", fromEnvironment = "PASSWORD"),
  ],
);
const d1 :Workerd.Worker = (
  modules = [(name = "d1.mjs", esModule = embed "d1.mjs")],
  compatibilityDate = "${workerd.compatibilityDate}",
  durableObjectNamespaces = [(className = "Database", uniqueKey = "d1", enableSql = true)],
  durableObjectStorage = (localDisk = "data"),
  bindings = [(name = "DATABASE", durableObjectNamespace = "Database")],
);
`,
  )
  const child = spawn(workerd.default, ['serve', join(folder, 'config.capnp')], {
    env: { ...process.env, SEALING_SECRET: sealingSecret, PASSWORD: password },
    stdio: 'inherit',
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => child.kill())
  const exited = once(child, 'exit')

  const isOver = () => child.exitCode !== null || child.signalCode !== null
  const isReady = async () => {
    const signal = AbortSignal.timeout(5000)
    return (await fetch(metadata, { signal }).catch(() => null))?.ok === true
  }
  const giveUp = AbortSignal.timeout(60_000)
  while (!isOver() && !giveUp.aborted && !(await isReady())) await setTimeout(50)
  if (giveUp.aborted) {
    console.error('The worker has not answered in a minute: see above')
    process.exitCode = 1
    child.kill()
  } else if (!isOver()) {
    console.log(`Example School at ${issuer}. Press Ctrl+C to stop it.`)
    console.log(`  sign in as Ada Moreau with the password ${password}`)
    console.log('  the next start has another one, or the one that PASSWORD is set to')
    console.log(`  metadata: ${metadata}`)
  }
  const [code] = await exited
  process.exitCode ??= code ?? 0
} finally {
  rmSync(folder, { recursive: true, force: true })
}
