import { expect, it } from 'vitest'
import { codeSample, hash, T } from '../../../src/store-contract/samples.js'
import { createStoreModel, type EndedCall } from '../src/store-model.js'

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
  expect(await model.contradictionOf([call('issueCode', [issue], 'issued')])).toBeNull()
  const overlapping = [
    call('revokeGrants', [revoke, [EVENT]], 0),
    call('erasePerson', [erase, []], erased),
  ]
  expect(await model.contradictionOf(overlapping)).toBeNull()
  return (await model.contradictionOf([call('listEvents', [{ limit: 9 }], [event])])) === null
}

it('explains an event that lost the name of a person to an erasure that it overlapped', async () => {
  expect(await explains({ ...EVENT, grants: 0 })).toBe(true)
  expect(await explains({ ...EVENT, grants: 0, subject: null })).toBe(true)
  expect(await explains({ ...EVENT, grants: 1, subject: null })).toBe(false)
  expect(await explains({ ...EVENT, grants: 0, subject: 'mem_2' })).toBe(false)
})

it('says in what the results of calls differ from the possible ones', async () => {
  const model = createStoreModel()
  const issue = { code: codeSample(), pendingIdHash: null, consentKey: null }
  const overlapping = [
    call('issueCode', [issue], 'gone'),
    call('erasePerson', [erase, []], erased),
    call('findClient', ['app_1'], null),
  ]
  expect(await model.contradictionOf(overlapping)).toEqual({
    received: 'issueCode: "gone"; erasePerson: {"codes":1}',
    expected: [
      'issueCode: "issued"; erasePerson: {"codes":1}',
      'issueCode: "gone"; erasePerson: {"codes":0}',
    ],
  })
  // It no longer knows what the store has.
  expect(await model.contradictionOf([call('findClient', ['app_1'], 1)])).toBeNull()
})

it('says what is missing, and in which member a record differs', async () => {
  const model = createStoreModel()
  const issue = { code: codeSample(), pendingIdHash: null, consentKey: null }
  await model.contradictionOf([call('issueCode', [issue], 'issued')])
  const { codeHash } = codeSample()
  const late = { ...codeSample({ authTime: null }), client: null }
  expect(await model.contradictionOf([call('findCode', [codeHash], late)])).toEqual({
    received: 'findCode: {"authTime":null}',
    expected: [`findCode: {"authTime":${codeSample().authTime}}`],
  })
  const other = createStoreModel()
  expect(await other.contradictionOf([call('findClient', ['app_1'], undefined)])).toEqual({
    received: 'findClient: nothing',
    expected: ['findClient: null'],
  })
})
