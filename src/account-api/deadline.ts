import { execute, type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql'

/** A request took too long. */
export class DeadlinePassed extends Error {
  constructor(deadlineMilliseconds: number) {
    super(`a request took longer than deadlineMilliseconds (${deadlineMilliseconds}) allows`)
    this.name = 'DeadlinePassed'
  }
}

/** Executes an operation. One that takes too long is answered without it; the source is not stopped. */
export async function executeWithin(
  deadlineMilliseconds: number,
  args: ExecutionArgs,
): Promise<ExecutionResult> {
  const running = Promise.resolve(execute(args))
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<ExecutionResult>((resolve) => {
    timer = setTimeout(() => {
      const originalError = new DeadlinePassed(deadlineMilliseconds)
      const error = new GraphQLError('the request took too long', { originalError })
      resolve({ data: null, errors: [error] })
    }, deadlineMilliseconds)
  })
  return Promise.race([running, late]).finally(() => clearTimeout(timer))
}
