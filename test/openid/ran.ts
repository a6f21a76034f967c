import { readFileSync } from 'node:fs'
import { ROOT } from '../support/source/root.js'

/** One plan of a run. */
export interface RanPlan {
  readonly name: string
  readonly modules: readonly (readonly [module: string, result: string, seconds: number])[]
  /** SHA-256 of the suite's own export, a zip file, as hex. */
  readonly digest: string
  readonly bytes: number
}

/** What `npm run test:openid -- --write` writes down. */
export interface Ran {
  readonly ranOn: string
  readonly commit: string
  readonly versions: Readonly<Record<'suite' | 'node' | 'postgresql' | 'nginx', string>>
  readonly plans: Readonly<Record<string, RanPlan>>
}

export const RAN_FILE = `${ROOT}test/openid/ran.json`
export const ran = (): Ran => JSON.parse(readFileSync(RAN_FILE, 'utf8')) as Ran
