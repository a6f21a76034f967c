import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from '../source/root.js'

/** Packs a package as a release does, into a folder, and returns the path of the tarball. */
export function pack(folder: string, ...args: readonly string[]): string {
  const flags = ['pack', '--json', '--pack-destination', folder, ...args]
  const output = execFileSync('npm', flags, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  // Scripts that run before packing print as well.
  const [{ filename }] = JSON.parse(output.slice(output.indexOf('[\n'))) as [{ filename: string }]
  return join(folder, filename)
}

export function unpack(tarball: string, folder: string): void {
  mkdirSync(folder, { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1'])
}

/** Installs a dependency of a project from this repository, so that no registry is asked. */
export function link(project: string, name: string): void {
  const path = join(project, 'node_modules', name)
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules', name), path, 'junction')
}
