/** Prefix of the identifiers of each type that `node(id:)` finds. */
const NODE_PREFIX = {
  EnrolledCourse: 'enr_',
  Order: 'ord_',
  EventRegistration: 'reg_',
  Subscription: 'sub_',
  OwnedDigitalProduct: 'dig_',
} as const

export type NodeKind = keyof typeof NODE_PREFIX

/** Returns the identifier that clients see. */
export const nodeId = (kind: NodeKind, id: string): string => NODE_PREFIX[kind] + id

/** Returns the identifier in the source, or `null` if `id` is not an identifier of this type. */
export function sourceId(kind: NodeKind, id: string): string | null {
  const prefix = NODE_PREFIX[kind]
  return id.startsWith(prefix) && isFindable(id) ? id.slice(prefix.length) : null
}

/** Whether a source can be queried with this text. PostgreSQL, for one, refuses NUL in text. */
export const isFindable = (text: string): boolean => !text.includes('\0')
