/**
 * A field of your own on `Viewer`, as member tools and the OpenAPI description show it.
 */
export interface ViewerField {
  readonly name: string
  /** The description in the schema, or `null`. */
  readonly description: string | null
  /** The scopes that it needs in addition to `account:read`. */
  readonly scopes: readonly string[]
  /**
   * The operation that reads the field as `value`, with its arguments as variables. It selects the scalars of the
   * result, and of the objects of your own in it. `null` if the field needs an input object, or returns a union.
   */
  readonly query: string | null
  /** The arguments by name. */
  readonly args: Readonly<Record<string, ValueShape>>
  /** The result of `query`. */
  readonly value: ValueShape
}

/**
 * The shape of an argument or of a result.
 */
export interface ValueShape {
  readonly kind: 'scalar' | 'enum' | 'list' | 'object'
  readonly isNullable: boolean
  readonly description?: string
  /** The name of a scalar, such as `Int` or `DateTime`. */
  readonly name?: string
  /** The values of an enum. */
  readonly values?: readonly string[]
  /** The shape of each row of a list. */
  readonly item?: ValueShape
  /** The largest number of rows of a list, and the largest value of its argument `first`. */
  readonly max?: number
  /** The members of an object by name. */
  readonly members?: Readonly<Record<string, ValueShape>>
}
