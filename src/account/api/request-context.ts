import { type AccountContext, createAccountContext } from '../context.js'
import type { Access } from '../../policy/bearer.js'
import type { AccountApiConfiguration } from './configuration.js'

/** Creates the function that makes the context value of a request. */
export function createContextOf({
  source,
  pictureHosts,
  extend,
}: Pick<AccountApiConfiguration, 'source' | 'pictureHosts' | 'extend'>): (
  access: Access,
  now: number,
) => AccountContext {
  return (access, now) => {
    const context = createAccountContext({ member: access.person, source, now, pictureHosts })
    return extend?.withContext(context, access) ?? context
  }
}
