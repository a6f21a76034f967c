export type { AccountExecutor, ExecutionError } from './member-tools/executor.js'
export { accountTools } from './member-tools/member-tools.js'
