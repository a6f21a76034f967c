import { execFile } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path/posix'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PAGES } from '../support/docs/pages.js'
import { readSource } from '../support/source/compile.js'
import { ROOT } from '../support/source/root.js'
import type { openCopiedHost } from './support/copied-host.js'

const TSC = `${ROOT}node_modules/@typescript/native/bin/tsc`
const SCHOOL = 'examples/school/src/'
const imported = new Map<string, readonly string[]>()

/** The files of the repository that a file imports, those of types too. */
function importsOf(path: string): readonly string[] {
  const known = imported.get(path)
  if (known !== undefined) return known
  const found = ts
    .preProcessFile(readSource(path), true, true)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => /^\..*\.js$/.test(name))
    .map((name) => join(path, '..', name).replace(/\.js$/, '.ts'))
  imported.set(path, found)
  return found
}

/** A file with all that it imports, directly and through others. */
function sliceOf(...entries: readonly string[]): readonly string[] {
  const slice = new Set(entries)
  for (const path of slice) for (const name of importsOf(path)) slice.add(name)
  return [...slice].sort()
}

const CONNECTED_APPS = sliceOf(`${SCHOOL}applications/connected-apps.ts`)
const MANAGEMENT = sliceOf(`${SCHOOL}applications/applications.ts`)
/** Wires both areas into a school. */
const WIRING = ['applications/areas.ts']
const FEATURE_FOLDERS = [
  'account',
  'agents',
  'applications',
  'content',
  'courses',
  'custom-pages',
  'events',
  'learning',
  'members',
  'sales',
  'school',
  'subscriptions',
]
const FEATURES = readdirSync(ROOT + SCHOOL, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => FEATURE_FOLDERS.includes(path.split('/', 1)[0]!))
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts') && !WIRING.includes(path))

describe('a feature of the school', () => {
  it('is connected apps in 7 files, and the management of apps in 25', () => {
    expect(CONNECTED_APPS).toHaveLength(7)
    expect(MANAGEMENT).toHaveLength(25)
  })

  it('takes at most 30 files, those of its types included', () => {
    expect(FEATURES).toContain('events/operations.ts')
    const sizes = FEATURES.map((path) => [path, sliceOf(SCHOOL + path).length] as const)
    expect(sizes.filter(([, size]) => size > 30)).toEqual([])
  })

  it('never takes the site', () => {
    const whole = ['open.ts', 'school-site.ts', 'site.ts', 'demo/site.ts']
    const taken = FEATURES.flatMap((path) => sliceOf(SCHOOL + path))
    expect(whole.filter((name) => taken.includes(SCHOOL + name))).toEqual([])
  })
})

describe('the areas for apps, copied into another project', () => {
  const HOST = 'test/example/support/copied-host.ts'
  const GLUE = 'examples/school/copied.ts'
  const folder = mkdtempSync(join(tmpdir(), 'copied-'))
  const guide = PAGES.find(({ path }) => path === 'docs/do/copy-areas.md')!.text
  const features = [...new Set([...CONNECTED_APPS, ...MANAGEMENT, `${SCHOOL}sign-in/visitors.ts`])]
  let fetchPage: Awaited<ReturnType<typeof openCopiedHost>>

  beforeAll(async () => {
    for (const path of [...features, GLUE, HOST]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      cpSync(ROOT + path, join(folder, path))
    }
    cpSync(`${ROOT}examples/pages`, join(folder, 'examples/pages'), { recursive: true })
    for (const modules of ['node_modules', 'examples/school/node_modules'])
      symlinkSync(ROOT + modules, join(folder, modules), 'junction')
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
    const config = { extends: `${ROOT}tsconfig.json`, files: [HOST], include: [] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const host = (await import(/* @vite-ignore */ pathToFileURL(join(folder, HOST)).href)) as {
      openCopiedHost: typeof openCopiedHost
    }
    fetchPage = await host.openCopiedHost()
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const get = async (path: string): Promise<string> => {
    const cookie = `__Host-school=${'v'.repeat(43)}`
    const response = await fetchPage(
      new Request(`https://school.example${path}`, { headers: { cookie } }),
    )
    expect([path, response.status]).toEqual([path, 200])
    return response.text()
  }

  it('compile with the strict options of the repository, and no other file', async () => {
    const said = await new Promise((resolve) => {
      execFile(process.execPath, [TSC, '-p', '.'], { cwd: folder }, (_, stdout) => resolve(stdout))
    })
    expect(said).toBe('')
  })

  it('serve connected apps, and the management of an app', async () => {
    expect(await get('/oauth/authorized_applications')).toContain('<h1>Connected apps</h1>')
    expect(await get('/oauth/applications/study-buddy')).toContain('Study Buddy')
    expect(await get('/.well-known/oauth-authorization-server')).toContain('"issuer"')
  })

  it('are the files that the guide names', () => {
    const names = [...guide.matchAll(/`((?:applications|sign-in)\/[\w-]+\.ts)`/g)]
    const named = new Set(names.map(([, name]) => SCHOOL + name!))
    const copied = features.filter((path) => path.startsWith(SCHOOL))
    expect([...named].toSorted()).toEqual(copied.toSorted())
  })

  it('need at most 15 lines each', () => {
    const glue = [...readSource(GLUE).matchAll(/^export function [^]*?^\}$/gm)]
    expect(glue).toHaveLength(2)
    for (const [code] of glue) expect(code.split('\n').length).toBeLessThanOrEqual(15)
  })
})
