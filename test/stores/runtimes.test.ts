import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, expect, it } from 'vitest'
import { startChild } from '../support/processes/child.js'
import { ROOT } from '../support/source/root.js'
import { checksOver, sqliteOn } from './checks.js'

const load = createRequire(import.meta.url)
const folder = mkdtempSync(join(tmpdir(), 'hallpass-runtimes-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Puts a program of this folder and the source of the library into one file. */
async function bundle(name: string): Promise<string> {
  const outfile = join(folder, `${name}.mjs`)
  await build({
    entryPoints: [`${ROOT}test/stores/${name}.ts`],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    external: ['bun:sqlite', 'node:*'],
    alias: Object.fromEntries(
      ['sqlite', 'testing'].map((entry) => [`hallpass/${entry}`, `${ROOT}src/${entry}.ts`]),
    ),
  })
  return outfile
}

const ALL = { checks: checksOver(sqliteOn(() => () => [])).length, failures: [] }

it('passes every check in a Durable Object of workerd, without compatibility flags', async () => {
  const { Miniflare } = load('miniflare') as {
    Miniflare: new (options: object) => {
      dispatchFetch(url: string): Promise<Response>
      dispose(): Promise<void>
    }
  }
  const server = new Miniflare({
    modules: true,
    script: readFileSync(await bundle('durable-object'), 'utf8'),
    durableObjects: { SCHOOL: { className: 'School', useSQLite: true } },
    compatibilityDate: '2026-04-01',
  })
  try {
    const response = await server.dispatchFetch('https://school.example/')
    expect(await response.json()).toEqual(ALL)
  } finally {
    await server.dispose()
  }
})

it('passes every check in Bun, on a file', async () => {
  const platform = `@oven/bun-${process.platform}-${process.arch}/package.json`
  // The package `bun` would choose one by a script at its installation.
  const bun = join(dirname(createRequire(load.resolve('bun/package.json')).resolve(platform)), 'bin/bun') // prettier-ignore
  const { ended, output } = startChild(bun, [await bundle('bun'), join(folder, 'bun.db')])
  expect(await ended, output()).toBe(0)
  expect(JSON.parse(output())).toEqual(ALL)
})
