/** Kinds of objects that `node(id:)` finds, by the prefix that their identifiers carry. */
const NODE_PREFIX = {
  EnrolledCourse: 'enr_',
  Order: 'ord_',
  EventRegistration: 'reg_',
  Subscription: 'sub_',
  OwnedDigitalProduct: 'dig_',
} as const

export type NodeKind = keyof typeof NODE_PREFIX

/** The identifier that clients see. */
export const nodeId = (kind: NodeKind, id: string): string => NODE_PREFIX[kind] + id

/** The source's own identifier; `null` = it is none of this kind. */
export function sourceId(kind: NodeKind, id: string): string | null {
  const prefix = NODE_PREFIX[kind]
  return id.startsWith(prefix) && isFindable(id) ? id.slice(prefix.length) : null
}

/** Whether a source can look for it. Not every database takes a NUL. */
export const isFindable = (text: string): boolean => !text.includes('\0')
