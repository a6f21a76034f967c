import { continueAsCss } from '../demo/continue-as.js'
import { pageMetadata, WALK } from '../demo/page-app.js'
import { fileResponse } from './file.js'
import { openedCss } from '../opened/page.js'
import { frontCss } from './style/front.js'
import { schoolCss } from '../../../pages/style/style.js'
import { iconOf } from '../../../pages/marks.js'
import type { Theme } from '../../../pages/style/palette.js'
import { walkCss } from './style/walk.js'

// A site's own browser apps load these from other origins.
const publicFile = (content: string | URL, type: string): Response => {
  const response = fileResponse(content, type)
  response.headers.set('access-control-allow-origin', '*')
  return response
}

/** Responds to `GET /assets/school.css` with the stylesheet of all pages. */
export const answerStylesheet = (): Response => publicFile(schoolCss + continueAsCss, 'text/css')

/** Responds to `GET /assets/mark.svg` and `/favicon.ico` with the icon of a school. */
export const answerIcon = (theme: Theme): Response => fileResponse(iconOf(theme), 'image/svg+xml')

/** Responds to `GET /assets/copy.js` with the script that adds buttons to text to copy. */
export const answerCopyScript = (): Response =>
  fileResponse(new URL('../../../pages/copy.js', import.meta.url), 'text/javascript')

/** Responds to `GET /assets/sign-in.js` with the sign-in code of a site's own browser apps. */
export const answerSignInScript = (): Response =>
  publicFile(new URL('../sign-in/browser.js', import.meta.url), 'text/javascript')

/**
 * Responds with a file of the demo's front page, in addition to the stylesheet of all pages.
 *
 * @returns the file, or `null` if there is no file at this path
 */
export function answerFrontAsset(
  request: Request,
  { origin }: { origin: string },
): Response | null {
  switch (new URL(request.url).pathname) {
    case '/assets/front.css':
      return fileResponse(frontCss + walkCss, 'text/css')
    case '/assets/opened.css':
      return fileResponse(openedCss, 'text/css')
    case '/assets/walk.js':
      // `npm run build` bundles it from `examples/walk`.
      return fileResponse(new URL('../../dist/walk.js', import.meta.url), 'text/javascript')
    case WALK.document:
      return fileResponse(JSON.stringify(pageMetadata(WALK, origin)), 'application/json')
    default:
      return null
  }
}
