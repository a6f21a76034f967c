import { kindOf } from '../options/check.js'
import { thrownBy, UnusableValue } from '../store/guard.js'
import type { AccountContext } from './context.js'
import type { DefinedField } from './fields-sdl.js'
import { inputError } from './input-error.js'
import { type AccountFieldContext, fieldContextOf } from './own-field.js'
import type { ViewerParent } from './viewer.js'

/**
 * Returns the value of a field of your own.
 *
 * @param parent - the object that has the field: the record from the source for a type of the library, the profile
 *   for `Viewer`, and `undefined` at the root
 * @group Fields of your own
 */
export type AccountFieldResolver<Parent = never> = (
  parent: Parent,
  args: never,
  context: AccountFieldContext,
) => unknown

type Arguments = Readonly<Record<string, unknown>>
/** A resolver as both executors call it. */
type Resolve = (parent: unknown, args: Arguments, context: AccountContext) => unknown

/**
 * Makes the resolver of a field: it calls that of the host application with its own context and no other, names the
 * field in exceptions, and bounds a list. A field without one is the member of that name.
 */
export function resolveOwn(
  { type, name, maxRows, rowsByDefault }: DefinedField,
  own: AccountFieldResolver<unknown> | undefined,
): Resolve {
  const place = `${type}.${name}`
  const rowsOf = (value: unknown, most: number): unknown => {
    if (value == null) return value
    // Any other iterable might never end.
    if (!Array.isArray(value))
      throw new UnusableValue(`${place} returned ${kindOf(value)}: it must be an array`)
    if (value.length > most)
      throw new UnusableValue(
        `${place} returned ${value.length} rows of at most ${most}: honour first, or state @listSize(assumedSize: …)`,
      )
    return value
  }
  if (own === undefined) {
    const member: Resolve = (parent) => (parent as Readonly<Record<string, unknown>>)[name]
    if (maxRows === null) return member
    return async (parent, args, context) => rowsOf(await member(parent, args, context), maxRows)
  }
  const parentOf = (parent: unknown): unknown =>
    type === 'Viewer' ? (parent as ViewerParent).profile : parent
  return async (parent, args, context) => {
    const first = rowsByDefault === null ? null : (args['first'] ?? rowsByDefault)
    if (first !== null) checkFirst(first as number, maxRows!)
    const given = first === null ? args : { ...args, first }
    const value = await call(place, () =>
      own(parentOf(parent), given as never, fieldContextOf(context)),
    )
    // It may have changed what was loaded before.
    if (type === 'Mutation') context.forget()
    return maxRows === null ? value : rowsOf(value, (first as number | null) ?? maxRows)
  }
}

async function call(place: string, resolve: () => unknown): Promise<unknown> {
  try {
    const value = await resolve()
    // graphql-js would throw it.
    if (value instanceof Error) throw value
    return value
  } catch (fault) {
    throw thrownBy(place)(fault)
  }
}

function checkFirst(first: number, max: number): void {
  if (first < 0 || first > max)
    throw inputError(`first must be from 0 to ${max}`, { argument: 'first', max })
}
