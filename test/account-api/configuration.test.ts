import { OptionsError, type SiteOptions } from 'hallpass'
import { type AccountApiOptions, createAccountApi } from 'hallpass/account'
import { defineScopes, rolesFor, schoolRoles } from 'hallpass/scope'
import { testSite } from 'hallpass/testing'
import { describe, expect, it } from 'vitest'
import { configureAccountApi } from '../../src/account/api/configuration.js'
import { createSource } from '../support/school/account.js'
import { split } from '../support/school/bare-server.js'

function create(changes: object): unknown {
  const { ofSite, own } = split<AccountApiOptions>(changes)
  const { source } = createSource(new Map())
  return createAccountApi(testSite(ofSite).site, { source, ...own })
}

describe('an Account API', () => {
  it.each<[string, Partial<SiteOptions & AccountApiOptions>]>([
    ['no options but the necessary', {}],
    ['every option', {
      vendors: [], onRefusal: () => {}, onFault: () => {}, now: () => 0, pictureHosts: ['a.example'],
      limits: { cost: 2000 }, bucket: { capacity: 2000, restoreRate: 0.5 }, deadlineMilliseconds: 1,
    }],
    ['a minute for a request', { deadlineMilliseconds: 60_000 }],
    ['any cost, where there is no bucket', { bucket: null, limits: { cost: 1_000_000 } }],
    ['one of everything', {
      limits: { tokens: 1, depth: 1, aliases: 1, directives: 1, fragments: 1, rootFields: 1, cost: 1 },
    }],
  ])('starts with %s', (_, changes) => {
    expect(create(changes)).toEqual({ fields: [], execute: expect.any(Function), graphql: expect.any(Function), schema: expect.any(Function), routes: expect.any(Object) })
  }) // prettier-ignore

  const shown = (value: unknown): string =>
    typeof value === 'string' ? JSON.stringify(value) : String(value)
  const LIMITS = ['tokens', 'depth', 'aliases', 'directives', 'fragments', 'rootFields', 'cost']

  it.each<[string, object, string]>([
    ['an option that nobody reads', { deadline: 1 }, 'deadline is not an option'],
    ['a limit that nobody reads', { limits: { width: 1 } }, 'limits.width is not an option'],
    ...LIMITS.flatMap((name) =>
      [0, -1, 1.5, Number.NaN, Infinity, '5', null].map((limit): [string, object, string] => [
        `${name} of ${limit}`,
        { limits: { [name]: limit }, bucket: null },
        `limits.${name} must be a whole number of at least 1, not ${shown(limit)}`,
      ]),
    ),
    ...[0, -1, Number.NaN, Infinity].map((restoreRate): [string, object, string] => [
      `a bucket that refills at ${restoreRate}`,
      { bucket: { capacity: 2000, restoreRate } },
      `bucket.restoreRate must be a number above 0, not ${restoreRate}`,
    ]),
    [
      'a bucket whose capacity is none',
      { bucket: { capacity: Infinity, restoreRate: 1 } },
      'bucket.capacity must be a number above 0, not Infinity',
    ],
    [
      'a request that may cost more than a full bucket',
      { bucket: { capacity: 999, restoreRate: 1 } },
      'limits.cost (1000) must not exceed bucket.capacity (999)',
    ],
    ...[0, 60_001, 0.5, Infinity, '3000'].map((deadlineMilliseconds): [string, object, string] => [
      `a deadline of ${deadlineMilliseconds}`,
      { deadlineMilliseconds },
      `deadlineMilliseconds must be a whole number from 1 to 60000, not ${shown(deadlineMilliseconds)}`,
    ]),
  ])('does not start with %s', (_, changes, fault) => {
    expect(() => create(changes)).toThrow(new OptionsError('account API', [fault]))
  })

  it('names every mistake at once, first of each option, then between them', () => {
    const scopes = defineScopes({})
    const site = { scopes, roles: rolesFor(scopes, schoolRoles) }
    const wrong = {
      cors: true,
      path: '/graphql',
      limits: { depth: 0 },
      bucket: { capacity: 1, restoreRate: 0 },
      deadlineMilliseconds: 0,
    }
    expect(() => create({ ...site, ...wrong })).toThrow(
      new OptionsError('account API', [
        'cors is not an option',
        'path is not an option',
        'limits.depth must be a whole number of at least 1, not 0',
        'bucket.restoreRate must be a number above 0, not 0',
        'deadlineMilliseconds must be a whole number from 1 to 60000, not 0',
      ]),
    )
    expect(() => create({ ...site, bucket: { capacity: 1, restoreRate: 1 } })).toThrow(
      new OptionsError('account API', [
        'limits.cost (1000) must not exceed bucket.capacity (1)',
        'scopes must define "account:read" for members, because the account schema requires it',
        'scopes must define "account:write" for members, because the account schema requires it',
      ]),
    )
  })

  it('keeps a limit where the option is undefined, as plain JavaScript hands it over', () => {
    const { source } = createSource(new Map())
    const options = { source, limits: { depth: undefined, cost: 500 } } as never
    const { limits } = configureAccountApi(testSite().site, options)
    expect(limits).toMatchObject({ depth: 12, cost: 500 })
  })
})
