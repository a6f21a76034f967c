import type { ExecutionResult } from 'graphql'
import { createHandler, type OperationContext, type RequestParams } from 'graphql-http'
import { JSON_BODY, readText } from '../http/body.js'
import { type Endpoint, endpointFrom, type Incoming, type Outgoing } from '../http/exchange.js'
import { answerFault, CORS, framed, json } from '../http/respond.js'
import type { Access, AccessRefusal } from '../policy/bearer.js'
import { authorizeBearer, challengeFor } from '../protected-resource/gate.js'
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
  createReport,
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
interface Visit {
  readonly access: Access
  readonly context: AccountContext
  readonly report: Report
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
  const notifyFault = (fault: unknown, requestId?: string): void =>
    site.notifyFault('account', fault, requestId)

  const challenge = (refusal: AccessRefusal): Outgoing => {
    site.notifyRefusal('account', refusal)
    const { error, requiredScopes } = refusal
    return withErrors(
      challengeFor(refusal, { issuer: site.issuer, nameMissing: true }),
      error === 'insufficient_scope'
        ? { code: 'INSUFFICIENT_SCOPE', requiredScopes }
        : { code: 'UNAUTHENTICATED' },
    )
  }

  const handler = createHandler<Incoming, Visit, OperationContext>({
    schema,
    onSubscribe({ context: visit }, params) {
      const admitted = admit(params, visit.access, visit.context.now)
      if ('missing' in admitted) return tuple(challenge(admitted.missing))
      if ('retryAfterSeconds' in admitted) return tuple(tooFast(admitted.retryAfterSeconds))
      if ('errors' in admitted) {
        visit.isTooMuch = admitted.errors.some(isTooMuch)
        return admitted.errors
      }
      if (wantsCost(params)) visit.cost = admitted.cost
      return {
        schema,
        document: admitted.document,
        operationName: params.operationName,
        variableValues: params.variables ?? {},
        contextValue: visit.context as unknown as Record<string, unknown>,
      }
    },
    execute: (args) => executeWithin(deadlineMilliseconds, args),
    onOperation({ context: visit, raw }, _args, result: ExecutionResult) {
      const { cost, report } = visit
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

  async function answer(incoming: Incoming, report: Report): Promise<Outgoing> {
    const decided = await authorizeBearer(site, {
      authorization: incoming.header('authorization'),
      required: GATE_SCOPES,
    })
    if (!decided.ok) return challenge(decided)
    const read = await readText(incoming, JSON_BODY)
    if (!read.ok) return withErrors(read.answer)
    const { access: granted } = decided
    const member = granted.person
    const context = createAccountContext({ member, source, now: site.now(), pictureHosts })
    const visit: Visit = { access: granted, context, report, cost: null, isTooMuch: false }
    const [body, init] = await handler({
      method: incoming.method,
      url: incoming.target,
      headers: {
        get: (name: string) => incoming.header(name),
      },
      body: read.text,
      raw: incoming,
      context: visit,
    })
    const status = visit.isTooMuch ? 400 : init.status
    return body === null
      ? spoken(status)
      : { status, headers: { ...HEADERS, ...init.headers }, body }
  }

  async function serve(incoming: Incoming): Promise<Outgoing> {
    const report = createReport(notifyFault)
    try {
      return await answer(incoming, report)
    } catch (fault) {
      return withErrors(answerFault(fault), { code: 'INTERNAL', requestId: report(fault) })
    }
  }

  const execute = createExecute({ schema, configuration, admit })

  const graphql = framed({ methods: ['POST'], cors: true }, serve, notifyFault)
  return {
    execute: (member, request) => execute(member, request, site.now()),
    graphql: endpointFrom(async (incoming) => {
      const answer = await graphql(incoming)
      return answer.status === 405 && !(answer instanceof Response) ? withErrors(answer) : answer
    }),
    schema: endpointFrom(framed({ methods: ['GET'], cors: true }, async () => SCHEMA, notifyFault)),
  }
}

const HEADERS = {
  ...CORS,
  'cache-control': 'no-store',
  vary: 'Authorization',
  'x-content-type-options': 'nosniff',
}

const SCHEMA: Outgoing = {
  status: 200,
  headers: {
    ...CORS,
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'public, max-age=300',
    'x-content-type-options': 'nosniff',
  },
  body: accountSdl,
}

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

/** graphql-http's form of an answer. */
function tuple({ status, headers, body }: Outgoing): readonly [string | null, TupleInit] {
  return [body, { status, statusText: '', headers: headers as Record<string, string> }]
}

interface TupleInit {
  readonly status: number
  readonly statusText: string
  readonly headers: Record<string, string>
}

function tooFast(retryAfterSeconds: number): Outgoing {
  const answer = json(
    429,
    {
      error: 'temporarily_unavailable',
      error_description: TOO_FAST,
    },
    { 'retry-after': String(retryAfterSeconds) },
  )
  return withErrors(answer, { code: 'RATE_LIMITED', retryAfterSeconds })
}

// What graphql-http answers without a word.
const SILENT: Readonly<Record<number, string>> = {
  406: 'accept application/graphql-response+json or application/json, in UTF-8',
  415: 'send Content-Type: application/json, in UTF-8',
}

function spoken(status: number): Outgoing {
  return withErrors(
    json(status, { error: 'invalid_request', error_description: SILENT[status] ?? 'bad request' }),
  )
}

const wantsCost = ({ extensions }: RequestParams): boolean => extensions?.['cost'] === true
