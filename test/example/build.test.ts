import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { bundle } from '../../scripts/build-express.mjs'

it('builds what `npm start` runs without waiting for a `dist` of hallpass', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hallpass-build-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const packages = await bundle(folder)

  const built = readdirSync(folder)
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
  // esbuild names each file that it read.
  const files = [...built.matchAll(/^\/\/ ((?:src|dist|packages)\/\S+)$/gm)].map(
    ([, file = '']) => file,
  )
  expect(files).toContain('src/authorization-server/code-grant.ts')
  expect(files).toContain('packages/hallpass-opentelemetry/src/telemetry.ts')
  expect(files.filter((file) => /^(?:packages\/[^/]+\/)?dist\//.test(file))).toEqual([])
  expect(packages).toContain('node_modules/express')
  expect(packages.filter((name) => name.includes('node_modules/hallpass'))).toEqual([])
})
