import { cut, visible } from '../reports/text.js'
import { subjectOf } from '../reports/rows.js'
import type { AuditRow } from '../audit-server.js'

/** A stream to which the command writes. */
export interface Output {
  readonly write: (text: string) => unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

/** The columns of a stream. A pipe has none, and a terminal that no one has measured has 0. */
export const columnsOf = ({ columns }: Output): number =>
  columns === undefined || columns === 0 ? 80 : columns

/** One line on a terminal that says how far an audit is. */
export interface Progress {
  readonly begin: (checks: readonly { readonly id: string }[]) => void
  readonly row: (row: AuditRow) => void
  /** Says that the audit waits for so many seconds. */
  readonly wait: (seconds: number) => void
  readonly end: () => void
}

const CLEAR = '\r\u001b[K'
const BAR = 20

/** Returns a progress that rewrites its line; in a file or a pipe, it writes nothing. */
export function createProgress(output: Output): Progress {
  if (output.isTTY !== true)
    return { begin: () => {}, row: () => {}, wait: () => {}, end: () => {} }
  let ids: readonly string[] = []
  let done = 0
  let violated = 0
  let isShown = false
  const show = (further = ''): void => {
    const filled = Math.round((BAR * Math.min(done, ids.length)) / Math.max(1, ids.length))
    const bar = '█'.repeat(filled) + '░'.repeat(BAR - filled)
    // The subject of the check that runs now.
    const subject = subjectOf(visible(ids[Math.min(done, ids.length - 1)] ?? ''))
    const wrong = violated === 0 ? '' : `, ${violated} violated`
    const line = `${bar} ${done} of ${ids.length}, ${subject}${wrong}${further}`
    output.write(CLEAR + cut(line, columnsOf(output) - 1))
    isShown = true
  }
  return {
    begin(checks) {
      ids = checks.map(({ id }) => id)
      show()
    },
    row({ verdict }) {
      done += 1
      if (verdict === 'violated') violated += 1
      show()
    },
    wait: (seconds) => show(`: waits ${seconds} s, as the server asks`),
    end() {
      if (isShown) output.write(CLEAR)
      isShown = false
    },
  }
}
