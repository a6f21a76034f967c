import { execFileSync, spawnSync } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { realClients } from 'hallpass-lab'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isOld } from '../scripts/old-facts.js'
import { ROOT } from './support/source/root.js'

const home = mkdtempSync(join(tmpdir(), 'hallpass-release-'))
const MANIFESTS = [
  'package.json',
  'packages/create-hallpass/package.json',
  'packages/hallpass-demo/package.json',
]
/** Those of the packages that have versions of their own. */
const FOLLOWERS = [
  'packages/hallpass-lab/package.json',
  'packages/hallpass-opentelemetry/package.json',
]
/** A day on which no fact about a client is old, and the first on which one is. */
const NONE_OLD = realClients.map(({ asOf }) => asOf).sort()[0]!
const SOME_OLD = new Date(Date.parse(NONE_OLD) + 91 * 86_400_000).toISOString().slice(0, 10)

const ENVIRONMENT = {
  ...process.env,
  // Commits have the name that the clone says, and there is no registry to which npm could publish.
  GIT_CONFIG_GLOBAL: '/dev/null',
  npm_config_registry: 'https://registry.invalid/',
  npm_config_offline: 'true',
  // `npm run --silent` would silence these too.
  npm_config_loglevel: 'notice',
}
const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: home, encoding: 'utf8', env: ENVIRONMENT }).trim()
const read = (path: string): string => readFileSync(join(home, path), 'utf8')
const write = (path: string, text: string): void => writeFileSync(join(home, path), text)

function release(...args: readonly string[]): { status: number | null; output: string } {
  const command = ['scripts/release.mjs', ...args, '--skip-ci']
  const options = { cwd: home, encoding: 'utf8', env: ENVIRONMENT } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, command, options)
  return { status, output: stdout + stderr }
}

/** Changes files of the clone, and commits them. */
function change(paths: readonly string[], edit: (text: string) => string): void {
  for (const path of paths) write(path, edit(read(path)))
  git('add', '--all')
  git('commit', '--quiet', '--message', 'Change files')
}

/** A manifest or the lock file. */
interface Manifest {
  private: boolean
  version: string
  scripts: Record<string, string>
  workspaces: string[]
  packages: Record<string, { version: string }>
}

/** Changes a manifest or the lock file. */
function changeJson(path: string, edit: (value: Manifest) => void): void {
  const value = JSON.parse(read(path)) as Manifest
  edit(value)
  write(path, `${JSON.stringify(value, null, 2)}\n`)
}

/** The notes of a release that warns of nothing. */
function notesOf(version: string, name = 'hallpass', changelog = 'CHANGELOG.md'): string {
  const [, section] = /^## Unreleased\n+([^]+?)\n*(?=\n## |$(?![^]))/m.exec(read(changelog))!
  return `${name} ${version}\n\n${section}\n`
}

let start = ''
beforeAll(() => {
  execFileSync('git', ['clone', '--quiet', '--shared', ROOT, home])
  git('config', 'user.name', 'Test')
  git('config', 'user.email', 'test@school.example')
  // After a release, there is nothing new for a while.
  change(['CHANGELOG.md'], (text) =>
    text.replace(/^## Unreleased\n/m, '$&\n### Added\n\n- An entry.\n'),
  )
  start = git('rev-parse', 'HEAD')
  mkdirSync(join(home, 'node_modules'))
  for (const name of readdirSync(`${ROOT}node_modules`)) {
    const path = `${ROOT}node_modules/${name}`
    // The link to a workspace leads to that of the clone.
    const target = lstatSync(path).isSymbolicLink() ? readlinkSync(path) : path
    symlinkSync(target, join(home, 'node_modules', name))
  }
})
beforeEach(() => {
  git('checkout', '--quiet', '--force', '-B', 'main', start)
  git('clean', '--quiet', '--force', '-d')
  for (const tag of git('tag', '--list', '*9.*').split('\n').filter(Boolean))
    git('tag', '--delete', tag)
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

describe('npm run release', () => {
  it.each([
    ['nine', '"nine" is not a version such as 0.2.0'],
    // npm publishes it as the latest version if nothing else is said.
    ['9.0.0-rc.1', '"9.0.0-rc.1" is not a version such as 0.2.0'],
    ['0.0.1', '0.0.1 is older than '],
    ['hallpass-lab 0.0.1', '0.0.1 is older than '],
    [
      'create-hallpass 9.0.0',
      'name one of hallpass, hallpass-audit, hallpass-lab, hallpass-opentelemetry',
    ],
    [
      'hallpass 9.0.0 hallpass-lab',
      'name one of hallpass, hallpass-audit, hallpass-lab, hallpass-opentelemetry',
    ],
  ])('refuses %s', (words, message) => {
    const { status, output } = release(...words.split(' '), '--dry-run')
    expect(status).toBe(1)
    expect(output).toContain(message)
  })

  it.each(['tomorrow', '2026-02-30'])('refuses %s as the day', (day) => {
    const { status, output } = release('9.0.0', '--dry-run', '--today', day)
    expect(status).toBe(1)
    expect(output).toContain(`"${day}" is not a day such as 2026-11-23`)
  })

  it('refuses a changelog that has nothing new, a tag that exists and a changed tree', () => {
    change(['CHANGELOG.md'], (text) =>
      text.replace(/^## Unreleased\n/m, '$&\n## 0.1.0 - 2026-11-01\n'),
    )
    git('tag', 'v9.0.0')
    write('new.txt', 'not committed')
    const { status, output } = release('9.0.0', '--dry-run')
    expect(status).toBe(1)
    expect(output).toContain('CHANGELOG.md has nothing under "Unreleased"')
    expect(output).toContain('the tag v9.0.0 exists')
    expect(output).toContain('the working tree has changes')
  })

  it('refuses another branch and every placeholder, and changes nothing', () => {
    git('checkout', '--quiet', '--detach')
    const { status, output } = release('9.0.0')
    expect(status).toBe(1)
    expect(output).toContain('the branch is not main')
    for (const path of MANIFESTS)
      for (const field of ['homepage', 'repository', 'bugs'])
        expect(output).toContain(`${path}: ${field} is a placeholder`)
    expect(git('status', '--porcelain')).toBe('')
  })

  it('restores the files if a package cannot be built', () => {
    changeJson('package.json', ({ scripts }) => void (scripts['prepack'] = 'exit 1'))
    change(MANIFESTS, (text) => text.replaceAll('.example', '.invalid'))
    const changed = git('rev-parse', 'HEAD')
    expect(release('9.0.0').status).toBe(1)
    expect(git('status', '--porcelain')).toBe('')
    expect(git('rev-parse', 'HEAD')).toBe(changed)
  })

  it('commits, tags with the notes, and publishes, for which it needs credentials', () => {
    for (const path of MANIFESTS)
      changeJson(path, (manifest) => {
        manifest.scripts = {}
        manifest.private = path !== 'package.json'
      })
    change(MANIFESTS, (text) => text.replaceAll('.example', '.invalid'))
    const { status, output } = release('9.0.0', '--today', NONE_OLD)
    expect(status).toBe(1)
    expect(output).toContain('ENEEDAUTH')
    expect(git('status', '--porcelain')).toBe('')
    expect(git('log', '-1', '--format=%s %D')).toBe('Release 9.0.0 HEAD -> main, tag: v9.0.0')
    git('checkout', '--quiet', 'HEAD~')
    expect(`${git('tag', '--list', '--format=%(contents)', 'v9.0.0')}\n`).toBe(notesOf('9.0.0'))
  })

  it('is rehearsed whole, with placeholders and old facts: tarballs, commit, tag, publishing', () => {
    // One more package, as a later change may add it.
    mkdirSync(join(home, 'more'))
    write('more/package.json', '{\n  "version": "0.1.0",\n  "name": "@hallpass/more"\n}\n')
    changeJson('package.json', ({ workspaces }) => void workspaces.push('more'))
    changeJson('package-lock.json', ({ packages }) => {
      packages['more'] = { version: '0.1.0' }
    })
    change([], String)
    const [head, tags] = [git('rev-parse', 'HEAD'), git('tag')]

    const { status, output } = release('9.0.0', '--dry-run', '--today', SOME_OLD)
    expect(output).toContain('A real release refuses:\n  package.json: homepage is a placeholder')
    expect(status).toBe(0)
    expect([git('rev-parse', 'HEAD'), git('tag')]).toEqual([head, tags])
    expect(git('status', '--porcelain')).toBe('')

    const published = publishedIn(output)
    expect(published).toEqual(['hallpass', 'create-hallpass', 'hallpass-demo', '@hallpass/more'])
    const files = filesOfTarballs(output)
    for (const name of published.slice(0, -1))
      expect(files[name]).toEqual(expect.arrayContaining(['LICENSE', 'README.md']))
    expect(files['hallpass']).toEqual(
      expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'llms.txt']),
    )
    expect(files['hallpass-demo']).toEqual(
      expect.arrayContaining(['NOTICES.txt', 'dist/main.mjs', 'index.mjs']),
    )
    const templates =
      'agents common fastify hono members minimal schools server store workers'.split(' ')
    expect(
      files['create-hallpass']!.filter((path) => path.startsWith('templates/')).sort(),
    ).toEqual(
      git('ls-files', ...templates.map((name) => `examples/${name}`))
        .split('\n')
        .filter((path) => !path.endsWith('/README.md'))
        .map((path) => path.replace('examples/', 'templates/'))
        .sort(),
    )

    expect(output).toContain('\ntag v9.0.0\nTagger: Test <test@school.example>\n')
    expect(output).toContain(`\n\n${notesOf('9.0.0')}\ncommit `)
    expect(output).toContain('\n    Release 9.0.0\n')
    const inManifest = '+  "version": "9.0.0"'
    const isFor = '    "hallpass": "^9"'
    expect(addedIn(output)).toEqual([
      ['CHANGELOG.md', `+## 9.0.0 - ${SOME_OLD}`],
      ['more/package.json', inManifest],
      [
        'package-lock.json',
        inManifest,
        ...Array<string>(3).fill('+      "version": "9.0.0"'),
        ...Array<string>(2).fill(`+    ${isFor}`),
        '+      "version": "9.0.0"',
      ],
      ['package.json', inManifest],
      ['packages/create-hallpass/package.json', inManifest],
      ['packages/hallpass-demo/package.json', inManifest],
      ...FOLLOWERS.map((path) => [path, `+${isFor}`]),
    ])
  })

  it('releases a package with a version of its own alone, with warnings about old facts', () => {
    const { status, output } = release('hallpass-lab', '9.1.0', '--dry-run', '--today', SOME_OLD)
    expect(status).toBe(0)
    expect(publishedIn(output)).toEqual(['hallpass-lab'])
    expect(filesOfTarballs(output)['hallpass-lab']).toEqual(
      expect.arrayContaining(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist/index.js']),
    )
    const old = realClients.filter(({ asOf }) => isOld(asOf, SOME_OLD))
    expect(old.length).toBeGreaterThan(0)
    expect(output).toContain('\ntag hallpass-lab-v9.1.0\nTagger: Test <test@school.example>\n')
    const changelog = 'packages/hallpass-lab/CHANGELOG.md'
    expect(output).toContain(`\n\n${notesOf('9.1.0', 'hallpass-lab', changelog)}
### Warnings

\`realClients\` has facts about these clients that are more than 90 days old:

${old.map(({ name, asOf }) => `- ${name}, as of ${asOf}\n`).join('')}
commit `)
    expect(output).toContain('\n    Release hallpass-lab 9.1.0\n')
    expect(addedIn(output)).toEqual([
      ['package-lock.json', '+      "version": "9.1.0"'],
      [changelog, `+## 9.1.0 - ${SOME_OLD}`],
      ['packages/hallpass-lab/package.json', '+  "version": "9.1.0"'],
    ])
  })
})

/** The packages that npm says it would publish. */
function publishedIn(output: string): readonly string[] {
  return [...output.matchAll(/^\+ (\S+)@9\.\d\.0$/gm)].map(([, name]) => name!)
}

/** The lines that the commit adds to each file. */
function addedIn(output: string): readonly (readonly (string | undefined)[])[] {
  return output
    .split('\ndiff --git a/')
    .slice(1)
    .map((diff) => [diff.split(' ')[0], ...(diff.match(/^\+[^+].*?(?=,?$)/gm) ?? [])])
}

/** What npm says is in the tarballs, by the name of the package. */
function filesOfTarballs(output: string): Readonly<Record<string, readonly string[]>> {
  const lists = output.matchAll(
    / (\S+)@9\.\d\.0\nnpm notice Tarball Contents\n((?:npm notice \S+B .+\n)+)/g,
  )
  return Object.fromEntries(
    [...lists].map(([, name, list]) => [
      name,
      list!
        .replaceAll(/^npm notice \S+ /gm, '')
        .trim()
        .split('\n'),
    ]),
  )
}
