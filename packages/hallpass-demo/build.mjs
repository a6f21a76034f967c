// Builds the example school into `dist`, and collects the licenses of what is in it. `--remove` deletes both.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from '../../scripts/build-express.mjs'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const ROOT = join(HERE, '../..')
const OUT = join(HERE, 'dist')
const NOTICES = join(HERE, 'NOTICES.txt')

for (const path of [OUT, NOTICES]) rmSync(path, { recursive: true, force: true })
if (!process.argv.includes('--remove')) {
  const packages = await bundle(OUT)
  writeFileSync(NOTICES, packages.map(noticeOf).join('\n'))
}

/** Returns the license of a package, as its folder has it. */
function noticeOf(folder) {
  const path = join(ROOT, folder)
  const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
  const file = readdirSync(path).find((one) => /^licen[cs]e(?:\.|$)/i.test(one))
  const text = file === undefined ? '' : `\n${readFileSync(join(path, file), 'utf8').trim()}\n`
  return `${'-'.repeat(80)}\n${name} ${version} (${license})\n${text}`
}
