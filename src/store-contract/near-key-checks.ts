import type { StoreWith } from '../store/groups.js'
import { type Promised, same, settles } from './check.js'
import {
  clientSample,
  codeSample,
  eventSample,
  keySample,
  pendingSample,
  redemption,
  rotation,
  T,
} from './samples.js'

/**
 * Keys, each with texts that a database may take for it: spaces, case, accents, another Unicode normalization, a NUL, signs
 * of a pattern, other spellings of a number.
 */
const KEYS: readonly (readonly [key: string, ...near: string[]])[] = [
  [
    'Caf\u00e9_1',
    'Caf\u00e9_1 ',
    ' Caf\u00e9_1',
    'caf\u00e9_1',
    'CAF\u00c9_1',
    'Cafe_1',
    'Cafe\u0301_1',
  ],
  ['app_1', 'app_1\0', 'app_1\0a', 'app%', 'app-1', '\ufeffapp_1', 'app_1\t'],
  ['1', '01', '1.0', '1e0', '+1'],
]

type Ask = readonly [what: string, answer: unknown, ask: (near: string) => Promise<unknown>]

/** Stores something under each key, and asks for it under what is only similar. */
async function tellsApart(
  store: StoreWith,
  asksOf: (key: string) => readonly Ask[],
): Promise<void> {
  for (const [key, ...nears] of KEYS) {
    await storeUnder(store, key)
    for (const near of nears)
      for (const [what, answer, ask] of asksOf(key)) {
        const settled = await settles(ask(near))
        // A database may refuse a NUL, under which then nothing can be found.
        if (settled === null && near.includes('\0')) continue
        same(settled?.value, answer, `${what} under ${JSON.stringify(near)} next to "${key}"`)
      }
  }
}

/** Stores one of everything under a key. */
export async function storeUnder(store: StoreWith, key: string): Promise<void> {
  const one = redemption()
  const client = clientSample({ clientId: key })
  same(await store.insertClient(client, [eventSample({ id: key })]), 'inserted', 'insertClient')
  same(await store.insertKey(keySample({ kid: key })), 'inserted', 'insertKey')
  await store.savePending(pendingSample({ idHash: key }))
  for (const codeHash of [key, `open ${key}`]) {
    const code = codeSample({ codeHash, subject: key, grantId: key, clientId: key })
    const outcome = await store.issueCode({ code, pendingIdHash: null, consentKey: key })
    same(outcome, 'issued', 'issueCode')
  }
  const redeemed = await store.redeemCode({
    codeHash: key,
    redeemedAt: T,
    grant: { ...one.grant, grantId: key, subject: key, clientId: key },
    accessToken: { ...one.accessToken, tokenHash: key, grantId: key },
    refreshToken: { ...one.refreshToken, tokenHash: key, grantId: key },
  })
  same(redeemed, 'redeemed', 'redeemCode')
  same((await store.findPending(key))?.idHash, key, 'findPending')
  same(await store.hasConsent(key), true, 'hasConsent')
  same((await store.findAccessToken(key))?.accessToken.tokenHash, key, 'findAccessToken')
  same((await store.findRefreshToken(key))?.refreshToken.tokenHash, key, 'findRefreshToken')
}

const PAGE = { after: null, limit: 9, now: T }
const ENDED = { revokedAt: T, revokedReason: 'test' }

/** The checks of keys that differ in little. */
export const nearKeyChecks: readonly Promised[] = [
  {
    name: 'finds nothing under a key that only resembles one, and changes nothing',
    async check(store) {
      const { accessToken, refreshToken, grant } = redemption('late')
      await tellsApart(store, (key) => [
        ['findClient', null, (near) => store.findClient(near)],
        ['findPending', null, (near) => store.findPending(near)],
        ['hasConsent', false, (near) => store.hasConsent(near)],
        ['findCode', null, (near) => store.findCode(near)],
        ['findAccessToken', null, (near) => store.findAccessToken(near)],
        ['findRefreshToken', null, (near) => store.findRefreshToken(near)],
        [
          'listGrants of a client',
          [],
          (near) => store.listGrants({ ...PAGE, of: { clientId: near } }),
        ],
        [
          'listGrants of a person',
          [],
          (near) => store.listGrants({ ...PAGE, of: { subject: near } }),
        ],
        ['endPending', 'gone', (near) => store.endPending(near)],
        [
          'redeemCode',
          'missing',
          (near) =>
            store.redeemCode({
              codeHash: `open ${near}`,
              redeemedAt: T,
              grant,
              accessToken,
              refreshToken,
            }),
        ],
        [
          'rotateRefreshToken',
          'missing',
          (near) => store.rotateRefreshToken({ ...rotation('0', '1'), tokenHash: near }),
        ],
        [
          'revokeAccessToken',
          'missing',
          (near) => store.revokeAccessToken({ tokenHash: near, revokedAt: T }),
        ],
        ['revokeGrant', 'missing', (near) => store.revokeGrant({ grantId: near, ...ENDED })],
        [
          'moveKey',
          'conflict',
          (near) =>
            store.moveKey({ key: keySample({ kid: near, state: 'retired' }), from: 'generated' }),
        ],
        [
          'replaceClient',
          'missing',
          (near) => store.replaceClient(clientSample({ clientId: near, revision: 2 })),
        ],
        [
          'insertClient',
          'inserted',
          (near) => store.insertClient(clientSample({ clientId: near })),
        ],
        ['insertKey', 'inserted', (near) => store.insertKey(keySample({ kid: near }))],
        ['findClient of the key', key, async () => (await store.findClient(key))?.clientId],
      ])
    },
  },
]

export const nearManagementChecks: readonly Promised<StoreWith<'management'>>[] = [
  {
    name: 'ends nothing of a client or a person whose identifier only resembles',
    check: (store) =>
      tellsApart(store, (key) => [
        [
          'revokeGrantsOfClient',
          0,
          (near) => store.revokeGrantsOfClient({ clientId: near, ...ENDED }),
        ],
        [
          'revokeGrants of a person',
          0,
          (near) => store.revokeGrants({ clientId: key, subject: near, ...ENDED }),
        ],
        ['findCode of the key', key, async () => (await store.findCode(`open ${key}`))?.subject],
      ]),
  },
]

export const nearStepUpChecks: readonly Promised<StoreWith<'stepUp'>>[] = [
  {
    name: 'finds and widens no grant whose identifier only resembles',
    check: (store) =>
      tellsApart(store, () => [
        ['findGrant', null, (near) => store.findGrant(near)],
        ['widenGrant', 'gone', (near) => store.widenGrant({ grantId: near, scopes: ['email'] })],
      ]),
  },
]

export const nearOutboxChecks: readonly Promised<StoreWith<'outbox'>>[] = [
  {
    name: 'deletes no event whose identifier only resembles',
    check: (store) =>
      tellsApart(store, (key) => [
        ['deleteEvents', undefined, (near) => store.deleteEvents([near])],
        [
          'listEvents',
          true,
          async () => (await store.listEvents({ limit: 100 })).some(({ id }) => id === key),
        ],
      ]),
  },
]

export const nearErasureChecks: readonly Promised<StoreWith<'erasure'>>[] = [
  {
    name: 'erases no person whose subject only resembles',
    check: (store) =>
      tellsApart(store, (key) => [
        [
          'erasePerson',
          0,
          async (near) =>
            (await store.erasePerson({ subject: near, loginHints: [], erasedAt: T })).grants,
        ],
        ['findCode of the key', key, async () => (await store.findCode(`open ${key}`))?.subject],
      ]),
  },
]

export const nearOnceChecks: readonly Promised<StoreWith<'once'>>[] = [
  {
    name: 'lets a key be used that only resembles a used one',
    async check(store) {
      for (const [key, ...nears] of KEYS) {
        same(await store.useOnce({ key, until: T, claim: 'own' }), 'first', 'useOnce')
        for (const near of nears) await settles(store.giveBack({ key: near, claim: 'own' }))
        same(await store.useOnce({ key, until: T }), 'again', `useOnce of "${key}" after giveBack`)
      }
      for (const [, ...nears] of KEYS)
        for (const near of nears) {
          const settled = await settles(store.useOnce({ key: near, until: T }))
          if (settled !== null || !near.includes('\0'))
            same(settled?.value, 'first', `useOnce of ${JSON.stringify(near)}`)
        }
    },
  },
]
