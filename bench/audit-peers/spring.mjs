import { startSpring, versionsOfSpring } from '../../test/support/processes/java-servers.js'
import { CLIENTS, PEOPLE } from './common.mjs'

export const name = 'Spring Authorization Server'
export const versions = versionsOfSpring()
export const setUp =
  'Its security filter chain with OpenID Connect, registration, the device flow and pushed requests, its own pages, users and rows in memory, and clients with PKCE that are public or have a secret'

export async function start() {
  const { origin, stop } = await startSpring('SpringServer', {
    people: JSON.stringify(PEOPLE),
    clients: JSON.stringify(Object.values(CLIENTS)),
  })
  return {
    issuer: origin,
    signIn: {
      people: PEOPLE.map(({ email, password }) => ({ username: email, password })),
      scope: 'openid profile',
      clients: CLIENTS,
    },
    stop,
  }
}
