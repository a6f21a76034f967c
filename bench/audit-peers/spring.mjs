import { startSpring } from '../../test/support/processes/java-servers.js'
import { CLIENTS, PEOPLE } from './common.mjs'

const NAME = 'spring-security-oauth2-authorization-server'
export const name = 'Spring Authorization Server'
export const versions = {
  [NAME]: new RegExp(`${NAME}-([\\d.]+)\\.jar`).exec(process.env['CLASSPATH'])[1],
}
export const setUp =
  'Its security filter chain with OpenID Connect, open registration, the device flow and pushed requests, its own pages, and rows in memory'

export async function start() {
  const { client_id: id, client_secret: secret, redirect_uri: redirectUri } = CLIENTS.confidential
  const { origin, stop } = await startSpring('SpringServer', { id, secret, redirectUri, people: JSON.stringify(PEOPLE) }) // prettier-ignore
  return {
    issuer: origin,
    signIn: {
      people: PEOPLE.map(({ email, password }) => ({ username: email, password })),
      scope: 'openid',
      clients: { confidential: CLIENTS.confidential },
    },
    stop,
  }
}
