import { GraphQLError } from 'graphql'
import type { ErrorFormat } from '../http/frame.js'
import { describe, errorBody, failureBody, json } from '../http/respond.js'
import type { AccessRefusal } from '../policy/bearer.js'
import { challengeOf, challengeStatus } from '../protected-resource/gate.js'
import { ACCOUNT_PATH } from '../site/paths.js'
import type { Site } from '../site/site.js'
import { DeadlinePassed } from './deadline.js'
import { isInputError } from '../account/input-error.js'

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
export const accountErrors = ({ issuer }: Pick<Site, 'issuer'>): ErrorFormat<AccessRefusal> => ({
  refusal(refusal) {
    const { error, requiredScopes } = refusal
    const body = errorBody(error, describe(refusal))
    const challenge = challengeOf(refusal, { issuer, path: ACCOUNT_PATH, nameMissing: true })
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
