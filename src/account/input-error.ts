import { GraphQLError } from 'graphql'

/** A fault in an argument or variable: the request goes on without the field, and says why. */
export function inputError(
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT', ...details } })
}
