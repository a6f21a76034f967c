import { type AccountApiOptions, createAccountApi } from 'hallpass/account-api'
import { defineScopes, rolesFor, schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore } from 'hallpass/store'
import { describe, expect, it } from 'vitest'
import { createSource } from '../support/account.js'
import { ISSUER } from '../support/school.js'

const create = (changes: object): unknown =>
  createAccountApi({
    issuer: ISSUER,
    store: createMemoryStore(),
    findPerson: async () => null,
    scopes: schoolScopes,
    roles: schoolRoles,
    source: createSource(new Map()).source,
    ...changes,
  })

describe('an Account API', () => {
  it.each<[string, Partial<AccountApiOptions>]>([
    ['no options but the necessary', {}],
    ['every option', {
      vendors: [], onRefusal: () => {}, onFault: () => {}, now: () => 0, pictureHosts: ['a.example'],
      limits: { cost: 2000 }, bucket: { capacity: 2000, restoreRate: 0.5 }, deadlineMilliseconds: 1,
    }],
    ['a minute for a request', { deadlineMilliseconds: 60_000 }],
    ['any cost, where there is no bucket', { bucket: null, limits: { cost: 1_000_000 } }],
    ['one of everything', {
      limits: { tokens: 1, depth: 1, aliases: 1, directives: 1, rootFields: 1, cost: 1 },
    }],
  ])('starts with %s', (_, changes) => {
    expect(create(changes)).toEqual({ execute: expect.any(Function), graphql: expect.any(Function), schema: expect.any(Function) })
  }) // prettier-ignore

  const LIMITS = ['tokens', 'depth', 'aliases', 'directives', 'rootFields', 'cost']

  it.each<[string, object, string]>([
    ['an option that nobody reads', { deadline: 1 }, 'unknown option "deadline"'],
    ['a limit that nobody reads', { limits: { width: 1 } }, 'unknown limit "width"'],
    ...LIMITS.flatMap((name) =>
      [0, -1, 1.5, Number.NaN, Infinity, '5', null].map((limit): [string, object, string] => [
        `${name} of ${limit}`,
        { limits: { [name]: limit }, bucket: null },
        `limits.${name} must be a whole number above 0`,
      ]),
    ),
    ...[0, -1, Number.NaN, Infinity].map((restoreRate): [string, object, string] => [
      `a bucket that refills at ${restoreRate}`,
      { bucket: { capacity: 2000, restoreRate } },
      'bucket.restoreRate must be a number above 0',
    ]),
    [
      'a bucket whose capacity is none',
      { bucket: { capacity: Infinity, restoreRate: 1 } },
      'bucket.capacity must be a number above 0',
    ],
    [
      'a request that may cost more than a full bucket',
      { bucket: { capacity: 999, restoreRate: 1 } },
      'limits.cost is 1000, more than a full bucket holds (999): such a request could never be answered',
    ],
    ...[0, 60_001, 0.5, Infinity, '3000'].map((deadlineMilliseconds): [string, object, string] => [
      `a deadline of ${deadlineMilliseconds}`,
      { deadlineMilliseconds },
      'deadlineMilliseconds must be a whole number from 1 to 60000',
    ]),
  ])('does not start with %s', (_, changes, fault) => {
    expect(() => create(changes)).toThrow(new TypeError(`account API: ${fault}`))
  })

  it('names every fault at once', () => {
    const scopes = defineScopes({})
    const faults = [
      'unknown option "cors"',
      'unknown option "path"',
      'limits.depth must be a whole number above 0',
      'bucket.restoreRate must be a number above 0',
      'limits.cost is 1000, more than a full bucket holds (1): such a request could never be answered',
      'deadlineMilliseconds must be a whole number from 1 to 60000',
      'the schema requires "account:read", which the registry does not have for members',
      'the schema requires "account:write", which the registry does not have for members',
    ]
    expect(() =>
      create({
        cors: true,
        path: '/graphql',
        limits: { depth: 0 },
        bucket: { capacity: 1, restoreRate: 0 },
        deadlineMilliseconds: 0,
        scopes,
        roles: rolesFor(scopes, schoolRoles),
      }),
    ).toThrow(new TypeError(`account API: ${faults.join('; ')}`))
  })
})
