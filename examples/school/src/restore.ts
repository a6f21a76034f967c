import { restoreByCommand } from './members/restore-command.js'
import { readEnvironment } from './platform/environment.js'
import { describeFault } from './platform/hooks.js'

try {
  console.log(await restoreByCommand(process.argv.slice(2), readEnvironment(process.env)))
} catch (fault) {
  console.error(describeFault(fault))
  process.exitCode = 1
}
