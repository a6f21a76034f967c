import type { Demo } from '../demo/site.js'
import type { SiteDefinition } from '../sites.js'
import { answerFrontAsset, answerSignInScript, answerStylesheet } from './assets.js'
import { notFoundPage } from './error.js'
import { pageResponse } from './response.js'
import { tooManyFor } from './too-many.js'

/** What a site answers to everybody alike. */
export interface Answers {
  /** `GET /assets/school.css` */
  readonly stylesheet: () => Response
  /** `GET /assets/sign-in.js`: how the pages of this site that are apps sign in. */
  readonly script: () => Response
  /** `GET /assets/front.css` and `/assets/walk.js`: what the demo's front page loads beside the stylesheet. */
  readonly frontAsset: (request: Request) => Response
  /** `GET /account/graphiql` and below; not there unless the site is the demo. */
  readonly graphiql: (request: Request) => Promise<Response>
  readonly notFound: () => Response
  /** The answer to an address that has to wait so many seconds. */
  readonly busy: (request: Request, retryAfterSeconds: number) => Response
}

/** Makes what one site answers to everybody alike. */
export function createAnswers(options: {
  site: SiteDefinition
  origin: string
  demo: Pick<Demo, 'graphiql'>
}): Answers {
  const { site, origin, demo } = options
  const notFound = (): Response => pageResponse(notFoundPage({ site }), { origin, status: 404 })
  return {
    stylesheet: answerStylesheet,
    script: answerSignInScript,
    frontAsset: (request) => answerFrontAsset(request) ?? notFound(),
    graphiql: async (request) => (await demo.graphiql(request)) ?? notFound(),
    notFound,
    busy: (request, retryAfterSeconds) => tooManyFor(request, { site, origin, retryAfterSeconds }),
  }
}
