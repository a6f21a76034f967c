import { readFileSync } from 'node:fs'
import { format, resolveConfig } from 'prettier'
import { describe, expect, it } from 'vitest'
import { API_STEPS, LIBRARIES, STEPS } from './real-clients/clients.js'
import { connectALibrary, readmeLine, tables } from './real-clients/pages.js'
import { entryOf, recordedWith } from './real-clients/recording.js'
import { ROOT } from './support/source/root.js'

const LIBRARY_PAGE = `${ROOT}docs/do/connect-a-library.md`
const README = `${ROOT}README.md`
const CLIENTS_PAGE = `${ROOT}docs/look-up/clients.md`

const written = async (path: string, text: string): Promise<string> =>
  format(text, { ...(await resolveConfig(path)), parser: 'markdown' })

// `npx vitest run test/connect-a-library.test.ts -u` writes the pages anew.
describe('the rows of the clients that others wrote', () => {
  it('are at least thirty, each with a name of its own', () => {
    const names = LIBRARIES.map(({ name }) => name)
    expect(names).toEqual([...new Set(names)])
    expect(new Set(LIBRARIES.map(({ name, npm = name }) => npm)).size).toBeGreaterThanOrEqual(30)
  })

  it('have a lock file that names no registry', () => {
    const lock = readFileSync(`${ROOT}test/real-clients/package-lock.json`, 'utf8')
    expect(lock).toContain('"node_modules/openid-client"')
    expect(lock).not.toContain('"resolved"')
  })

  it('have the steps of their kind', () => {
    const others = LIBRARIES.flatMap(({ name, family, steps }) =>
      Object.keys(steps)
        .filter((step) => !Object.hasOwn(family === 'api' ? API_STEPS : STEPS, step))
        .map((step) => `${name}: ${step}`),
    )
    expect(others).toEqual([])
  })

  it('say what is to be set wherever a step needs it', () => {
    const silent = LIBRARIES.filter(
      ({ settings = [], steps }) =>
        settings.length === 0 && Object.values(steps).includes('setting'),
    )
    expect(silent).toEqual([])
  })

  it('are those of which `realClients` has recordings, of that day and version', () => {
    const recorded = LIBRARIES.flatMap((library) => {
      const entry = entryOf(library)
      return entry === undefined ? [] : [{ library, entry }]
    })
    expect(recorded.map(({ entry }) => entry.name)).toEqual([
      'Claude Code',
      'Codex',
      'OpenCode',
      'Gemini CLI',
      'mcp-remote',
      'MCP Inspector',
    ])
    for (const { library, entry } of recorded) {
      const { asOf, note } = recordedWith(library)
      expect(entry).toMatchObject({ asOf, notes: expect.arrayContaining([note]) })
    }
  })

  it('are what docs/do/connect-a-library.md says', async () => {
    await expect(await written(LIBRARY_PAGE, connectALibrary())).toMatchFileSnapshot(LIBRARY_PAGE)
  })

  it('are what the README says', async () => {
    const page = readFileSync(README, 'utf8')
    const next = page.replace(/^CI runs \d+ clients .*$/m, () => readmeLine())
    expect(next).toContain(readmeLine())
    await expect(next).toMatchFileSnapshot(README)
  })

  it('are what the tables of docs/look-up/clients.md say', async () => {
    const page = readFileSync(CLIENTS_PAGE, 'utf8')
    const section = /^## Clients that were run$[^]*?(?=^## |(?![^]))/m
    const next = page.replace(section, () => `${tables()}\n\n`)
    await expect(await written(CLIENTS_PAGE, next)).toMatchFileSnapshot(CLIENTS_PAGE)
  })
})
