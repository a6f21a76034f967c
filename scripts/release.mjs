// One command for a release: checks, versions, changelog, everything CI runs, commit, tag, publish.
// `npm run release -- 0.2.0 --dry-run` does all of it except what leaves this machine. Until the commit, any
// failure restores the files.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fileURLToPath } from 'node:url'
import { tsImport } from 'tsx/esm/api'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const WORKSPACES = ['create-hallpass', 'hallpass-demo']
const MANIFESTS = ['package.json', ...WORKSPACES.map((name) => `${name}/package.json`)]
const CHANGED = [...MANIFESTS, 'package-lock.json', 'CHANGELOG.md']
const FORM = /^(\d+)\.(\d+)\.(\d+)(?:-[a-z\d.]+)?$/

const { values, positionals } = parseArgs({
  options: {
    'dry-run': { type: 'boolean' },
    'skip-ci': { type: 'boolean' },
    today: { type: 'string', default: new Date().toISOString().slice(0, 10) },
  },
  allowPositionals: true,
})
const [version = ''] = positionals
const isDry = values['dry-run'] === true
const read = (path) => readFileSync(join(ROOT, path), 'utf8')
const write = (path, text) => writeFileSync(join(ROOT, path), text)
const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
const run = (command, ...args) => execFileSync(command, args, { cwd: ROOT, stdio: 'inherit' })

/** How old the facts about a client may be, in days. */
const MAX_AGE_DAYS = 90
const { realClients } = await tsImport('../src/mcp-clients/clients.ts', import.meta.url)

/** Returns the clients whose facts are too old for a release. */
function oldFacts() {
  const today = dayOf(values.today)
  if (today === null) return [`"${values.today}" is not a day such as 2026-11-23`]
  return realClients
    .filter(({ asOf }) => today - dayOf(asOf) > MAX_AGE_DAYS)
    .map(({ name, asOf }) => `${name}: its facts are of ${asOf}; compare them with its sources`)
}

/** Returns the number of a day, or `null` if the text is not one. */
function dayOf(text) {
  const day = Date.parse(`${text}T00:00:00Z`) / 86_400_000
  const isDay = Number.isInteger(day) && new Date(day * 86_400_000).toISOString().startsWith(text)
  return isDay ? day : null
}

/** Returns the problems that prevent a release. */
function problems() {
  const found = oldFacts()
  const current = JSON.parse(read('package.json')).version
  if (!FORM.test(version)) found.push(`"${version}" is not a version such as 0.2.0`)
  else if (git('tag', '--list', `v${version}`) !== '') found.push(`the tag v${version} exists`)
  else if (isOlder(version, current)) found.push(`${version} is older than ${current}`)
  if (git('status', '--porcelain') !== '') found.push('the working tree has changes')
  if (!isDry && git('branch', '--show-current') !== 'main') found.push('the branch is not main')
  if (!/^## Unreleased\n+(?!## )\S/m.test(read('CHANGELOG.md')))
    found.push('CHANGELOG.md has nothing under "Unreleased"')
  for (const path of MANIFESTS)
    for (const [field, value] of Object.entries(JSON.parse(read(path))))
      if (/\.example\b/.test(JSON.stringify(value)))
        found.push(`${path}: ${field} is a placeholder: ${JSON.stringify(value)}`)
  return found
}

function isOlder(one, other) {
  const [a, b] = [one, other].map((text) => FORM.exec(text).slice(1, 4).map(Number))
  const at = a.findIndex((number, index) => number !== b[index])
  return at !== -1 && a[at] < b[at]
}

const found = problems()
if (found.length > 0) {
  console.error(`Not released:\n${found.map((problem) => `  ${problem}\n`).join('')}`)
  process.exit(1)
}

const date = new Date().toISOString().slice(0, 10)
for (const path of MANIFESTS)
  write(path, read(path).replace(/^( {2}"version": )"[^"]*"/m, `$1"${version}"`))
write(
  'CHANGELOG.md',
  read('CHANGELOG.md').replace(/^## Unreleased\n/m, `## Unreleased\n\n## ${version} - ${date}\n`),
)
// Not by `npm install`: it would also write into `node_modules`.
const lock = JSON.parse(read('package-lock.json'))
for (const one of [lock, ...['', ...WORKSPACES].map((name) => lock.packages[name])])
  one.version = version
write('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)
let isCommitted = false
try {
  if (values['skip-ci'] !== true) run('bash', '.ci/run')
  run('npm', 'run', 'build')
  if (isDry) {
    run('npm', 'publish', '--dry-run', '--ignore-scripts')
    for (const name of WORKSPACES) run('npm', 'publish', '--dry-run', '--workspace', name)
    console.log(`\nWould commit, tag v${version} and publish:\n${git('diff', '--stat')}`)
  } else {
    git('commit', '--all', '--message', `Release ${version}`)
    isCommitted = true
    git('tag', '--annotate', `v${version}`, '--message', `hallpass ${version}`)
    run('npm', 'publish', '--provenance', '--access', 'public')
    for (const name of WORKSPACES)
      run('npm', 'publish', '--provenance', '--access', 'public', '--workspace', name)
    console.log(`\nReleased ${version}. Now: git push --follow-tags`)
  }
} finally {
  if (!isCommitted) git('checkout', '--', ...CHANGED)
}
