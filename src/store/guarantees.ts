import {
  isObject,
  oneOf,
  optional,
  type RequiredRule,
  type Rules,
  shape,
  withoutUndefined,
} from '../options/check.js'
import { hasGroup } from './groups.js'
import type { Store } from './store.js'

type Guarantees = Store['guarantees']

const GUARANTEES: Rules<Guarantees> = {
  acknowledged: oneOf(
    'lost with the process',
    'survives the process',
    'survives a power failure',
    'survives the computer',
  ),
  reads: oneOf('latest', 'replica'),
  clock: oneOf('own', 'process'),
  processes: oneOf('many', 'one computer', 'one'),
}

/** The rule of the option by which a host states what its database server promises. */
export const OWN_GUARANTEES: RequiredRule<Partial<Guarantees>> = shape<Partial<Guarantees>>(
  '{ acknowledged: "survives the computer" }',
  {
    acknowledged: optional(GUARANTEES.acknowledged),
    reads: optional(GUARANTEES.reads),
    clock: optional(GUARANTEES.clock),
    processes: optional(GUARANTEES.processes),
  },
)

/** Returns the promises of a database server with its default settings, or what the host states in their place. */
export const guaranteesOfServer = (own: Partial<Guarantees> = {}): Guarantees => ({
  acknowledged: 'survives a power failure',
  reads: 'latest',
  clock: 'own',
  processes: 'many',
  ...withoutUndefined(own),
})

const EXAMPLE =
  '{ acknowledged: "survives a power failure", reads: "latest", clock: "own", processes: "many" }'

const RULE: RequiredRule<Guarantees> = shape<Guarantees>(
  `what the store promises, such as ${EXAMPLE}`,
  GUARANTEES,
)

/** Finds what a site cannot accept in the guarantees of a store. */
export function guaranteeMistakes(store: unknown, name: string): readonly string[] {
  // The rule of the methods says it.
  if (!isObject(store)) return []
  const { guarantees } = store as { readonly guarantees?: unknown }
  if (guarantees === undefined)
    return [`${name} lacks guarantees: say ${RULE.wanted}. docs/do/store.md has the words`]
  const mistakes = RULE.mistakes(guarantees, `${name}.guarantees`)
  if (mistakes.length > 0) return mistakes
  const { reads, clock } = guarantees as Guarantees
  return [
    ...(reads === 'replica'
      ? [
          `${name}.guarantees.reads is "replica": a revoked token would be accepted until the replica has the revocation, so read from the primary`,
        ]
      : []),
    ...(clock === 'own' && !hasGroup(store, 'clock')
      ? [`${name}.guarantees.clock is "own", so the store needs the group "clock"`]
      : []),
  ]
}
