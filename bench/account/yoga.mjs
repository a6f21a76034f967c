import { createYoga } from 'graphql-yoga'
import { accountSchema } from 'hallpass/account'
import { contextOf, PATH, scenariosOf } from './common.mjs'

/** graphql-yoga as it comes, with its caches of parsed and validated documents. */
export async function createSubject() {
  const yoga = createYoga({
    schema: accountSchema(),
    context: contextOf,
    graphqlEndpoint: PATH,
    graphiql: false,
    landingPage: false,
    logging: false,
  })
  return { listener: yoga, scenarios: scenariosOf() }
}
