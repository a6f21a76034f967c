/**
 * Makes a value when it is first needed, and keeps it: a process may serve many schools of which few are asked. What
 * fails is made again the next time.
 */
export function late<Value extends object>(make: () => Value): () => Value {
  let made: Value | null = null
  return () => (made ??= make())
}
