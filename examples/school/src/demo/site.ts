import type { Attempts } from 'hallpass/clients'
import type { FetchDocument, RefusalNotice } from 'hallpass'
import type { Execute } from 'hallpass/postgres'
import type { Store } from 'hallpass/store'
import { createConnect } from '../connect/connect.js'
import { createLive, type Live } from '../connect/live.js'
import type { RequestContext } from '../platform/request-context.js'
import type { BlockName } from '../blocks/names.js'
import type { People } from '../members/people.js'
import { frontPage } from '../pages/front/front.js'
import type { Html } from '../../../pages/html.js'
import type { LimitedServer } from '../platform/limited.js'
import { answerPlayground } from '../playground/playground.js'
import { createReasons } from '../playground/reasons.js'
import type { FrontVisitor } from '../sign-in/parts.js'
import type { Services } from '../services/services.js'
import type { SiteDefinition } from '../sites.js'
import type { Logos } from '../applications/logos.js'
import type { BelowSignIn } from '../sign-in/sign-in.js'
import { seedBlockClients } from './block-clients.js'
import { continueAs } from './continue-as.js'
import { DEMO_PASSWORD, demoSignIns, seedDemo } from './demo.js'
import { DESK, withDemoDocuments, withDemoLogo } from './documents.js'

/** The additions of a demo site. They are absent until the site becomes the demo. */
export interface Demo {
  /** Turns the site into the demo, with its people, their data, its clients and GraphiQL. */
  readonly seed: (store: Store, logos: Pick<Logos, 'keep'>) => Promise<void>
  /** Fetches client metadata documents, those of the demo's made-up hosts included. */
  readonly fetchDocument: FetchDocument
  /** Fetches logos, that of the demo's reviewed app included. */
  readonly fetchImage: FetchDocument
  /** Returns the page to show instead of the home page, or `null` for the home page. */
  readonly front: (visitor: FrontVisitor) => Html | null
  /** Returns the buttons to sign in as people of the demo, or `null`. */
  readonly belowSignIn: BelowSignIn
  /** Keeps the reason of a refusal for the playground. */
  readonly note: (notice: RefusalNotice<string>) => void
  /** Returns the same endpoints, with the reasons of what they redirect kept for the playground. */
  readonly watch: (server: LimitedServer) => LimitedServer
  /** `GET /playground` and below. Returns `null` if there is no such file. */
  readonly playground: (request: Request) => Response | null
  /** Notes for a visitor what their own client does. */
  readonly live: Pick<Live, 'server' | 'mcp' | 'note'>
  /** `GET /connect` and below. Returns `null` if there is no such file. */
  readonly connect: (request: Request, context: RequestContext) => Promise<Response | null>
  /** `GET /account/graphiql` and below. Returns `null` if there is no such file. */
  readonly graphiql: (request: Request) => Promise<Response | null>
}

/**
 * Creates the additions of a demo site.
 *
 * @param options - `opens`: whether visitors may open schools. `fetchDocument`, `fetchImage`: fetch from hosts that exist.
 *   `attempts`: returns those of the site; `attemptOf`: finds the attempt of an access token; `now`: in seconds since the epoch
 */
export function createDemo({
  site,
  origin,
  execute,
  people,
  neighbors,
  opens,
  fetchDocument,
  fetchImage,
  blocks,
  services,
  attempts,
  attemptOf,
  now,
}: {
  site: SiteDefinition
  origin: string
  execute: Execute
  people: People
  neighbors: readonly { readonly name: string; readonly origin: string }[]
  opens: boolean
  fetchDocument: FetchDocument
  fetchImage: FetchDocument
  blocks: readonly BlockName[]
  services: Services
  attempts: () => Attempts
  attemptOf: (token: string) => Promise<string | null>
  now: () => number
}): Demo {
  let isDemo = false
  const fetchDemoDocument = withDemoDocuments(fetchDocument)
  const fetchDemoImage = withDemoLogo(fetchImage)
  const reasons = createReasons()
  const live = createLive({
    origin,
    site: site.id,
    pages: [origin, ...neighbors.map((one) => one.origin)],
    attemptOf,
    now,
  })
  const connect = createConnect({ site, origin, live, attempts, now })
  return {
    async seed(store, logos) {
      await seedDemo({ execute, site: site.id, origin, people, store, now })
      if (site.id === 'site_lantern')
        await seedBlockClients({ blocks, store, services, now: now() })
      isDemo = true
      const desk = await store.findClient(DESK)
      if (desk !== null) await logos.keep(desk)
    },
    fetchDocument: (url, asked) => (isDemo ? fetchDemoDocument : fetchDocument)(url, asked),
    fetchImage: (url, asked) => (isDemo ? fetchDemoImage : fetchImage)(url, asked),
    front: (visitor) =>
      isDemo
        ? frontPage({
            ...visitor,
            site,
            origin,
            people: demoSignIns(site.id),
            continueAs: continueAs(site.id)({
              site,
              client: null,
              returnTo: '/',
              csrfToken: visitor.form.csrfToken,
            }),
            neighbors,
            opens,
            password: DEMO_PASSWORD,
          })
        : null,
    belowSignIn: (page) => (isDemo ? continueAs(site.id)(page) : null),
    note(notice) {
      if (isDemo) reasons.note(notice)
    },
    watch: (server) => ({
      ...server,
      authorize: reasons.watch(server.authorize),
      interaction: reasons.watch(server.interaction),
    }),
    playground: (request) =>
      isDemo ? answerPlayground(request, { site, origin, neighbors, reasons }) : null,
    live,
    connect: async (request, context) => (isDemo ? connect(request, context) : null),
    async graphiql(request) {
      if (!isDemo) return null
      // It is large and rarely needed.
      const { answerGraphiql } = await import('../account/graphiql/graphiql.js')
      return answerGraphiql(request, site.theme)
    },
  }
}
