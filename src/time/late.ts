/**
 * Makes a value when it is first needed, and keeps it: a process may serve many schools of which few are asked. What
 * fails is made again the next time.
 */
export function late<Value extends object>(make: () => Value): () => Value {
  let made: Value | null = null
  return () => (made ??= make())
}

/** The same for a value that can be made again: of thousands of schools, the garbage collector takes what few are asked for. */
export function lateAgain<Value extends object>(make: () => Value): () => Value {
  const valueOf = lateAgainByName(make)
  return () => valueOf('')
}

/** The same for values by name. */
export function lateAgainByName<Name extends string, Value extends object>(
  make: (name: Name) => Value,
): (name: Name) => Value {
  const made: Partial<Record<Name, WeakRef<Value>>> = {}
  return (name) => {
    const kept = made[name]?.deref()
    if (kept !== undefined) return kept
    const value = make(name)
    made[name] = new WeakRef(value)
    return value
  }
}
