/** The HTTP methods that operations have. */
export type OperationMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What a path leads to. */
export type Route<Found> =
  | {
      readonly found: 'operation'
      readonly operation: Found
      readonly parameters: Readonly<Record<string, string>>
    }
  | { readonly found: 'path'; readonly methods: readonly OperationMethod[] }
  | { readonly found: 'nothing' }

/** What a route is made of. */
export interface Routable {
  readonly method: OperationMethod
  readonly path: string
  /** Names of its path parameters, in their order. */
  readonly pathParameters: readonly string[]
}

/** A place in the tree of paths. */
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
 * Makes the function from method and path to operation. A word wins over a parameter at the same place;
 * a path is compared as it was received, and only what stands for a parameter is decoded.
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

/** A segment as a value; `null` where it cannot be one. */
function decode(segment: string): string | null {
  try {
    const value = decodeURIComponent(segment)
    // Every other reader of the URL takes these for a step in the path.
    return value === '' || value === '.' || value === '..' ? null : value
  } catch {
    return null
  }
}
