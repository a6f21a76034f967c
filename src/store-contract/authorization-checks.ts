import { type Promised, race, same, tally } from './check.js'
import { clientSample, codeSample, hash, HOSTILE, pendingSample, T } from './samples.js'

const issue = {
  code: codeSample(),
  pendingIdHash: pendingSample().idHash,
  consentKey: hash('consent'),
}

type Pending = ReturnType<typeof pendingSample>

/** The checks of clients, pending requests, consents and codes. */
export const authorizationChecks: readonly Promised[] = [
  {
    name: 'returns a client with every field as it was stored',
    async check(store) {
      const clients = [
        clientSample(),
        clientSample({
          clientId: 'app_2',
          kind: 'loopback',
          tokenEndpointAuthMethod: 'none',
          secrets: [],
          scopes: null,
          disabled: true,
          usedAt: T,
        }),
        clientSample({ clientId: 'app_3', scopes: [], redirectUris: [] }),
        ...HOSTILE.map((name, index) => clientSample({ clientId: `hostile_${index}`, name })),
      ]
      for (const client of clients)
        same(await store.insertClient(client), 'inserted', `insertClient(${client.clientId})`)
      for (const client of clients)
        same(await store.findClient(client.clientId), client, `findClient(${client.clientId})`)
    },
  },
  {
    name: 'does not overwrite a client whose identifier is taken',
    async check(store) {
      await store.insertClient(clientSample())
      same(await store.insertClient(clientSample({ name: 'Thief' })), 'exists', 'insertClient')
      same(await store.findClient('app_1'), clientSample(), 'findClient')
    },
  },
  {
    name: 'inserts a client once when several callers try at the same time',
    isRace: true,
    async check(store) {
      const outcomes = await race(10, (index) =>
        store.insertClient(clientSample({ name: `Number ${index}` })),
      )
      same(tally(outcomes), { exists: 9, inserted: 1 }, 'outcomes')
      const winner = outcomes.indexOf('inserted')
      same((await store.findClient('app_1'))?.name, `Number ${winner}`, 'the client kept')
    },
  },
  {
    name: 'finds nothing under a key that was never stored',
    async check(store) {
      await store.insertClient(clientSample())
      await store.issueCode({ ...issue, pendingIdHash: null })
      for (const key of ['', 'app_', 'APP_1', '*', 'constructor', ...HOSTILE]) {
        same(await store.findClient(key), null, `findClient(${key})`)
        same(await store.findPending(key), null, `findPending(${key})`)
        same(await store.findCode(key), null, `findCode(${key})`)
        same(await store.findAccessToken(key), null, `findAccessToken(${key})`)
        same(await store.findRefreshToken(key), null, `findRefreshToken(${key})`)
        same(await store.hasConsent(key), false, `hasConsent(${key})`)
      }
    },
  },
  {
    name: 'returns a pending request with every field as it was stored',
    async check(store) {
      const pendings = [
        pendingSample(),
        pendingSample({
          idHash: hash('nothing optional'),
          state: null,
          nonce: null,
          prompt: [],
          maxAge: null,
          loginHint: null,
          uiLocales: [],
          hintedHash: null,
          resourceSent: false,
        }),
        pendingSample({ idHash: hash('far'), scopes: [], maxAge: 999_999_999, expiresAt: 2 ** 33 }),
        ...HOSTILE.map((state) => pendingSample({ idHash: hash(state), state, loginHint: state })),
      ]
      for (const pending of pendings) await store.savePending(pending)
      for (const pending of pendings)
        same(await store.findPending(pending.idHash), pending, 'findPending')
    },
  },
  {
    name: 'returns expired records, because its callers decide what has expired',
    async check(store) {
      const pending = pendingSample({ createdAt: 1, expiresAt: 2 })
      const code = codeSample({ issuedAt: 1, expiresAt: 2 })
      await store.savePending(pending)
      await store.issueCode({ code, pendingIdHash: null, consentKey: null })
      same(await store.findPending(pending.idHash), pending, 'findPending')
      same(await store.findCode(code.codeHash), { ...code, client: null }, 'findCode')
    },
  },
  {
    name: 'ends a pending request once when several callers try at the same time',
    isRace: true,
    async check(store) {
      await store.savePending(pendingSample())
      const outcomes = await race(10, () => store.endPending(pendingSample().idHash))
      same(tally(outcomes), { ended: 1, gone: 9 }, 'outcomes')
      same(await store.findPending(pendingSample().idHash), null, 'findPending')
    },
  },
  {
    name: 'stores a pending request in place of the one that it ends, and not if that has ended',
    async check(store) {
      const [first, next, late] = ['first', 'next', 'late'].map((name) =>
        pendingSample({ idHash: hash(name) }),
      ) as [Pending, Pending, Pending]
      await store.savePending(first)
      same(await store.endPending(first.idHash, [], next), 'ended', 'the first end')
      same(await store.findPending(first.idHash), null, 'the request that ended')
      same(await store.findPending(next.idHash), next, 'the request in its place')
      same(await store.endPending(first.idHash, [], late), 'gone', 'the second end')
      same(await store.findPending(late.idHash), null, 'the request of the second end')
    },
  },
  {
    name: 'stores one pending request in place of another when several callers try at the same time',
    isRace: true,
    async check(store) {
      await store.savePending(pendingSample())
      const nexts = Array.from({ length: 10 }, (_, index) =>
        pendingSample({ idHash: hash('next'), browserHash: hash(`browser ${index}`) }),
      )
      const outcomes = await race(10, (index) =>
        store.endPending(pendingSample().idHash, [], nexts[index]),
      )
      same(tally(outcomes), { ended: 1, gone: 9 }, 'outcomes')
      const winner = nexts[outcomes.indexOf('ended')]
      same(await store.findPending(hash('next')), winner, 'the request of the winner')
    },
  },
  {
    name: 'returns a code with every field as it was stored',
    async check(store) {
      const codes = [
        codeSample(),
        codeSample({
          codeHash: hash('2'),
          nonce: null,
          authTime: null,
          scopes: [],
          resourceSent: false,
        }),
        ...HOSTILE.map((nonce) => codeSample({ codeHash: hash(nonce), nonce, subject: nonce })),
      ]
      for (const code of codes)
        same(
          await store.issueCode({ code, pendingIdHash: null, consentKey: null }),
          'issued',
          'issueCode',
        )
      for (const code of codes)
        same(await store.findCode(code.codeHash), { ...code, client: null }, 'findCode')
    },
  },
  {
    name: 'ends the pending request when its code is issued, and remembers the consent',
    async check(store) {
      await store.savePending(pendingSample())
      same(await store.hasConsent(issue.consentKey), false, 'hasConsent before')
      same(await store.issueCode(issue), 'issued', 'issueCode')
      same(await store.findPending(issue.pendingIdHash), null, 'findPending')
      same(await store.findCode(issue.code.codeHash), { ...issue.code, client: null }, 'findCode')
      same(await store.hasConsent(issue.consentKey), true, 'hasConsent')
    },
  },
  {
    name: 'accepts a consent that is already remembered',
    async check(store) {
      for (const name of ['one', 'two']) {
        const code = codeSample({ codeHash: hash(name), grantId: name })
        const outcome = await store.issueCode({ ...issue, code, pendingIdHash: null })
        same(outcome, 'issued', 'issueCode')
      }
      same(await store.hasConsent(issue.consentKey), true, 'hasConsent')
    },
  },
  {
    name: 'remembers no consent when the consent key is null',
    async check(store) {
      await store.savePending(pendingSample())
      await store.issueCode({ ...issue, consentKey: null })
      same(await store.hasConsent(issue.consentKey), false, 'hasConsent')
      same(await store.hasConsent('null'), false, 'hasConsent("null")')
    },
  },
  {
    name: 'writes nothing when the pending request no longer exists',
    async check(store) {
      await store.savePending(pendingSample({ idHash: hash('another') }))
      same(await store.issueCode(issue), 'gone', 'issueCode')
      same(await store.findCode(issue.code.codeHash), null, 'findCode')
      same(await store.hasConsent(issue.consentKey), false, 'hasConsent')
      const other = await store.findPending(hash('another'))
      same(other?.idHash, hash('another'), 'another pending request')
    },
  },
  {
    name: 'issues one code for a pending request when several callers try at the same time',
    isRace: true,
    async check(store) {
      await store.savePending(pendingSample())
      const codes = Array.from({ length: 10 }, (_, index) =>
        codeSample({ codeHash: hash(`code ${index}`), grantId: `grant_${index}` }),
      )
      const outcomes = await race(10, (index) => store.issueCode({ ...issue, code: codes[index]! }))
      same(tally(outcomes), { gone: 9, issued: 1 }, 'outcomes')
      for (const [index, code] of codes.entries()) {
        const expected = outcomes[index] === 'issued' ? { ...code, client: null } : null
        same(await store.findCode(code.codeHash), expected, `findCode of caller ${index}`)
      }
    },
  },
  {
    name: 'either issues a code for a pending request or ends it, never both',
    isRace: true,
    async check(store) {
      for (let round = 0; round < 5; round++) {
        const pending = pendingSample({ idHash: hash(`round ${round}`) })
        const code = codeSample({ codeHash: hash(`code ${round}`), grantId: `grant_${round}` })
        await store.savePending(pending)
        const [issued, ended] = await Promise.all([
          store.issueCode({ code, pendingIdHash: pending.idHash, consentKey: null }),
          store.endPending(pending.idHash),
        ])
        same((issued === 'issued') !== (ended === 'ended'), true, `${issued} and ${ended}`)
        same((await store.findCode(code.codeHash)) !== null, issued === 'issued', 'the code exists')
      }
    },
  },
]
