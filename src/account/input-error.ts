import { type ASTNode, GraphQLError } from 'graphql'

/**
 * Creates the error for an invalid argument or variable: the field becomes `null`, and the error reports
 * `BAD_USER_INPUT`.
 *
 * @param node - the value in the operation document, if it is written there
 */
export function inputError(
  message: string,
  details: Readonly<Record<string, unknown>> = {},
  node?: ASTNode,
): GraphQLError {
  const error = new GraphQLError(message, {
    ...(node && { nodes: [node] }),
    extensions: { code: 'BAD_USER_INPUT', ...details },
  })
  inputErrors.add(error)
  return error
}

const inputErrors = new WeakSet<object>()

/** Whether an error was created by {@link inputError}. A source can throw errors that look the same. */
export const isInputError = (error: Error): boolean => inputErrors.has(error)
