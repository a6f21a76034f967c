// own.ts
import {
  type AccountContext,
  type AccountSource,
  accountSchema,
  createAccountContext,
} from 'hallpass/account'
import type { Access } from 'hallpass/policy'
import { extendSchema, type GraphQLObjectType, parse } from 'graphql'

export const schema = extendSchema(
  accountSchema(),
  parse('extend type Viewer { kilnHours: Int! @requiresScope(scope: "account:read") }'),
)
const viewer = schema.getType('Viewer') as GraphQLObjectType<unknown, AccountContext>
viewer.getFields()['kilnHours']!.resolve = (_viewer, _arguments, { member }) =>
  member.roles.includes('student') ? 6 : 0

/** @param access - what a gate returned */
export const contextFor = (
  { person }: Pick<Access, 'person'>,
  source: AccountSource,
  now: number,
): AccountContext => createAccountContext({ member: person, source, now })
