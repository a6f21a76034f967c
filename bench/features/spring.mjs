import { startSpring, versionsOfSpring } from '../../test/support/processes/java-servers.js'
import { CLIENT } from './common.mjs'

export const versions = versionsOfSpring()

/** Spring Authorization Server: what is on is in `SpringServer.java`. */
export const start = () => startSpring('SpringServer', CLIENT)
