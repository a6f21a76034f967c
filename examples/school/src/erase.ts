import { eraseByCommand } from './members/erase-command.js'
import { readEnvironment } from './platform/environment.js'

try {
  console.log(await eraseByCommand(process.argv.slice(2), readEnvironment(process.env)))
} catch (fault) {
  console.error(fault instanceof Error ? fault.message : fault)
  process.exitCode = 1
}
