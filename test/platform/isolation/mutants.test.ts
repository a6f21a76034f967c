import { createMemoryStore, type Store } from 'hallpass/store'
import { storeContract } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import { STORE_ARGUMENTS } from '../../../src/store/arguments.js'
import type { StoreMethod } from '../../../src/store/store.js'
import { liveAsTwins, liveBeside } from './acts.js'
import { playAtAnother } from './run.js'
import { createWatchedStorage, type Watched, withoutSite, withoutSiteIn } from './storages.js'

const FINDERS = {
  play: (opened: Watched) => playAtAnother(opened, { seed: 1, requests: 1000 }),
  beside: liveBeside,
  twins: (opened: Watched) => liveAsTwins(opened, 1),
} satisfies Record<string, (opened: Watched) => Promise<unknown>>

/**
 * What finds that a method knows no sites. Those of the contract alone are hidden from requests: a grant, and the key of a
 * consent, name their resource, which is the school; a key has the name of its thumbprint, and a claim is random.
 */
const FOUND: Readonly<Record<StoreMethod, readonly [keyof typeof FINDERS | 'contract', string]>> = {
  findClient: ['play', 'client id at device authorization endpoint'],
  insertClient: ['play', 'client id at device authorization endpoint'],
  replaceClient: ['beside', 'management of a client'],
  listClients: ['beside', 'lists of a school without grants: clients'],
  savePending: ['play', 'pending request at interaction'],
  findPending: ['play', 'pending request at interaction'],
  endPending: ['twins', 'pending request changed rows of its twin'],
  hasConsent: ['contract', 'finds nothing that another site stored'],
  issueCode: ['beside', 'a sign-in of every kind changed rows'],
  findCode: ['play', 'code of hub at token endpoint, code'],
  redeemCode: ['twins', 'code of buddy changed rows of its twin'],
  findRefreshToken: ['play', 'refresh token at token endpoint, refresh token'],
  rotateRefreshToken: ['twins', 'refresh token changed rows of its twin'],
  findAccessToken: ['play', 'access token at introspection: it was accepted'],
  revokeAccessToken: ['twins', 'access token that is revoked changed rows of its twin'],
  revokeGrant: ['twins', 'refresh token that is revoked changed rows of its twin'],
  findGrant: ['contract', 'finds no grant that another site stored'],
  widenGrant: ['twins', 'step-up link changed rows of its twin'],
  revokeGrants: ['beside', 'disconnection of an app changed rows'],
  revokeGrantsOfClient: ['beside', 'management of a client changed rows'],
  revokeAllGrants: ['beside', 'restore of a backup changed rows'],
  listGrants: ['beside', 'lists of a school without grants: connected apps'],
  erasePerson: ['beside', 'erasure of a person changed rows'],
  listEvents: ['beside', 'delivery of events: events'],
  deleteEvents: ['twins', 'delivery of events changed rows of its twin'],
  listKeys: ['play', 'cannot decrypt the stored key'],
  insertKey: ['play', 'cannot decrypt the stored key'],
  moveKey: ['contract', 'changes nothing that another site stored'],
  findClock: ['contract', 'returns the mark of the clock with every field'],
  moveClock: ['beside', 'maintenance changed rows'],
  useOnce: ['twins', 'an assertion with this jti was used before'],
  giveBack: ['contract', 'gives a key back for the claim that used it'],
  purge: ['beside', 'maintenance changed rows'],
}

/** The checks of the contract that a pair of stores fails, one method of which knows no sites. */
async function failedChecks(verb: StoreMethod): Promise<string> {
  let opened: Store[] = []
  const failed: string[] = []
  const contract = storeContract(() => {
    if (opened.length === 0) {
      const [one, other] = [createMemoryStore(), createMemoryStore()]
      opened = [withoutSite(other, one, verb), withoutSite(one, other, verb)]
    }
    return opened.pop()!
  })
  for (const { name, run } of contract) {
    opened = []
    await run().catch(() => failed.push(name))
  }
  return failed.join('\n')
}

describe('a storage whose stores know no sites', () => {
  it('has one entry for each method', () => {
    expect(Object.keys(FOUND).toSorted()).toEqual(Object.keys(STORE_ARGUMENTS).toSorted())
  })

  it.each(Object.entries(FOUND))('in %s is found', async (name, [finder, words]) => {
    const verb = name as StoreMethod
    if (finder === 'contract') {
      expect(await failedChecks(verb)).toContain(words)
      return
    }
    const opened = createWatchedStorage()
    const broken = { ...opened, storage: withoutSiteIn(opened.storage, verb) }
    await expect(FINDERS[finder](broken)).rejects.toThrow(words)
  })
})
