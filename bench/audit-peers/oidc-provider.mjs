import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'
import { CLIENTS, listening, ofConsent, ofSignIn, PEOPLE, REDIRECT_URI, SECRET } from './common.mjs'

export const name = 'oidc-provider'
export const packages = ['oidc-provider']
/** Parts for development, which its documentation says to replace. */
export const host = {
  what: 'its pages for development and its policy of introspection, which its documentation says to replace',
  checks: (check) =>
    ofSignIn(check) || ofConsent(check) || /^introspection\/(?:public|other)-client$/.test(check),
}
export const setUp =
  'The quick start, with its own pages for development, and these options on: POST at the authorization endpoint, client credentials, the device flow, DPoP, introspection, pushed requests, registration, revocation, and metadata documents'

/** A client for `client_credentials`, which acts for itself. */
const SERVICE = {
  client_id: 'service',
  client_secret: SECRET,
  redirect_uri: REDIRECT_URI,
  scope: 'courses:read',
}

/** The constructor with an issuer and clients, as the README has it. It brings a sign-in for development. */
export async function start() {
  const server = createServer()
  const { origin, stop } = await listening(server)
  const on = { enabled: true }
  const client = ({ client_id, client_secret, redirect_uri }) => ({
    client_id,
    ...(client_secret === undefined
      ? { token_endpoint_auth_method: 'none' }
      : { client_secret, token_endpoint_auth_method: 'client_secret_post' }),
    application_type: 'native',
    redirect_uris: [redirect_uri],
    grant_types: ['authorization_code', 'refresh_token'],
  })
  const provider = new Provider(origin, {
    clients: [
      ...Object.values(CLIENTS).map(client),
      {
        ...client(SERVICE),
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        scope: SERVICE.scope,
      },
    ],
    scopes: ['openid', 'offline_access', SERVICE.scope],
    enableHttpPostMethods: true,
    cookies: { long: { sameSite: 'none' } },
    features: {
      clientCredentials: on,
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
      deviceFlow: on,
      dPoP: on,
      introspection: on,
      pushedAuthorizationRequests: on,
      registration: on,
      revocation: on,
    },
  })
  server.on('request', provider.callback())
  return {
    issuer: origin,
    signIn: {
      people: PEOPLE.map(({ email, password }) => ({ login: email, password })),
      scope: 'openid offline_access',
      clients: { ...CLIENTS, service: SERVICE },
    },
    stop,
  }
}
