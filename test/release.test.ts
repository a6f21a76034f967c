import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from './support/pages.js'

const home = mkdtempSync(join(tmpdir(), 'hallpass-release-'))
const MANIFESTS = ['package.json', 'create-hallpass/package.json']

const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@school.example', ...args], {
    cwd: home,
    encoding: 'utf8',
  })
const release = (...args: readonly string[]): { status: number | null; output: string } => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['scripts/release.mjs', ...args, '--dry-run', '--skip-ci'],
    { cwd: home, encoding: 'utf8' },
  )
  return { status, output: stdout + stderr }
}

/** A change of a file of the clone, committed. */
function change(path: string, edit: (text: string) => string): void {
  writeFileSync(join(home, path), edit(readFileSync(join(home, path), 'utf8')))
  git('commit', '--quiet', '--all', '--message', `Change ${path}`)
}

beforeAll(() => {
  execFileSync('git', ['clone', '--quiet', '--shared', ROOT, home])
  symlinkSync(`${ROOT}node_modules`, join(home, 'node_modules'))
  writeFileSync(join(home, '.git/info/exclude'), 'node_modules\n')
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

describe('npm run release', () => {
  it('names every placeholder, and changes nothing', () => {
    const { status, output } = release('9.0.0')
    expect(status).toBe(1)
    for (const path of MANIFESTS)
      for (const field of ['homepage', 'repository', 'bugs'])
        expect(output).toContain(`${path}: ${field} is a placeholder`)
    expect(git('status', '--porcelain')).toBe('')
  })

  it.each([
    ['nine', '"nine" is not a version such as 0.2.0'],
    ['0.0.1', '0.0.1 is older than 0.1.0'],
  ])('refuses the version %s', (version, message) => {
    expect(release(version).output).toContain(message)
  })

  it('refuses a changelog that has nothing new, a tag that exists and a changed tree', () => {
    const changelog = readFileSync(join(home, 'CHANGELOG.md'), 'utf8')
    change('CHANGELOG.md', (text) =>
      text.replace(/^## Unreleased\n/m, '$&\n## 0.1.0 - 2026-11-01\n'),
    )
    git('tag', 'v9.0.0')
    writeFileSync(join(home, 'new.txt'), 'not committed')
    const { output } = release('9.0.0')
    expect(output).toContain('CHANGELOG.md has nothing under "Unreleased"')
    expect(output).toContain('the tag v9.0.0 exists')
    expect(output).toContain('the working tree has changes')
    rmSync(join(home, 'new.txt'))
    git('tag', '--delete', 'v9.0.0')
    change('CHANGELOG.md', () => changelog)
  })

  it('builds, packs and describes both packages, and restores the files', () => {
    for (const path of MANIFESTS) change(path, (text) => text.replaceAll('.example', '.invalid'))
    const { status, output } = release('9.0.0')
    expect(output).toContain('+ hallpass@9.0.0')
    expect(output).toContain('+ create-hallpass@9.0.0')
    expect(output).toMatch(/Would commit, tag v9\.0\.0 and publish:\n ?CHANGELOG\.md/)
    expect(status).toBe(0)
    expect(git('status', '--porcelain')).toBe('')
  })
})
