/**
 * The HTTP method of an operation. `HEAD` requests are served by `GET` operations.
 */
type OperationMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * The result of looking up a method and a path: an operation with its path parameters, the methods of a
 * path without an operation for this method, or nothing.
 */
export type Route<Found> =
  | {
      readonly found: 'operation'
      readonly operation: Found
      readonly parameters: Readonly<Record<string, string>>
    }
  | { readonly found: 'path'; readonly methods: readonly OperationMethod[] }
  | { readonly found: 'nothing' }

/** The members of an operation that its route consists of. */
export interface Routable {
  readonly method: OperationMethod
  readonly path: string
  /** Names of the path parameters, in the order of the path. */
  readonly pathParameters: readonly string[]
}

/** A node in the tree of paths. */
interface Place<Found> {
  readonly words: Map<string, Place<Found>>
  parameter: Place<Found> | null
  readonly operations: Map<string, Found>
}

const newPlace = <Found>(): Place<Found> => ({
  words: new Map(),
  parameter: null,
  operations: new Map(),
})

/**
 * Creates the function that finds the operation for a method and a path. A fixed segment takes
 * precedence over a parameter. Paths are compared as received, and only the values of parameters are
 * decoded.
 */
export function createRoutes<Found extends Routable>(
  operations: readonly Found[],
): (method: string, path: string) => Route<Found> {
  const root = newPlace<Found>()
  for (const operation of operations)
    placeOf(root, operation).operations.set(operation.method, operation)
  return (method, path) => {
    const followed = follow(root, path)
    if (followed === null || followed.place.operations.size === 0) return { found: 'nothing' }
    const { place, values } = followed
    const operation = place.operations.get(method === 'HEAD' ? 'GET' : method)
    if (operation === undefined)
      return { found: 'path', methods: [...place.operations.keys()] as OperationMethod[] }
    const named = operation.pathParameters.map((name, index) => [name, values[index]!] as const)
    return { found: 'operation', operation, parameters: Object.fromEntries(named) }
  }
}

function placeOf<Found>(root: Place<Found>, { path }: Routable): Place<Found> {
  let place = root
  for (const segment of segmentsOf(path)) {
    if (segment.startsWith('{')) {
      place = place.parameter ??= newPlace()
      continue
    }
    const next = place.words.get(segment) ?? newPlace()
    place.words.set(segment, next)
    place = next
  }
  return place
}

function follow<Found>(
  root: Place<Found>,
  path: string,
): { place: Place<Found>; values: readonly string[] } | null {
  const values: string[] = []
  let place = root
  for (const segment of segmentsOf(path)) {
    const word = place.words.get(segment)
    const value = word === undefined ? decode(segment) : null
    const next = word ?? (value === null ? null : place.parameter)
    if (next === null) return null
    if (value !== null) values.push(value)
    place = next
  }
  return { place, values }
}

const segmentsOf = (path: string): readonly string[] => path.slice(1).split('/')

/** Decodes a segment as the value of a parameter, or returns `null` if it cannot be one. */
function decode(segment: string): string | null {
  try {
    const value = decodeURIComponent(segment)
    // Other URL parsers resolve these segments as relative path steps. No database keeps every control character.
    return /^\.{0,2}$|\p{Cc}/u.test(value) ? null : value
  } catch {
    return null
  }
}
