import { restoreByCommand } from './members/restore-command.js'
import { readEnvironment } from './platform/environment.js'

try {
  console.log(await restoreByCommand(process.argv.slice(2), readEnvironment(process.env)))
} catch (fault) {
  console.error(fault instanceof Error ? fault.message : fault)
  process.exitCode = 1
}
