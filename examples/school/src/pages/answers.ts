import type { SiteDefinition } from '../sites.js'
import {
  answerCopyScript,
  answerFrontAsset,
  answerIcon,
  answerSignInScript,
  answerStylesheet,
} from './assets.js'
import { notFoundPage } from '../../../pages/error.js'
import { failedFor } from './failed.js'
import { pageResponse } from '../../../pages/response.js'
import type { RequestContext } from '../platform/request-context.js'
import { forReader } from '../../../pages/words/languages.js'
import { tooManyFor } from './too-many.js'

/** Responses of a site that do not depend on who asks. */
export interface Answers {
  /** `GET /assets/school.css` */
  readonly stylesheet: () => Response
  /** `GET /assets/mark.svg`: the icon of this site. */
  readonly icon: () => Response
  /** `GET /assets/copy.js`: the script of pages with text to copy. */
  readonly copyScript: () => Response
  /** `GET /assets/sign-in.js`: the sign-in code of this site's own browser apps. */
  readonly script: () => Response
  /** `GET /assets/front.css`, `/assets/opened.css`, `/assets/walk.js` and `/assets/walk-client.json`: further files of the demo's front page. */
  readonly frontAsset: (request: Request) => Response
  /** `GET /app-logos/:digest`: the school's copy of the logo of a reviewed app. */
  readonly appLogo: (request: Request) => Promise<Response>
  /** `GET /playground` and below: 404 unless the site is the demo. */
  readonly playground: (request: Request) => Response
  /** `GET /connect` and below: 404 unless the site is the demo. */
  readonly connect: (request: Request, context: RequestContext) => Promise<Response>
  /** `GET /account/graphiql` and below: 404 unless the site is the demo. */
  readonly graphiql: (request: Request) => Promise<Response>
  readonly notFound: (request: Request) => Response
  /** The response to a request that ended in an exception of the framework: see `failedFor`. */
  readonly failed: (request: Request, status: number) => Response
  /** The 429 response to an address that must wait `retryAfterSeconds`. */
  readonly busy: (request: Request, retryAfterSeconds: number) => Response
}

/** Creates the responses of one site that do not depend on who asks. */
export function createAnswers(options: {
  site: SiteDefinition
  origin: string
  /** The pages of the demo, each `null` for a path that it does not have. */
  demo: {
    readonly playground: (request: Request) => Response | null
    readonly connect: (request: Request, context: RequestContext) => Promise<Response | null>
    readonly graphiql: (request: Request) => Promise<Response | null>
  }
  /** The copies of logos. */
  logos: { readonly answer: (request: Request) => Promise<Response | null> }
}): Answers {
  const { site, origin, demo, logos } = options
  const notFound: Answers['notFound'] = (request) =>
    pageResponse(notFoundPage({ site: forReader(site, request) }), { origin, status: 404 })
  return {
    stylesheet: answerStylesheet,
    icon: () => answerIcon(site.theme),
    copyScript: answerCopyScript,
    script: answerSignInScript,
    frontAsset: (request) => answerFrontAsset(request, { origin }) ?? notFound(request),
    appLogo: async (request) => (await logos.answer(request)) ?? notFound(request),
    playground: (request) => demo.playground(request) ?? notFound(request),
    connect: async (request, context) =>
      (await demo.connect(request, context)) ?? notFound(request),
    graphiql: async (request) => (await demo.graphiql(request)) ?? notFound(request),
    notFound,
    failed: (request, status) => failedFor(request, { site, origin, status }),
    busy: (request, retryAfterSeconds) => tooManyFor(request, { site, origin, retryAfterSeconds }),
  }
}
