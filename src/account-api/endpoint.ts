import type { ExecutionResult } from 'graphql'
import { createHandler, type OperationContext, type RequestParams } from 'graphql-http'
import { JSON_BODY, readText } from '../http/body.js'
import type { Context } from '../http/context.js'
import { createDocument } from '../http/document.js'
import type { Endpoint, Incoming, Outgoing } from '../http/exchange.js'
import { type Answer, createEndpoint, OPEN, PUBLIC } from '../http/frame.js'
import { errorBody, json, PERSONAL } from '../http/respond.js'
import type { Access, AccessRefusal } from '../policy/bearer.js'
import { authorizeBearer } from '../protected-resource/gate.js'
import type { Site } from '../site/site.js'
import {
  createAdmission,
  GATE_SCOPES,
  type OperationCost,
  type OperationRequest,
} from './admission.js'
import { type AccountApiOptions, configureAccountApi } from './configuration.js'
import { type AccountContext, createAccountContext } from '../account/context.js'
import { executeWithin } from './deadline.js'
import {
  accountErrors,
  formatFieldError,
  formatRequestError,
  type Report,
  withErrors,
} from './error-format.js'
import { createExecute, TOO_FAST } from './execute.js'
import { isTooMuch } from './limits.js'
import { accountSchema } from '../account/schema.js'
import { accountSdl } from '../account/sdl.js'

/** The Account API's endpoints. */
export interface AccountApi {
  /** `POST /account/graphql` */
  readonly graphql: Endpoint
  /** `GET /account/schema.graphql` */
  readonly schema: Endpoint
  /**
   * Runs an operation for a member who was let in elsewhere, as by the gate of `/mcp`: the same scopes,
   * limits, points and deadline. A refusal is an error with its code in `extensions`.
   */
  readonly execute: (access: Access, request: OperationRequest) => Promise<ExecutionResult>
}

/** What one request carries from the gate to the answer. */
interface RequestState {
  readonly access: Access
  readonly context: AccountContext
  readonly report: Report
  /** Set where the operation does not run. */
  refused: AccessRefusal | Outgoing | null
  /** Set where the client wants to know. */
  cost: OperationCost | null
  /** Whether the document is over a limit, which is 400 in any media type. */
  isTooMuch: boolean
}

/**
 * The Account API: a member's own data, for whoever holds their access token with `account:read`.
 *
 * @throws OptionsError - naming every fault at once: unknown options and limits, limits and a deadline out
 *   of range, a bucket that never fills or is smaller than a request may be, scopes that the schema
 *   requires and the registry does not have for members
 * @see RFC 6750; GraphQL over HTTP
 */
export function createAccountApi(site: Site, options: AccountApiOptions): AccountApi {
  const configuration = configureAccountApi(site, options)
  const { source, pictureHosts, deadlineMilliseconds } = configuration
  const schema = accountSchema()
  const admit = createAdmission(schema, configuration)
  const handler = createHandler<Incoming, RequestState, OperationContext>({
    schema,
    onSubscribe({ context: state }, params) {
      const admitted = admit(params, state.access, state.context.now)
      if ('missing' in admitted || 'retryAfterSeconds' in admitted) {
        state.refused =
          'missing' in admitted ? admitted.missing : tooFast(admitted.retryAfterSeconds)
        return SPOKEN_BY_US
      }
      if ('errors' in admitted) {
        state.isTooMuch = admitted.errors.some(isTooMuch)
        return admitted.errors
      }
      if (wantsCost(params)) state.cost = admitted.cost
      return {
        schema,
        document: admitted.document,
        operationName: params.operationName,
        variableValues: params.variables ?? {},
        contextValue: state.context as unknown as Record<string, unknown>,
      }
    },
    execute: (args) => executeWithin(deadlineMilliseconds, args),
    onOperation({ context: state, raw }, _args, result: ExecutionResult) {
      const { cost, report } = state
      const answer = cost === null ? result : { ...result, extensions: { cost } }
      if (result.errors !== undefined)
        return { ...answer, errors: result.errors.map((error) => formatFieldError(error, report)) }
      const mediaType = mediaTypeFor(raw.header('accept'))
      if (mediaType === null) return answer
      const headers = { 'content-type': mediaType }
      return [JSON.stringify(answer), { status: 200, statusText: '', headers }]
    },
    formatError: formatRequestError,
  })

  async function serve(context: Context): Promise<Answer<AccessRefusal>> {
    const { incoming } = context
    const decided = await authorizeBearer(site, {
      authorization: incoming.header('authorization'),
      required: GATE_SCOPES,
    })
    if (!decided.ok) return decided
    const read = await readText(incoming, JSON_BODY)
    if (!read.ok) return read
    const { access } = decided
    const member = access.person
    const report: Report = (fault) => {
      context.notifyFault(fault)
      return context.requestId
    }
    const state: RequestState = {
      access,
      context: createAccountContext({ member, source, now: site.now(), pictureHosts }),
      report,
      refused: null,
      cost: null,
      isTooMuch: false,
    }
    const [body, init] = await handler({
      method: incoming.method,
      url: incoming.target,
      headers: {
        get: (name: string) => incoming.header(name),
      },
      body: read.text,
      raw: incoming,
      context: state,
    })
    if (state.refused !== null) return state.refused
    const status = state.isTooMuch ? 400 : init.status
    return body === null
      ? spoken(status)
      : { status, headers: [...PERSONAL, ...Object.entries(init.headers ?? {}).flat()], body }
  }

  const execute = createExecute({ schema, configuration, admit })

  const frame = { name: 'account', errors: accountErrors(site) }
  return {
    execute: (member, request) => execute(member, request, site.now()),
    graphql: createEndpoint(site, { ...frame, methods: ['POST'], cors: OPEN }, serve),
    schema: createEndpoint(site, { ...frame, ...PUBLIC }, async ({ incoming }) => sdl(incoming)),
  }
}

const sdl = createDocument({ contentType: 'text/plain; charset=utf-8', text: accountSdl })

/**
 * What graphql-http answers these values of `Accept` with; `null` = it has to look closer. It
 * serialises through a replacer, at four times the price, so an answer without errors is serialised
 * here; what else there is, it does itself.
 */
function mediaTypeFor(accept: string | null): string | null {
  if (accept === null || /^(?:application\/json|\*\/\*)(?:,|$)/.test(accept))
    return 'application/json; charset=utf-8'
  return /^application\/graphql-response\+json(?:,|$)/.test(accept)
    ? 'application/graphql-response+json; charset=utf-8'
    : null
}

// What graphql-http is told of an operation that does not run; nobody reads it.
const SPOKEN_BY_US = [null, { status: 403, statusText: '' }] as const

const tooFast = (retryAfterSeconds: number): Outgoing =>
  json(
    429,
    withErrors(errorBody('temporarily_unavailable', TOO_FAST), {
      code: 'RATE_LIMITED',
      retryAfterSeconds,
    }),
    ['retry-after', String(retryAfterSeconds)],
  )

// What graphql-http answers without a word.
const SILENT: Readonly<Record<number, string>> = {
  406: 'accept application/graphql-response+json or application/json, in UTF-8',
  415: 'send Content-Type: application/json, in UTF-8',
}

const spoken = (status: number): Outgoing =>
  json(
    status,
    withErrors(errorBody('invalid_request', SILENT[status] ?? 'bad request'), {
      code: 'BAD_REQUEST',
    }),
  )

const wantsCost = ({ extensions }: RequestParams): boolean => extensions?.['cost'] === true
