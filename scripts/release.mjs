// One command for a release: checks, versions, changelog, everything CI runs, tarballs, commit, tag, publish.
// `npm run release -- 0.2.0 --dry-run` rehearses it: every step is the same, but commit and tag are made in a copy of
// the repository, and npm publishes nothing. `npm run release -- hallpass-lab 0.2.0` releases a package that imports
// the library and has a version and a changelog of its own. The message of the tag is the notes of the release: the
// section of the changelog and, for hallpass-lab, a warning for each client whose facts are old. Until the commit, any
// failure restores the files, and a rehearsal restores them in any case.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { fileURLToPath } from 'node:url'
import { tsImport } from 'tsx/esm/api'
import { SIBLINGS } from './siblings.mjs'
import { linkToRepository } from './tarball-links.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FORM = /^(\d+)\.(\d+)\.(\d+)$/

const { values, positionals } = parseArgs({
  options: {
    'dry-run': { type: 'boolean' },
    'skip-ci': { type: 'boolean' },
    today: { type: 'string', default: new Date().toISOString().slice(0, 10) },
  },
  allowPositionals: true,
})
const [version = '', name = 'hallpass'] = positionals.toReversed()
const isSibling = SIBLINGS.includes(name)
const isDry = values['dry-run'] === true
const { today } = values
const read = (path) => readFileSync(join(ROOT, path), 'utf8')
const readJson = (path) => JSON.parse(read(path))
const write = (path, text) => writeFileSync(join(ROOT, path), text)
const run = (command, ...args) => execFileSync(command, args, { cwd: ROOT, stdio: 'inherit' })
/** The variables by which git finds the copy of the repository, during a rehearsal. */
let copy = {}
const git = (...args) =>
  execFileSync('git', args, {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, ...copy },
  }).trim()

// npm lists the root and the workspaces in the lock file.
/** The folders of all packages that are published: those that are not private. */
const PUBLISHED = Object.keys(readJson('package-lock.json').packages).filter(
  (path) => !/\bnode_modules\//.test(path) && readJson(`${path}/package.json`).private !== true,
)
const siblings = SIBLINGS.map((sibling) => `packages/${sibling}`)
/** The folders of the packages that this release is of, which have one version. */
const PACKAGES = isSibling
  ? [`packages/${name}`]
  : PUBLISHED.filter((path) => !siblings.includes(path))
const MANIFESTS = PACKAGES.map((path) => join(path, 'package.json'))
/** The manifests that say which versions of the library they are for: hallpass-audit is for any server. */
const FOLLOWERS = isSibling
  ? []
  : siblings
      .map((path) => join(path, 'package.json'))
      .filter((path) => readJson(path).peerDependencies?.hallpass !== undefined)
const CHANGELOG = isSibling ? `packages/${name}/CHANGELOG.md` : 'CHANGELOG.md'
const CHANGED = [...MANIFESTS, ...FOLLOWERS, 'package-lock.json', CHANGELOG]
const tag = isSibling ? `${name}-v${version}` : `v${version}`
/** The versions of the library that the siblings are for: those without a change that breaks. */
const [line = ''] = /^0\.\d+|^\d+/.exec(version) ?? []
const range = `^${line}`
/** The subject of the commit, without "Release". */
const title = isSibling ? `${name} ${version}` : version

/** Returns what the changelog has under "Unreleased". */
function unreleased() {
  const [, section = ''] = /^## Unreleased\n((?:(?!## ).*\n)*)/m.exec(read(CHANGELOG)) ?? []
  return section.trim()
}

/** Returns the problems that prevent a release, and its rehearsal. */
function problems() {
  const found = []
  const current = readJson(MANIFESTS[0]).version
  if (positionals.length > 2 || (name !== 'hallpass' && !isSibling))
    found.push(`name one of ${['hallpass', ...SIBLINGS].join(', ')} and a version`)
  if (!FORM.test(version)) found.push(`"${version}" is not a version such as 0.2.0`)
  else if (git('tag', '--list', tag) !== '') found.push(`the tag ${tag} exists`)
  else if (isOlder(version, current)) found.push(`${version} is older than ${current}`)
  if (!isDay(today)) found.push(`"${today}" is not a day such as 2026-11-23`)
  if (git('status', '--porcelain') !== '') found.push('the working tree has changes')
  if (unreleased() === '') found.push(`${CHANGELOG} has nothing under "Unreleased"`)
  return found
}

/** Returns the problems that prevent a release, but not its rehearsal. */
function problemsOfRealRelease() {
  const found = []
  if (git('branch', '--show-current') !== 'main') found.push('the branch is not main')
  for (const path of MANIFESTS)
    for (const [field, value] of Object.entries(readJson(path)))
      if (/\.example\b/.test(JSON.stringify(value)))
        found.push(`${path}: ${field} is a placeholder: ${JSON.stringify(value)}`)
  return found
}

function isOlder(one, other) {
  const [a, b] = [one, other].map((text) => FORM.exec(text).slice(1, 4).map(Number))
  const at = a.findIndex((number, index) => number !== b[index])
  return at !== -1 && a[at] < b[at]
}

function isDay(text) {
  const day = new Date(text)
  return !Number.isNaN(day.getTime()) && day.toISOString().slice(0, 10) === text
}

/** Returns the notes of the release: what is new, and which facts about clients are old. */
async function notes() {
  const text = `${name} ${version}\n\n${unreleased()}\n`
  if (name !== 'hallpass-lab') return text
  const { realClients } = await tsImport('../packages/hallpass-lab/src/clients.ts', import.meta.url)
  const { isOld, MOST_DAYS } = await tsImport('./old-facts.ts', import.meta.url)
  const old = realClients.filter(({ asOf }) => isOld(asOf, today))
  const warnings = `\n### Warnings

\`realClients\` has facts about these clients that are more than ${MOST_DAYS} days old:

${old.map(({ name, asOf }) => `- ${name}, as of ${asOf}\n`).join('')}`
  return `${text}${old.length > 0 ? warnings : ''}`
}

/** Copies the repository without its files, so that a rehearsal can commit and tag. */
function copyRepository(folder) {
  git('clone', '--quiet', '--shared', '--no-checkout', ROOT, folder)
  cpSync(resolve(ROOT, git('rev-parse', '--git-path', 'config')), join(folder, '.git/config'))
  copy = { GIT_DIR: join(folder, '.git'), GIT_WORK_TREE: ROOT }
  git('reset', '--quiet')
}

/** Packs the packages, which builds them, and returns the paths of the tarballs. */
function pack(folder) {
  const paths = PACKAGES.map((path) => `./${path}`)
  run('npm', 'pack', '--loglevel=error', '--pack-destination', folder, ...paths)
  const names = MANIFESTS.map((path) => readJson(path).name.replace('@', '').replace('/', '-'))
  const tarballs = names.map((name) => join(folder, `${name}-${version}.tgz`))
  for (const [index, tarball] of tarballs.entries()) {
    const linked = linkToRepository(tarball, { home: PACKAGES[index], tag })
    const missing = linked.filter((path) => !existsSync(join(ROOT, path)))
    if (missing.length > 0) throw new Error(`pages link to ${missing.join(', ')}`)
  }
  return tarballs
}

const missing = problemsOfRealRelease()
const found = isDry ? problems() : [...problems(), ...missing]
const list = (lines) => lines.map((line) => `  ${line}\n`).join('')
if (found.length > 0) {
  console.error(`Not released:\n${list(found)}`)
  process.exit(1)
}

const message = await notes()
const before = new Map(CHANGED.map((path) => [path, read(path)]))
const folder = mkdtempSync(join(tmpdir(), 'hallpass-release-'))
let isCommitted = false
let isPublished = false
try {
  for (const path of MANIFESTS)
    write(path, read(path).replace(/^( {2}"version": )"[^"]*"/m, `$1"${version}"`))
  for (const path of FOLLOWERS)
    write(path, read(path).replace(/^( {4}"hallpass": )"[^"]*"/m, `$1"${range}"`))
  write(CHANGELOG, read(CHANGELOG).replace(/^## Unreleased\n/m, `$&\n## ${version} - ${today}\n`))
  // Not by `npm install`: it would also write into `node_modules`.
  const lock = readJson('package-lock.json')
  for (const path of PACKAGES) lock.packages[path].version = version
  if (!isSibling) lock.version = version
  for (const path of FOLLOWERS.map(dirname)) lock.packages[path].peerDependencies.hallpass = range
  write('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)

  if (values['skip-ci'] !== true) run('npm', 'run', 'check:release')
  const tarballs = pack(folder)
  if (isDry) copyRepository(join(folder, 'repository'))
  git('commit', '--quiet', '--all', '--message', `Release ${title}`)
  isCommitted = !isDry
  git('tag', '--annotate', '--cleanup=whitespace', tag, '--message', message)
  const flags = isDry ? ['--dry-run'] : ['--provenance', '--access', 'public']
  for (const tarball of tarballs) run('npm', 'publish', tarball, ...flags)
  isPublished = true
  console.log(git('show', '--unified=0', tag))
} finally {
  if (!isCommitted) for (const [path, text] of before) write(path, text)
  if (isCommitted && !isPublished) console.error(`The tarballs are in ${folder}`)
  else rmSync(folder, { recursive: true })
}
if (!isDry) console.log(`\nReleased ${title}. Now: git push --follow-tags`)
else if (missing.length > 0) console.log(`\nA real release refuses:\n${list(missing)}`)
