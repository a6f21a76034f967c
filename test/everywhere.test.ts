import { readFileSync } from 'node:fs'
import { format, resolveConfig } from 'prettier'
import { describe, expect, it } from 'vitest'
import { CELLS, FRAMEWORKS } from './everywhere/cells.js'
import { nameOf, ran, readmeSentence, runtimesPage } from './everywhere/pages.js'
import { ROOT } from './support/source/root.js'

const README = `${ROOT}README.md`
const RUNTIMES_PAGE = `${ROOT}docs/look-up/runtimes.md`

const written = async (path: string, text: string): Promise<string> =>
  format(text, { ...(await resolveConfig(path)), parser: 'markdown' })

// `npm run test:everywhere -- --write` runs the cells and writes down which were green;
// `npx vitest run test/everywhere.test.ts -u` writes the pages anew.
describe('the cells of runtimes, frameworks and databases', () => {
  it('were all green in the run that the pages are of', () => {
    expect(ran().cells).toEqual(CELLS.map(nameOf))
    expect(ran().ranOn).toMatch(/^\d{4}-\d\d-\d\d$/)
  })

  it('have a lock file that names no registry', () => {
    const lock = readFileSync(`${ROOT}test/everywhere/package-lock.json`, 'utf8')
    expect(lock).toContain('"node_modules/fastify"')
    expect(lock).not.toContain('"resolved"')
  })

  it('are of every framework and runtime that has a guide', () => {
    const { 1: list = '' } = /tells you how\]\(frameworks\.md\):\n\n([^]*?)\n\n/.exec(
      readFileSync(`${ROOT}docs/do/existing-backend.md`, 'utf8'),
    )!
    const guides = [...list.matchAll(/\(([\w-]+\.md(?:#[\w-]+)?)\)/g)].map(
      ([, name]) => `docs/do/${name!}`,
    )
    const run = new Set(CELLS.map(({ mount }) => mount.page).filter((page) => page !== null))
    expect(new Set(guides)).toEqual(run)
    expect(FRAMEWORKS.length).toBeGreaterThan(8)
  })

  it('are what the README says', async () => {
    const page = readFileSync(README, 'utf8')
    const sentence = /^On \d{4}-\d\d-\d\d, `npm run test:everywhere`.*$/m
    expect(page).toMatch(sentence)
    const next = page.replace(sentence, () => readmeSentence())
    await expect(await written(README, next)).toMatchFileSnapshot(README)
  })

  it('are what docs/look-up/runtimes.md says', async () => {
    await expect(await written(RUNTIMES_PAGE, runtimesPage())).toMatchFileSnapshot(RUNTIMES_PAGE)
  })
})
