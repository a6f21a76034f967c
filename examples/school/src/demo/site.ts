import type { FetchDocument } from 'hallpass'
import type { Execute } from 'hallpass/postgres'
import type { Store } from 'hallpass/store'
import type { People } from '../members/people.js'
import { frontPage } from '../pages/front/front.js'
import type { Html } from '../pages/html.js'
import type { FrontVisitor } from '../sign-in/parts.js'
import type { SiteDefinition } from '../sites.js'
import { DEMO_PASSWORD, demoSignIns, seedDemo } from './demo.js'
import { withDemoDocuments } from './documents.js'

/** What a site has that nobody else sees, once it is the demo. Until then there is none of it. */
export interface Demo {
  /** Makes the site the demo, with its people, what they learn, its clients and GraphiQL. */
  readonly seed: (store: Store) => Promise<void>
  /** Gets documents of clients, those of the demo's made-up hosts as well. */
  readonly fetchDocument: FetchDocument
  /** The page that everybody gets in the place of the home page; `null` = the home page it is. */
  readonly front: (visitor: FrontVisitor) => Html | null
  /** `GET /account/graphiql` and below; `null` = no such file. */
  readonly graphiql: (request: Request) => Promise<Response | null>
}

/**
 * Makes what a site has as the demo.
 *
 * @param options - `fetchDocument`: gets documents from hosts that exist; `now`: epoch seconds
 */
export function createDemo({
  site,
  origin,
  execute,
  people,
  fetchDocument,
  now,
}: {
  site: SiteDefinition
  origin: string
  execute: Execute
  people: People
  fetchDocument: FetchDocument
  now: () => number
}): Demo {
  let isDemo = false
  const fetchDemoDocument = withDemoDocuments(fetchDocument)
  return {
    async seed(store) {
      await seedDemo({ execute, site: site.id, origin, people, store, now })
      isDemo = true
    },
    fetchDocument: (url) => (isDemo ? fetchDemoDocument : fetchDocument)(url),
    front: (visitor) =>
      isDemo
        ? frontPage({
            ...visitor,
            site,
            origin,
            people: demoSignIns(site.id),
            password: DEMO_PASSWORD,
          })
        : null,
    async graphiql(request) {
      if (!isDemo) return null
      // Large, and rarely asked for.
      const { answerGraphiql } = await import('../account/graphiql/graphiql.js')
      return answerGraphiql(request)
    },
  }
}
