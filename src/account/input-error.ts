import { type ASTNode, GraphQLError } from 'graphql'

/**
 * A fault in an argument or variable: the request goes on without the field, and says why.
 *
 * @param node - where the value stands in the document, if it does
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

/** Whether {@link inputError} made it: a source may throw errors that look the same. */
export const isInputError = (error: Error): boolean => inputErrors.has(error)
