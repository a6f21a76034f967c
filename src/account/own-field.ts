import type { Access } from '../policy/bearer.js'
import type { AccountContext } from './context.js'
import type { Member } from './source.js'

/**
 * The request, as a resolver of {@link defineAccountFields} knows it. All fields of one request receive the same object.
 *
 * @group Fields of your own
 */
export interface AccountFieldContext {
  /** The person behind the access token. Return data of this member only. */
  readonly member: Member
  readonly clientId: string
  /** The scopes in effect. Those that the fields of the request need are among them. */
  readonly scopes: readonly string[]
  /** Epoch seconds. */
  readonly now: number
}

/** The context of a request to a schema with fields of one's own. */
interface ExtendedContext extends AccountContext {
  readonly fieldContext: AccountFieldContext
}

/** Adds what the resolvers of {@link defineAccountFields} receive to the context of a request. */
export function withFieldContext(
  context: AccountContext,
  { client, scopes }: Access,
): ExtendedContext {
  const { member, now } = context
  const fieldContext = Object.freeze({ member, clientId: client.clientId, scopes, now })
  return { ...context, fieldContext }
}

export const fieldContextOf = (context: AccountContext): AccountFieldContext =>
  (context as ExtendedContext).fieldContext

/** Scopes and cost of a field of one's own. */
export interface OwnField {
  /** The scopes that selecting it needs. */
  readonly scopes: readonly string[]
  /** Its points, in addition to those of its rows and selections. */
  readonly weight: number
  /** How many rows its list has at most; `null` if it is not a list. */
  readonly maxRows: number | null
  /** How many rows it has if the client leaves out the argument `first`; `null` if there is no such argument. */
  readonly rowsByDefault: number | null
}

/** The mark of a field in the schema. */
export interface OwnMark extends OwnField {
  /** Returns the cost of a list, whose rows are counted as there may be at most: no resolver returns more. */
  readonly costOf: <Node, Variables>(
    node: Node,
    ofRow: ((variables: Variables) => number) | null,
    pageSize: (
      node: Node,
      size: { readonly names: readonly string[]; readonly byDefault: number; readonly max: number },
    ) => (variables: Variables) => number,
  ) => (variables: Variables) => number
}

interface Extensible {
  readonly extensions: Readonly<Record<string, unknown>>
}

const KEY = 'hallpass'

/** Returns what {@link markField} noted; `undefined` for a field of the library. */
export const ownFieldOf = ({ extensions }: Extensible): OwnMark | undefined =>
  extensions[KEY] as OwnMark | undefined

/** Notes on a field of a schema what its cost and scopes follow from. */
export function markField(field: object, own: OwnField): void {
  const { weight, maxRows, rowsByDefault } = own
  const costOf: OwnMark['costOf'] = (node, ofRow, pageSize) => {
    if (ofRow === null) return () => weight
    const max = maxRows!
    const rowsOf =
      rowsByDefault === null
        ? () => max
        : pageSize(node, { names: ['first'], byDefault: rowsByDefault, max })
    return (variables) => weight + rowsOf(variables) * (1 + ofRow(variables))
  }
  Object.assign(field, { extensions: { [KEY]: { ...own, costOf } } })
}
