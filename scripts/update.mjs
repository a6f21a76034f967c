// Updates every package to the newest version of its own range, runs what must hold, and prints what changed. Versions
// younger than a week are left for the next time: by then most harmful releases are found, and registries that lag
// behind have all parts of it. Run it on the oldest supported line of Node: a package that needs a newer one is an
// error. `npm run update -- --days 0` takes what was published today; `--only-install` leaves the checks out.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: { days: { type: 'string', default: '7' }, 'only-install': { type: 'boolean' } },
})
const before = new Date(Date.now() - Number(values.days) * 86_400_000).toISOString()
const run = (command, ...args) => execFileSync(command, args, { stdio: 'inherit' })

/** Returns what the lock file installs: the version of each place, and the names that a manifest here has. */
function lock() {
  const places = Object.entries(JSON.parse(readFileSync('package-lock.json', 'utf8')).packages)
  const [installed, manifests] = [true, false].map((is) =>
    places.filter(([place]) => place.includes('node_modules/') === is),
  )
  const names = manifests.flatMap(([, one]) =>
    Object.keys({ ...one.dependencies, ...one.devDependencies }),
  )
  return {
    versions: new Map(installed.map(([place, { version }]) => [place, version])),
    names: new Set(names),
  }
}

const old = lock()
run('npm', 'update', '--save', '--ignore-scripts', `--before=${before}`)
run('npm', 'ci', '--ignore-scripts', '--engine-strict')
const { versions, names } = lock()

const changed = [...new Set([...old.versions.keys(), ...versions.keys()])].filter(
  (place) => old.versions.get(place) !== versions.get(place),
)
const direct = changed.filter((place) => names.has(place.split('node_modules/').at(-1)))
const rows = direct.map((place) => `${place} ${old.versions.get(place)} -> ${versions.get(place)}`)
console.log(`\n${rows.join('\n')}\n${changed.length - direct.length} others changed.\n`)
if (values['only-install'] !== true) run('bash', '.ci/run')
