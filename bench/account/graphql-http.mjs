import { createHandler } from 'graphql-http/lib/use/http'
import { accountSchema } from 'hallpass/account'
import { contextOf, scenariosOf } from './common.mjs'

/** The protocol and graphql-js, and nothing else: no cache, no gate, no limits. */
export async function createSubject() {
  const listener = createHandler({ schema: accountSchema(), context: contextOf })
  return { listener, scenarios: scenariosOf() }
}
