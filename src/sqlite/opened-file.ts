import { nativeFiles } from '../encoding/native.js'

/** The files of a database with a write-ahead log. All processes that have it open share the three. */
const ENDS = ['', '-wal', '-shm']

/**
 * Returns a function that throws if an open database is no longer what its path leads to. SQLite notices nothing: it writes
 * on into a file that was replaced, moved or deleted, and another process that opens the path shares no lock with this one.
 *
 * It does nothing where there is no file, or no file system to ask.
 *
 * @param file - the path of the database: empty for one in memory, `null` if it is unknown
 */
export function watchFile(file: string | null): () => void {
  if (file === null || file === '' || nativeFiles === undefined) return () => {}
  const { statSync } = nativeFiles
  const opened = new Map<string, string>()
  return () => {
    for (const end of ENDS) {
      const found = statSync(file + end, { bigint: true, throwIfNoEntry: false })
      const now = found === undefined ? '' : `${found.dev} ${found.ino}`
      const before = opened.get(end)
      if (before === undefined && now !== '') opened.set(end, now)
      if (before !== undefined && before !== now)
        throw new Error(
          `${file}${end} was ${now === '' ? 'moved or deleted' : 'replaced'} while this process has the database open, so nothing more is read or written. Stop every process of it, and restore ${file} as a whole: docs/operations/restore.md`,
        )
    }
  }
}
