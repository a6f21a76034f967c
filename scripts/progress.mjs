const EMPTY_LINE = '\r\u001b[2K'
const EVERY_MILLISECONDS = 10_000

/**
 * Shows how far long work is, such as `Screenshots: 12 of 640, consent`. A terminal has one line, which the next one
 * replaces. Elsewhere a line comes every ten seconds at most.
 *
 * @param {string} what - the work
 * @param {{
 *   total: number,
 *   stream?: { isTTY?: boolean, columns?: number, write: (text: string) => unknown },
 *   now?: () => number,
 *   everyMilliseconds?: number,
 * }} options - `total`: how many steps it has. `everyMilliseconds`: the time between two lines where there is no
 *   terminal
 * @returns `step` begins a step, `repeat` shows the current one with a note, and `end` removes the line
 */
export function createProgress(
  what,
  {
    total,
    stream = process.stdout,
    now = () => performance.now(),
    everyMilliseconds = EVERY_MILLISECONDS,
  },
) {
  const { isTTY = false, columns } = stream
  let done = 0
  let name = ''
  let shownAt = -Infinity

  function show(note = '') {
    const line = `${what}: ${done} of ${total}${name === '' ? '' : `, ${name}`}${note}`
    if (isTTY) stream.write(EMPTY_LINE + line.slice(0, (columns || 80) - 1))
    else if (now() - shownAt >= everyMilliseconds) {
      shownAt = now()
      stream.write(`${line}\n`)
    }
  }

  return {
    /** @param {string} [step] */
    step(step = '') {
      done += 1
      name = step
      show()
    },
    /** @param {string} note */
    repeat: (note) => show(`, ${note}`),
    end() {
      if (isTTY) stream.write(EMPTY_LINE)
    },
  }
}
