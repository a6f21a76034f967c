import { DEVICE_GRANT } from '../../support/school/device-school.js'
import { OWNER } from '../../support/school/school.js'
import { TYPE } from '../../support/school/signing-client.js'
import { JWT_BEARER } from '../../support/school/asserting-client.js'
import { API_PLACES } from './api-places.js'
import type { Credential } from './credentials.js'
import { CLIENTS, TOKEN, VERIFIER } from './hand.js'
import {
  clientFields,
  CODE,
  type Fields,
  ISSUED,
  NAMES,
  type Place,
  resource,
  type Sending,
} from './place.js'
import { A, secretAt } from './world.js'

const grant = (
  name: string,
  takes: RegExp,
  fields: (credential: Credential, sending: Sending) => Fields,
): Place => ({
  name: `token endpoint, ${name}`,
  takes,
  accepts: ISSUED,
  build: (credential, sending) => ({
    path: TOKEN,
    form: {
      ...clientFields(sending, credential),
      ...resource(sending),
      ...fields(credential, sending),
    },
  }),
})

const authorizing = (
  name: string,
  takes: RegExp,
  fields: (credential: Credential, sending: Sending) => Fields,
  accepts = CODE,
): Place => ({
  name: `authorization endpoint, ${name}`,
  takes,
  accepts,
  build(credential, sending) {
    const { chance, hand, own } = sending
    const client = chance.pick(NAMES)
    const form = { ...hand.authorization(client, resource(sending)), ...fields(credential, sending) }
    const cookie = CLIENTS[client].who === OWNER.subject ? own.owner : own.member
    return { path: `/oauth/authorize?${new URLSearchParams(form)}`, headers: chance.is(0.9) ? { cookie } : {} }
  },
}) // prettier-ignore

export const PLACES: readonly Place[] = [
  ...API_PLACES,
  {
    name: 'introspection',
    takes: /access token|refresh token|id token|code/,
    accepts: /"active":true/,
    build: ({ value }, { hand }) => ({
      path: '/api/oauth/introspect',
      form: { client_id: CLIENTS.hub.id, client_secret: secretAt(hand.issuer), token: value },
    }),
  },
  {
    name: 'introspection, secret',
    takes: /secret/,
    accepts: /"active"/,
    build: ({ value, more }, { chance, own }) => ({
      path: '/api/oauth/introspect',
      form: {
        client_id: chance.pick([more['client_id'] ?? '', CLIENTS.hub.id]),
        client_secret: value,
        token: own.staff,
      },
    }),
  },
  {
    name: 'revocation',
    takes: /token|grant|step-up/,
    accepts: /never/,
    build: (credential, sending) => ({
      path: '/api/oauth/revoke',
      form: { ...clientFields(sending, credential), token: credential.value },
    }),
  },
  grant('code', /^code of/, ({ value }) => ({
    grant_type: 'authorization_code',
    code: value,
    code_verifier: VERIFIER,
  })),
  grant('refresh token', /refresh token/, ({ value }) => ({
    grant_type: 'refresh_token',
    refresh_token: value,
  })),
  grant('device code', /^device code/, ({ value }) => ({
    grant_type: DEVICE_GRANT,
    device_code: value,
    client_id: CLIENTS.desk.id,
  })),
  grant('identity assertion', /^(identity assertion|id token)/, ({ value }) => ({
    grant_type: JWT_BEARER,
    assertion: value,
  })),
  grant('client assertion', /assertion|id token/, ({ value }) => ({
    grant_type: 'client_credentials',
    scope: 'courses:read',
    client_id: CLIENTS.signer.id,
    client_assertion_type: TYPE,
    client_assertion: value,
  })),
  grant('client', /client id|secret/, ({ value, more }) => ({
    grant_type: 'client_credentials',
    scope: 'courses:read',
    client_id: value,
    ...more,
  })),
  {
    name: 'token endpoint, proof',
    takes: /^proof/,
    accepts: ISSUED,
    async build({ value }, { hand }) {
      const form = { grant_type: 'client_credentials', scope: 'courses:read', ...(await hand.as('signer')) } // prettier-ignore
      return { path: TOKEN, form, headers: { dpop: value } }
    },
  },
  authorizing('client', /^client/, ({ value, more }) => ({
    client_id: value,
    ...(more['redirect_uri'] !== undefined && { redirect_uri: more['redirect_uri'] }),
  }), /[?&]code=|oauth\/interaction/), // prettier-ignore
  authorizing('pushed request', /^pushed/, ({ value }, { chance }) => ({
    client_id: chance.is(0.7) ? CLIENTS.signer.id : CLIENTS[chance.pick(NAMES)].id,
    request_uri: value,
  }), /[?&]code=|oauth\/interaction/), // prettier-ignore
  authorizing('id token hint', /^id token/, ({ value }) => ({
    id_token_hint: value,
    prompt: 'none',
  })),
  authorizing('remembered consent', /^remembered/, (_credential, { hand }) => ({
    ...hand.authorization('hub'),
    prompt: 'none',
  })),
  {
    name: 'interaction',
    takes: /^pending|^cookie/,
    accepts: /[?&]code=|"csrfToken"/,
    build({ value, more }, { chance, own, hand }) {
      const id = more['interaction'] ?? value
      const of = more['cookie'] ?? value
      const cookie = chance.pick([of, `${of}; ${own.owner}`, `${own.owner}; ${of}`, `${of}; ${own.member}`]) // prettier-ignore
      const path = `/oauth/interaction/${encodeURIComponent(id)}`
      return chance.is(0.6)
        ? { path, headers: { cookie } }
        : {
            path,
            form: { csrf_token: more['csrf'] ?? id, decision: chance.pick(['allow', 'deny']) },
            headers: { cookie, origin: hand.issuer },
          }
    },
  },
  {
    name: 'step-up link',
    takes: /^step-up/,
    accepts: /"csrfToken"/,
    build: ({ value }, { own, chance }) => ({
      path: `/oauth/interaction/${encodeURIComponent(value)}?add=${chance.pick(['account:write', 'account:read'])}`,
      headers: { cookie: chance.is(0.9) ? own.member : own.owner },
    }),
  },
  {
    name: 'device page',
    takes: /^user code/,
    accepts: /"consent":\{/,
    build: ({ value, more }, { own, chance, hand }) => ({
      path: '/oauth/device',
      form: {
        csrf_token: chance.is(0.8) ? own.device.csrf : (more['csrf'] ?? value),
        user_code: value,
        ...(chance.is(0.3) && { decision: 'allow' }),
      },
      headers: {
        cookie: chance.is(0.8) ? own.device.cookie : `${more['cookie'] ?? ''}; ${own.owner}`,
        origin: hand.issuer,
      },
    }),
  },
  {
    name: 'session',
    takes: /^session/,
    accepts: CODE,
    build: ({ value, more }, { hand, chance }) => ({
      path: `/oauth/authorize?${new URLSearchParams(hand.authorization(chance.pick(NAMES), { prompt: 'none' }))}`,
      headers: { cookie: `${value}; ${more['cookie'] ?? ''}` },
    }),
  },
  {
    name: 'pushed request endpoint, client',
    takes: /assertion|client|secret/,
    accepts: /"request_uri"/,
    build: ({ value, more, kind }, { hand, chance }) => ({
      path: '/api/oauth/par',
      form: {
        ...hand.authorization('signer'),
        ...(kind.includes('assertion')
          ? { client_assertion: value, client_assertion_type: TYPE }
          : { client_id: value, ...more }),
        ...(chance.is(0.3) && { resource: A }),
      },
    }),
  },
  {
    name: 'device authorization endpoint, client',
    takes: /^client/,
    accepts: /"device_code"/,
    build: ({ value, more }) => ({
      path: '/api/oauth/device_authorization',
      form: { client_id: value, scope: 'courses:read', ...more },
    }),
  },
]
