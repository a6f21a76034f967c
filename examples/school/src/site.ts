import { type AuthorizationServer, createAuthorizationServer } from 'hallpass'
import { type AccountApi, createAccountApi } from 'hallpass/account'
import { createNodeSigner } from 'hallpass/node'
import { createPostgresStore } from 'hallpass/postgres'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createKeyRing } from 'hallpass/token'
import { createAccountSource } from './account-source.js'
import type { Database } from './database.js'
import { seedDemo } from './demo.js'
import { pageResponse } from './page-response.js'
import { consentPage } from './pages/consent.js'
import { errorPage, notFoundPage } from './pages/error.js'
import { schoolCss } from './pages/style.js'
import { createPeople } from './people.js'
import { createSessions } from './sessions.js'
import { createSignIn, type SignIn } from './sign-in.js'
import type { SiteDefinition } from './sites.js'
import type { Throttle } from './throttle.js'
import { createVisitors } from './visitors.js'
import { vendors } from './vendors.js'

/** A line for the log: no code, token, secret, cookie or password is ever in one. */
export type Log = (entry: Readonly<Record<string, unknown>>) => void

/** One school, ready to be put behind a router. */
export interface SchoolSite {
  readonly definition: SiteDefinition
  readonly origin: string
  /** hallpass's endpoints, for `routesOf`. */
  readonly server: AuthorizationServer
  /** `POST /account/graphql` and `GET /account/schema.graphql` */
  readonly account: AccountApi
  readonly home: SignIn['home']
  readonly signIn: SignIn['signIn']
  readonly signOut: SignIn['signOut']
  /** `GET /assets/school.css` */
  readonly stylesheet: () => Response
  readonly notFound: () => Response
  /** `GET /account/graphiql` and below; not there unless the site is the demo. */
  readonly graphiql: (request: Request) => Promise<Response>
  /** Moves keys on and removes what has expired. Call it at the start and every few minutes. */
  readonly maintain: () => Promise<void>
}

/**
 * Wires hallpass into one school.
 *
 * @param options - `origin`: issuer and prefix of every URL; `sealingSecret`: seals the private keys
 *   in the database; `now`: epoch seconds
 */
export function createSite({
  definition,
  origin,
  database: { execute },
  sealingSecret,
  throttle,
  log,
  now = () => Math.floor(Date.now() / 1000),
}: {
  definition: SiteDefinition
  origin: string
  database: Database
  sealingSecret: string
  throttle: Throttle
  log: Log
  now?: () => number
}): SchoolSite & {
  /** Makes the site the demo, with its people, what they learn, its clients and GraphiQL. */
  readonly seed: () => Promise<void>
} {
  const { id, name } = definition
  const store = createPostgresStore({ execute, site: id })
  const keys = createKeyRing({
    store,
    sealingSecret,
    signing: definition.signing,
    createSigner: createNodeSigner,
    now,
  })
  const people = createPeople({ execute, site: id })
  const sessions = createSessions({ execute, site: id, now })
  const visitors = createVisitors({ origin, site: id, sessions })
  const signIn = createSignIn({
    site: definition,
    origin,
    people,
    sessions,
    visitors,
    throttle,
    findPerson: people.find,
    resume: (request) => server.interaction(request),
  })

  const server = createAuthorizationServer({
    issuer: origin,
    siteName: name,
    store,
    keys,
    scopes: schoolScopes,
    roles: schoolRoles,
    vendors,
    findPerson: people.find,
    interact: {
      currentPerson: signIn.currentPerson,
      signIn: signIn.page,
      consent: (request, view) => {
        const visitor = visitors.idOf(request)
        return pageResponse(
          consentPage({ site: definition, view, signOutToken: visitors.csrfToken(visitor) }),
          { origin, formTarget: view.client.redirectSource, cookie: visitors.cookie(visitor) },
        )
      },
      error: (_request, view) =>
        pageResponse(errorPage({ site: definition, view }), { origin, status: view.status }),
    },
    onEvent: (event) => log({ site: id, ...event }),
    onRefusal: (refusal) => log({ site: id, type: 'refused', ...refusal }),
    onFault: ({ fault, ...notice }) =>
      log({ site: id, type: 'fault', ...notice, fault: describeFault(fault) }),
    now,
  })

  const account = createAccountApi({
    issuer: origin,
    store,
    findPerson: people.find,
    scopes: schoolScopes,
    roles: schoolRoles,
    vendors,
    source: createAccountSource({ execute, site: definition, origin, now }),
    pictureHosts: ['images.example'],
    onRefusal: (refusal) => log({ site: id, type: 'refused', ...refusal }),
    onFault: (fault) => log({ site: id, type: 'fault', fault: describeFault(fault) }),
    now,
  })

  const notFound = (): Response =>
    pageResponse(notFoundPage({ site: definition }), { origin, status: 404 })
  let isDemo = false

  return {
    definition,
    origin,
    server,
    account,
    home: signIn.home,
    signIn: signIn.signIn,
    signOut: signIn.signOut,
    stylesheet: () =>
      new Response(schoolCss, {
        headers: {
          'content-type': 'text/css; charset=utf-8',
          'cache-control': 'public, max-age=300',
          'x-content-type-options': 'nosniff',
        },
      }),
    notFound,
    async graphiql(request) {
      if (!isDemo) return notFound()
      // Large, and rarely asked for.
      const { answerGraphiql } = await import('./graphiql/graphiql.js')
      return answerGraphiql(request) ?? notFound()
    },
    async maintain() {
      await keys.maintain()
      await store.purge({ now: now(), limit: 1000 })
      await sessions.purge()
    },
    async seed() {
      await seedDemo({ execute, site: id, origin, people, store, now })
      isDemo = true
    },
  }
}

// The message of an error, and of its causes; the stack is for the operator's own tools.
function describeFault(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault)
  return fault.cause === undefined
    ? fault.message
    : `${fault.message}: ${describeFault(fault.cause)}`
}
