import { type ExecutionResult, execute, getVariableValues, GraphQLError } from 'graphql'
import { createHandler, type OperationContext, type RequestParams } from 'graphql-http'
import { readText } from '../http/body.js'
import { type Endpoint, endpointFrom, type Incoming, type Outgoing } from '../http/exchange.js'
import { CORS, describe, framed, json } from '../http/respond.js'
import type { Access, AccessRefusal } from '../policy/bearer.js'
import { refuse } from '../policy/decision.js'
import { authorizeBearer, challengeFor } from '../resource/gate.js'
import { accessSourceOf, type ProtectedResourceOptions } from '../resource/protected-resource.js'
import { type AccountContext, createAccountContext } from './context.js'
import { type CostBucket, createCostBuckets, DEFAULT_BUCKET } from './cost-bucket.js'
import { createDocuments, type PreparedDocument } from './documents.js'
import { isInputError } from './input-error.js'
import { DEFAULT_LIMITS, type DocumentLimits, tooMuch } from './limits.js'
import type { OperationPlan } from './plan.js'
import { accountSchema } from './schema.js'
import { accountSdl } from './sdl.js'
import type { AccountSource } from './source.js'

/** Options of {@link createAccountApi}. */
export interface AccountApiOptions extends ProtectedResourceOptions {
  readonly source: AccountSource
  /** Hosts that a profile picture may stand on. Default: none. */
  readonly pictureHosts?: readonly string[]
  readonly limits?: Partial<DocumentLimits>
  /** Points per grant; `null` = no limit over time. */
  readonly bucket?: CostBucket | null
  /** Milliseconds after which a request is given up. Default 3000. */
  readonly deadlineMilliseconds?: number
}

/** The Account API's endpoints. */
export interface AccountApi {
  /** `POST /account/graphql` */
  readonly graphql: Endpoint
  /** `GET /account/schema.graphql` */
  readonly schema: Endpoint
}

/** What every request needs, whatever its document says. */
const GATE_SCOPES: readonly string[] = ['account:read']
const BODY_LIMIT_BYTES = 256 * 1024

/** What one request carries from the gate to the resolvers. */
interface Visit {
  readonly access: Access
  readonly context: AccountContext
  /** Set once the document is known. */
  spent: { readonly requested: number; readonly available: number } | null
}

/**
 * The Account API: a member's own data, for whoever holds their access token with `account:read`.
 *
 * @throws TypeError - when the scope registry lacks a scope that the schema requires, or has it for
 *   another audience
 * @see RFC 6750; GraphQL over HTTP
 */
export function createAccountApi(options: AccountApiOptions): AccountApi {
  const { issuer, source, pictureHosts = [], onRefusal, onFault, bucket = DEFAULT_BUCKET } = options
  const { deadlineMilliseconds = 3000 } = options
  const access = accessSourceOf(options)
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const schema = accountSchema()
  const documents = createDocuments(schema, limits)
  const spend = bucket === null ? null : createCostBuckets(bucket)
  checkScopes(options)
  const tellFault = (fault: unknown): void => onFault?.(fault)

  const handler = createHandler<Incoming, Visit, OperationContext>({
    schema,
    onSubscribe(request, params) {
      const prepared = documents(params.query)
      if ('errors' in prepared) return prepared.errors
      const chosen = choose(prepared, params.operationName)
      if (chosen instanceof GraphQLError) return [chosen]
      const variables = params.variables ?? {}
      const { access: granted } = request.context
      if (!prepared.scopes.every((scope) => granted.scopes.includes(scope)))
        return tuple(
          challenge(missingScopes([...new Set([...GATE_SCOPES, ...prepared.scopes])], granted)),
        )
      const { variableDefinitions = [] } = chosen.operation
      const coerced = getVariableValues(schema, variableDefinitions, variables)
      if (coerced.errors !== undefined) return coerced.errors
      const cost = chosen.costOf(coerced.coerced)
      if (cost > limits.cost)
        return [tooMuch('QUERY_TOO_COSTLY', 'points', { limit: limits.cost, actual: cost })]
      const spending = spend?.(granted.grantId, cost, request.context.context.now) ?? null
      if (spending !== null && !spending.ok) return tuple(tooFast(spending.retryAfterSeconds))
      if (wantsCost(params))
        request.context.spent = {
          requested: cost,
          available: spending?.available ?? Number.MAX_SAFE_INTEGER,
        }
      return {
        schema,
        document: prepared.document,
        operationName: params.operationName,
        variableValues: variables,
        contextValue: request.context.context as unknown as Record<string, unknown>,
      }
    },
    execute: async (args) => {
      const running = Promise.resolve(execute(args))
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<ExecutionResult>((resolve) => {
        timer = setTimeout(
          () => resolve({ data: null, errors: [TOOK_TOO_LONG] }),
          deadlineMilliseconds,
        )
      })
      return Promise.race([running, late]).finally(() => clearTimeout(timer))
    },
    onOperation: (request, _args, result) => {
      const { spent } = request.context
      const answer: ExecutionResult =
        spent === null
          ? result
          : {
              ...result,
              extensions: {
                ...result.extensions,
                cost: { ...spent, restoreRate: bucket?.restoreRate ?? null },
              },
            }
      const mediaType = mediaTypeFor(request.raw.header('accept'))
      if (answer.errors !== undefined || mediaType === null) return answer
      return [
        JSON.stringify(answer),
        { status: 200, statusText: '', headers: { 'content-type': mediaType } },
      ]
    },
    formatError: (error) => formatted(error, tellFault),
  })

  const challenge = (refusal: AccessRefusal): Outgoing => {
    onRefusal?.(refusal)
    const answer = challengeFor(refusal, { issuer, nameMissing: true })
    // Read by OAuth clients and by GraphQL clients.
    const { error, requiredScopes } = refusal
    const message = describe(refusal)
    const isScope = error === 'insufficient_scope'
    const code = isScope ? 'INSUFFICIENT_SCOPE' : 'UNAUTHENTICATED'
    const errors = [{ message, extensions: { code, ...(isScope && { requiredScopes }) } }]
    return { ...answer, body: JSON.stringify({ error, error_description: message, errors }) }
  }

  async function serve(incoming: Incoming): Promise<Outgoing> {
    const decided = await authorizeBearer(access, {
      authorization: incoming.header('authorization'),
      required: GATE_SCOPES,
    })
    if (!decided.ok) return challenge(decided)
    const read = await readText(incoming, {
      mediaType: 'application/json',
      limitBytes: BODY_LIMIT_BYTES,
    })
    if (!read.ok) return read.answer
    const { access: granted } = decided
    const context = createAccountContext({
      member: granted.person,
      source,
      now: access.now(),
      pictureHosts,
    })
    const [body, init] = await handler({
      method: incoming.method,
      url: incoming.target,
      headers: {
        get: (name: string) => incoming.header(name),
      },
      body: read.text,
      raw: incoming,
      context: { access: granted, context, spent: null },
    })
    return { status: init.status, headers: { ...HEADERS, ...init.headers }, body }
  }

  return {
    graphql: endpointFrom(framed({ methods: ['POST'], cors: true }, serve, tellFault)),
    schema: endpointFrom(framed({ methods: ['GET'], cors: true }, async () => SCHEMA, tellFault)),
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

const TOOK_TOO_LONG = new GraphQLError('the request took too long', {
  extensions: { code: 'INTERNAL' },
})

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

function missingScopes(
  requiredScopes: readonly string[],
  { scopes, tokenScopes }: Access,
): AccessRefusal {
  const missing = requiredScopes.filter((scope) => !scopes.includes(scope))
  const beyond = missing.some((scope) => tokenScopes.includes(scope))
  return {
    ...refuse(
      'insufficient_scope',
      beyond ? 'scope_beyond_client' : 'scope_not_granted',
      'the access token does not hold every scope this request needs',
    ),
    requiredScopes,
  }
}

function tooFast(retryAfterSeconds: number): Outgoing {
  const message = 'too many points were spent: wait a little'
  return json(
    429,
    { errors: [{ message, extensions: { code: 'RATE_LIMITED', retryAfterSeconds } }] },
    { 'retry-after': String(retryAfterSeconds) },
  )
}

function choose(
  { plans }: Extract<PreparedDocument, { plans: unknown }>,
  name: string | null | undefined,
): OperationPlan | GraphQLError {
  const named = name == null ? plans : plans.filter((plan) => plan.operation.name?.value === name)
  if (named.length === 1) return named[0]!
  return new GraphQLError(
    name == null
      ? 'operationName must say which operation to run'
      : `there is no operation ${name}`,
    { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
  )
}

const wantsCost = ({ extensions }: RequestParams): boolean => extensions?.['cost'] === true

// The message of whatever a source threw stays here; what clients caused, they are told.
function formatted(
  error: Readonly<Error | GraphQLError>,
  onFault: (fault: unknown) => void,
): GraphQLError | Error {
  if (!(error instanceof GraphQLError)) return error
  const { originalError, extensions, nodes, path } = error
  // Only what came up in a field has a path.
  const isAnswer =
    path === undefined
      ? typeof extensions['code'] === 'string'
      : originalError !== undefined && isInputError(originalError)
  if (isAnswer) return error
  if (path === undefined || isArgumentError(originalError))
    return new GraphQLError(error.message, {
      ...(nodes && { nodes }),
      ...(path && { path }),
      extensions: { code: 'BAD_USER_INPUT' },
    })
  onFault(originalError ?? error)
  return new GraphQLError('something went wrong here', {
    ...(nodes && { nodes }),
    ...(path && { path }),
    extensions: { code: 'INTERNAL' },
  })
}

// What graphql-js throws where a variable turns out to be no value for the argument it is used for.
function isArgumentError(error: Error | undefined): boolean {
  return (
    error instanceof GraphQLError &&
    error.nodes !== undefined &&
    error.message.startsWith('Argument "')
  )
}

function checkScopes({ scopes }: AccountApiOptions): void {
  const required = new Set(
    [...accountSdl.matchAll(/@requiresScope\(scope: "([^"]+)"\)/g)].map(([, scope]) => scope!),
  )
  for (const scope of required) {
    if (scopes.get(scope)?.audience !== 'member')
      throw new TypeError(
        `account API: the schema requires "${scope}", which the registry does not have for members`,
      )
  }
}
