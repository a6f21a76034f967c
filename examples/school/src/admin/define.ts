import { type Operation, operationsFor } from 'hallpass/admin'
import { type SchoolScope, schoolScopes } from 'hallpass/scope'

/** Defines an operation that needs a scope of the school. */
export type SchoolOperation = Operation<SchoolScope>

export const { defineList, defineOperation } = operationsFor(schoolScopes)
