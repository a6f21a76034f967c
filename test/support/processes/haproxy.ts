import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readSource } from '../source/compile.js'
import { startChild } from './child.js'
import { accepts, freePorts } from './ports.js'

/** HAProxy in front of one process of the school. */
export interface Proxy {
  readonly origin: string
  readonly pid: number
  readonly stop: () => Promise<void>
}

/** Starts HAProxy with what `examples/high-availability/haproxy.cfg` has for the school, on loopback. */
export async function startProxy(server: string): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), 'hallpass-haproxy-'))
  const port = await freePorts()
  const [general = '', rest = ''] = readSource('examples/high-availability/haproxy.cfg').split(
    /^# What browsers and apps reach.*\n/m,
  )
  const [school = ''] = rest.split(/^# The database.*\n/m)
  const address = new URL(server).host
  const file = join(folder, 'haproxy.cfg')
  const lines = school
    .replace(/^( *bind ).*$/m, `$1127.0.0.1:${port}`)
    .replace(/^( *server school1 )\S+/m, `$1${address}`)
    .replaceAll(/^ *server school[23] .*\n/gm, '')
  writeFileSync(file, general + lines)
  await promisify(execFile)('haproxy', ['-c', '-f', file])
  const proxy = startChild('haproxy', ['-db', '-f', file])
  const stop = async (): Promise<void> => {
    await proxy.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  await proxy.until(() => accepts(port), { what: 'it listens' })
  return { origin: `http://127.0.0.1:${port}`, pid: proxy.child.pid!, stop }
}
