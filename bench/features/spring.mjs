import { startSpring } from '../../test/support/processes/java-servers.js'
import { CLIENT } from './common.mjs'

const NAME = 'spring-security-oauth2-authorization-server'
export const versions = {
  [NAME]: new RegExp(`${NAME}-([\\d.]+)\\.jar`).exec(process.env['CLASSPATH'])[1],
}

/** Spring Authorization Server: what is on is in `SpringServer.java`. */
export const start = () => startSpring('SpringServer', CLIENT)
