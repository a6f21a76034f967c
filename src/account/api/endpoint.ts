import type { ExecutionArgs, ExecutionResult } from 'graphql'
import { createHandler, type OperationContext, type RequestParams } from 'graphql-http'
import { JSON_BODY, readText } from '../../http/body.js'
import type { Context } from '../../http/context.js'
import { createDocument } from '../../http/document.js'
import type { Endpoint, Incoming, Outgoing } from '../../http/exchange.js'
import { type Answer, createEndpoint, OPEN, PUBLIC } from '../../http/frame.js'
import { errorBody, json, PERSONAL } from '../../http/respond.js'
import type { Access, AccessRefusal } from '../../policy/bearer.js'
import { authorizeBearer } from '../../protected-resource/gate.js'
import { reachOf } from '../../protected-resource/step-up.js'
import { ACCOUNT_PATH, ACCOUNT_SCHEMA_PATH } from '../../site/paths.js'
import type { Site } from '../../site/site.js'
import {
  type Admission,
  createAdmission,
  gateScopes,
  type OperationCost,
  type OperationRequest,
} from './admission.js'
import { type AccountApiOptions, configureAccountApi } from './configuration.js'
import type { AccountContext } from '../context.js'
import type { ViewerField } from '../viewer-field.js'
import { executeWithin } from './deadline.js'
import {
  accountErrors,
  asAccepted,
  formatFieldError,
  formatRequestError,
  prefersGraphql,
  type Report,
  withErrors,
} from './error-format.js'
import { createExecute, TOO_FAST } from './execute.js'
import { isTooMuch } from './limits.js'
import { createContextOf } from './request-context.js'
import { accountSchema } from '../schema.js'
import { accountSdl } from '../sdl.js'
import type { Payer } from '../../site/payer.js'

/**
 * The endpoints of the Account API of one site. Created by {@link createAccountApi}.
 *
 * @group Endpoint
 */
export interface AccountApi {
  /** The GraphQL endpoint, `POST /account/graphql`. Needs an access token with `account:read` or `account:write`. */
  readonly graphql: Endpoint
  /** The schema as SDL, `GET /account/schema.graphql`. Public. */
  readonly schema: Endpoint
  /** Both by their paths, for `routesOf`. */
  readonly routes: Readonly<Record<string, Endpoint>>
  /**
   * Runs an operation without HTTP, for a member whose access another gate has authorized, such as the
   * one of `/mcp`. Scopes, limits, points and deadline are those of the endpoint. A refusal is an error
   * with its code in `extensions`.
   */
  readonly execute: (access: Access, request: OperationRequest) => Promise<ExecutionResult>
  /**
   * Your own fields of `Viewer`, for member tools and the OpenAPI description.
   *
   * @internal
   */
  readonly fields: readonly ViewerField[]
}

/** The state of one request between the gate and the response. */
interface RequestState {
  readonly access: Access
  readonly payer: Payer
  readonly context: AccountContext
  readonly report: Report
  /** Set once it is decided whether the operation may run. */
  admitted: Admission | null
  /** Set once the operation has run. */
  result: ExecutionResult | null
  /** Set if the operation is refused. */
  refused: AccessRefusal | Outgoing | null
  /** Set if the client requested the cost. */
  cost: OperationCost | null
  /** Whether the document exceeds a limit: the status is 400, whichever media type is accepted. */
  isTooMuch: boolean
}

/**
 * Creates the Account API of a site: a GraphQL endpoint where clients read and change the data of the
 * member behind the access token. It refuses a request whose token is invalid or lacks a scope that a field
 * requires, a document beyond the limits, and a grant without enough points. A refusal is both an
 * OAuth error and a GraphQL error, so clients of either kind can read it.
 *
 * @param site - its scopes must define `account:read` and `account:write` for members, as `schoolScopes`
 *   does
 * @throws OptionsError that lists every mistake. Options can be unknown, missing, of a wrong type or out of
 *   range, and the bucket smaller than `limits.cost`. The site can lack a scope that the schema requires. A field of your
 *   own can cost more than `limits.cost`.
 * @see [RFC 6750, section 3](https://www.rfc-editor.org/rfc/rfc6750#section-3)
 * @see [GraphQL over HTTP](https://graphql.github.io/graphql-over-http/draft/)
 * @example
 * ```ts
 * import { type AccountSource, createAccountApi, emptyAccountSource } from 'hallpass/account'
 * import { testSite } from 'hallpass/testing'
 *
 * const source: AccountSource = {
 *   ...emptyAccountSource,
 *   profile: async ({ name }) => ({ name, email: null, emailVerified: false, picture: null, locale: null, timeZone: null, memberSince: 1_760_605_200 }),
 *   site: async () => ({ id: 'school', name: 'School', url: 'https://school.example', timeZone: 'UTC', currencyCode: 'EUR' }),
 * }
 * const { site } = testSite()
 * const api = createAccountApi(site, { source, pictureHosts: ['images.school.example'] })
 * const { status } = await api.graphql(new Request('https://school.example/account/graphql', { method: 'POST' }))
 * status // => 401
 * createAccountApi(site, { source, limits: { cost: 5000 } }) // throws OptionsError
 * ```
 * @group Endpoint
 */
export function createAccountApi(site: Site, options: AccountApiOptions): AccountApi {
  const configuration = configureAccountApi(site, options)
  const { deadlineMilliseconds, extend } = configuration
  const schema = extend?.schema ?? accountSchema()
  const contextOf = createContextOf(configuration)
  const admit = createAdmission(schema, configuration)
  const handler = createHandler<Incoming, RequestState, OperationContext>({
    schema,
    async onSubscribe({ context: state }, params) {
      const admitted = state.admitted ?? (await admit(params, state.access, state.payer))
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
      const { document } = admitted
      return { schema, document, ...argsOf(params), contextValue: state as unknown as Args }
    },
    execute: ({ contextValue, ...args }) => run(contextValue as RequestState, args),
    onOperation({ context: state }, _args, result: ExecutionResult) {
      const { cost, report } = state
      const answer = cost === null ? result : { ...result, extensions: { cost } }
      return result.errors === undefined
        ? answer
        : { ...answer, errors: result.errors.map((error) => formatFieldError(error, report)) }
    },
    formatError: formatRequestError,
  })

  const run = async (state: RequestState, args: Omit<ExecutionArgs, 'contextValue'>) =>
    (state.result ??= await executeWithin(deadlineMilliseconds, {
      ...args,
      contextValue: state.context,
    }))

  /**
   * Responds to most requests: a document that may run, without errors. It returns `null` for any other, which is
   * left to graphql-http together with what is known by then.
   */
  async function answerPlain(
    state: RequestState,
    incoming: Incoming,
    text: string,
  ): Promise<Outgoing | null> {
    const mediaType = mediaTypeFor(incoming.header('accept'))
    const params = mediaType === null ? null : paramsOf(incoming.header('content-type'), text)
    if (mediaType === null || params === null) return null
    const admitted = (state.admitted = await admit(params, state.access, state.payer))
    if (!('document' in admitted)) return null
    const result = await run(state, { schema, document: admitted.document, ...argsOf(params) })
    if (result.errors !== undefined) return null
    const answer = wantsCost(params) ? { ...result, extensions: { cost: admitted.cost } } : result
    return {
      status: 200,
      headers: [...PERSONAL, 'content-type', mediaType],
      body: JSON.stringify(answer),
    }
  }

  async function serve(context: Context): Promise<Answer<AccessRefusal>> {
    const { incoming } = context
    const decided = await authorizeBearer(site, {
      authorization: incoming.header('authorization'),
      required: [],
      request: incoming,
    })
    if (!decided.ok) return decided
    const { access } = decided
    context.clientId = access.client.clientId
    const reach = reachOf(site, access, { required: gateScopes(access) })
    if (!reach.ok) return reach
    const read = await readText(incoming, JSON_BODY)
    if (!read.ok) return read
    if (isOnlyHash(read.text)) return hashRefused(incoming)
    const report: Report = (fault) => {
      context.notifyFault(fault)
      return context.requestId
    }
    const state: RequestState = {
      access,
      payer: context.payer,
      context: contextOf(access, site.now()),
      report,
      admitted: null,
      result: null,
      refused: null,
      cost: null,
      isTooMuch: false,
    }
    const plain = await answerPlain(state, incoming, read.text)
    if (plain !== null) return plain
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
    if (state.refused !== null)
      return 'body' in state.refused ? asAccepted(state.refused, incoming) : state.refused
    const status = state.isTooMuch ? 400 : init.status
    return body === null
      ? asAccepted(spoken(status), incoming)
      : { status, headers: [...PERSONAL, ...Object.entries(init.headers ?? {}).flat()], body }
  }

  const ofHost = site.payerOf(null)
  const execute = createExecute({
    schema,
    configuration,
    admit: (request, access) => admit(request, access, ofHost),
    contextOf,
  })
  const sdl = createDocument({
    contentType: 'text/plain; charset=utf-8',
    text: extend?.sdl ?? accountSdl,
  })

  const frame = { name: 'account', errors: accountErrors(site) }
  const endpoints = {
    graphql: createEndpoint(site, { ...frame, methods: ['POST'], cors: OPEN }, serve),
    schema: createEndpoint(site, { ...frame, ...PUBLIC }, async ({ incoming }) => sdl(incoming)),
  }
  return {
    fields: extend?.ofViewer ?? [],
    execute: (member, request) => execute(member, request, site.now()),
    ...endpoints,
    routes: { [ACCOUNT_PATH]: endpoints.graphql, [ACCOUNT_SCHEMA_PATH]: endpoints.schema },
  }
}

type Args = Record<string, unknown>

const argsOf = ({
  operationName,
  variables,
}: RequestParams): Pick<ExecutionArgs, 'operationName' | 'variableValues'> => ({
  // A client without a name for its operation may send an empty one.
  operationName: operationName === '' ? null : operationName,
  variableValues: variables ?? {},
})

const PLAIN_JSON = /^application\/json(?:; ?charset=utf-8)?$/i

/** Returns the parameters of a request in JSON, or `null` if graphql-http has to read or to refuse it. */
function paramsOf(contentType: string | null, text: string): RequestParams | null {
  if (!PLAIN_JSON.test(contentType ?? '')) return null
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return null
  }
  if (!isObject(body)) return null
  const { query, operationName, variables, extensions } = body
  return typeof query === 'string' &&
    (operationName == null || typeof operationName === 'string') &&
    (variables == null || isObject(variables)) &&
    (extensions == null || isObject(extensions))
    ? { query, operationName, variables, extensions }
    : null
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Returns the media type that graphql-http chooses for these values of `Accept`, or `null` if it has to
 * negotiate.
 */
function mediaTypeFor(accept: string | null): string | null {
  if (accept === null || /^(?:application\/json|\*\/\*)(?:,|$)/.test(accept))
    return 'application/json; charset=utf-8'
  return /^application\/graphql-response\+json(?:,|$)/.test(accept)
    ? 'application/graphql-response+json; charset=utf-8'
    : null
}

// A placeholder for graphql-http: the endpoint sends its own response to a refused operation.
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

// Descriptions for the statuses that graphql-http sends without a body.
const SILENT: Readonly<Record<number, string>> = {
  406: 'send Accept: application/graphql-response+json or application/json, in UTF-8',
  415: 'send Content-Type: application/json, in UTF-8',
}

const spoken = (status: number): Outgoing =>
  json(
    status,
    withErrors(
      errorBody('invalid_request', SILENT[status] ?? 'the request is not a GraphQL request'),
      {
        code: 'BAD_REQUEST',
      },
    ),
  )

const wantsCost = ({ extensions }: RequestParams): boolean => extensions?.['cost'] === true

/** Whether a body has the hash of a persisted query in place of a document. */
function isOnlyHash(text: string): boolean {
  if (!text.includes('"persistedQuery"')) return false
  try {
    const { query, extensions } = JSON.parse(text) as {
      query?: string
      extensions?: { persistedQuery?: object }
    }
    return !query && typeof extensions?.persistedQuery === 'object'
  } catch {
    return false
  }
}

/**
 * Refuses the hash of a persisted query as clients of that protocol expect it: they then send the document.
 *
 * @see [Automatic persisted queries](https://www.apollographql.com/docs/apollo-server/performance/apq)
 */
const hashRefused = (incoming: Incoming): Outgoing => {
  const error = {
    message: 'PersistedQueryNotSupported',
    extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' },
  }
  const status = prefersGraphql(incoming) ? 400 : 200
  return asAccepted(json(status, { errors: [error] }), incoming)
}
