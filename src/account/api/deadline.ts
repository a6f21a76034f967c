import { type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql'
import { executePlanned } from './executor.js'

/** The fault that is reported when a request exceeds its deadline. */
export class DeadlinePassed extends Error {
  constructor(deadlineMilliseconds: number) {
    super(`a request took longer than deadlineMilliseconds (${deadlineMilliseconds})`)
    this.name = 'DeadlinePassed'
  }
}

/**
 * Executes an operation. After the deadline it returns an error instead of the result, but the source
 * is not interrupted.
 */
export async function executeWithin(
  deadlineMilliseconds: number,
  args: ExecutionArgs,
): Promise<ExecutionResult> {
  const running = executePlanned(args)
  if (!('then' in running)) return running
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const originalError = new DeadlinePassed(deadlineMilliseconds)
      const error = new GraphQLError('the request took too long', { originalError })
      resolve({ data: null, errors: [error] })
    }, deadlineMilliseconds)
    running.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
