import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { readSource } from '../source/compile.js'
import { freePorts } from './ports.js'

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
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
    rmSync(folder, { recursive: true, force: true })
  }
  for (let attempt = 0; attempt < 100; attempt++) {
    if (await responds(port)) return { origin: `http://127.0.0.1:${port}`, pid: child.pid!, stop }
    await pause(50)
  }
  await stop()
  throw new Error('HAProxy does not listen')
}

async function responds(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isOpen
}
