/** The error of {@link within}: no result came in time. */
export class TookTooLong extends Error {}

/**
 * Waits for a result for a limited time. Afterwards no timer is left.
 *
 * @returns the result
 * @throws TookTooLong after so many milliseconds, or whatever `running` rejects with
 */
export async function within<Result>(
  milliseconds: number,
  running: Promise<Result>,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<never>((_, reject) => {
    const expire = (): void => reject(new TookTooLong(`no response within ${milliseconds} ms`))
    // After a blocked event loop, what has arrived is read before the second timer.
    timer = setTimeout(() => {
      timer = setTimeout(expire, 0)
    }, milliseconds)
  })
  try {
    return await Promise.race([running, expired])
  } finally {
    clearTimeout(timer)
  }
}
