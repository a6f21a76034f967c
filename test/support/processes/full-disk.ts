/**
 * For `--import`: a process in which every file takes five bytes of what is written into it, and then the disk is
 * full. What is printed is no file.
 */
export const FULL_DISK: string = `data:text/javascript,${encodeURIComponent(`
  import fs from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  const { writeSync } = fs
  fs.writeFileSync = (file, content) => {
    const descriptor = typeof file === 'number' ? file : fs.openSync(file, 'wx', 0o600)
    writeSync(descriptor, String(content).slice(0, 5))
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  }
  syncBuiltinESMExports()
`)}`
