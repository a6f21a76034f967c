// npm runs this after `npm pack`, so that the links of a tarball are the same as in a release. `npm publish` keeps its
// tarball in memory, where nothing can change it: `npm run release` packs first.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { tsImport } from 'tsx/esm/api'
import { linkToRepository } from './tarball-links.mjs'

const { INIT_CWD = '.', npm_package_name: name, npm_package_version: version } = process.env
const folder = process.env.npm_config_pack_destination ?? '.'
const tarball = resolve(INIT_CWD, folder, `${name}-${version}.tgz`)
if (existsSync(tarball)) {
  const { packedText: rewrite } = await tsImport('./packed.ts', import.meta.url)
  const linked = linkToRepository(tarball, { tag: `v${version}`, rewrite })
  const missing = linked.filter((path) => !existsSync(path))
  if (missing.length > 0) throw new Error(`pages link to ${missing.join(', ')}`)
}
