import { GraphQLError } from 'graphql'
import type { ErrorFormat } from '../http/frame.js'
import { describe, errorBody, failureBody, json } from '../http/respond.js'
import type { AccessRefusal } from '../policy/bearer.js'
import { challengeOf, challengeStatus } from '../protected-resource/gate.js'
import type { Site } from '../site/site.js'
import { DeadlinePassed } from './deadline.js'
import { isInputError } from '../account/input-error.js'

/** Tells the host of a fault. Answers the identifier of the request, which the client is told. */
export type Report = (fault: unknown) => string

/**
 * What a client reads of an error that came up while its operation ran. What the client caused, it is
 * told; the message of whatever a source threw stays here.
 */
export function formatFieldError(error: GraphQLError, report: Report): GraphQLError {
  const { originalError, nodes, path } = error
  if (originalError !== undefined && isInputError(originalError)) return error
  if (isArgumentError(originalError)) return inputFault(error)
  const message =
    originalError instanceof DeadlinePassed ? error.message : 'something went wrong here'
  return new GraphQLError(message, {
    ...(nodes && { nodes }),
    ...(path && { path }),
    extensions: { code: 'INTERNAL', requestId: report(originalError ?? error) },
  })
}

/** An error of graphql-js about a value that the client sent, with its code. */
export function inputFault({ message, nodes, path }: GraphQLError): GraphQLError {
  return new GraphQLError(message, {
    ...(nodes && { nodes }),
    ...(path && { path }),
    extensions: { code: 'BAD_USER_INPUT' },
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

/** A body that is no GraphQL request, as graphql-http says it. */
export function formatRequestError(error: Readonly<Error | GraphQLError>): Error | GraphQLError {
  return error instanceof GraphQLError
    ? error
    : new GraphQLError(error.message, { extensions: { code: 'BAD_REQUEST' } })
}

/** How the Account API says no: so that OAuth clients can read it, and GraphQL clients as well. */
export const accountErrors = ({ issuer }: Pick<Site, 'issuer'>): ErrorFormat<AccessRefusal> => ({
  refusal(refusal) {
    const { error, requiredScopes } = refusal
    const body = errorBody(error, describe(refusal))
    const challenge = challengeOf(refusal, { issuer, nameMissing: true })
    const extensions =
      error === 'insufficient_scope'
        ? { code: 'INSUFFICIENT_SCOPE', requiredScopes }
        : { code: 'UNAUTHENTICATED' }
    return json(challengeStatus(refusal), withErrors(body, extensions), [
      'www-authenticate',
      challenge,
      'vary',
      'Authorization',
    ])
  },
  failure(failure, { requestId }) {
    const { status } = failure
    const extensions = status < 500 ? { code: 'BAD_REQUEST' } : { code: 'INTERNAL', requestId }
    return json(status, withErrors(failureBody(failure), extensions))
  },
})

/**
 * The body of an error with the same as an error of GraphQL.
 *
 * @param body - with `error_description`
 */
export const withErrors = (
  body: Readonly<Record<string, unknown>>,
  extensions: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => ({
  ...body,
  errors: [{ message: body['error_description'], extensions }],
})
