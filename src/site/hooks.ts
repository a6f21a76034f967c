/**
 * The host's own function, shielded: whatever it throws or rejects with goes to `onFault` and changes
 * nothing for the request.
 *
 * @param tell - absent = nobody listens
 * @param onFault - must not throw
 */
export function shielded<Notices extends readonly unknown[]>(
  tell: ((...notices: Notices) => unknown) | undefined,
  onFault: (fault: unknown) => void,
): (...notices: Notices) => void {
  if (tell === undefined) return () => {}
  return (...notices) => {
    try {
      const told = tell(...notices)
      // A thenable of any make: its rejection unheard would end the process.
      if (typeof told === 'object' && told !== null) Promise.resolve(told).catch(onFault)
    } catch (fault) {
      onFault(fault)
    }
  }
}
