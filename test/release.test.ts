import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { realClients } from 'hallpass/mcp-clients'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from './support/source/root.js'

const home = mkdtempSync(join(tmpdir(), 'hallpass-release-'))
/** A day on which no fact about a client is too old: 90 days after the oldest one. */
const DAY = daysAfter(realClients.map(({ asOf }) => asOf).sort()[0]!, 90)
const MANIFESTS = ['package.json', 'create-hallpass/package.json', 'hallpass-demo/package.json']

const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@school.example', ...args], {
    cwd: home,
    encoding: 'utf8',
  })
const release = (
  version: string,
  { today = DAY }: { today?: string } = {},
): { status: number | null; output: string } => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['scripts/release.mjs', version, '--dry-run', '--skip-ci', '--today', today],
    { cwd: home, encoding: 'utf8' },
  )
  return { status, output: stdout + stderr }
}

function daysAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
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

  it('names each client whose facts are older than 90 days, and no other', () => {
    const tooOld = (today: string): readonly string[] =>
      [...release('9.0.0', { today }).output.matchAll(/^ {2}(.+): its facts are of ([\d-]+)/gm)]
        .map(([, name, asOf]) => `${name} ${asOf}`)
        .sort()
    expect(tooOld(DAY)).toEqual([])
    const facts = realClients.map(({ name, asOf }) => ({ text: `${name} ${asOf}`, asOf }))
    const oldest = facts.filter(({ asOf }) => asOf <= daysAfter(DAY, -90))
    expect(tooOld(daysAfter(DAY, 1))).toEqual(oldest.map(({ text }) => text).sort())
    expect(tooOld('2036-01-01')).toEqual(facts.map(({ text }) => text).sort())
  })

  it.each(['tomorrow', '2026-02-30'])('refuses %s as the day', (today) => {
    expect(release('9.0.0', { today }).output).toContain(
      `"${today}" is not a day such as 2026-11-23`,
    )
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

  it('builds, packs and describes the packages, and restores the files', () => {
    for (const path of MANIFESTS) change(path, (text) => text.replaceAll('.example', '.invalid'))
    const { status, output } = release('9.0.0')
    expect(output).toContain('+ hallpass@9.0.0')
    expect(output).toContain('+ create-hallpass@9.0.0')
    expect(output).toContain('+ hallpass-demo@9.0.0')
    expect(output).toMatch(/Would commit, tag v9\.0\.0 and publish:\n ?CHANGELOG\.md/)
    expect(status).toBe(0)
    expect(git('status', '--porcelain')).toBe('')
  })
})
