import { mkdir, readdir, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Notify } from '../applications/notices.js'

/** How many mails are kept, the newest. */
const KEPT = 200

/**
 * Creates a {@link Notify} for the demo, which sends nothing: each mail becomes a file. A real school passes it on
 * to its mail service.
 *
 * @param folder - created by the first mail
 */
export function mailFolder(folder: string): Notify {
  return async ({ id, to, subject, text }) => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const date = new Date()
    const headers = [
      `To: ${to}`,
      `Subject: ${subject}`,
      `Date: ${date.toUTCString()}`,
      `Message-ID: <${id}@hallpass.example>`,
      'Content-Type: text/plain; charset=utf-8',
    ]
    const name = `${date.toISOString().replace(/[-:]|\.\d+/g, '')}-${id}.eml`
    await writeFile(join(folder, name), `${headers.join('\n')}\n\n${text}`, { mode: 0o600 })
    const files = (await readdir(folder)).filter((file) => /^\d{8}T\d{6}Z-\w+\.eml$/.test(file))
    for (const file of files.sort().slice(0, -KEPT)) await unlink(join(folder, file))
  }
}
