import type {
  ClientAuthenticationMethod,
  ClientAuthenticationSeam,
} from '../authorization-server/client-authentication-method.js'
import { callback, checkOptions, isObject, type Rules, simple, text } from '../options/check.js'
import { record, SWITCH } from '../options/wanted.js'
import { type Client, disabledReason } from '../policy/client.js'
import type { AuthenticatedClient } from '../policy/client-authentication.js'
import { type Decision, type Refusal, refuse } from '../policy/decision.js'
import { CLIENT_AUTHENTICATION } from '../site/block.js'
import { readAs, thrownBy } from '../store/guard.js'
import { withMembers } from './members.js'
import { ofSite } from './of-site.js'

/**
 * Defines a way of your own in which clients authenticate, for `blocks` of a site. It is
 * asked only about clients that are known, enabled and have this method, and within `callDeadlineMilliseconds`.
 *
 * @returns the method, which a server accepts
 * @throws OptionsError that lists every mistake
 * @group Client authentication
 * @example
 * ```ts
 * import { defineClientAuthentication, refuseFrom } from 'hallpass/blocks'
 *
 * const REFUSALS = {
 *   invalid_client: {
 *     header_wrong: { meaning: 'The header names another client.', advice: 'Send your own.', source: 'none', turn: 'developer' },
 *   },
 * } as const
 * const refuse = refuseFrom(REFUSALS)
 * const method = defineClientAuthentication({
 *   name: 'private_key_jwt',
 *   refusals: REFUSALS,
 *   metadata: () => ({}),
 *   parameters: {},
 *   identify: (parameters) => (parameters.has('proof') ? refuse('invalid_client', 'header_wrong') : null),
 *   authenticate: async () => ({ ok: true }),
 * })
 * method.name // => 'private_key_jwt'
 *
 * defineClientAuthentication({} as never) // throws OptionsError
 * ```
 */
export function defineClientAuthentication<Reason extends string>(
  method: Own<Reason>,
): OwnMethod<Reason> {
  return {
    ...checkOptions('defineClientAuthentication', method, RULES),
    kind: CLIENT_AUTHENTICATION,
    forServer: { ...SEAM, describe: describing(method) },
  }
}

/**
 * The members that a method of your own says of itself.
 *
 * @inline
 */
type Own<Reason extends string> = Pick<
  ClientAuthenticationMethod<Reason>,
  'name' | 'metadata' | 'parameters' | 'identify'
> &
  Required<Pick<ClientAuthenticationMethod<Reason>, 'authenticate' | 'refusals'>>

/**
 * A method whose refusals and decision are its own.
 *
 * @inline
 */
export type OwnMethod<Reason extends string> = ClientAuthenticationMethod<Reason> & Own<Reason>

const RULES: Rules<Own<string>> = {
  name: text('"private_key_jwt"'),
  refusals: simple('a table such as { invalid_client: { header_wrong: { … } } }', isObject),
  metadata: callback('() => ({})'),
  parameters: simple('a table of schemas such as {}', isObject),
  identify: callback('(parameters) => null'),
  authenticate: callback('async () => ({ ok: true })'),
}

const SEAM: Omit<ClientAuthenticationSeam, 'describe'> = {
  limit: (method, deadline) => ({
    ...method,
    authenticate: (request) =>
      deadline(method.name)(
        async () => readAs(await method.authenticate!(request), DECIDED, `${method.name} returned`),
        thrownBy(method.name),
      ),
  }),
  accept(method, form) {
    const { parameters, authorization, find } = form
    const identified = method.identify(parameters)
    if (identified === null) return null
    if (parameters.single('client_secret') !== null || authorization !== null) return AMBIGUOUS
    if (!identified.ok) return ofSite(identified)
    return authenticate(method, find(parameters.single('client_id') ?? identified.clientId), form)
  },
}

const describing =
  ({
    name,
    metadata,
  }: Pick<ClientAuthenticationMethod, 'name' | 'metadata'>): ClientAuthenticationSeam['describe'] =>
  (known, endpoints) => {
    const added = metadata(
      (['token', 'revocation', 'introspection'] as const).filter(
        (one) => endpoints[ENDPOINTS[one]] !== undefined,
      ),
    )
    return withMembers(name, known, added)
  }

export const AMBIGUOUS: Refusal<'client_auth_ambiguous'> = /* @__PURE__ */ refuse(
  'invalid_request',
  'client_auth_ambiguous',
  'use only one client authentication method',
)

const DECIDED = /* @__PURE__ */ record({ ok: SWITCH })
const ENDPOINTS = { token: 'token', revocation: 'revoke', introspection: 'introspect' } as const

async function authenticate(
  method: ClientAuthenticationMethod,
  found: Promise<Client | null>,
  form: Parameters<ClientAuthenticationSeam['accept']>[1],
): Promise<Decision<{ client: AuthenticatedClient }>> {
  const client = await found
  if (client === null) return refuse('invalid_client', 'client_unknown')
  if (client.disabled) return refuse('invalid_client', disabledReason(client))
  if (client.tokenEndpointAuthMethod !== method.name)
    return refuse('invalid_client', 'client_auth_method_mismatch')
  const { parameters, issuer, tokenEndpoint, pushEndpoint, now, site, context } = form
  const request = {
    client,
    parameters,
    issuer,
    tokenEndpoint,
    now,
    site,
    context,
    ...(pushEndpoint && { pushEndpoint }),
  }
  const decided = await method.authenticate!(request)
  return decided.ok ? { ok: true, client: client as AuthenticatedClient } : ofSite(decided)
}
