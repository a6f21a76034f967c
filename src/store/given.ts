import {
  type AnyWanted,
  type Fields,
  record,
  type TextWanted,
  type Wanted,
} from '../options/wanted.js'

/**
 * The conditions of the arguments of a method, complete by their type. An argument or a member without one does not
 * compile, and a text has one that only texts fit.
 */
type Given<Parameters extends readonly unknown[]> = {
  readonly [Index in keyof Parameters]-?: GivenAs<Parameters[Index]> | AnyWanted
}
type GivenAs<Value> =
  IsText<Value> extends true
    ? TextWanted
    : Value extends readonly unknown[]
      ? Wanted
      : undefined extends Value
        ? Wanted
        : FieldsOf<Value>
/** The conditions of the members of an object. */
export type FieldsOf<Value> = {
  readonly [Name in keyof Value as Name & string]-?: IsText<Value[Name]> extends true
    ? TextWanted | AnyWanted
    : Wanted
}
/** Whether a value is nothing but a text or a list of texts, if it is there. */
type IsText<Value> = [NonNullable<Value>] extends [string | readonly string[]] ? true : false

/** The arguments of each method of a storage. */
export type GivenTo<Storage> = {
  readonly [Name in keyof Storage]: Storage[Name] extends (...parameters: infer Taken) => unknown
    ? Given<Taken>
    : never
}

/** The arguments of a method of any type. */
export type AnyGiven = readonly (Wanted | Fields)[]

/** Returns the conditions of the arguments of a method. */
export const wantedOf = (given: AnyGiven): readonly Wanted[] =>
  given.map((one) => (typeof one['fits'] === 'function' ? (one as Wanted) : record(one as Fields)))
