import { afterAll, vi } from 'vitest'
import { killChildren } from '../processes/child.js'

// Vitest runs this in each test file, and this hook after those of the file. Files share the process of their worker:
// what a file leaves there is the fault of the next one, if nobody says whose it is.
afterAll(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  const left = await killChildren()
  if (left.length > 0) throw new Error(`a process outlives its test: ${left.join(', ')}`)
})
