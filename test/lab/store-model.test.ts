import { expect, it } from 'vitest'
import { codeSample, hash, T } from '../../src/store-contract/samples.js'
import { createStoreModel, type EndedCall } from '../../packages/hallpass-lab/src/store-model.js'

const call = (
  verb: EndedCall['verb'],
  parameters: readonly unknown[],
  value: unknown,
): EndedCall => ({
  verb,
  parameters,
  result: { value },
})

const EVENT = { id: 'event_1', type: 'oauth.client.disconnected', at: T, subject: 'mem_1' } as const
const revoke = {
  clientId: codeSample().clientId,
  subject: 'mem_1',
  revokedAt: T,
  revokedReason: 'test',
}
const erase = { subject: 'mem_1', loginHints: [], erasedAt: T }
const erased = { grants: 0, codes: 1, consents: 0, pending: 0 }

/** Whether this event can be what a store has after a disconnection and an erasure that overlapped. */
async function explains(event: object): Promise<boolean> {
  const model = createStoreModel()
  const code = codeSample({ codeHash: hash('code'), subject: 'mem_1' })
  const issue = { code, pendingIdHash: null, consentKey: null }
  expect(await model.explains([call('issueCode', [issue], 'issued')])).toBe(true)
  const overlapping = [
    call('revokeGrants', [revoke, [EVENT]], 0),
    call('erasePerson', [erase, []], erased),
  ]
  expect(await model.explains(overlapping)).toBe(true)
  return model.explains([call('listEvents', [{ limit: 9 }], [event])])
}

it('explains an event that lost the name of a person to an erasure that it overlapped', async () => {
  expect(await explains({ ...EVENT, grants: 0 })).toBe(true)
  expect(await explains({ ...EVENT, grants: 0, subject: null })).toBe(true)
  expect(await explains({ ...EVENT, grants: 1, subject: null })).toBe(false)
  expect(await explains({ ...EVENT, grants: 0, subject: 'mem_2' })).toBe(false)
})
