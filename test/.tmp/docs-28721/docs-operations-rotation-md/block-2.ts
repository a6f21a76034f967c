import { deepEqual, equal } from 'node:assert/strict'
import { maintain } from 'hallpass/operations'
import { testSite } from 'hallpass/testing'
import { createKeyRing } from 'hallpass/token'

const { site, events } = testSite()
const [old, next] = ['use at least 32 random characters', 'and 32 others for the next secret']
const before = createKeyRing(site, { sealingSecret: old })
await maintain(site, { keys: before })

const switched = createKeyRing(site, { sealingSecret: next, previousSealingSecrets: [old] })
await maintain(site, { keys: switched })
equal(events.at(-1)?.type, 'oauth.key.resealed')

const dropped = createKeyRing(site, { sealingSecret: next })
await maintain(site, { keys: dropped })
equal((await dropped.signer())?.kid, (await before.signer())?.kid)
deepEqual(await dropped.jwks(), await before.jwks())
