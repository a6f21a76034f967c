import {
  buildSchema,
  type DocumentNode,
  extendSchema,
  graphql,
  GraphQLSchema,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
  parse,
} from 'graphql'
import {
  accountResolvers,
  accountScalars,
  accountSdl,
  createAccountContext,
} from 'hallpass/account'
import { describe, expect, it } from 'vitest'
import { createSource } from '../support/school/account.js'
import { order } from '../support/school/account-rows.js'
import { openAccount } from '../support/school/account-api.js'
import { STUDENT, T } from '../support/school/school.js'

/** A schema of the parts alone: the text, the scalars, the resolvers by type and field. */
function assemble(): GraphQLSchema {
  const document = parse(accountSdl)
  const rest: DocumentNode = {
    ...document,
    definitions: document.definitions.filter(({ kind }) => kind !== Kind.SCALAR_TYPE_DEFINITION),
  }
  const scalars = new GraphQLSchema({ types: Object.values(accountScalars) })
  const schema = extendSchema(scalars, rest)
  for (const [name, fields] of Object.entries(accountResolvers)) {
    const type = schema.getType(name)
    if (!isObjectType(type)) throw new Error(`${name} is no object type`)
    for (const [field, resolve] of Object.entries(fields))
      type.getFields()[field]!.resolve = resolve as never
  }
  return schema
}

describe('the parts of the schema', () => {
  it('have every scalar that the text names', () => {
    const named = Object.values(buildSchema(accountSdl).getTypeMap())
      .filter((type) => isScalarType(type) && !isSpecifiedScalarType(type))
      .map(({ name }) => name)
    expect(Object.keys(accountScalars).toSorted()).toEqual(named.toSorted())
  })

  it('make a schema that runs on a server of your own', async () => {
    const { data } = await openAccount()
    data.orders = [order('old', { placedAt: T - 10 }), order('new', { placedAt: T })]
    const { source } = createSource(new Map([[STUDENT.subject, data]]))
    const ask = (placedAfter: string) =>
      graphql({
        schema: assemble(),
        source: `query ($after: DateTime) { viewer {
          memberSince site { currencyCode }
          orders(filter: { placedAfter: $after }) { nodes { id placedAt total { amount } } }
        } }`,
        variableValues: { after: placedAfter },
        contextValue: createAccountContext({ member: STUDENT, source, now: T }),
      })
    const answer = await ask('2026-11-20T08:59:55Z')
    expect(JSON.parse(JSON.stringify(answer))).toEqual({
      data: {
        viewer: {
          memberSince: '2025-10-16T09:00:00Z',
          site: { currencyCode: 'EUR' },
          orders: {
            nodes: [
              { id: 'ord_new', placedAt: '2026-11-20T09:00:00Z', total: { amount: '12.50' } },
            ],
          },
        },
      },
    })
    expect((await ask('2026-02-30T00:00:00Z')).errors).toMatchObject([
      { message: expect.stringContaining('DateTime must be an RFC 3339 date-time') },
    ])
  })
})
