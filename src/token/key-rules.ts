import { methods, type RequiredRule } from '../options/check.js'
import type { KeyRing, KeySource } from './key-ring.js'

/** The methods of a source of keys that ask the storage. */
export type KeyVerbs = Pick<KeySource, 'jwks' | 'signer'>
export const KEY_VERBS = { jwks: [], signer: [] } as const

const EXAMPLE = 'createKeyRing(site, { sealingSecret })'
const METHODS = { ...KEY_VERBS, refreshSecrets: true } as const

/** The rule of an option that is a source of keys. */
export const keySourceRule: RequiredRule<KeySource> = methods<KeySource>(EXAMPLE, METHODS)
/** The rule of an option that is a key ring, which is a source of keys that can be maintained. */
export const keyRingRule: RequiredRule<KeyRing> = methods<KeyRing>(EXAMPLE, {
  maintain: true,
  ...METHODS,
})
