import { openSchools, readEnvironment, sayLast } from '@hallpass/example-school'
import * as sdk from '@modelcontextprotocol/server'
import { serverAdapter } from 'hallpass/mcp'
import { writeAddresses } from '#lib/addresses'
import { correctRequests } from '#lib/requests'
import { setSchools } from '#lib/school'

/** Opens both schools and prints where they are. If that fails, the process ends. */
export async function start(): Promise<void> {
  try {
    const environment = readEnvironment(process.env, {
      kilnAt: (port) => `http://localhost:${port}`,
    })
    if (!environment.trustProxy) writeAddresses()
    correctRequests()
    const schools = await openSchools(environment, { mcpAdapter: serverAdapter(sdk) })
    setSchools(schools)
    schools.greet()
  } catch (fault) {
    sayLast(fault)
    process.exit(1)
  }
}
