import type { Store } from 'hallpass/store'
import { expect } from 'vitest'
import {
  clientSample,
  codeSample,
  keySample,
  pendingSample,
  redemption,
  T,
} from '../../../src/store-contract/samples.js'

/** What a database may take for the same text: spaces at the end, case, a NUL, a composed letter, a number. */
export const NEAR_KEYS: readonly (readonly [key: string, near: string])[] = [
  ['app_1', 'app_1 '],
  ['app_1', 'APP_1'],
  ['app_1', 'app_1\0'],
  ['app_1\0a', 'app_1\0b'],
  ['caf\u00e9', 'cafe\u0301'],
  ['app_1', 'app_%'],
  ['1', '01'],
  ['1', '1.0'],
]

/** Stores everything under a key, and finds it by that, and nothing by what is only similar. */
export async function assertDistinct(store: Store, key: string, near: string): Promise<void> {
  await store.insertClient(clientSample({ clientId: key }))
  await store.savePending(pendingSample({ idHash: key }))
  await store.issueCode({
    code: codeSample({ codeHash: key, subject: key, grantId: key }),
    pendingIdHash: null,
    consentKey: key,
  })
  const one = redemption()
  await store.redeemCode({
    codeHash: key,
    redeemedAt: T,
    grant: { ...one.grant, grantId: key, subject: key, clientId: key },
    accessToken: { ...one.accessToken, tokenHash: key, grantId: key },
    refreshToken: { ...one.refreshToken, tokenHash: key, grantId: key },
  })
  await store.insertKey(keySample({ kid: key }))
  await store.useOnce({ key, until: T })
  const found = async (text: string): Promise<readonly boolean[]> => [
    (await store.findClient(text)) !== null,
    (await store.findPending(text)) !== null,
    await store.hasConsent(text),
    (await store.findCode(text)) !== null,
    (await store.findGrant(text)) !== null,
    (await store.findAccessToken(text)) !== null,
    (await store.findRefreshToken(text)) !== null,
    (await store.useOnce({ key: text, until: T })) === 'again',
  ]
  expect(await found(key)).toEqual(Array(8).fill(true))
  expect(await found(near)).toEqual(Array(8).fill(false))
  expect(await store.insertClient(clientSample({ clientId: near }))).toBe('inserted')
  expect(await store.insertKey(keySample({ kid: near }))).toBe('inserted')
  const erasure = { loginHints: [], erasedAt: T }
  expect((await store.erasePerson({ subject: near, ...erasure })).grants).toBe(0)
  expect((await store.erasePerson({ subject: key, ...erasure })).grants).toBe(1)
}
