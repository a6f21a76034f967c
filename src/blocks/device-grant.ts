import { grantIdOf } from '../authorization-server/approval.js'
import type {
  AuthorizationServerConfiguration,
  ClientRequest,
  GrantType,
  LoadGrant,
} from '../authorization-server/block.js'
import { exchangeCode, loadCode } from '../authorization-server/code-grant.js'
import { callback, checkOptions, optional, type Rules } from '../options/check.js'
import { SWITCH } from '../options/wanted.js'
import type { Client } from '../policy/client.js'
import {
  decideDevicePoll,
  DEVICE_GRANT,
  DEVICE_REFUSALS,
  type DeviceReason,
  isDeviceCode,
  isPollTooFast,
  POLL_ALLOWANCE,
  POLL_SECONDS,
  userCodeOf,
} from '../policy/device-authorization.js'
import type { FormParameters } from '../policy/form-parameters.js'
import { createDeadline } from '../store/deadline.js'
import { readAs, thrownBy } from '../store/guard.js'
import { hashToken } from '../token/opaque.js'
import { GRANT } from '../site/block.js'
import type { Spending } from '../site/payer.js'
import { createDevicePage, type DeviceView } from './device-page.js'
import {
  createDeviceRequests,
  DEVICE_PATH,
  DEVICE_REQUEST_PATH,
  hashUserCode,
  type MayUse,
  NOT_ALLOWED,
} from './device-request.js'
import { withMembers } from './members.js'
import { ofSite } from './of-site.js'
import { registersGrant } from './registration.js'

/**
 * Options of {@link deviceGrant}.
 *
 * @inline
 */
export interface DeviceGrantOptions {
  /** Returns your page for each step at `/oauth/device`. The library renders no HTML. */
  readonly page: (request: Request, view: DeviceView) => Response | Promise<Response>
  /**
   * Whether a client may use the device grant. A code is then sent to the sender of the request, and not to a redirect
   * URI, so name only clients that need it. Called for each request of one, when the code is entered, and again before the
   * tokens are issued. An exception, another value or no result within `callDeadlineMilliseconds` leads to 503.
   * Default: only `loopback` clients, which registered themselves under a name of their own.
   */
  readonly mayUse?: (client: Client) => boolean | Promise<boolean>
  /**
   * Returns where a request for a code comes from, in words for the person who enters it: an address, a place. At most
   * 200 characters; `null` if it is not known. Default: what `networkOf` of the site returns.
   */
  readonly fromWhere?: (request: Request) => string | null
}

const RULES: Rules<DeviceGrantOptions> = {
  page: callback('(request, view) => page'),
  mayUse: optional(callback("({ kind }) => kind === 'loopback'")),
  fromWhere: optional(callback('(request) => null')),
}

/**
 * Lets a program sign a person in that has no browser of its own, on a server, a television, in a container: the device
 * grant. It shows a code, and the person enters the code at `/oauth/device` in a browser of theirs. That page says who
 * asks, from where and since when; nothing is allowed by a link.
 *
 * The program asks `/api/oauth/device_authorization` for the code, and then the token endpoint, every five seconds.
 * Scopes, roles, consent, grant and tokens are those of an authorization code. It needs no further method of the store.
 *
 * @returns a block for `blocks` of a site
 * @throws OptionsError that lists every mistake
 * @see [RFC 8628](https://www.rfc-editor.org/rfc/rfc8628)
 * @group Grants
 * @example
 * ```ts
 * import { createAuthorizationServer } from 'hallpass'
 * import { deviceGrant } from 'hallpass/blocks'
 * import { testSite } from 'hallpass/testing'
 * import { createKeyRing } from 'hallpass/token'
 *
 * const { site } = testSite({ blocks: [deviceGrant({ page: (_request, view) => new Response(view.page) })] })
 * const keys = createKeyRing(site, { sealingSecret: 'use at least 32 random characters here' })
 * const page = () => new Response('your page')
 * const interact = { currentPerson: async () => null, signIn: page, consent: page, error: page }
 * const server = createAuthorizationServer(site, { keys, interact })
 *
 * const url = 'https://school.example/.well-known/oauth-authorization-server'
 * const metadata = await (await server.authorizationServerMetadata(new Request(url))).json()
 * metadata.device_authorization_endpoint // => 'https://school.example/api/oauth/device_authorization'
 *
 * deviceGrant({} as never) // throws OptionsError
 * ```
 */
export function deviceGrant(options: DeviceGrantOptions): GrantType<DeviceReason> {
  const { page, mayUse = isLoopback, fromWhere } = checkOptions('deviceGrant', options, RULES)
  return {
    kind: GRANT,
    name: DEVICE_GRANT,
    refusals: DEVICE_REFUSALS,
    returns: DEVICE_RETURN,
    parameters: {
      device_code: {
        type: 'string',
        description:
          'With the device grant: the `device_code` of the device authorization endpoint.',
      },
    },
    forServer: {
      registers: registersGrant(DEVICE_GRANT),
      describe: (known, _endpoints, issuer) =>
        withMembers('the device grant', known, {
          device_authorization_endpoint: issuer + DEVICE_REQUEST_PATH,
        }),
    },
    create(configuration) {
      const limited = createDeadline(configuration.callDeadlineMilliseconds)('mayUse')
      const asks: MayUse = (client) =>
        limited(
          async () => readAs(await mayUse(client), SWITCH, 'mayUse returned'),
          thrownBy('mayUse'),
        )
      return {
        load: loadFor(configuration, asks),
        endpoints: {
          [DEVICE_REQUEST_PATH]: createDeviceRequests(configuration, { mayUse: asks, fromWhere }),
          [DEVICE_PATH]: createDevicePage(configuration, { mayUse: asks, page }),
        },
      }
    },
  }
}

/** The paths of its page: without a code, and with one that the person has entered. */
const DEVICE_RETURN = /^\/oauth\/device(?:\?user_code=[A-Z]{4}-[A-Z]{4})?$/

const isLoopback = ({ kind }: Client): boolean => kind === 'loopback'

/**
 * Creates the function that answers a poll. The request that waits is read before the code, because an approval ends
 * the one and stores the other in one change. In the other order, a poll could find neither.
 */
function loadFor({ store }: AuthorizationServerConfiguration, mayUse: MayUse): LoadGrant {
  return async (request) => {
    const { configuration, context, parameters } = request
    context.operation = 'device_code'
    const sent = parameters.single('device_code')
    const deviceCode = sent !== null && isDeviceCode(sent) ? sent : null
    const codeHash = deviceCode === null ? '' : hashToken(deviceCode)
    const found =
      deviceCode === null ? null : await store.findPending(hashUserCode(userCodeOf(deviceCode)))
    // Another device can have the same user code, after the end of the first.
    const waiting = found?.codeChallenge === codeHash ? found : null
    const form = asCodeForm(request, deviceCode)
    const loaded = await loadCode({ configuration, parameters: waiting === null ? form : NOTHING })
    const { code, now } = loaded
    if (waiting !== null || code !== null) context.flow = grantIdOf(codeHash)
    return {
      presented: code,
      async exchange(client) {
        const isOwn = waiting?.clientId === client.clientId
        const decided = decideDevicePoll({
          deviceCode: sent,
          request: waiting,
          hasCode: code !== null,
          isTooFast: isOwn && isPollTooFast(await context.payer.spend(pollOf(codeHash))),
          client,
          now,
        })
        if (!decided.ok) return ofSite(decided)
        // Minutes after the approval. A code that was used before ends its grant in any case.
        if (code?.redeemedAt === null && !(await mayUse(client))) return ofSite(NOT_ALLOWED)
        return exchangeCode({ ...request, parameters: form }, client, loaded, 'device code')
      },
    }
  }
}

/** A poll is charged to its device code, which only the device has. */
const pollOf = (codeHash: string): Spending => [
  'pollsOfDevice',
  codeHash,
  { cost: POLL_SECONDS, allowance: POLL_ALLOWANCE },
]

const NOTHING: FormParameters = {
  single: () => null,
  has: () => false,
  all: () => [],
  repeated: [],
}

/** The form that redeems the code of a person's approval: the device code is both code and verifier. */
function asCodeForm({ parameters }: ClientRequest, deviceCode: string | null): FormParameters {
  const own: Readonly<Record<string, string | null>> = {
    code: deviceCode,
    code_verifier: deviceCode,
    redirect_uri: DEVICE_GRANT,
  }
  return {
    ...parameters,
    single: (name) => (Object.hasOwn(own, name) ? own[name]! : parameters.single(name)),
  }
}
