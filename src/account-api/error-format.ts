import { GraphQLError } from 'graphql'
import { base64url } from '../encoding/base64url.js'
import { randomBytes } from '../encoding/random.js'
import type { Outgoing } from '../http/exchange.js'
import { DeadlinePassed } from './deadline.js'
import { isInputError } from '../account/input-error.js'

/** Tells the host of a fault. Answers the identifier of the request, which the client is told. */
export type Report = (fault: unknown) => string

/** Makes the {@link Report} of one request. Its identifier is made with the first fault. */
export function createReport(tell: (fault: unknown, requestId: string) => void): Report {
  let requestId: string | null = null
  return (fault) => {
    requestId ??= base64url(randomBytes(12))
    tell(fault, requestId)
    return requestId
  }
}

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

/**
 * An answer that OAuth clients can read, made readable for GraphQL clients as well.
 *
 * @param answer - with `error` and `error_description`, in JSON
 * @param extensions - of the GraphQL error
 */
export function withErrors(
  answer: Outgoing,
  extensions: Readonly<Record<string, unknown>> = { code: 'BAD_REQUEST' },
): Outgoing {
  const told = JSON.parse(answer.body ?? '{}') as { readonly error_description?: string }
  const errors = [{ message: told.error_description, extensions }]
  return { ...answer, body: JSON.stringify({ ...told, errors }) }
}
