import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LIBRARIES, type RealLibrary } from './clients.js'
import { differences, live } from './life.js'
import { entryOf, unlike } from './recording.js'
import { startSchool } from './school.js'

/** What `scripts/test-clients.mjs` could not install, and has said so. */
const LEFT_OUT = process.env['HALLPASS_CLIENTS_WITHOUT'] ?? ''

/** One of each kind, for a commit: `--few`. */
const FEW = ['openid-client', '@modelcontextprotocol/client', 'mcp-remote']
const which = process.env['HALLPASS_CLIENTS']
const chosen = LIBRARIES.filter(({ name, family }) => {
  if (which === 'few') return FEW.includes(name)
  return which === 'java' ? family === 'java' : family !== 'java' && family !== LEFT_OUT
})

// Programs take longest, and begin first.
const there = chosen.toSorted(
  (one, other) => Number(other.family === 'agents') - Number(one.family === 'agents'),
)
const ofDebian = there.flatMap(({ debian }) => debian ?? [])
const ofMaven = there.flatMap(({ maven }) => maven ?? [])

let school: Awaited<ReturnType<typeof startSchool>>
beforeAll(async () => {
  school = await startSchool()
})
afterAll(() => school?.close())

describe('a client that others wrote', () => {
  it.concurrent.each(there)('lives as its row says: $name', async (client: RealLibrary) => {
    const entry = entryOf(client)
    const recorded = entry === undefined ? undefined : await school.record(client.name)
    const life = await live(recorded ?? school, client)
    const wrong = [
      ...differences(client, life),
      ...(recorded === undefined ? [] : unlike(entry!, recorded.client(), client)),
    ]
    if (wrong.length === 0) return
    const record = await school.attemptsOf(life.clientId)
    throw new Error(
      [`${client.name} does not live as its row says:`, ...wrong, record, life.rest].join('\n'),
    )
  })
})

it.each(ofDebian)('a package of Debian has the version that its row says: $name', async (row) => {
  const args = ['-W', '-f', '${Version}', row.name]
  const { stdout } = await promisify(execFile)('dpkg-query', args)
  expect(stdout.split(/[-+]/, 1)[0]).toBe(row.version)
})

it.each(ofMaven)(
  'a package of Maven has the version that its row says: $name',
  ({ name, version }) => {
    expect(process.env['CLASSPATH']).toContain(`/${name}-${version}.jar`)
  },
)
