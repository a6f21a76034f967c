import { GraphQLError } from 'graphql'
import type { Incoming, Outgoing } from '../../http/exchange.js'
import type { ErrorFormat } from '../../http/frame.js'
import { describe, errorBody, failureBody, json } from '../../http/respond.js'
import type { AccessRefusal } from '../../policy/bearer.js'
import { challengeOf, challengeStatus } from '../../protected-resource/gate.js'
import { ACCOUNT_PATH } from '../../site/paths.js'
import type { Site } from '../../site/site.js'
import { DeadlinePassed } from './deadline.js'
import { isInputError } from '../input-error.js'

/** Reports a fault to the host application. Returns the identifier of the request, for the client. */
export type Report = (fault: unknown) => string

/**
 * Formats an error from the execution of an operation. Errors that the client caused keep their
 * message. The message of an exception from the source goes only to `onFault`.
 */
export function formatFieldError(error: GraphQLError, report: Report): GraphQLError {
  const { originalError, nodes, path } = error
  if (originalError !== undefined && isInputError(originalError)) return error
  if (isArgumentError(originalError)) return inputFault(error)
  const message =
    originalError instanceof DeadlinePassed ? error.message : 'an unexpected error occurred'
  return new GraphQLError(message, {
    ...(nodes && { nodes }),
    ...(path && { path }),
    extensions: { code: 'INTERNAL', requestId: report(originalError ?? error) },
  })
}

/** Adds the code `BAD_USER_INPUT` to an error of graphql-js about a value that the client sent. */
export function inputFault({ message, nodes, path }: GraphQLError): GraphQLError {
  return new GraphQLError(message, {
    ...(nodes && { nodes }),
    ...(path && { path }),
    extensions: { code: 'BAD_USER_INPUT' },
  })
}

// graphql-js throws this error if the value of a variable is invalid for an argument that uses it.
function isArgumentError(error: Error | undefined): boolean {
  return (
    error instanceof GraphQLError &&
    error.nodes !== undefined &&
    error.message.startsWith('Argument "')
  )
}

/** Formats the error of graphql-http for a body that is not a GraphQL request. */
export function formatRequestError(error: Readonly<Error | GraphQLError>): Error | GraphQLError {
  return error instanceof GraphQLError
    ? error
    : new GraphQLError(error.message, { extensions: { code: 'BAD_REQUEST' } })
}

/** How the Account API reports refusals and failures: as an OAuth error and a GraphQL error in one body. */
export const accountErrors = ({
  resource,
  senderConstraint,
}: Pick<Site, 'resource' | 'senderConstraint'>): ErrorFormat<AccessRefusal> => ({
  refusal(refusal, { incoming }) {
    const { error, requiredScopes } = refusal
    const body = errorBody(error, describe(refusal))
    const challenge = challengeOf(refusal, {
      resource,
      path: ACCOUNT_PATH,
      nameMissing: true,
      senderConstraint,
      authorization: incoming.header('authorization'),
    })
    const extensions =
      error === 'insufficient_scope'
        ? { code: 'INSUFFICIENT_SCOPE', requiredScopes }
        : { code: 'UNAUTHENTICATED' }
    const headers = ['www-authenticate', challenge, 'vary', 'Authorization']
    return asAccepted(
      json(challengeStatus(refusal), withErrors(body, extensions), headers),
      incoming,
    )
  },
  failure(failure, { incoming, requestId }) {
    const { status } = failure
    const extensions = status < 500 ? { code: 'BAD_REQUEST' } : { code: 'INTERNAL', requestId }
    return asAccepted(json(status, withErrors(failureBody(failure), extensions)), incoming)
  },
})

const GRAPHQL_TYPE = 'application/graphql-response+json'

/**
 * Sends an error in the media type of GraphQL if the client prefers it. Such a client takes the body of another type for
 * one of a proxy, and shows its user none of it.
 *
 * @see [GraphQL over HTTP](https://graphql.github.io/graphql-over-http/draft/#sec-application-graphql-response-json)
 */
export function asAccepted(response: Outgoing, incoming: Incoming): Outgoing {
  if (!prefersGraphql(incoming)) return response
  const headers = response.headers.map((value) => value.replace('application/json', GRAPHQL_TYPE))
  // That media type has no other members. The challenge has the error of OAuth.
  const { errors } = JSON.parse(response.body as string) as { errors: unknown }
  return { ...response, headers, body: JSON.stringify({ errors }) }
}

/** Whether the first media type of `Accept` that this endpoint has is that of GraphQL, as graphql-http chooses. */
export function prefersGraphql(incoming: Incoming): boolean {
  const accepted = (incoming.header('accept') ?? '').split(',')
  const types = accepted.map((one) => one.split(';', 1)[0]!.trim().toLowerCase())
  return types.find((one) => OFFERED.includes(one)) === GRAPHQL_TYPE
}

const OFFERED: readonly string[] = [GRAPHQL_TYPE, 'application/json', '*/*']

/**
 * Adds a GraphQL error to the body of an OAuth error.
 *
 * @param body - contains `error_description`, which becomes the message
 */
export const withErrors = (
  body: Readonly<Record<string, unknown>>,
  extensions: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => ({
  ...body,
  errors: [{ message: body['error_description'], extensions }],
})
