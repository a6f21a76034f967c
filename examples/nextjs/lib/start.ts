import { openSchools, readEnvironment } from '@hallpass/example-school'
import { sdkAdapter } from 'hallpass/mcp-sdk-v1'
import { writeAddresses } from '#lib/addresses'
import { setSchools } from '#lib/school'

/** Opens both schools and prints where they are. If that fails, the process ends. */
export async function start(): Promise<void> {
  try {
    const environment = readEnvironment(process.env, {
      kilnAt: (port) => `http://localhost:${port}`,
    })
    if (!environment.trustProxy) writeAddresses()
    const schools = await openSchools(environment, { mcpAdapter: sdkAdapter })
    setSchools(schools.sites)
    console.log(schools.greeting)
  } catch (fault) {
    console.error(fault instanceof Error ? fault.message : fault)
    process.exit(1)
  }
}
