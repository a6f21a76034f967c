/** A few thousand lines. */
const MAX_KEPT_BYTES = 1_048_576
const AGAIN_MILLISECONDS = 250

/** Takes the lines of the log. */
export interface Output {
  readonly write: (line: string) => void
  /** Tries once to write the lines that wait, such as when the process ends. */
  readonly flush: () => void
}

/**
 * Creates an output that no request waits for: a disk may be full, and a reader may hang. Lines that cannot be
 * written are kept, up to one mebibyte. Then lines are lost, until all that were kept are written.
 *
 * @param options - `write`: writes bytes without waiting and returns how many, or throws. `onStop`: called with the
 *   reason when the first line is kept. `onLost`: called with the number of lost lines when the others are written
 */
export function createOutput({
  write,
  onStop,
  onLost,
}: {
  write: (bytes: Uint8Array) => number
  onStop: (reason: NodeJS.ErrnoException) => void
  onLost: (lines: number) => void
}): Output {
  const kept: Uint8Array[] = []
  let size = 0
  let lost = 0
  let timer: NodeJS.Timeout | undefined

  /** Writes what is kept. */
  function flush(): void {
    try {
      for (let line = kept[0]; line !== undefined; line = kept[0]) {
        const written = write(line)
        size -= written
        if (written < line.length) kept[0] = line.subarray(written)
        else kept.shift()
      }
    } catch (fault) {
      if (timer === undefined) onStop(fault as Error)
      timer ??= setInterval(flush, AGAIN_MILLISECONDS).unref()
      return
    }
    clearInterval(timer)
    timer = undefined
    const lines = lost
    lost = 0
    if (lines > 0) onLost(lines)
  }

  return {
    write(line) {
      const bytes = Buffer.from(line)
      if (size > 0 && (lost > 0 || size + bytes.length > MAX_KEPT_BYTES)) {
        lost += 1
        return
      }
      kept.push(bytes)
      size += bytes.length
      if (timer === undefined) flush()
    },
    flush,
  }
}
