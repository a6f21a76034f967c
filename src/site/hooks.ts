/**
 * Wraps a hook of the host application, so that its exceptions and rejections go to `onFault` and do not
 * affect the request.
 *
 * @param tell - the hook; `undefined` if the site has none
 * @param onFault - receives its exceptions; must not throw
 */
export function shielded<Notices extends readonly unknown[]>(
  tell: ((...notices: Notices) => unknown) | undefined,
  onFault: (fault: unknown) => void,
): (...notices: Notices) => void {
  if (tell === undefined) return () => {}
  return (...notices) => {
    try {
      const returned = tell(...notices)
      // Any thenable, because an unhandled rejection ends the process.
      if (typeof returned === 'object' && returned !== null)
        Promise.resolve(returned).catch(onFault)
    } catch (fault) {
      onFault(fault)
    }
  }
}
