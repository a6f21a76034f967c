import fc from 'fast-check'
import {
  decideEdit,
  decideManager,
  decideReview,
  decideSecretRotation,
  defineClient,
  endOldSecret,
  type Manager,
  MAX_SECRET_OVERLAP_SECONDS,
} from 'hallpass/clients'
import {
  type Client,
  decideClientAuthentication,
  type Decision,
  type Person,
} from 'hallpass/policy'
import { type RoleTable, schoolRoles, schoolScopes } from 'hallpass/scope'
import { hashToken } from 'hallpass/token'
import { describe, expect, it } from 'vitest'
import { NOTES } from '../support/school/policy-samples.js'
import { OWNER, PORTFOLIO_HUB, PORTFOLIO_SECRET, STUDY_BUDDY, T } from '../support/school/school.js'
import { deleteClient, endClient, switchClient } from '../../src/clients/client-changes.js'

const FIELDS: Parameters<typeof decideEdit>[0]['fields'] = {
  name: 'Portfolio',
  description: 'Shows what you have made.',
  icon: 'frame',
  redirectUris: ['https://portfolio.example/cb'],
  tokenEndpointAuthMethod: 'client_secret_post',
  scopes: ['account:read'],
}

const CONFLICT = {
  ok: false,
  error: 'invalid_request',
  reason: 'client_changed_meanwhile',
  description: 'the app has changed since you opened it: load it again, then repeat your change',
}

/** Grants what a decision must grant. */
function changed(decided: Decision<{ client: Client }>): Client {
  if (!decided.ok) throw new Error(decided.reason)
  return decided.client
}

describe('decideEdit', () => {
  const hub: Client = { ...PORTFOLIO_HUB, revision: 7, usedAt: T - 5 }

  it('changes words, addresses and scopes, and leaves everything else', () => {
    const client = changed(decideEdit({ client: hub, fields: FIELDS, revision: 7 }))
    expect(client).toEqual({ ...hub, ...FIELDS, revision: 8 })
  })

  it('never makes a confidential client a public one, nor a public one confidential', () => {
    const fields: Parameters<typeof decideEdit>[0]['fields'] = {
      ...FIELDS,
      tokenEndpointAuthMethod: 'none',
    }
    expect(changed(decideEdit({ client: hub, fields, revision: 7 }))).toMatchObject({
      tokenEndpointAuthMethod: 'client_secret_post',
      secrets: hub.secrets,
    })
    expect(changed(decideEdit({ client: STUDY_BUDDY, fields: FIELDS, revision: 1 }))).toMatchObject(
      { tokenEndpointAuthMethod: 'none', secrets: [] },
    )
  })

  it.each([6, 8, 0, NaN])('refuses the revision %s of a client that is at 7', (revision) => {
    expect(decideEdit({ client: hub, fields: FIELDS, revision })).toEqual(CONFLICT)
  })

  it.each(['loopback', 'vendor', 'document'] as const)(
    'refuses a client of kind %s, which no manager made [ADM-08]',
    (kind) => {
      const client = { ...hub, kind }
      expect(decideEdit({ client, fields: FIELDS, revision: 7 })).toEqual({
        ok: false,
        error: 'invalid_request',
        reason: 'client_kind_not_editable',
        description: 'only apps that this site created can be edited',
      })
    },
  )
})

describe('switchClient', () => {
  it('switches a client off and on, and leaves everything else', () => {
    const off = switchClient(PORTFOLIO_HUB, { disabled: true })
    expect(off).toEqual({ ...PORTFOLIO_HUB, disabled: true, revision: 2 })
    expect(switchClient(off, { disabled: false })).toEqual({ ...PORTFOLIO_HUB, revision: 3 })
  })
})

describe('decideSecretRotation', () => {
  const rotate = (
    client: Client,
    secret: string,
    { overlapSeconds = 3600, now = T }: { overlapSeconds?: number; now?: number } = {},
  ): ReturnType<typeof decideSecretRotation> =>
    decideSecretRotation({ client, secretHash: hashToken(secret), overlapSeconds, now })

  it('puts the new secret in front and lets the old one count for the overlap', () => {
    expect(rotate(PORTFOLIO_HUB, 'second')).toEqual({
      ok: true,
      client: {
        ...PORTFOLIO_HUB,
        secrets: [
          { hash: hashToken('second'), expiresAt: null },
          { hash: hashToken(PORTFOLIO_SECRET), expiresAt: T + 3600 },
        ],
        revision: 2,
      },
    })
  })

  it('drops the old secret at once where there is no overlap', () => {
    expect(changed(rotate(PORTFOLIO_HUB, 'second', { overlapSeconds: 0 })).secrets).toEqual([
      { hash: hashToken('second'), expiresAt: null },
    ])
  })

  it('keeps two secrets at most: a second rotation within the overlap drops the oldest', () => {
    const twice = changed(
      rotate(changed(rotate(PORTFOLIO_HUB, 'second')), 'third', { now: T + 60 }),
    )
    expect(twice.secrets).toEqual([
      { hash: hashToken('third'), expiresAt: null },
      { hash: hashToken('second'), expiresAt: T + 60 + 3600 },
    ])
  })

  it('never gives a secret more time than it had', () => {
    const ending: Client = {
      ...PORTFOLIO_HUB,
      secrets: [{ hash: hashToken(PORTFOLIO_SECRET), expiresAt: T + 30 }],
    }
    expect(changed(rotate(ending, 'second')).secrets[1]).toEqual({
      hash: hashToken(PORTFOLIO_SECRET),
      expiresAt: T + 30,
    })
  })

  it('gives a client that lost its secret a new one', () => {
    const lost: Client = { ...PORTFOLIO_HUB, secrets: [] }
    expect(changed(rotate(lost, 'second')).secrets).toEqual([
      { hash: hashToken('second'), expiresAt: null },
    ])
  })

  it('takes 72 hours as the longest overlap', () => {
    expect(MAX_SECRET_OVERLAP_SECONDS).toBe(259_200)
    const client = changed(rotate(PORTFOLIO_HUB, 'second', { overlapSeconds: 259_200 }))
    expect(client.secrets[1]!.expiresAt).toBe(T + 259_200)
  })

  it.each([-1, 259_201, 0.5, NaN, Infinity])(
    'refuses an overlap of %s seconds',
    (overlapSeconds) => {
      expect(rotate(PORTFOLIO_HUB, 'second', { overlapSeconds })).toEqual({
        ok: false,
        error: 'invalid_request',
        reason: 'overlap_out_of_range',
        description: 'the previous secret can remain valid for 0 to 72 hours',
      })
    },
  )

  it('refuses a public client, which has none', () => {
    expect(rotate(STUDY_BUDDY, 'second')).toEqual({
      ok: false,
      error: 'invalid_request',
      reason: 'client_has_no_secret',
      description: 'the app has no secret',
    })
  })

  it('lets the newest secret in always, each older one until the overlap asked for ends, no longer', () => {
    const steps = fc.array(
      fc.record({
        after: fc.integer({ min: 0, max: 300_000 }),
        overlapSeconds: fc.integer({ min: 0, max: MAX_SECRET_OVERLAP_SECONDS }),
      }),
      { minLength: 1, maxLength: 5 },
    )
    const isTaken = (client: Client, clientSecret: string, now: number): boolean =>
      decideClientAuthentication({ client, clientSecret, authorization: null, now }).ok
    fc.assert(
      fc.property(steps, fc.integer({ min: 0, max: 300_000 }), (rotations, wait) => {
        let client = PORTFOLIO_HUB
        let now = T
        const until = new Map([[PORTFOLIO_SECRET, Infinity]])
        rotations.forEach(({ after, overlapSeconds }, index) => {
          now += after
          for (const [secret, end] of until) until.set(secret, Math.min(end, now + overlapSeconds))
          until.set(`secret ${index}`, Infinity)
          client = changed(rotate(client, `secret ${index}`, { overlapSeconds, now }))
        })
        expect(client.secrets.length).toBeLessThanOrEqual(2)
        const taken = [...until.keys()].filter((secret) => isTaken(client, secret, now + wait))
        const latest = `secret ${rotations.length - 1}`
        const before = [...until.keys()].at(-2)!
        expect(taken).toEqual(until.get(before)! > now + wait ? [before, latest] : [latest])
      }),
      { seed: 20261120 },
    )
  })
})

describe('endOldSecret', () => {
  it('leaves the newest secret', () => {
    const [newest, old] = [
      { hash: hashToken('new'), expiresAt: null },
      { hash: hashToken('old'), expiresAt: T + 9 },
    ]
    const client: Client = { ...PORTFOLIO_HUB, secrets: [newest, old] }
    expect(endOldSecret(client)).toEqual({ ...client, secrets: [newest], revision: 2 })
  })

  it('leaves a client without secrets without', () => {
    expect(endOldSecret(STUDY_BUDDY).secrets).toEqual([])
  })
})

describe('deleteClient', () => {
  it('leaves a name for the record, no secret, and nothing that works', () => {
    const left = deleteClient(PORTFOLIO_HUB, { now: T })
    expect(left).toEqual({
      ...PORTFOLIO_HUB,
      deletedAt: T,
      disabled: true,
      secrets: [],
      revision: 2,
    })
    expect(JSON.stringify(left)).not.toContain(hashToken(PORTFOLIO_SECRET))
  })
})

describe('decideReview', () => {
  const notes = defineClient({
    ...NOTES,
    document: {
      firstSeenAt: T - 900,
      fetchedAt: T - 100,
      freshUntil: T + 100,
      digest: 'digest-of-notes',
      reviewedAt: null,
      changedAt: T - 100,
    },
  })
  const managing = (person: Person, roles: RoleTable = schoolRoles): Manager => {
    const decided = decideManager({ person, table: roles })
    if (!decided.ok) throw new Error(decided.reason)
    return decided.manager
  }
  const review = (
    scopes: readonly string[],
    changes: Partial<Parameters<typeof decideReview>[0]> = {},
  ): ReturnType<typeof decideReview> =>
    decideReview({
      client: notes,
      digest: 'digest-of-notes',
      scopes,
      reviewer: managing(OWNER),
      registry: schoolScopes,
      roles: schoolRoles,
      now: T,
      ...changes,
    })

  it('gives a document the write scopes ticked, in the order of the registry, each once', () => {
    expect(review(['posts:write', 'courses:write', 'posts:write'])).toEqual({
      ok: true,
      client: {
        ...notes,
        scopes: ['courses:write', 'posts:write'],
        document: {
          ...notes.document,
          reviewedAt: T,
          reviewed: { name: notes.name, redirectUris: notes.redirectUris, about: null },
        },
        revision: 2,
      },
    })
  })

  it('may allow nothing to be written: the document is reviewed all the same', () => {
    expect(changed(review([]))).toMatchObject({ scopes: [], document: { reviewedAt: T } })
  })

  it('takes away what an earlier review allowed and this one does not', () => {
    const client = { ...notes, scopes: ['courses:write', 'posts:write'] }
    expect(changed(review(['posts:write'], { client })).scopes).toEqual(['posts:write'])
  })

  it('leaves a blocked document blocked', () => {
    expect(changed(review([], { client: { ...notes, disabled: true } })).disabled).toBe(true)
  })

  it('refuses a document that is another one than the reviewer looked at', () => {
    expect(review(['posts:write'], { digest: 'digest-of-another' })).toEqual({
      ok: false,
      error: 'invalid_request',
      reason: 'document_changed_meanwhile',
      description: 'the client metadata document has changed since you opened it: review it again',
    })
  })

  it.each([['a member client', PORTFOLIO_HUB] as const, ['a pinned document', NOTES] as const])(
    'refuses %s, which no review is for',
    (_what, client) => {
      expect(review([], { client })).toEqual({
        ok: false,
        error: 'invalid_request',
        reason: 'client_not_a_document',
        description: 'only an app with a client metadata document can be reviewed',
      })
    },
  )

  it.each(['courses:read', 'account:write', 'openid', 'courses:delete', 'constructor'])(
    'refuses %s, which is no write scope of operators',
    (scope) => {
      expect(review(['posts:write', scope])).toEqual({
        ok: false,
        error: 'invalid_scope',
        reason: 'scope_not_reviewable',
        description: 'a review can allow only write scopes of the operator audience',
      })
    },
  )

  it('refuses what the reviewer may not do by their own role [ADM-07]', () => {
    const roles: RoleTable = {
      ...schoolRoles,
      editor: { staff: true, scopes: ['courses:read', 'courses:write'], managesClients: true },
    }
    const reviewer = managing({ ...OWNER, roles: ['editor'] }, roles)
    expect(review(['courses:write'], { reviewer, roles })).toMatchObject({ ok: true })
    expect(review(['courses:write', 'posts:write'], { reviewer, roles })).toEqual({
      ok: false,
      error: 'invalid_scope',
      reason: 'scope_beyond_reviewer',
      description: 'a reviewer can allow only scopes that their own roles hold',
    })
  })
})

describe('every change', () => {
  const changes: readonly (readonly [string, (client: Client) => Client])[] = [
    ['edit', (client) => changed(decideEdit({ client, fields: FIELDS, revision: 3 }))],
    ['switch', (client) => switchClient(client, { disabled: true })],
    [
      'rotation',
      (client) =>
        changed(decideSecretRotation({ client, secretHash: 'h', overlapSeconds: 0, now: T })),
    ],
    ['end', (client) => endClient(client, { endsAt: T })],
    ['end of the old secret', endOldSecret],
    ['deletion', (client) => deleteClient(client, { now: T })],
  ]

  it.each(changes)(
    'by %s is one revision on, and leaves the client it was made from',
    (_, make) => {
      const client: Client = { ...PORTFOLIO_HUB, revision: 3 }
      const before = structuredClone(client)
      expect(make(client).revision).toBe(4)
      expect(client).toEqual(before)
    },
  )
})
