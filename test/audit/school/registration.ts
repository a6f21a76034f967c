import { type Check } from '../../../packages/hallpass-audit/src/check.js'
import { held, judge, notReached } from '../../../packages/hallpass-audit/src/finding.js'
import { refusalOf, refusedRequest } from '../../../packages/hallpass-audit/src/checks/expect.js'
import { type Audit, REDIRECT_URI } from '../../../packages/hallpass-audit/src/engine/audit.js'
import type { Answer } from '../../../packages/hallpass-audit/src/engine/http.js'
import { newSecret } from '../../../packages/hallpass-audit/src/engine/random.js'
import { anonymous, isJson, kept, postJson, refusalAt, slug, statement } from './statement.js'
import { FIELD_TYPES } from './tables.js'

const one = { ...anonymous, creates: { clients: 1 } } as const
const registered = (on: Audit, method = 'none'): Promise<Answer> =>
  kept(on, `registered ${method}`, () => on.register({ token_endpoint_auth_method: method }))
const isRegistered = ({ status, json }: Answer): boolean =>
  status < 300 && typeof json['client_id'] === 'string'
/** A vendor registers with nothing but its name. */
const asVendor = (on: Audit, name: string): Promise<Answer> =>
  on.register({ client_name: name, redirect_uris: undefined, application_type: undefined })

/** A registration that has to be refused because of its redirect URIs. */
const refusedUris = (name: string, what: string, ...redirect_uris: readonly string[]): Check =>
  statement(
    'Authentication 5',
    `registration-${name}`,
    {
      ...one,
      says: `${what} is refused at registration with invalid_redirect_uri.`,
      change: 'Accept loopback redirect URIs from anyone, and answer invalid_redirect_uri to others.', // prettier-ignore
    },
    async (on) => refusalOf(await on.register({ redirect_uris }), ['invalid_redirect_uri'], what),
  )

/** A mechanism of agents, as a registration asks for it. */
const noAgent = (type: string, what: string, fields: object): Check =>
  statement(
    'Authentication 4',
    `no-agent-${slug(type)}`,
    {
      ...one,
      says: `A registration with ${what} starts nothing: agents have no mechanism of their own.`,
      change: 'Ignore type in a registration, and issue no credential and no claim token.',
    },
    async (on) => {
      const answer = await on.register({ type, redirect_uris: undefined, ...fields })
      const { status, json } = answer
      const members = ['credential', 'claim_token', 'claim_url', 'claim', 'registration_id', 'access_token'] // prettier-ignore
      const issued = members.filter((member) => member in json)
      return judge(answer, issued.length === 0, `${status} without a credential`, `${status} with ${issued.join(', ')}`) // prettier-ignore
    },
  )

/** Statements of the description about registrations. */
export const registration: readonly Check[] = [
  statement(
    'Resources: registration request',
    'registration-client-id',
    {
      ...one,
      says: 'The response to a registration has a client_id.',
      change: 'Answer a registration with JSON that has client_id.',
    },
    async (on) => {
      const answer = await registered(on)
      const { status, json } = answer
      const id = json['client_id']
      return judge(answer, typeof id === 'string', 'client_id is there', `${status} with client_id ${JSON.stringify(id)}`) // prettier-ignore
    },
  ),
  statement(
    'Resources: registration request',
    'registration-native',
    {
      ...one,
      says: 'Anyone registers a client with a loopback redirect URI and the application type native.',
      change: 'Register clients of this kind without a token.',
    },
    async (on) => {
      const answer = await registered(on)
      const { status } = answer
      return judge(
        answer,
        status < 300,
        `it is registered: ${status}`,
        `it is answered by ${status}`,
      )
    },
  ),
  statement(
    'Resources: registration request',
    'registration-port-and-path',
    {
      ...one,
      says: 'A loopback redirect URI may have any port and path.',
      change: 'Compare scheme and host of a loopback redirect URI only.',
    },
    async (on) => {
      const answer = await on.register({ redirect_uris: ['http://127.0.0.1:8931/another/path'] })
      return judge(
        answer,
        isRegistered(answer),
        'it is registered',
        `it is answered by ${answer.status}`,
      )
    },
  ),
  statement(
    'Resources: registration request',
    'registration-public',
    {
      ...one,
      says: 'A client with the method none is public: it gets no secret.',
      change: 'Issue a secret for client_secret_post only.',
    },
    async (on) => {
      const answer = await registered(on)
      const isThere = answer.json['client_secret'] !== undefined
      return judge(answer, isRegistered(answer) && !isThere, 'no secret', `${answer.status}, and a secret is ${isThere ? 'there' : 'not there'}`) // prettier-ignore
    },
  ),
  statement(
    'Resources: registration request',
    'registration-confidential',
    {
      ...one,
      says: 'A client with the method client_secret_post gets a secret.',
      change: 'Answer with client_secret for client_secret_post.',
    },
    async (on) => {
      const answer = await registered(on, 'client_secret_post')
      const isThere = typeof answer.json['client_secret'] === 'string'
      return judge(
        answer,
        isRegistered(answer) && isThere,
        'a secret',
        `${answer.status} without a secret`,
      )
    },
  ),
  ...FIELD_TYPES.map(({ field, type, wrong }) =>
    statement(
      'Resources: registration request',
      `registration-type-${slug(field)}`,
      {
        ...one,
        says: `${field} is ${type}.`,
        change: `Refuse a registration in which ${field} is not ${type}.`,
      },
      async (on) => {
        const errors = ['invalid_client_metadata', 'invalid_redirect_uri', 'invalid_request']
        return refusalOf(await on.register({ [field]: wrong }), errors, `${field} of another type`)
      },
    ),
  ),
  statement(
    'Resources: registration request',
    'registration-form',
    {
      ...one,
      says: 'A registration is JSON, so a form is refused.',
      change: 'Read application/json only, and refuse other media types.',
    },
    async (on) => {
      const answer = await on.form(await on.endpoint('registration_endpoint'), {
        client_name: 'hallpass-audit',
        redirect_uris: REDIRECT_URI,
        token_endpoint_auth_method: 'none',
      })
      return judge(answer, !isRegistered(answer), `a form is answered by ${answer.status}`, 'a form is registered') // prettier-ignore
    },
  ),
  statement(
    'Errors',
    'error-malformed-registration',
    {
      ...anonymous,
      says: 'A registration that is not JSON is refused, by an error of OAuth.',
      change: 'Answer invalid_request or invalid_client_metadata to a body that cannot be parsed.',
    },
    async (on) => {
      const answer = await postJson(on, await on.endpoint('registration_endpoint'), '{')
      return refusalOf(answer, ['invalid_request', 'invalid_client_metadata'], 'a body that is not JSON') // prettier-ignore
    },
  ),
  statement(
    'Endpoints',
    'register-post',
    {
      ...anonymous,
      says: 'The registration endpoint takes POST.',
      change: 'Answer 405 to a GET of the registration endpoint.',
    },
    async (on) => {
      const answer = await on.send(await on.endpoint('registration_endpoint'))
      const { status } = answer
      return judge(
        answer,
        status >= 400,
        `GET is answered by ${status}`,
        `GET is answered by ${status}`,
      )
    },
  ),
  statement(
    'Endpoints',
    'register-json',
    {
      ...anonymous,
      creates: { clients: 1 },
      says: 'The response to a registration is JSON.',
      change: 'Answer with application/json.',
    },
    async (on) => isJson(await registered(on)),
  ),
  refusedUris('https', 'A fixed https callback', 'https://audit.example/callback'),
  refusedUris('http', 'A callback on another computer', 'http://audit.example/callback'),
  refusedUris('mixed', 'A fixed https callback next to a loopback one', REDIRECT_URI, 'https://audit.example/callback'), // prettier-ignore
  statement(
    'Authentication 5',
    'registration-unknown-vendor',
    {
      ...one,
      says: 'A vendor registration with an unknown name is refused with invalid_client_metadata.',
      change: 'Compare client_name with the known integrations, and answer invalid_client_metadata to other names.', // prettier-ignore
    },
    async (on) =>
      refusalOf(
        await asVendor(on, 'A Platform Without an Integration'),
        ['invalid_client_metadata'],
        'the name of an unknown vendor',
      ),
  ),
  statement(
    'Authentication 5',
    'registration-vendor',
    {
      ...one,
      says: 'A registration with the name of a known vendor gets the client_id of that vendor.',
      change: 'Answer with the client of the configuration, and store nothing.',
    },
    async (on) => {
      const vendor = on.signIn?.vendor
      if (vendor === undefined)
        return notReached('no vendor is known: give `vendor` in the file of --sign-in')
      const answer = await asVendor(on, vendor.name)
      const { status, json } = answer
      const id = json['client_id']
      return judge(answer, status < 300 && id === vendor.client_id, `client_id is ${vendor.client_id}`, `${status} with client_id ${String(id)}`) // prettier-ignore
    },
  ),
  statement(
    'Authentication 6',
    'no-self-serve-member',
    {
      ...one,
      says: 'No one can register a member client.',
      change: 'Refuse member scopes to clients that registered themselves.',
    },
    async (on) => {
      const answer = await on.register({ scope: 'openid account:read' })
      const { status, json } = answer
      if (status >= 400)
        return held(answer, `the registration is refused: ${String(json['error'])}`)
      const client = { clientId: String(json['client_id']), secret: null, redirectUri: REDIRECT_URI, scope: 'account:read' } // prettier-ignore
      return refusedRequest(await refusalAt(on, client, {}), ['invalid_scope'], 'account:read of a new client') // prettier-ignore
    },
  ),
  noAgent('identity_assertion', 'an assertion of an identity', { assertion_type: 'verified_email', assertion: newSecret() }), // prettier-ignore
  noAgent('service_auth', 'the authentication of a service', { login_hint: 'audit@school.example' }), // prettier-ignore
  noAgent('anonymous', 'an anonymous agent', {}),
]
